"""What follows from decisions, as a function of them and of the documents that are there."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from es_simhash.ingestion.deduplication.audit_log import Record
from es_simhash.ingestion.deduplication.batch_decider import with_superseded
from es_simhash.ingestion.deduplication.effects import (
    WRITE_ATTEMPTS,
    delete_replaced,
    finish_replacements,
    join_families,
    link_originals,
    replaced_and_gone,
    replacements,
)
from es_simhash.ingestion.deduplication.version_decisions import Decision
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store.changes import Change
from es_simhash.store.config import IndexConfig
from es_simhash.store.rows import Row, WriteResult
from tests.ingestion.deduplication.test_decision_parts import incoming, original, relation


class Documents:
    """The documents of an index; other writers change some before each of our changes."""

    def __init__(self, *rows: Row, manual: ManualPairs | None = None) -> None:
        self.rows = {row.id: row for row in rows}
        self.context: Any = SimpleNamespace(
            index="i", config=IndexConfig(), manual=manual or ManualPairs()
        )
        self.changes: list[tuple[str, Any]] = []
        self.late: list[Row | str] = []

    def read(self, refs: Sequence[DocumentRef], parts: Any = None) -> list[Row | None]:
        assert {ref.index for ref in refs} <= {None, "i", "j"}
        return [self.rows.get(ref.id) for ref in refs]

    def existing(self, refs: Sequence[DocumentRef]) -> set[str]:
        return {ref.id for ref in refs if ref.id in self.rows}

    def change(self, changes: Sequence[Change]) -> list[WriteResult]:
        if changes and self.late:
            other = self.late.pop(0)
            if isinstance(other, str):
                del self.rows[other]
            else:
                self.rows[other.id] = other
        return [self._change(change) for change in changes]

    def _change(self, change: Change) -> WriteResult:
        id = change.version.ref.id
        row = self.rows.get(id)
        if row is None or row.version != change.version:
            return WriteResult("conflict")
        self.changes.append((id, change.members))
        if change.members is None:
            del self.rows[id]
        else:
            self.rows[id] = row._replace(family=change.members["family"])
        return WriteResult("written")


def row(id: str, number: int = 1, *, family: str | None = None, **more: Any) -> Row:
    """Return a document in a version."""
    ref = DocumentRef("i", id)
    same = original("o").text.content_hash
    version = DocumentVersion(ref, number, 1)
    return Row(ref, family=family, version=version, **{"content_hash": same, **more})


def decided(id: str, action: Any = "write", other: str | None = None, **more: Any) -> Decision:
    """Return a decision about a version of another document, or of none."""
    made = Decision(id, action, document=incoming(id), **more)
    if other is None:
        return made
    return replace(made, relation=relation(), original=original(other))


def families(decisions: Sequence[Decision], *rows: Row) -> list[str | None]:
    linked = join_families(decisions, {each.id: each for each in rows})
    assert [each.id for each in linked] == [each.id for each in decisions]
    return [each.family for each in linked]


def test_linked_documents_get_the_family_of_their_original() -> None:
    link = decided("b", "link", "a", family="new")
    assert families([link], row("a", family="known")) == ["known"]
    assert families([link], row("a")) == ["new"]
    # A second one gets what the first one gave it.
    again = decided("c", "link", "a", family="other")
    assert families([link, again], row("a")) == ["new", "new"]
    # Within a batch both get it, and keep what the first has.
    assert families([decided("a"), link, again]) == ["new", "new", "new"]
    assert families([decided("a", family="kept"), link]) == ["kept", "kept"]
    # A version that is written in between is not the original any more.
    twice = [decided("a"), link, decided("a"), again]
    assert families(twice) == ["new", "new", "other", "other"]


def test_what_is_not_linked_has_the_family_it_had() -> None:
    flag = decided("b", "flag", "a", family="own")
    assert families([flag], row("a", family="known")) == ["own"]
    assert families([decided("b", "link", None, family="own")]) == ["own"]


def link_all(documents: Documents, *decisions: Decision) -> None:
    link_originals(documents, decisions, dict(documents.rows))  # type: ignore[arg-type]


def test_originals_without_a_family_get_one() -> None:
    documents = Documents(row("a"), row("b", family="known"), row("c"))
    link_all(
        documents,
        decided("x", "link", "a", family="f"),
        decided("y", "link", "b", family="known"),
        decided("z", "flag", "c", family="g"),
        decided("w", "link", "written together", family="h"),
    )
    assert documents.changes == [("a", {"family": "f"})]


def test_an_original_that_changes_is_tried_again_and_again() -> None:
    documents = Documents(row("a"), row("b"))
    documents.late = [row("a", number) for number in range(2, 2 + WRITE_ATTEMPTS - 1)]
    link_all(
        documents, decided("x", "link", "a", family="f"), decided("y", "link", "b", family="g")
    )
    assert documents.changes == [("b", {"family": "g"}), ("a", {"family": "f"})]
    documents = Documents(row("a"))
    documents.late = [row("a", number) for number in range(2, 2 + WRITE_ATTEMPTS + 1)]
    link_all(documents, decided("x", "link", "a", family="f"))
    assert (documents.changes, len(documents.late)) == ([], 1)


@pytest.mark.parametrize("other", [row("a", 2, family="mine"), "a"])
def test_an_original_that_got_a_family_or_is_gone_is_left(other: Any) -> None:
    documents = Documents(row("a"))
    documents.late = [other]
    link_all(documents, decided("x", "link", "a", family="f"))
    assert documents.changes == []


def deleted(*decisions: Decision) -> list[tuple[str, str | None]]:
    return [(each.id, each.other) for each in replacements(with_superseded(decisions))]


def test_what_is_replaced_is_deleted_if_it_is_written_at_all() -> None:
    assert deleted(decided("b", "replace", "a")) == [("b", "a")]
    assert deleted(decided("b", "skip", "a"), decided("c", "flag", "a")) == []
    # Of the same batch it need not be written, unless the index has it.
    assert deleted(decided("a"), decided("b", "replace", "a")) == []
    assert deleted(decided("a", exists=True), decided("b", "replace", "a")) == [("b", "a")]
    # Written once more after that it stays.
    assert deleted(decided("b", "replace", "a"), decided("a")) == []
    assert deleted(decided("b", "replace", "a"), decided("a", "skip", "x")) == [("b", "a")]
    assert deleted(decided("b", "replace", "a"), decided("d", "replace", "c")) == [
        ("b", "a"),
        ("d", "c"),
    ]


def superseded(*decisions: Decision) -> list[str | None]:
    return [each.superseded for each in with_superseded(decisions)]


def test_what_a_later_one_replaces_is_superseded() -> None:
    assert superseded(decided("a"), decided("b", "replace", "a")) == ["b", None]
    assert superseded(decided("b", "replace", "a"), decided("a")) == [None, None]
    assert superseded(decided("a", exists=True), decided("b", "replace", "a")) == [None, None]
    chain = (decided("a"), decided("b", "replace", "a"), decided("c", "replace", "b"))
    assert superseded(*chain) == ["c", "c", None]
    # What was written in between is what is replaced: the index has it then.
    between = (decided("a"), decided("a", exists=True), decided("b", "replace", "a"))
    assert superseded(*between) == [None, None, None]
    assert superseded(decided("a"), decided("b", "flag", "a")) == [None, None]


def delete(documents: Documents) -> list[Row]:
    recorded: list[Row] = []
    decision = decided("b", "replace", "o")
    is_gone = delete_replaced(documents, decision, documents.rows["o"], recorded.append)  # type: ignore[arg-type]
    assert is_gone == ("o" not in documents.rows)
    return recorded


def test_what_is_replaced_is_deleted_in_the_version_that_was_recorded() -> None:
    documents = Documents(row("o"))
    assert (delete(documents), documents.rows) == ([], {})
    documents = Documents(row("o"))
    last = [row("o", number) for number in range(2, 1 + WRITE_ATTEMPTS)]
    documents.late = list(last)
    assert (delete(documents), documents.rows) == (last, {})
    documents = Documents(row("o"))
    documents.late = [row("o", number) for number in range(2, 3 + WRITE_ATTEMPTS)]
    assert len(delete(documents)) == WRITE_ATTEMPTS
    assert (set(documents.rows), len(documents.late)) == ({"o"}, 1)


@pytest.mark.parametrize("other", [row("o", 2, content_hash="another"), "o"])
def test_another_text_is_not_deleted(other: Any) -> None:
    documents = Documents(row("o"))
    documents.late = [other]
    assert (delete(documents), documents.changes) == ([], [])


HASH = original("o").text.content_hash
HEAD = {"index": "i", "action": "replace", "id": "b", "other": "a", "replaced": ["i", 1, 1]}


def record(document: bytes = b"{}", **head: Any) -> Record:
    successor = [head.get("id", HEAD["id"]), HASH, None]
    return Record({**HEAD, "successor": successor, **head}, document)


def held(**holders: str) -> Any:
    """Return reserved texts, by the ids of their holders."""
    texts = {name: SimpleNamespace(holder=DocumentRef(None, id)) for name, id in holders.items()}
    return SimpleNamespace(
        read=lambda hashes: {each: texts[each] for each in hashes if each in texts}
    )


def finished(
    *records: Record,
    rows: Sequence[Row] = (),
    manual: ManualPairs | None = None,
    texts: Any = None,
) -> Any:
    documents = Documents(*(rows or (row("a"), row("b"))), manual=manual)
    count = finish_replacements(documents, records, texts or held())  # type: ignore[arg-type]
    assert count == len(documents.changes)
    return sorted(documents.rows)


def test_a_run_that_was_killed_is_finished() -> None:
    assert finished(record()) == ["b"]
    assert finished(record(), record(id="d", other="c"), rows=[*map(row, "abcd")]) == ["b", "d"]


@pytest.mark.parametrize(
    "left",
    [
        record(index="another"),
        record(action="skip"),
        record(replaced=["i", 2, 1]),
        record(replaced=["i", 1, 2]),
        record(replaced=["j", 1, 1]),
        record(b'{"n": 1}'),
        record(id="not written"),
        record(successor=["b", "another text", None]),
        record(other="gone"),
        Record({name: value for name, value in HEAD.items() if name != "replaced"}, b"{}"),
        # Of a version that did not record what was to stay.
        Record(HEAD, b"{}"),
    ],
)
def test_what_is_not_as_it_was_recorded_stays(left: Record) -> None:
    assert finished(left) == ["a", "b"]


def test_what_was_written_in_place_of_the_new_document_counts() -> None:
    chain = record(successor=["c", HASH, None])
    assert finished(chain, rows=[row("a"), row("c")]) == ["c"]
    assert finished(chain, rows=[row("a"), row("b")]) == ["a", "b"]


@pytest.mark.parametrize(
    ("kind", "holder", "left"),
    [
        ("exact", "c", ["c"]),
        ("exact", "a", ["a", "c"]),
        ("exact", "gone", ["a", "c"]),
        ("version", "c", ["a", "c"]),
    ],
)
def test_a_copy_goes_where_another_has_replaced_the_new_one_since(
    kind: str, holder: str, left: list[str]
) -> None:
    texts = held(**{HASH: holder})
    assert finished(record(kind=kind), rows=[row("a"), row("c")], texts=texts) == left


def test_a_new_document_that_was_flagged_since_replaces_nothing() -> None:
    flagged = row("b", duplicate_of="a")
    assert finished(record(), rows=[row("a"), flagged]) == ["a", "b"]


def test_a_document_that_another_one_replaced_since_is_counted_as_none() -> None:
    documents = Documents(row("a"), row("b"))
    documents.late = [row("a", 2)]
    assert finish_replacements(documents, [record()], held()) == 0  # type: ignore[arg-type]


def test_what_a_person_decided_about_stays() -> None:
    manual = SimpleNamespace(keeps_apart=lambda *ids: set(ids) == {"a", "b"})
    assert finished(record(), manual=manual) == ["a", "b"]  # type: ignore[arg-type]


def test_what_was_replaced_and_is_gone_is_named() -> None:
    documents: Any = Documents(row("a"), row("b"))
    records = [record(), record(other="x"), record(other="y"), record(other="z", action="skip")]
    gone = replaced_and_gone(documents, records, lambda id: id != "y")
    assert sorted(gone) == ["x"]
