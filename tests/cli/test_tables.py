"""Tables fit the terminal, and no id is cut."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from es_simhash import compare
from es_simhash.cli.families_command import print_pairs
from es_simhash.cli.relation_tables import print_answer, print_pair
from es_simhash.cli.titles import Titles
from es_simhash.maintenance.families.dismissals_and_joins import ManualPair
from es_simhash.relation.answer import Answer, Extent
from es_simhash.relation.relation import Coverage, DocumentContext, Relation, SharedPassage, Span


@pytest.mark.parametrize("columns", ["40", "80"])
def test_ids_of_dismissed_pairs_are_not_folded(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    ids = ("minutes-of-the-district-council-2024-03-01", "minutes-of-the-district-council-2024-04")
    print_pairs([ManualPair(ids, "dismissed"), ManualPair(("a", "b"), "joined")], Titles())
    rows = [line for line in capsys.readouterr().out.splitlines() if "minutes" in line]
    assert len(rows) == 2
    assert all(id in row for id, row in zip(ids, rows, strict=True))


@pytest.mark.parametrize("columns", ["40", "80"])
def test_ids_of_relations_are_not_folded(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    text = "The ferry to the island leaves at nine, and the last one back at half past six."
    a, b = f"{'a-' * 45}end", f"{'b-' * 45}end"
    relation = replace(compare(text, f"{text} No dogs.", semantics=None), id=b)
    print_pair(a, b, relation, Console())
    print_answer(Answer((relation,), extent=Extent(total=1)), a, console=Console())
    printed = capsys.readouterr().out
    # The pair, the title and the heading of the evidence; the pair, the table and that heading.
    assert (printed.count(a), printed.count(b)) == (3, 3)


# As long as the ids that Elasticsearch makes.
_ID = "LTEqBqIB7Mb1Cnd6mSQ"


def related_to_two(width: int) -> str:
    """Return the table of a version and of shared passages, each with all that a table shows."""
    kinds = (("version", 0.9998), ("shares_passages", 0.52))
    relations = [
        Relation(
            f"{_ID}{number}",
            kind,
            score,
            Coverage(0.79, 0.59),
            direction="newer",
            document=DocumentContext(title=f"Minutes of {number}", date="2024-03-01"),
        )
        for number, (kind, score) in enumerate(kinds)
    ]
    console = Console(file=io.StringIO(), width=width)
    print_answer(Answer(tuple(relations), extent=Extent(total=2)), "1", console=console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_80_columns_hold_title_and_what_is_in_common() -> None:
    narrow = related_to_two(80)
    for shown in (f"{_ID}0", "version", "79%", "59%", "Minutes of 0"):
        assert shown in narrow
    assert "Not shown at this width: date, order." in narrow


def test_a_terminal_too_narrow_for_titles_shows_what_is_in_common() -> None:
    narrow = related_to_two(64)
    assert "79%" in narrow
    assert "Not shown at this width: date, order, title." in narrow


def test_what_is_nearly_all_or_nothing_is_not_shown_as_that() -> None:
    passage = SharedPassage(Span(0, 4, "Dogs"), Span(0, 4, "Cats"), "edited", 0.9, 0.002)
    relation = Relation(
        "b", "version", 0.7, Coverage(0.997, 0.002), evidence=(passage,), common=0.997
    )
    console = Console(file=io.StringIO(), width=200)
    print_answer(Answer((relation,), extent=Extent(total=1)), "a", console=console)
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert "99% of what they share is common here" in shown
    assert "edited, 1% changed" in shown


def test_a_score_below_1_is_never_shown_as_1() -> None:
    wide = related_to_two(140)
    assert " 0.99 " in wide
    assert "1.00" not in wide
