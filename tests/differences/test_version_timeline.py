"""The timeline of a family in the page that compares two of its documents."""

import random
import re
import shlex
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from es_simhash import changes
from es_simhash.differences.rendering.comparison_page import changes_html
from es_simhash.differences.version_timeline import DatedVersion, Timeline
from es_simhash.store.dates import DateField
from tests.support.browser import Tabs
from tests.support.pages import HOSTILE, Page

OLDER, NEWER = "The harbour opens at six.", "The harbour opens at seven."
DAY = 86_400 * 10**9
BURSTS = random.Random(4)


def timeline(
    days: Sequence[float],
    compared: tuple[str, str] = ("d0", "d1"),
    undated: Sequence[str] = (),
    documents: int | None = None,
) -> Timeline:
    """The versions d0, d1, … of some days since 1970, and versions without a date."""
    field = DateField("published")
    versions = [
        DatedVersion(f"d{number}", field.iso(int(day * DAY)), int(day * DAY))
        for number, day in enumerate(days)
    ]
    versions += [DatedVersion(id) for id in undated]
    random.Random(1).shuffle(versions)
    count = len(versions) if documents is None else documents
    return Timeline.of(
        versions,
        index="articles",
        family="f" * 16,
        date_field="published",
        compared=compared,
        documents=count,
    )


def page_of(found: Timeline, address: Any = None) -> str:
    return changes_html(changes(OLDER, NEWER), found.a, found.b, None, found, address)


def test_versions_are_in_order_of_their_dates_and_those_without_one_last() -> None:
    found = timeline([30, 10, 20, 10], undated=("x", "a"))
    assert [version.id for version in found.versions] == ["d1", "d3", "d2", "d0", "a", "x"]
    assert found.undated == ("a", "x")


@pytest.mark.parametrize(
    ("compared", "older", "newer"),
    [
        (("d1", "d2"), ("d0", "d1"), ("d2", "d3")),
        (("d2", "d1"), ("d0", "d1"), ("d2", "d3")),
        (("d0", "d3"), None, None),
        (("d1", "d1"), ("d0", "d1"), ("d1", "d2")),
        (("d1", "x"), ("d0", "d1"), ("d1", "d2")),
        (("x", "x"), None, None),
    ],
)
def test_steps_lead_to_the_versions_around_the_two(
    compared: tuple[str, str], older: tuple[str, str] | None, newer: tuple[str, str] | None
) -> None:
    found = timeline([1, 2, 3, 4], compared, undated=("x",))
    for pair, expected in ((found.older, older), (found.newer, newer)):
        assert (pair and tuple(version.id for version in pair)) == expected


def test_no_step_skips_versions_that_were_not_read() -> None:
    # d0 and d1 were read for themselves; between them and d2 are versions that were not.
    found = timeline([1, 2, 50, 51], ("d0", "d1"), documents=90)
    assert (found.older, found.newer) == (None, None)
    said = "90 versions by published, of which 4 are shown: the newest, and A and B"
    assert said in Page(page_of(found)).words


def test_a_page_without_a_server_has_the_command_of_each_step() -> None:
    base = timeline([1, 2, 3], ("-b c", "d2"))
    versions = [
        DatedVersion("-b c", "1970-01-03", 2) if version.id == "d1" else version
        for version in base.versions
    ]
    found = Timeline("it's", "f", "published", tuple(versions), 3, "-b c", "d2")
    page = page_of(found)
    (command,) = [unescape(each) for each in re.findall("<code[^>]*>(.*?)</code>", page)]
    assert shlex.split(command) == [
        "es-simhash", "changes", "it's", "--format", "html", "--", "d0", "-b c",
    ]  # fmt: skip
    Page(page).require_harmless()


def test_a_server_gives_the_addresses() -> None:
    def address(older: str, newer: str) -> str:
        return f"https://x.example/compare/{older}/{newer}?a=1&b=2"

    page = page_of(timeline([1, 2, 3, 4], ("d1", "d2")), address)
    assert "<code" not in page
    assert re.findall(r'<a rel="(\w+)" href="[^"]*/compare/(\w+)/(\w+)\?a=1&amp;b=2"', page) == [
        ("prev", "d0", "d1"),
        ("next", "d2", "d3"),
    ]
    # In the table, each version leads to what changed in it; the first changed nothing.
    rows = re.findall(r"<tr><td>(?:(?!</tr>).)*?/compare/(\w+)/(\w+)", page)
    assert rows == [("d2", "d3"), ("d1", "d2"), ("d0", "d1")]


def test_a_table_has_all_versions_and_says_which_are_compared() -> None:
    page = page_of(timeline([10, 20, 20], ("d2", "d0"), undated=("draft",)))
    assert "Without a date: draft" in Page(page).words
    rows = [row.replace("</td><td>", " ") for row in re.findall("<tr><td>.*?</tr>", page)]
    assert [Page(row).words for row in rows] == [
        "1970-01-21 d2 A",
        "1970-01-21 d1",
        "1970-01-11 d0 B",
        "no date draft",
    ]


def test_versions_are_shown_by_title_where_they_have_one() -> None:
    found = timeline([10, 20, 30], ("d1", "d2")).with_titles({"d0": "First", "d1": "Second"})
    page = page_of(found)
    rows = [row.replace("</td><td>", " ") for row in re.findall("<tr><td>.*?</tr>", page)]
    assert [Page(row).words for row in rows] == [
        "1970-01-31 d2 B",
        "1970-01-21 Second A d1",
        "1970-01-11 First d0",
    ]
    assert "Older: First → Second" in Page(page).words
    assert "<title>1970-01-11: First</title>" in page


@pytest.mark.parametrize("id", ["\x1b[31m\u202ex", HOSTILE])
def test_ids_are_text(id: str) -> None:
    versions = (DatedVersion(id, "1970-01-01", 0), DatedVersion("b", "1970-01-02", DAY))
    versions += (DatedVersion(f"no{id}"), DatedVersion("d", "1970-01-04", 3 * DAY))
    found = Timeline.of(
        versions,
        index=id,
        family="f",
        date_field=id,
        compared=("b", "d"),
        documents=4,
    )
    Page(page_of(found)).require_harmless()
    Page(page_of(found)).require_linked()
    assert "<code" not in page_of(found)


SHAPES = {
    "two": timeline([1, 1.5]),
    "five": timeline([1, 2, 31, 200, 201], ("d1", "d3")),
    "sixty": timeline([BURSTS.random() * 900 for _ in range(60)], ("d7", "d8"), ["no date"]),
    "one date": timeline([5] * 60),
    "a thousand": timeline([BURSTS.gauss(0, 9) for _ in range(700)] + [2] * 300, ("d3", "d900")),
    "no date": timeline([], ("x", "y"), undated=("x", "y")),
    "right to left": timeline([1, 2], ("d0", "d1"), undated=["ميناء إليري", "港口"]),
}
_SHOWN = """() => [...document.querySelectorAll(".dots circle")]
  .filter((dot) => dot.getClientRects().length && dot.checkVisibility())
  .map((dot) => ({...dot.getBoundingClientRect().toJSON(), title: dot.textContent,
                  style: dot.getAttribute("class")}))"""


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("shape", SHAPES)
def test_no_dot_hides_another(tabs: Tabs, tmp_path: Path, shape: str) -> None:
    found = SHAPES[shape]
    file = tmp_path / "page.html"
    file.write_text(page_of(found), "utf-8")
    for width in (320, 767, 768, 1600):
        with tabs.open(size=(width, 800)) as page:
            page.goto(file.as_uri())
            dots = page.evaluate(_SHOWN)
            numbers = page.locator(".dots text", has_text="+").all()
            rest = sum(
                int(number.evaluate("e => e.firstChild.data").replace(",", ""))
                for number in numbers
                if number.is_visible()
            )
        assert len(dots) + rest == len(found.dated)
        assert len(dots) >= min(len(found.dated), 60)
        marked = {dot["title"].partition(": ")[2]: dot["style"] for dot in dots if dot["style"]}
        assert marked == ({} if shape == "no date" else {found.a: "a", found.b: "b"})
        assert all(dot["left"] >= 0 and dot["right"] <= width for dot in dots)
        # Dates are in order, and no two dots overlap by half a pixel or more.
        by_id = {version.id: version for version in found.dated}
        for number, dot in enumerate(dots):
            version = by_id[dot["title"].partition(": ")[2]]
            assert dot["title"] == f"{version.date}: {version.id}"
            for other in dots[number + 1 :]:
                across = abs(dot["x"] + dot["width"] / 2 - other["x"] - other["width"] / 2)
                down = abs(dot["y"] + dot["height"] / 2 - other["y"] - other["height"] / 2)
                touching = (dot["width"] + other["width"]) / 2
                assert across**2 + down**2 > (touching - 0.5) ** 2, (width, dot, other)


def test_time_runs_to_the_right_in_every_page(tabs: Tabs, tmp_path: Path) -> None:
    found = SHAPES["five"]
    source = page_of(found)
    lefts = []
    for number, direction in enumerate(("ltr", "rtl")):
        file = tmp_path / f"{number}.html"
        file.write_text(source.replace('<html lang="en"', f'<html dir="{direction}" lang="en"'))
        with tabs.open(size=(375, 800)) as page:
            page.goto(file.as_uri())
            dots = sorted(page.evaluate(_SHOWN), key=lambda dot: str(dot["title"]))
            assert page.evaluate("document.documentElement.scrollWidth") <= 375
            lefts.append([dot["left"] for dot in dots])
            ends = page.locator(".dots text").all_text_contents()
        assert ends[-2:] == [found.dated[0].date, found.dated[-1].date]
    assert lefts[0] == lefts[1]
    assert lefts[0][0] < lefts[0][2] < lefts[0][4]


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("shape", ["five", "sixty", "a thousand", "no date"])
def test_pages_with_a_timeline_are_accessible(shape: str, require_accessible: Any) -> None:
    has_server = shape in ("sixty", "a thousand")
    address = (lambda older, newer: f"https://x.example/{older}/{newer}") if has_server else None
    source = page_of(SHAPES[shape], address)
    Page(source).require_harmless()
    # Of a thousand there is nothing that sixty have not, and it takes axe-core seconds.
    if shape != "a thousand":
        require_accessible(source)
