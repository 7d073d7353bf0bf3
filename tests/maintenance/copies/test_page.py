"""The page of copied passages, without a server."""

from typing import Any

import pytest

from es_simhash.maintenance.copies.page import copies_html
from es_simhash.pairs.copies import (
    Boilerplate,
    CopiedPassage,
    CopiesReport,
    Copy,
    CopySide,
    LeftOut,
)
from es_simhash.relation.relation import Span
from tests.support.pages import HOSTILE, Page

OLDER = "The harbour opens at six in the morning and closes at ten in the evening, says the office."
NEWER = OLDER.replace("six", "seven").replace("office", "mayor")


def passage(a: str, b: str, changed: float) -> CopiedPassage:
    return CopiedPassage(Span(10, 10 + len(a), a), Span(3, 3 + len(b), b), "edited", 1, changed, 70)


def copy(id: str, *passages: CopiedPassage) -> Copy:
    a, b = (
        CopySide(side, "articles", (HOSTILE,), None, "2020-01-01", None, None, 0.5)
        for side in (id, f"{id} b")
    )
    return Copy(a, b, "undated", 70, 140, 2, 1, passages)


def report(*copies: Copy) -> CopiesReport:
    boilerplate = (Boilerplate(HOSTILE, HOSTILE, "articles", 5, 90, 12, 40),)
    left_out = LeftOut(changed=(HOSTILE,))
    return CopiesReport(copies, boilerplate, "owner", 9, 8, 3, 0, 0, 5, 2, left_out)


@pytest.mark.long
def test_the_page_escapes_all_that_comes_from_documents(require_accessible: Any) -> None:
    source = copies_html(report(copy(HOSTILE, passage(HOSTILE, HOSTILE, 0.0))), HOSTILE)
    page = Page(source)
    page.require_harmless()
    # Title, heading, owners, ids, both sides, boilerplate and where it is, what was left out.
    assert page.words.count("javascript:alert(3)") >= 10
    require_accessible(source)


def test_runs_that_both_sides_have_are_marked() -> None:
    pair = copy("a", passage(OLDER, NEWER, 0.2), passage(OLDER, OLDER, 0.0))
    source = copies_html(report(pair), "articles")
    assert "<mark>in the morning and closes at ten in the evening, says the</mark>" in source
    assert source.count("<mark>The harbour opens at</mark> six <mark>") == 1
    assert f'<td dir="auto">{OLDER}</td><td dir="auto">{OLDER}</td>' in source
    words = Page(source).words
    assert "a b, 2020-01-01, characters 3–" in words
    assert "edited, 20% changed" in words
    assert "word for word" in words


@pytest.mark.long
def test_pairs_beyond_a_thousand_are_counted() -> None:
    pair = copy("a", passage("One.", "One.", 0.0))
    page = Page(copies_html(report(*[pair] * 1002), "articles"))
    assert page.tags.count("h2") == 1000 + 1
    assert "2 more pairs; --format json lists all." in page.words
