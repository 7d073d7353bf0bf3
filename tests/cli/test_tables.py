"""Tables fit the terminal, and no id is cut."""

from dataclasses import replace

import pytest
from rich.console import Console

from es_simhash import compare
from es_simhash.cli.families_command import print_pairs
from es_simhash.cli.relation_tables import print_answer, print_pair
from es_simhash.cli.titles import Titles
from es_simhash.maintenance.families.dismissals_and_joins import ManualPair
from es_simhash.relation.answer import Answer, Extent


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
