"""Nothing of a document runs, whatever its title, id, entities, text, language and address are."""

import pytest

from tests.support.widget_answers import ADDRESS, IMAGE, SCRIPT, Answers
from tests.support.widget_pages import Open, explain, part, texts
from tests.support.widget_site import SCRIPT as WIDGET
from tests.support.widget_site import Site

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize("template", [False, True])
def test_scripts_in_documents_are_shown_as_text(
    open_page: Open, site: Site, all_answers: dict[str, Answers], template: bool
) -> None:
    id, answer = next(iter(all_answers["attacking"].items()))
    # The engine's own answers leave out such an address; another service may not.
    relations = [
        {**relation, "document": {**relation["document"], "link": ADDRESS}}
        for relation in answer["relations"]
    ]
    site.answers = {id: {**answer, "relations": relations}}
    assert {relation["kind"] for relation in relations} == {"version", "semantic"}
    page = open_page(id, **({"template": "1"} if template else {}))
    explain(page)
    shown = (
        page.locator("related-documents strong").all_inner_texts()
        if template
        else texts(page, "title")
    )
    assert sorted(shown) == sorted(relation["document"]["title"] for relation in relations)
    assert f"{SCRIPT} {IMAGE}" in texts(page, "chip")
    assert any(SCRIPT[1:] in quote for quote in page.locator("blockquote").all_inner_texts())
    assert page.locator("related-documents :is(script, img)").count() == 0
    assert page.locator("related-documents a[href]:not([href='/help'])").count() == 0
    assert page.evaluate("window.attacked") is None


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("javascript:alert(1)", None),
        (" java\nscript:alert(1)", None),
        ("JAVASCRIPT:alert(1)", None),
        ("data:text/html,<script>alert(1)</script>", None),
        ("vbscript:x", None),
        ("blob:https://example.org/1", None),
        ("file:///etc/passwd", None),
        ("https://", None),
        ("", None),
        ("https://example.org/a?b#c", "https://example.org/a?b#c"),
        ("http://example.org/", "http://example.org/"),
        ("//example.org/a", "http://example.org/a"),
        ("article 1.html", "{site}/article%201.html"),
        ("/a", "{site}/a"),
    ],
)
def test_a_link_leads_to_the_web_or_nowhere(
    open_page: Open, site: Site, link: str, address: str | None
) -> None:
    answer = site.answers["en-recall"]
    relation = answer["relations"][0]
    changed = {**relation, "document": {**relation["document"], "link": link}}
    site.answers = {"a": {**answer, "relations": [changed]}}
    page = open_page("a")
    expected = address and address.format(site=site.url)
    assert part(page, "title").get_attribute("href") == expected


def test_the_source_uses_nothing_that_parses_markup_or_runs_text() -> None:
    source = WIDGET.read_text("utf-8")
    for name in (
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "setHTML", "eval(",
        "Function(", "DOMParser", "srcdoc", "createContextualFragment",
    ):  # fmt: skip
        assert name not in source


def test_no_other_address_is_asked(open_page: Open, site: Site) -> None:
    open_page("en-harbour-v1")
    asked = {path.partition("?")[0] for path in site.requested} - {"/favicon.ico"}
    assert asked == {
        "/page.html",
        "/page.css",
        "/page.js",
        "/widget/related-documents.js",
        "/v1/related/en-harbour-v1",
    }
