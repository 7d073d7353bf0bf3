"""The report of a run over all documents: what it says of the families that documents had."""

from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.maintenance.families.family_writer import FamilyWriter

pytestmark = pytest.mark.cluster

Texts = dict[str, str]


def give(shelf: Any, family: str, *ids: str) -> None:
    """Store that documents are of a family."""
    for id in ids:
        members = {"simhash": {"family": family, "representative": False}}
        shelf.client.update(index=shelf.name, id=id, doc=members)
    shelf.client.indices.refresh(index=shelf.name)


@pytest.mark.long
def test_it_says_which_families_were_joined_and_split(shelf: Any, texts: Texts) -> None:
    shelf.put(texts)
    shelf.find()
    names = shelf.names()
    # One family that was two, and one that had a stranger.
    give(shelf, "00000000000000aa", "t0-2")
    give(shelf, str(names["t1-1"]), "t11-1")
    report = shelf.find(everything=True)
    assert report.written == 2
    assert shelf.names() == names
    assert report.changes.joined == {
        names["t0-1"]: tuple(sorted(("00000000000000aa", names["t0-1"])))
    }
    assert report.changes.split == {names["t1-1"]: tuple(sorted((names["t1-1"], names["t11-1"])))}
    assert [(moved.document.id, moved.source, moved.target) for moved in report.changes.moved] == [
        ("t0-2", "00000000000000aa", names["t0-1"]),
        ("t11-1", names["t1-1"], names["t11-1"]),
    ]
    assert {ref.id for ref in report.rewritten} == {"t0-2", "t11-1"}
    again = shelf.find(everything=True)
    assert not again.changes
    assert again.rewritten == frozenset()


@pytest.mark.long
def test_what_another_program_changes_while_families_are_written_is_not_rewritten(
    shelf: Any, texts: Texts, make_text: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.put(texts)
    shelf.find()
    give(shelf, "00000000000000aa", "t0-2", "t1-2")
    write = FamilyWriter.write

    def written(self: FamilyWriter, *arguments: Any) -> Any:
        shelf.put({"t0-2": make_text(990)})
        return write(self, *arguments)

    monkeypatch.setattr(FamilyWriter, "write", written)
    report = shelf.find(everything=True)
    assert report.skipped == ("t0-2",)
    assert {ref.id for ref in report.rewritten} == {"t1-2"}
    assert not report.resumed


def test_the_first_document_of_a_text_stands_for_one_that_was_truncated(
    shelf: Any, make_text: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from es_simhash.pairs import spilled_postings

    monkeypatch.setattr(spilled_postings, "MAX_LIST", 5)
    body = make_text(1)
    shelf.put({f"v{number}": f"{body} {make_text(100 + number, 8)}" for number in range(9)})
    report = shelf.find()
    assert report.truncated == tuple(f"v{number}" for number in range(9))
    assert len(report.families) == 1
