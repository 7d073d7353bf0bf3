"""The explorer in a browser: accessible, by keyboard alone, on a phone, with hostile documents."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

from es_simhash.lab.evaluation.labelled_pairs import read_pairs
from tests.support.browser import Tabs, require_accessible_in_layouts
from tests.support.edited_lines import LINES, edited
from tests.support.made_up_texts import make_text, revise
from tests.support.pages import HOSTILE
from tests.support.service import KEYS, running_app, tenant_config
from tests.support.widget_pages import wait_for

pytestmark = pytest.mark.cluster

EVIL = "<script>alert(1)</script>'\"%2F/ &"
ARABIC = (
    "أعلنت هيئة المياه في الإقليم أن جزءا من السد الترابي القريب انهار فجر السبت بعد أمطار. " * 4
)
PAGES = {
    "home": "/explorer/",
    "results": "/explorer/?q=script",
    "nothing": "/explorer/?q=%22%3Cimg%20src%3Dx%20onerror%3Dalert(9)%3E%22",
    "narrowed": f"/explorer/?q=script&sort=newest&year=2021&owner={quote(HOSTILE, safe='')}",
    "from a list": f"/explorer/documents/copy?back={quote('/explorer/?q=<b>', safe='')}",
    "overview": "/explorer/overview",
    "families": "/explorer/families/",
    "unique": "/explorer/families/?from=1&to=1",
    "family": f"/explorer/families/{quote(EVIL, safe='')}",
    "document": f"/explorer/documents/{quote(EVIL, safe='')}",
    "right to left": "/explorer/documents/ar",
    "compare": f"/explorer/compare/{quote(EVIL, safe='')}/evil-2",
    "pairs": "/explorer/pairs",
    "copies": "/explorer/pairs?kind=copies",
    "ungrouped": "/explorer/ungrouped",
    "label": "/explorer/label",
    "no more pairs": "/explorer/label?from=999",
    "error": "/explorer/documents/none",
}


def documents() -> Iterator[dict[str, Any]]:
    """Versions whose every field is an attack, copies, a long word, and a text from the right."""
    hostile = f"{HOSTILE} {make_text(1)} {'x' * 400}"
    for number, id in enumerate((EVIL, "evil-2", "evil-3")):
        yield {
            "id": id, "text": revise(hostile, number) if number else hostile,
            "title": f"{HOSTILE} {number}", "date": f"202{number}-01-01", "tenant": "a",
            "owner": HOSTILE, "lang": '"><script>', "url": "javascript:alert(5)",
            "people": [HOSTILE],
        }  # fmt: skip
    yield {"id": "copy", "text": hostile.upper(), "title": "copy", "lang": "en", "tenant": "a"}
    yield {"id": "ar", "text": ARABIC, "title": ARABIC[:40], "lang": "ar", "tenant": "a"}
    yield {
        "id": "ar-2",
        "text": f"{ARABIC} وقالت الهيئة",
        "title": "ar",
        "lang": "ar",
        "tenant": "a",
    }
    for id, lines in (("long-1", LINES), ("long-2", edited())):
        yield {"id": id, "text": "\n\n".join(lines), "title": id, "tenant": "c"}
    yield {"id": "single", "text": make_text(9), "title": "x" * 300, "tenant": "b"}


@pytest.fixture(scope="module")
def attacked(cluster_url: str) -> Iterator[str]:
    """Name of an index of hostile documents."""
    from es_simhash.maintenance.families.find_families import find_families
    from es_simhash.store.elasticsearch.connection import connect
    from es_simhash.store.installation.document_settings import configure
    from tests.support.library import fill

    name = f"test-{uuid.uuid4().hex}"
    mapped = {"tenant": {"type": "keyword"}, "date": {"type": "date"}, "owner": {"type": "keyword"}}
    with connect(cluster_url) as client:
        client.indices.create(index=name, mappings={"properties": mapped})
        fill(client, name, *documents())
        configure(client, name, {
            "title": "title", "date": "date", "owner": "owner", "language": "lang", "link": "{url}",
        })  # fmt: skip
        find_families(client, name)
        client.index(index=name, id="late", document={"text": "no family", "tenant": "a"})
        client.indices.refresh(index=name)
        yield name
        client.indices.delete(index=f"{name},{name}-simhash", ignore_unavailable=True)


@pytest.fixture(scope="module")
def start(cluster_url: str, attacked: str) -> Any:
    """Serve the index with a configuration, as a context manager that yields the address."""
    from es_simhash.service.application import application_of
    from es_simhash.store.elasticsearch.connection import connect
    from es_simhash.store.elasticsearch.gateway import Gateway

    def run(config: Any) -> Any:
        gateway = Gateway(connect(cluster_url, timeout=10))
        return running_app(lambda: application_of(gateway, attacked, config), config)

    return run


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The label file."""
    return tmp_path_factory.mktemp("labels") / "pairs.jsonl"


@pytest.fixture(scope="module")
def site(start: Any, labels: Path) -> Iterator[str]:
    """Address of the explorer; it shows texts."""
    from es_simhash.service.service_config import ServiceConfig, ServiceLimits

    fields = ("title", "date", "owner", "lang", "url", "text", "people")
    limits = ServiceLimits(requests_per_minute=0)
    config = ServiceConfig(fields=fields, limits=limits, labels=labels)
    with start(config) as address:
        yield address


def no_dialog(dialog: Any) -> None:
    pytest.fail(f"a script ran: {dialog.message}")


@pytest.fixture
def page(tabs: Tabs) -> Iterator[Any]:
    with tabs.open(on={"dialog": no_dialog}) as opened:
        yield opened


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_in_four_layouts_and_runs_nothing_of_a_document(
    tabs: Tabs, site: str, name: str
) -> None:
    requested: list[str] = []
    said: list[str] = []
    listeners = {
        "request": lambda request: requested.append(request.url),
        "console": lambda message: said.append(message.text),
        "dialog": no_dialog,
    }
    # axe-core is a script, which the policy of the pages forbids.
    with tabs.open(size=(320, 800), bypass_csp=True, on=listeners) as page:
        page.goto(site + PAGES[name])
        if page.locator("related-documents").count():
            wait_for(page, "ready")
        require_accessible_in_layouts(page)
        assert {url[: len(site)] for url in requested} == {site}
        assert name == "error" or said == []
        resolved = "all => all.map(each => new URL(each.getAttribute('href'), location).href)"
        hrefs = page.eval_on_selector_all("[href]", resolved)
        assert all(href.startswith(("http://", "https://")) for href in hrefs)


@pytest.mark.parametrize("name", PAGES)
def test_the_policy_of_a_page_is_kept(tabs: Tabs, site: str, name: str) -> None:
    said: list[str] = []
    listeners = {"console": lambda message: said.append(message.text), "dialog": no_dialog}
    with tabs.open(on=listeners) as page:
        page.goto(site + PAGES[name])
        if page.locator("related-documents").count():
            wait_for(page, "ready")
        assert [text for text in said if "404" not in text] == []
        assert page.locator("main h1").count() == 1


def test_what_a_document_says_is_text(page: Any, site: str) -> None:
    page.goto(site + PAGES["document"])
    wait_for(page, "ready")
    assert "<script>alert(1)</script>" in page.locator("h1").inner_text()
    assert "javascript:alert(5)" in page.locator(".fields").inner_text()
    assert page.locator("main script, main img").count() == 0
    assert page.locator('[href^="javascript"]').count() == 0


def test_entries_of_the_widget_lead_to_the_explorer(page: Any, site: str) -> None:
    page.goto(site + PAGES["document"])
    wait_for(page, "ready")
    link = page.locator('related-documents [part~="title"]').first
    assert link.get_attribute("href").startswith(f"{site}/explorer/documents/")
    link.click()
    page.wait_for_url(f"{site}/explorer/documents/**")
    wait_for(page, "ready")
    links = page.locator('related-documents [part~="title"]')
    hrefs = links.evaluate_all("all => all.map(each => each.href)")
    assert f"{site}{unquote(PAGES['document'])}" in map(unquote, hrefs)


def test_it_is_used_by_keyboard_alone(page: Any, site: str) -> None:
    def focused() -> str:
        text: str = page.evaluate("document.activeElement.textContent.trim()")
        return text

    def tab_to(text: str) -> None:
        for _ in range(40):
            page.keyboard.press("Tab")
            if focused().startswith(text):
                style = "getComputedStyle(document.activeElement).outlineStyle"
                assert page.evaluate(style) != "none"
                return
        pytest.fail(f"no way to {text!r}")

    page.goto(f"{site}/explorer/")
    page.keyboard.press("Tab")
    assert focused() == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("copy")
    page.keyboard.press("Enter")
    page.wait_for_url("**/explorer/?q=copy")
    tab_to("copy")
    page.keyboard.press("Enter")
    page.wait_for_url("**/explorer/documents/copy?back=*")
    wait_for(page, "ready")
    tab_to("One of 4 versions")
    page.keyboard.press("Enter")
    page.wait_for_url("**/explorer/families/*")
    tab_to("Compare with the one before")
    page.keyboard.press("Enter")
    page.wait_for_url("**/explorer/compare/**")
    tab_to("← Documents for “copy”")
    page.keyboard.press("Enter")
    page.wait_for_url("**/explorer/?q=copy")
    tab_to("Overview")
    page.keyboard.press("Enter")
    page.wait_for_url("**/explorer/overview")
    assert page.locator('nav [aria-current="page"]').inner_text() == "Overview"


def test_pairs_are_labelled_by_keyboard_without_scripts(
    tabs: Tabs, site: str, labels: Path
) -> None:
    with tabs.open(scripts=False) as page:
        page.goto(f"{site}/explorer/label")
        first = page.locator('.answer [name="pair"]').get_attribute("value")
        button = page.get_by_role("button", name="Not versions")
        button.focus()
        # Where it does not say which site a form is from, a browser sends its origin.
        with page.expect_request(lambda request: request.method == "POST") as sent:
            page.keyboard.press("Enter")
        assert sent.value.all_headers()["origin"] == site
        page.get_by_text("Last label:").wait_for()
        assert page.locator('.answer [name="pair"]').get_attribute("value") != first
        assert list(read_pairs(labels).labels.values()) == [False]
        page.get_by_role("button", name="Undo the last label").press("Enter")
        page.get_by_text("Last label:").wait_for(state="detached")
        assert page.locator('.answer [name="pair"]').get_attribute("value") == first
        assert labels.read_text("utf-8") == ""


def test_pairs_are_labelled_by_the_keys_of_the_terminal(
    tabs: Tabs, site: str, labels: Path
) -> None:
    with tabs.open() as page:
        page.goto(f"{site}/explorer/label")
        value = page.locator('.answer [name="pair"]')
        first = value.get_attribute("value")
        assert page.locator(".answer button kbd").all_inner_texts() == ["v", "n", "s"]
        page.keyboard.press("Control+v")
        page.keyboard.press("x")
        page.keyboard.press("v")
        page.get_by_text("Last label:").wait_for()
        assert value.get_attribute("value") != first
        assert list(read_pairs(labels).labels.values()) == [True]
        page.keyboard.press("u")
        page.get_by_text("Last label:").wait_for(state="detached")
        assert value.get_attribute("value") == first
        assert labels.read_text("utf-8") == ""


def test_texts_from_the_right_are_set_from_the_right(page: Any, site: str) -> None:
    page.goto(site + PAGES["right to left"])
    direction = "element => getComputedStyle(element).direction"
    assert page.locator("h1 bdi").evaluate(direction) == "rtl"
    assert page.locator(".text").evaluate(direction) == "rtl"
    assert page.locator(".text").get_attribute("lang") == "ar"
    assert page.locator("html").evaluate(direction) == "ltr"


def test_a_document_has_its_relations_without_scripts(tabs: Tabs, site: str) -> None:
    with tabs.open(scripts=False) as page:
        page.goto(f"{site}/explorer/documents/copy")
        links = page.locator("related-documents li a:first-child")
        assert links.count() == 3
        assert page.get_by_role("link", name="Compare with").count() == 3
        links.first.click()
        assert page.locator("h1").count() == 1


def test_a_browser_sends_the_key_for_pages_and_widget(browser: Any, start: Any) -> None:
    with start(tenant_config(explorer=True)) as address:
        credentials = {"username": "any", "password": KEYS["a"]}
        with browser.new_context(http_credentials=credentials) as context:
            page = context.new_page()
            assert page.goto(f"{address}/explorer/documents/copy").status == 200
            wait_for(page, "ready")
            assert page.goto(f"{address}/explorer/documents/single").status == 404
        with browser.new_context() as context:
            assert context.request.get(f"{address}/explorer/").status == 401


def test_changes_are_reached_by_key_and_button_and_a_mark_says_where_one_is(
    page: Any, site: str
) -> None:
    page.set_viewport_size({"width": 1200, "height": 400})
    page.goto(f"{site}/explorer/compare/long-1/long-2")
    # Both texts first: no more than the head is above them.
    assert page.locator(".row:not(.names)").first.bounding_box()["y"] < 400
    assert page.locator(".jumps").inner_text().startswith("3 changes")
    page.keyboard.press("n")
    page.wait_for_function("location.hash === '#change-1'")
    page.keyboard.press("n")
    page.wait_for_function("location.hash === '#change-2'")
    page.get_by_role("button", name="Next").click()
    page.wait_for_function("location.hash === '#change-3'")
    mark = page.locator(".here").bounding_box()["x"]
    page.keyboard.press("p")
    page.wait_for_function("location.hash === '#change-2'")
    # The bar stays in sight, and what was jumped to is below it.
    bar = page.locator(".pinned").bounding_box()
    assert bar["y"] < 1
    assert page.locator("#change-2").bounding_box()["y"] >= bar["height"] - 1
    page.wait_for_function(
        "before => document.querySelector('.here').getBoundingClientRect().x < before", arg=mark
    )
