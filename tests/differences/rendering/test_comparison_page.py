"""Two texts as a page that carries nothing foreign."""

import re
from typing import Any

import pytest

from es_simhash import changes, compare
from es_simhash.differences.rendering.comparison_page import ComparisonPage, changes_html
from tests.support.edited_lines import LINES, edited
from tests.support.pages import Page

ATTACKS = '<script>alert(1)</script> & "quotes" <img src="https://example.org/x">'
NEAR_A = (
    "The port authority of Zanzibar raised its tariffs for containers on Monday, after talks with "
    "ship owners about the costs of dredging had failed.\n\nFishermen were not heard."
)
NEAR_B = (
    "Shipping lines must pay more in Zanzibar: negotiations over dredging broke down, so each "
    "container costs ten dollars more at the port from next week."
)
STEERING = "\x1b[31m\x9b2J\u202e\x07\x00"


def test_a_page_escapes_all_that_comes_from_documents() -> None:
    a = f"{ATTACKS} {STEERING} Pay in 16 days."
    source = changes_html(changes(a, a.replace("16", f"18 {ATTACKS}")), ATTACKS, f"b{STEERING}")
    page = Page(source)
    page.require_harmless()
    assert page.text.count("<script>alert(1)</script>") >= 3


def test_a_page_requests_nothing_and_is_light_and_dark() -> None:
    page = changes_html(changes("\n".join(LINES), "\n".join(edited())), "a", "b")
    Page(page).require_harmless()
    assert "https:" not in page
    assert "prefers-color-scheme: dark" in page


def test_a_page_has_the_newer_text_and_what_was_taken_out() -> None:
    a, b = "\n\n".join(LINES), "\n\n".join(edited())
    shown = "".join(Page(changes_html(changes(a, b), "a", "b")).text.split())
    for line in edited():
        assert "".join(line.split()) in shown
    assert "Line21ofthetext" in shown


def test_a_page_links_both_places_of_a_moved_block() -> None:
    a = [f"{line} It is the sentence number {n * 7}." for n, line in enumerate(LINES[:9])]
    b = [*a[:1], *a[2:8], a[1], *a[8:]]
    page = Page(changes_html(changes("\n\n".join(a), "\n\n".join(b)), "a", "b"))
    page.require_linked()
    moves = {value for value in page.values("href") if not re.match("#(change|keys|where)", value)}
    assert moves == {"#here-1", "#away-1"}


def test_each_change_leads_to_the_one_before_and_the_next() -> None:
    a, b = "\n\n".join(LINES), "\n\n".join(edited())
    page = Page(changes_html(changes(a, b), "a", "b"))
    page.require_linked()
    assert "3 changes" in page.words
    assert [value for value in page.values("id") if value.startswith("change-")] == [
        "change-1", "change-2", "change-3",
    ]  # fmt: skip
    # First and last; the bar; from the first to the next, from the second to both, and back.
    links = [value for value in page.values("href") if value.startswith("#change-")]
    assert sorted(links) == sorted(
        ["#change-1", "#change-3", "#change-1", "#change-2", "#change-3",
         "#change-2", "#change-1", "#change-3", "#change-2"]
    )  # fmt: skip
    assert "0 changes" in Page(changes_html(changes(a, a), "a", "b")).words


def test_the_texts_come_before_all_else_that_is_said_of_them() -> None:
    a, b = "\n\n".join(LINES), "\n\n".join(edited())
    source = changes_html(changes(a, b), "a", "b", compare(a, b, semantics=None))
    below = ["keys", "passages", "where", "evidence"]
    assert [source.index(f'id="{id}"') for id in ("texts", *below)] == sorted(
        source.index(f'id="{id}"') for id in ("texts", *below)
    )
    assert re.findall(r'<a href="#(\w+)">', source)[: len(below)] == below


def test_semantic_neighbours_are_shown_by_what_they_share() -> None:
    relation = compare(NEAR_A, NEAR_B)
    assert relation.kind == "semantic"
    source = changes_html(changes(NEAR_A, NEAR_B), "a", "b", relation)
    page = Page(source)
    page.require_linked()
    page.require_harmless()
    # Nothing is struck through: no text was replaced by the other.
    assert not {"del", "ins"} & set(page.tags)
    assert "Both name" in page.words
    assert "Zanzibar" in page.words[: page.words.index("Both texts")]
    for text in (NEAR_A, NEAR_B):
        assert " ".join(text.split()) in page.words


def test_the_bar_has_the_places_of_the_changes() -> None:
    a, b = "\n\n".join(LINES), "\n\n".join(edited())
    comparison = ComparisonPage(changes(a, b), "a", "b")
    marks = comparison.marks
    assert [mark.number for mark in marks] == [1, 2, 3]
    assert all(0 <= mark.left <= mark.left + mark.width <= 1 + 1e-9 for mark in marks)
    assert [mark.left for mark in marks] == sorted(mark.left for mark in marks)
    (whole,) = ComparisonPage(changes("One.", "Two."), "a", "b").marks
    assert (whole.left, whole.width) == (0.0, 1.0)
    assert ComparisonPage(changes(a, a), "a", "b").marks == []


def test_a_page_has_coverage_and_links_to_shared_passages() -> None:
    shared = " ".join(LINES[:8])
    a = f"{shared}\n\n" + " ".join(f"Only the first has number {n * 13}." for n in range(12))
    b = " ".join(f"The second says {n * 17} instead." for n in range(12)) + f"\n\n{shared}"
    relation = compare(a, b, semantics=None)
    page = Page(changes_html(changes(a, b), "a", "b", relation))
    page.require_linked()
    page.require_harmless()
    coverage = relation.coverage
    shares = f"{coverage.of_query:.0%} of A and {coverage.of_hit:.0%} of B are shared passages"
    assert shares in page.words
    assert "Shared passages" in page.words
    assert page.tags.count("path") >= 1
    # Both ends of the passage are linked, and lead to rows that have it.
    assert sum(value.startswith("#row-") for value in page.values("href")) >= 2


def test_the_strip_stays_in_its_bounds() -> None:
    a, b = "\n".join(LINES), "\n".join(reversed(edited()))
    source = changes_html(changes(a, b), "a", "b", compare(a, b, semantics=None))
    for path in re.findall(r'<path class="\w+" d="([^"]+)"', source):
        assert all(0 <= float(number) <= 1000 for number in re.findall(r"[\d.]+", path))


PAIRS = (
    ("", ""),
    ("", "Something."),
    ("Same.", "Same."),
    ("\n\n".join(LINES), "\n\n".join(edited())),
    (f"{ATTACKS} {STEERING}", f"{STEERING} Other. {ATTACKS * 30}"),
    ("台风于周日清晨登陆。" * 9, "台风于周一清晨登陆。" * 9),
    ("أعلنت هيئة المياه يوم الأحد 12 مايو. " * 9, "أعلنت هيئة المياه يوم الاثنين 13 مايو. " * 9),
    ("नगर परिषद की बैठक 12 बजे होगी। " * 9, "नगर परिषद की बैठक 14 बजे होगी। " * 9),
    ("x" * 5000, "x" * 4000 + " y"),
    (NEAR_A, NEAR_B),
)


def compared(a: str, b: str) -> str:
    relation = compare(a, b) if a == NEAR_A else compare(a, b, semantics=None)
    return changes_html(changes(a, b), f"{ATTACKS} a", "b" * 300, relation)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_pages_run_nothing_and_their_links_lead_somewhere(a: str, b: str) -> None:
    page = Page(compared(a, b))
    page.require_harmless()
    page.require_linked()


# Nothing, edited lines, attacks, a script from the right, and reworded passages.
@pytest.mark.variants
@pytest.mark.parametrize(("a", "b"), [PAIRS[n] for n in (0, 3, 4, 6, 9)])
def test_pages_are_accessible(a: str, b: str, require_accessible: Any) -> None:
    require_accessible(compared(a, b))
