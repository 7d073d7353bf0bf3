"""Keyboard, screen reader, languages, directions, colours, widths, and pages with their own CSS."""

import json
from typing import Any

import pytest

from tests.support.browser import require_accessible_in_layouts
from tests.support.widget_pages import Open, events, explain, part, texts, wait_for
from tests.support.widget_site import Site

pytestmark = pytest.mark.cluster
# In which the two documents of a version of each language call it a version.
LANGUAGES = {
    "en": ("Other versions", "en-lease-v1"),
    "de": ("Andere Fassungen", "de-bruecke-v1"),
    "fr": ("Autres versions", "fr-tramway-v1"),
    "es": ("Otras versiones", "en-lease-v1"),
    "zh": ("其他版本", "zh-metro-v1"),
    "ar": ("نسخ أخرى", "ar-jisr-v1"),
    "hi": ("अन्य संस्करण", "hi-pustakalay-v1"),
}


def focused(page: Any) -> str:
    """Return the text of the element of the widget that has the focus."""
    text: str = page.evaluate(
        "document.querySelector('related-documents').shadowRoot.activeElement?.innerText ?? ''"
    )
    return text.strip()


def overflows(page: Any) -> bool:
    """Whether a page is wider than its window, or an element of the widget than the widget."""
    wide: bool = page.evaluate(
        """() => {
          const host = document.querySelector("related-documents");
          const box = host.shadowRoot.firstElementChild.getBoundingClientRect();
          const beyond = [...host.shadowRoot.querySelectorAll("*")].filter((element) => {
            const inner = element.getBoundingClientRect();
            return inner.width > 1 && (inner.right > box.right + 1 || inner.left < box.left - 1);
          });
          return document.documentElement.scrollWidth > window.innerWidth || beyond.length > 0;
        }"""
    )
    return wide


@pytest.mark.parametrize("layout", ["list", "columns", "compact"])
@pytest.mark.parametrize("id", ["en-harbour-v1", "en-chess", "missing", "waiting"])
def test_axe_finds_nothing(open_page: Open, site: Site, id: str, layout: str) -> None:
    state = {"en-chess": "empty", "missing": "error", "waiting": "loading"}.get(id, "ready")
    if state == "loading":
        site.gate.clear()
    page = open_page(id, state=state, layout=layout)
    explain(page)
    require_accessible_in_layouts(page)


@pytest.mark.parametrize("page_language", ["zh", "ar"])
def test_axe_finds_nothing_in_other_scripts(open_page: Open, page_language: str) -> None:
    direction = "rtl" if page_language == "ar" else "ltr"
    page = open_page(
        LANGUAGES[page_language][1], page_lang=page_language, page_dir=direction, template="1"
    )
    explain(page, 0)
    require_accessible_in_layouts(page)


def test_everything_is_reached_by_keyboard(open_page: Open) -> None:
    page = open_page("en-harbour-v1")
    titles = texts(page, "title")
    reached = []
    for _ in range(6):
        page.keyboard.press("Tab")
        reached.append(focused(page).split("\n")[0])
    assert reached[::2] == titles
    assert all(each.startswith("Why?") for each in reached[1::2])
    toggle, reason = part(page, "toggle").last, part(page, "reason").last
    for key, opened in (("Enter", True), ("Space", False), ("Space", True)):
        page.keyboard.press(key)
        assert toggle.get_attribute("aria-expanded") == str(opened).lower()
        assert reason.is_visible() == opened
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert [event["group"] for event in events(page, "related-click")] == ["related"]


def test_the_focus_is_seen(open_page: Open) -> None:
    page = open_page("en-harbour-v1")
    page.keyboard.press("Tab")
    style = part(page, "title").first.evaluate("(link) => getComputedStyle(link).outline")
    assert "solid 2px" in style


def test_a_screen_reader_finds_headings_lists_and_buttons(open_page: Open) -> None:
    page = open_page("en-harbour-v1", heading_level="3")
    region = page.get_by_role("region", name="Related documents")
    assert [each.inner_text() for each in region.get_by_role("heading", level=3).all()] == [
        "Other versions 2",
        "Related 1",
    ]
    assert region.get_by_role("list", name="Other versions").locator("> li").count() == 2
    title = texts(page, "title")[0]
    button = region.get_by_role("button", name=f"Why? {title}", exact=True, expanded=False)
    button.click()
    assert region.get_by_role("button", name=title, expanded=True).count() == 1
    assert region.get_by_role("status").inner_text() == "Other versions: 2. Related: 1."


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_language_of_the_page_is_spoken(open_page: Open, site: Site, language: str) -> None:
    heading, id = LANGUAGES[language]
    page = open_page(id, page_lang=f"{language}-XX")
    assert texts(page, "heading")[0].startswith(heading)
    page.evaluate("document.querySelector('related-documents').lang = 'en'")
    assert texts(page, "heading")[0].startswith("Other versions")
    page.evaluate("document.querySelector('related-documents').lang = 'no-such language'")
    assert texts(page, "heading")[0].startswith("Other versions")


def test_all_languages_have_the_same_texts() -> None:
    from tests.support.widget_site import SCRIPT

    source = SCRIPT.read_text("utf-8")
    table = source[source.index("const TEXTS") : source.index("const RIGHT_TO_LEFT")]
    import re

    names = {
        part.split(":")[0].strip(): re.findall(r"[{,]\s*(\w+):\s+\"", "{" + part.split("{", 1)[1])
        for part in re.split(r"\n    (?=[a-z]{2}: \{)", table)[1:]
    }
    assert sorted(names) == sorted(LANGUAGES)
    assert len(names["en"]) > 30
    for language in names:
        assert names[language] == names["en"], language


def test_a_page_adds_a_language(open_page: Open) -> None:
    page = open_page("en-harbour-v1")
    known = "customElements.get('related-documents').texts"
    page.evaluate(f"{known}.pt = {{versions: 'Outras versões', why: 'Porquê?'}}")
    page.evaluate("document.querySelector('related-documents').lang = 'pt-BR'")
    assert texts(page, "heading")[0] == "Outras versões 2"
    # What it does not have is in English.
    assert texts(page, "heading")[1] == "Related 1"


def test_own_texts_take_the_place_of_ours(open_page: Open) -> None:
    page = open_page("en-harbour-v1", strings=json.dumps({"versions": "Drafts", "why": "How so?"}))
    assert texts(page, "heading") == ["Drafts 2", "Related 1"]
    page.evaluate("document.querySelector('related-documents').strings = {related: '<b>$&</b>'}")
    assert texts(page, "heading") == ["Other versions 2", "<b>$&</b> 1"]


def test_right_to_left_mirrors_the_widget(open_page: Open) -> None:
    page = open_page("ar-maktaba-taqrir", page_lang="ar", page_dir="rtl")
    root = part(page, "root").bounding_box()
    title = part(page, "title").bounding_box()
    toggle = part(page, "toggle").bounding_box()
    assert title["x"] + title["width"] == pytest.approx(root["x"] + root["width"], abs=1)
    assert toggle["x"] == pytest.approx(root["x"], abs=1)
    explain(page)
    here, there = (quote.bounding_box()["x"] for quote in part(page, "passage").all())
    assert here > there
    assert not overflows(page)


@pytest.mark.parametrize("width", [320, 480, 600, 768, 1024, 1600])
@pytest.mark.parametrize("layout", ["list", "columns", "compact"])
def test_no_width_is_too_small_or_moves_the_page(open_page: Open, width: int, layout: str) -> None:
    page = open_page("en-harbour-v1", width=width, layout=layout)
    assert page.evaluate("window.shifts") == 0
    explain(page)
    assert not overflows(page)
    first, second = (quote.bounding_box() for quote in part(page, "passage").all()[:2])
    reason = part(page, "reason").first.bounding_box()
    is_beside = first["y"] == second["y"]
    # Two columns of 13rem, and what is between them.
    assert is_beside == (reason["width"] >= 2 * 13 * 16 + 8)
    assert is_beside or width < 1000


@pytest.mark.parametrize("style", ["reset", "unset"])
@pytest.mark.parametrize("width", [320, 1200])
def test_a_page_with_its_own_css_changes_no_layout(open_page: Open, style: str, width: int) -> None:
    page = open_page("en-harbour-v1", style=style, width=width)
    explain(page, 0)
    assert not overflows(page)
    look = part(page, "heading").first.evaluate(
        "(heading) => { const look = getComputedStyle(heading);"
        " return [look.display, look.fontWeight, look.textTransform, look.borderBottomStyle]; }"
    )
    assert look == ["block", "700", "none", "solid"]
    root, toggle = part(page, "root").bounding_box(), part(page, "toggle").first.bounding_box()
    assert root["width"] > 300
    assert toggle["x"] > root["x"] + root["width"] / 2
    assert toggle["height"] >= 24
    assert page.locator("#below").bounding_box()["y"] >= root["y"] + root["height"] - 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colours_follow_the_text_of_the_page(open_page: Open, scheme: str) -> None:
    page = open_page("en-harbour-v1", color_scheme=scheme)
    # In a canvas any colour becomes three numbers.
    lightness = part(page, "title").first.evaluate(
        """(link) => {
          const canvas = document.createElement("canvas").getContext("2d");
          canvas.fillStyle = getComputedStyle(link).color;
          canvas.fillRect(0, 0, 1, 1);
          return Math.max(...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3));
        }"""
    )
    assert (lightness > 200) == (scheme == "dark")


def test_a_page_styles_properties_and_parts(open_page: Open) -> None:
    page = open_page("en-harbour-v1", evidence="1")
    # As a style sheet of the page, which its policy lets no test write into the markup.
    page.evaluate(
        """() => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(`related-documents { --related-accent: rgb(1, 2, 3);
            --related-reserve: 0; } related-documents::part(chip) { border-radius: 0; }`);
          document.adoptedStyleSheets = [sheet];
        }"""
    )
    look = "(element, name) => getComputedStyle(element)[name]"
    assert part(page, "title").first.evaluate(look, "color") == "rgb(1, 2, 3)"
    assert part(page, "fill").first.evaluate(look, "backgroundColor") == "rgb(1, 2, 3)"
    assert part(page, "chip").first.evaluate(look, "borderRadius") == "0px"
    page.evaluate(
        "document.querySelector('related-documents').setAttribute('document-id', 'en-tender-road')"
    )
    page.locator("related-documents li", has_text="restoration").wait_for()
    assert part(page, "all").count() == 0
    assert page.locator('related-documents [part~="entry"]:not([hidden])').count() == 4


@pytest.mark.parametrize(
    ("motion", "name"), [("reduce", "none"), ("no-preference", "related-pulse")]
)
def test_nothing_moves_for_who_wants_no_motion(
    open_page: Open, site: Site, motion: str, name: str
) -> None:
    site.gate.clear()
    page = open_page("en-harbour-v1", state="loading", reduced_motion=motion)
    line = page.locator('related-documents [part~="skeleton"] span').first
    assert line.evaluate("(line) => getComputedStyle(line).animationName") == name


def test_an_entry_of_the_page_is_filled_and_keeps_its_own_look(open_page: Open) -> None:
    page = open_page("en-harbour-v1", template="1")
    own = page.locator("related-documents > [slot^=entry-] strong")
    assert own.all_inner_texts() == [
        "Port Ellery crane collapse: berths to reopen on Thursday",
        "Gantry crane collapses in Port Ellery, three hurt",
        "Saltwick braces for diverted ships after Ellery accident",
    ]
    assert own.first.is_visible()
    shares = page.locator("related-documents > [slot] em")
    assert shares.last.is_hidden()
    assert shares.first.inner_text().endswith("% of this document")
    dates = page.locator("related-documents > [slot] time")
    assert dates.first.get_attribute("datetime") == "2024-02-13"
    page.evaluate("addEventListener('click', (event) => event.preventDefault())")
    page.locator("related-documents > [slot] a", has_text="Help").first.click()
    assert events(page, "related-click") == []


def test_own_links_of_an_entry_are_told(open_page: Open) -> None:
    page = open_page("en-harbour-v1", template="1")
    page.locator("related-documents > [slot] strong a").nth(1).click()
    assert [event["id"] for event in events(page, "related-click")] == ["en-harbour-v2"]
    page.evaluate("document.querySelector('related-documents').reload()")
    wait_for(page, "ready")
    assert page.locator("related-documents > [slot^=entry-]").count() == 3


def test_what_the_server_rendered_stays_until_there_is_an_answer(
    open_page: Open, site: Site
) -> None:
    site.gate.clear()
    page = open_page("en-harbour-v1", state="loading", fallback="1")
    rendered = page.get_by_text("Rendered on the server")
    assert rendered.is_visible()
    site.gate.set()
    wait_for(page, "ready")
    assert rendered.is_hidden()
    site.statuses = [503]
    page.evaluate("document.querySelector('related-documents').reload()")
    wait_for(page, "error")
    assert rendered.is_visible()
