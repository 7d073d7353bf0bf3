"""What the widget shows while it waits, of an answer, of nothing and of an error."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from es_simhash.text.counting import percent
from tests.support.waiting import until
from tests.support.widget_pages import Open, events, explain, part, texts, wait_for
from tests.support.widget_site import Site

pytestmark = pytest.mark.cluster


def test_versions_stand_newest_first_with_their_share(open_page: Open, site: Site) -> None:
    page = open_page("en-harbour-v1")
    relations = {
        relation["id"]: relation for relation in site.answers["en-harbour-v1"]["relations"]
    }
    newest, second = relations["en-harbour-v3"], relations["en-harbour-v2"]
    shares = [percent(each["coverage"]["of_query"]) for each in (newest, second)]
    versions = page.locator('related-documents [part~="versions"]')
    assert versions.locator("a").all_inner_texts() == [
        newest["document"]["title"],
        second["document"]["title"],
    ]
    assert versions.locator("a").first.get_attribute("href") == f"{site.url}/articles/en-harbour-v3"
    assert versions.locator('[part~="date"]').all_inner_texts() == [
        "February 13, 2024",
        "February 11, 2024",
    ]
    assert versions.locator('[part~="direction"]').all_inner_texts() == ["↑ Newer", "Same date"]
    assert versions.locator('[part~="share"]').all_inner_texts() == [
        f"{share} of this document" for share in shares
    ]
    widths = [
        part(page, "fill")
        .nth(place)
        .evaluate("(bar) => bar.getBoundingClientRect().width / bar.parentElement.clientWidth")
        for place in range(2)
    ]
    expected = [each["coverage"]["of_query"] for each in (newest, second)]
    assert widths == pytest.approx(expected, abs=0.03)


def test_neighbours_show_what_they_share_names_first(open_page: Open, site: Site) -> None:
    page = open_page("en-harbour-v1", evidence="1")
    (neighbour,) = (
        each for each in site.answers["en-harbour-v1"]["relations"] if each["kind"] == "semantic"
    )
    shared = neighbour["semantics"]["shared"]
    names = [term["text"] for term in shared if term["is_entity"]]
    others = [term["text"] for term in shared if not term["is_entity"]]
    assert texts(page, "name") == names
    assert texts(page, "chip") == [*names, *others][:6]
    assert [path for path in site.requested if "/v1/related/" in path] == [
        "/v1/related/en-harbour-v1?evidence=true"
    ]
    explain(page)
    assert not [path for path in site.requested if "/v1/evidence/" in path]
    near = neighbour["semantics"]["near"]
    ours, theirs = (
        ", ".join(word["text"] for word in near[side]) for side in ("of_query", "of_hit")
    )
    assert texts(page, "near") == [f"Near in meaning: {ours} – {theirs}"]


def test_evidence_is_asked_for_when_a_reason_is_opened_and_once(
    open_page: Open, site: Site
) -> None:
    page = open_page("en-harbour-v1")
    assert part(page, "chip").count() == 0
    neighbour = site.answers["en-harbour-v1"]["relations"][2]

    def asked() -> list[str]:
        return [path for path in site.requested if "/v1/evidence/" in path]

    assert asked() == []
    site.gate.clear()
    toggle, reason = part(page, "toggle").nth(2), part(page, "reason").nth(2)
    toggle.click()
    assert reason.locator('[part~="skeleton"]').is_visible()
    site.gate.set()
    part(page, "chip").first.wait_for()
    shared = {term["text"] for term in neighbour["semantics"]["shared"]}
    assert shared <= set(texts(page, "chip"))
    for _ in range(2):
        toggle.click()
    assert reason.is_visible()
    assert asked() == [f"/v1/evidence/en-harbour-v1/{neighbour['id']}"]
    # In another language it is written anew, and not asked for again.
    page.evaluate("document.querySelector('related-documents').lang = 'de'")
    explain(page, 2)
    assert shared <= set(texts(page, "chip"))
    assert len(asked()) == 1


def test_evidence_that_does_not_come_can_be_asked_for_again(open_page: Open, site: Site) -> None:
    page = open_page("en-harbour-v1")
    site.statuses = [503]
    explain(page, 0)
    assert texts(page, "note") == ["The reason could not be loaded."]
    part(page, "retry").click()
    part(page, "passage").first.wait_for()
    assert part(page, "retry").count() == 0


@pytest.mark.parametrize(
    ("id", "other", "words", "side"),
    [
        ("en-river-report", "Too warm for trout", "Excerpt of this", "of_query"),
        ("en-river-excerpt", "The Lower Aune after the weirs", "Contains this", "of_hit"),
    ],
)
def test_excerpts_say_which_contains_which(
    open_page: Open, site: Site, id: str, other: str, words: str, side: str
) -> None:
    page = open_page(id)
    relation = site.answers[id]["relations"][0]
    versions = page.locator('related-documents [part~="versions"]')
    assert versions.locator("a").inner_text().startswith(other[:20])
    assert versions.locator('[part~="kind"]').inner_text() == words
    share = round(100 * relation["coverage"][side])
    assert versions.locator('[part~="share"]').inner_text().startswith(f"{share}% of th")


def test_a_reason_shows_both_passages_and_what_differs(open_page: Open, site: Site) -> None:
    page = open_page("en-harbour-v1")
    relation = site.answers["en-harbour-v1"]["relations"][0]
    assert relation["id"] == "en-harbour-v2"
    assert part(page, "reason").nth(1).is_hidden()
    explain(page, 1)
    quotes = page.locator("related-documents blockquote")
    for place, side in enumerate(("query", "hit")):
        whole = " ".join(relation["evidence"][0][side]["text"].split())
        pieces = quotes.nth(place).inner_text().split("…")
        assert len(pieces) > 1
        assert [piece for piece in pieces if " ".join(piece.split()) not in whole] == []
    marks = [quotes.nth(place).locator("mark").all_inner_texts() for place in range(2)]
    # What the second report changed in the first.
    assert marks[0] == ["Two", "slightly", "Eleven", "afternoon"]
    assert marks[1][:4] == ["Three", "one of them seriously", "Fourteen", "evening"]
    shares = [round(100 * relation["coverage"][side]) for side in ("of_query", "of_hit")]
    assert texts(page, "note") == [
        f"{shares[0]}% of this document appears in the other one, and {shares[1]}% of the other "
        "one in this one."
    ]


def test_equal_passages_have_no_marks(open_page: Open) -> None:
    page = open_page("en-river-report")
    explain(page, 0)
    here, there = page.locator("related-documents blockquote").all_inner_texts()
    assert here == there
    assert texts(page, "passage-kind")[0] == "Word for word"
    assert part(page, "changed").count() == 0


def test_while_it_waits_the_place_is_kept(open_page: Open, site: Site) -> None:
    site.gate.clear()
    page = open_page("en-harbour-v1", state="loading")
    root = part(page, "root")
    assert root.get_attribute("aria-busy") == "true"
    assert part(page, "status").text_content() == "Loading related documents…"
    assert part(page, "skeleton").is_visible()
    before = page.locator("#below").bounding_box()
    site.gate.set()
    wait_for(page, "ready")
    assert root.get_attribute("aria-busy") == "false"
    assert part(page, "status").text_content() == "Other versions: 2. Related: 1."
    assert page.locator("#below").bounding_box() == before
    assert page.evaluate("window.shifts") == 0


def test_nothing_related_is_said_and_nothing_else_is_shown(open_page: Open, site: Site) -> None:
    page = open_page("en-chess", state="empty")
    assert part(page, "status").inner_text() == "No other versions or related documents."
    assert page.locator("related-documents").get_by_role("link").count() == 0
    assert [path for path in site.requested if "/v1/related/" in path] == [
        "/v1/related/en-chess?evidence=false"
    ]
    assert events(page, "related-loaded") == [
        {"documentId": "en-chess", "versions": 0, "related": 0, "total": 0, "truncated": False}
    ]


@pytest.mark.parametrize("status", [400, 404, 429, 500, 503])
def test_an_error_is_said_and_can_be_tried_again(open_page: Open, site: Site, status: int) -> None:
    site.statuses = [status]
    page = open_page("en-harbour-v1", state="error")
    assert part(page, "status").inner_text() == "The related documents could not be loaded."
    assert page.locator("related-documents").get_by_role("link").count() == 0
    assert events(page, "related-error") == [{"documentId": "en-harbour-v1", "status": status}]
    part(page, "retry").click()
    wait_for(page, "ready")
    assert texts(page, "count") == ["2", "1"]
    assert page.evaluate("document.activeElement.localName") == "related-documents"


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"null", b"[]", b'{"relations": null}', b'{"relations": {"0": {}}}'],
)
def test_an_answer_of_something_else_is_an_error(open_page: Open, site: Site, body: bytes) -> None:
    site.raw = body
    page = open_page("en-harbour-v1", state="error")
    assert part(page, "retry").is_visible()


def test_relations_without_their_members_break_nothing(open_page: Open, site: Site) -> None:
    site.raw = (
        b'{"relations": [null, 3, {"id": null, "kind": "version"}, {"id": "a", "kind": "none"},'
        b' {"id": "b", "kind": "version"}, {"id": "c", "kind": "semantic", "evidence": [null, {}],'
        b' "semantics": {"shared": [null, {"text": 4}],'
        b' "near": {"of_query": [null, {"text": 4}], "of_hit": "port"}},'
        b' "document": {"date": "soon", "title": " "}}]}'
    )
    page = open_page("en-harbour-v1", evidence="1")
    assert texts(page, "title") == ["b", "c"]
    assert texts(page, "date") == ["soon"]
    explain(page, 1)
    assert texts(page, "reason")[1] == "There are no passages to show."


def test_a_service_that_is_not_there_is_an_error(open_page: Open) -> None:
    for src in ("javascript:window.attacked=1", "data:application/json,{}", "https://"):
        page = open_page("en-harbour-v1", state="error", src=src)
        assert part(page, "retry").is_visible()


def test_a_service_that_does_not_answer_is_an_error(open_page: Open, site: Site) -> None:
    site.gate.clear()
    page = open_page("en-harbour-v1", state="loading", clock=True)
    page.clock.fast_forward(19_000)
    assert part(page, "skeleton").is_visible()
    page.clock.fast_forward(2_000)
    wait_for(page, "error")
    assert events(page, "related-error") == [{"documentId": "en-harbour-v1", "status": None}]


def test_an_element_that_moves_is_asked_for_once_and_again_when_it_changed(
    open_page: Open, site: Site
) -> None:
    page = open_page("en-harbour-v1")
    element = "document.querySelector('related-documents')"
    page.evaluate(f"document.querySelector('h1').after({element})")
    page.evaluate(
        f"const moved = {element}; moved.remove(); moved.setAttribute('document-id', 'en-pie');"
        "document.querySelector('h1').after(moved)"
    )
    wait_for(page, "empty")
    asked = [path for path in site.requested if path.startswith("/v1/related/")]
    assert [path.partition("?")[0] for path in asked] == [
        "/v1/related/en-harbour-v1",
        "/v1/related/en-pie",
    ]


def test_without_a_document_nothing_is_asked(open_page: Open, site: Site) -> None:
    page = open_page(None, state="idle")
    assert [path for path in site.requested if "/v1/related/" in path] == []
    page.evaluate(
        "document.querySelector('related-documents').setAttribute('document-id', 'en-pie')"
    )
    wait_for(page, "empty")


def test_the_last_of_several_documents_is_shown(open_page: Open, site: Site) -> None:
    site.gate.clear()
    page = open_page("en-harbour-v1", state="loading")
    page.evaluate(
        "document.querySelector('related-documents').setAttribute('document-id', 'en-recall')"
    )
    until(lambda: any(path.startswith("/v1/related/en-recall") for path in site.requested))
    site.gate.set()
    wait_for(page, "ready")
    page.wait_for_timeout(500)
    assert texts(page, "title") == ["RECALL OF KETTLES"]
    assert [event["documentId"] for event in events(page, "related-loaded")] == ["en-recall"]
    assert events(page, "related-error") == []


def test_attributes_and_headers_reach_the_service(open_page: Open, site: Site) -> None:
    page = open_page("en-tender-road", size="2", src="/service/..")
    assert site.requested[-1].startswith("/v1/related/en-tender-road?size=2&")
    assert part(page, "entry").count() == 2
    page.evaluate(
        "document.querySelector('related-documents').headers = {Authorization: 'Bearer x'}"
    )
    until(lambda: len(events(page, "related-loaded")) == 2)
    assert site.headers["authorization"] == "Bearer x"


@pytest.mark.parametrize("id", ["a/b", "a b", 'q"', "ü?x=1#y", "%2e", "日本", "x" * 512])
def test_ids_are_asked_for_as_they_are(open_page: Open, site: Site, id: str) -> None:
    site.answers = {**site.answers, id: site.answers["en-chess"]}
    open_page(id, state="empty")


@pytest.mark.parametrize("id", [".", ".."])
def test_an_id_that_no_path_can_hold_is_an_error(open_page: Open, site: Site, id: str) -> None:
    open_page(id, state="error")
    assert [path for path in site.requested if not path.startswith(("/page", "/widget"))] == []


def test_what_does_not_fit_is_behind_a_button(open_page: Open) -> None:
    page = open_page("en-tender-archive", evidence="1")
    entries = part(page, "entry")
    assert entries.count() == 4
    shown = page.locator('related-documents [part~="entry"]:not([hidden])')
    assert 1 <= shown.count() < 4
    first_hidden = shown.count()
    assert page.evaluate("window.shifts") == 0
    page.get_by_role("button", name="Show all 4").press("Enter")
    assert shown.count() == 4
    focused: Any = page.evaluate(
        "document.querySelector('related-documents').shadowRoot.activeElement.textContent"
    )
    assert focused == texts(page, "title")[first_hidden]


def test_a_click_is_told_without_elements(open_page: Open, site: Site) -> None:
    page = open_page("en-harbour-v1")
    part(page, "title").nth(2).click()
    (detail,) = events(page, "related-click")
    relation = site.answers["en-harbour-v1"]["relations"][2]
    assert detail == {
        "documentId": "en-harbour-v1", "id": relation["id"], "kind": "semantic",
        "score": relation["score"], "group": "related", "position": 0,
        "link": f"{site.url}/articles/{relation['id']}",
    }  # fmt: skip
    # The page prevented the event, and so the click.
    assert page.url.startswith(f"{site.url}/page.html")


def test_versions_and_neighbours_have_limits_of_their_own(open_page: Open, site: Site) -> None:
    page = open_page("en-harbour-v1", max_versions="1", max_related="3", options="family=other")
    asked = [urlsplit(path) for path in site.requested if path.startswith("/v1/related/")]
    # Both at once, so that either may come first.
    questions = sorted(
        (parse_qs(address.query) for address in asked), key=lambda each: each["size"]
    )
    assert questions == [
        {"size": ["1"], "family": ["other"], "evidence": ["false"],
         "kind": ["exact", "version", "contains", "excerpt_of"]},
        {"size": ["3"], "family": ["other"], "evidence": ["false"],
         "kind": ["shares_passages", "semantic"]},
    ]  # fmt: skip
    # One of the two versions, of which the heading has the total.
    assert texts(page, "heading") == ["Other versions 1 / 2", "Related 1"]
    assert events(page, "related-loaded")[0]["total"] == 3
    page.evaluate("document.querySelector('related-documents').setAttribute('max-versions', '0')")
    until(lambda: texts(page, "heading") == ["Related 1"])
    page.evaluate("document.querySelector('related-documents').setAttribute('max-related', '0')")
    wait_for(page, "empty")


def test_an_option_may_have_several_values(open_page: Open, site: Site) -> None:
    open_page("en-harbour-v1", options="kind=version&min_score=0.5&kind=exact")
    (asked,) = (urlsplit(path) for path in site.requested if path.startswith("/v1/related/"))
    assert parse_qs(asked.query) == {
        "kind": ["version", "exact"], "min_score": ["0.5"], "evidence": ["false"],
    }  # fmt: skip


def test_of_candidates_that_were_cut_there_may_be_more(open_page: Open, site: Site) -> None:
    site.answers = {"en-harbour-v1": {**site.answers["en-harbour-v1"], "truncated": True}}
    page = open_page("en-harbour-v1", max_versions="1")
    assert texts(page, "heading")[0] == "Other versions 1 / 2+"


@pytest.mark.parametrize("limit", ["size", "max_versions"])
def test_a_limit_above_that_of_the_service_is_lowered(
    open_page: Open, site: Site, limit: str
) -> None:
    page = open_page("en-harbour-v1", **{limit: "500"})
    assert texts(page, "count") == ["2", "1"]
    asked = [path for path in site.requested if path.startswith("/v1/related/")]
    assert ["size=500" in path for path in asked if "shares_passages" not in path] == [True, False]


def test_entries_lead_to_a_comparison_the_older_document_first(open_page: Open, site: Site) -> None:
    answer = site.answers["en-harbour-v1"]
    document = {**answer["document"], "family": "f/1"}
    relations = [each | {"direction": direction} for each, direction in
                 zip(answer["relations"], ("newer", "older", "same"), strict=True)]  # fmt: skip
    site.answers = {"en-harbour-v1": {**answer, "document": document, "relations": relations}}
    page = open_page(
        "en-harbour-v1", compare_pattern="/compare/{older}/{newer}", family_pattern="/f/{family}"
    )
    ids = {each["id"]: each["direction"] for each in relations}
    expected = {
        f"{site.url}/compare/{id}/en-harbour-v1" if direction == "older"
        else f"{site.url}/compare/en-harbour-v1/{id}"
        for id, direction in ids.items()
    }  # fmt: skip
    links = part(page, "compare")
    assert {links.nth(place).evaluate("link => link.href") for place in range(3)} == expected
    assert part(page, "family").evaluate("link => link.href") == f"{site.url}/f/f%2F1"
    assert texts(page, "family") == ["All versions"]
    # An address that runs something is none.
    element = "document.querySelector('related-documents')"
    page.evaluate(f"{element}.setAttribute('compare-pattern', 'javascript:1')")
    assert links.count() == 0


def test_where_there_is_nothing_nothing_is_reserved(open_page: Open, site: Site) -> None:
    site.answers = {"none": {"relations": [], "total": 0, "document": None}}
    empty = open_page("none", state="empty")
    assert empty.locator("related-documents").bounding_box()["height"] < 2
    site.statuses = [500]
    failed = open_page("none", state="error")
    assert failed.locator("related-documents").bounding_box()["height"] < 120


def test_a_long_title_has_three_lines(open_page: Open, site: Site) -> None:
    answer = site.answers["en-harbour-v1"]
    (first, *rest) = answer["relations"]
    long = first | {"document": {**first["document"], "title": "A title of many words. " * 60}}
    site.answers = {"en-harbour-v1": {**answer, "relations": [long, *rest]}}
    page = open_page("en-harbour-v1")
    heights = [part(page, "title").nth(place).bounding_box()["height"] for place in range(2)]
    assert max(heights) <= 3 * min(heights) + 1
