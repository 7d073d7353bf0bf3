"""Records that are undone while other writers change the same documents, without an engine."""

import json
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.ingestion import undo as module
from es_simhash.ingestion.deduplication.audit_log import FileAudit, Record
from es_simhash.ingestion.deduplication.effects import WRITE_ATTEMPTS
from es_simhash.ingestion.undo import UndoReport, undo
from es_simhash.store.codec import simhash_object
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.intents import FindPlaces
from tests.support.versioned_index import VersionedIndex

FLAG = {"duplicate_of": "o", "duplicate_score": 0.8}


class Undone:
    """An index, an audit log about it, and the decisions that are noted to be undone.

    Args:
        path: Of the audit log.
    """

    def __init__(self, path: Path) -> None:
        self.index = VersionedIndex()
        self.log = FileAudit(path)
        self.noted: list[tuple[str, tuple[str, str]]] = []
        self.opened: list[Any] = []
        self.refreshed: list[tuple[Any, str]] = []
        self._number = 0

    def record(self, action: str, id: str, other: str = "o", **more: Any) -> None:
        """Write a record; `document` is the document that it holds."""
        self._number += 1
        document = more.pop("document", None)
        head = {"run": "r", "number": self._number, "time": self._number, "index": "i",
                "id": id, "other": other, "action": action, "score": 0.8, **more}  # fmt: skip
        data = None if document is None else json.dumps(document).encode()
        self.log.write([Record(head, data)])

    def undo(self, run: str | None = None, **options: Any) -> UndoReport:
        """Undo the log."""
        self.log.close()
        client: Any = SimpleNamespace()
        return undo(client, "i", self.log.name, run=run, **options)

    def simhash(self, id: str) -> dict[str, Any]:
        """Return what the `simhash` object of a document has."""
        stored: dict[str, Any] = self.index.source(id)["simhash"]
        return {name: value for name, value in stored.items() if value is not None}

    # Ways of the module to a cluster.

    def installed(self, client: Any, name: str, config: Any, policy: Any) -> Any:
        """Return the index as one that is installed."""
        self.opened.append((config, policy))
        index: Any = self.index
        index.gateway = client
        return index

    def note(self, decisions: Iterable[Any]) -> None:
        """Note decisions as `Dismissals` does, before any flag is removed."""
        assert not self.index.written
        self.noted += [(decision.run, decision.ids) for decision in decisions]


@pytest.fixture
def undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Undone:
    """An index without documents, and an empty log."""
    undone = Undone(tmp_path / "audit.jsonl")

    def refreshing(client: Any, policy: Any) -> Any:
        return SimpleNamespace(refresh=lambda index: undone.refreshed.append((policy, index)))

    monkeypatch.setattr(module, "installed_store", undone.installed)
    monkeypatch.setattr(module, "Gateway", SimpleNamespace(of=refreshing))
    monkeypatch.setattr(module, "StateIndex", lambda gateway, index, field: (index, field))
    monkeypatch.setattr(module, "Dismissals", lambda _: SimpleNamespace(write_undone=undone.note))
    return undone


def test_a_document_that_was_left_out_is_written_again_with_its_fields(undone: Undone) -> None:
    undone.record("skip", "a", document={"text": "Left out.", "n": 1.0})
    undone.record("replace", "b", "old", document={"text": "Replaced."})
    report = undone.undo()
    assert report == UndoReport(restored=2, runs=("r",))
    simhash = simhash_object(fingerprint("Left out."))
    assert undone.index.source("a") == {"text": "Left out.", "n": 1.0, "simhash": simhash}
    assert undone.index.ids() == {"a", "old"}
    assert undone.noted == [("r", ("a", "o")), ("r", ("b", "old"))]
    # Once more changes nothing.
    undone.index.written, undone.noted = 0, []
    assert undone.undo() == UndoReport(present=2, runs=("r",))
    assert undone.index.written == 0


def test_a_document_that_is_there_is_never_overwritten(undone: Undone) -> None:
    undone.record("skip", "a", document={"text": "Left out."})
    undone.record("skip", "b", document={"text": "Left out too."})
    undone.record("skip", "c", document={"text": "And this."})
    undone.index.put("b", {"text": "New."})
    report = undone.undo()
    assert (report.restored, report.present, report.failed) == (2, 1, [])
    assert undone.index.source("b") == {"text": "New."}


def test_an_id_that_is_there_under_another_routing_is_present(undone: Undone) -> None:
    undone.record("skip", "a", routing="r", document={"text": "Left out."})
    undone.record("skip", "b", routing="r", document={"text": "Left out."})
    undone.record("replace", "x", "c", routing="no", other_routing="q", document={"text": "Old."})
    undone.index.put("a", {"text": "Elsewhere."}, routing="q")
    report = undone.undo()
    assert (report.restored, report.present, report.failed) == (2, 1, [])
    assert {(ref.id, ref.routing) for ref in undone.index.documents} == {
        ("a", "q"), ("b", "r"), ("c", "q")
    }  # fmt: skip
    assert "_routing" not in undone.index.source("b", routing="r")


def test_of_a_document_that_was_lost_twice_the_later_one_is_restored(undone: Undone) -> None:
    undone.record("replace", "b", "a", document={"text": "First."})
    undone.record("skip", "a", document={"text": "Second."})
    assert undone.undo().restored == 1
    assert undone.index.source("a")["text"] == "Second."


def test_what_the_index_rejects_is_reported_with_the_reason(undone: Undone) -> None:
    undone.record("skip", "a", document={"text": "Left out."})
    undone.record("skip", "b", document={"text": "Left out."})
    undone.index.rejected = {"a": "The mapping has no place for it."}
    report = undone.undo()
    assert (report.restored, report.failed) == (1, [("a", "The mapping has no place for it.")])


def test_flags_are_removed_and_what_others_wrote_stays(undone: Undone) -> None:
    for action, id in (("flag", "a"), ("retain", "b"), ("flag", "gone"), ("flag", "c")):
        undone.record(action, id)
    undone.index.put("a", {"n": 1, "simhash": {**FLAG, "family": "f"}})
    undone.index.put("b", {"simhash": {**FLAG, "duplicate_score": 0.7}})
    undone.index.put("c", {"simhash": {}})
    report = undone.undo()
    assert report == UndoReport(unmarked=2, unchanged=2, runs=("r",))
    assert undone.simhash("a") == {"family": "f"}
    # The score is another one.
    assert undone.simhash("b") == {"duplicate_score": 0.7}
    assert undone.noted == [("r", (id, "o")) for id in ("a", "b", "gone", "c")]
    # Where documents of an index are is known.
    assert not any(isinstance(request, FindPlaces) for request in undone.index.requests)


def test_a_flag_of_a_later_decision_stays(undone: Undone) -> None:
    undone.record("link", "a", family="f", gave_family=False)
    later = {"duplicate_of": "mine", "duplicate_score": 0.8, "family": "f"}
    undone.index.put("a", {"simhash": later})
    report = undone.undo()
    assert (report.unmarked, report.unchanged) == (0, 1)
    assert undone.simhash("a") == later


def test_families_are_removed_from_both_documents_that_got_them(undone: Undone) -> None:
    undone.record("link", "a", family="f", gave_family=True, other_routing="q")
    undone.record("link", "b", family="f", gave_family=False, other_routing="q")
    linked = {**FLAG, "family": "f", "representative": False}
    undone.index.put("a", {"simhash": linked})
    undone.index.put("b", {"simhash": {**linked, "family": "another"}})
    undone.index.put("o", {"simhash": {"family": "f", "representative": True}}, routing="q")
    assert undone.undo().unmarked == 3
    assert undone.simhash("a") == {}
    assert undone.simhash("b") == {"family": "another", "representative": False}
    original = undone.index.source("o", routing="q")["simhash"]
    assert original == {"family": None, "representative": None}


def test_nothing_is_named_that_a_document_does_not_have(undone: Undone) -> None:
    undone.record("link", "a", family="f", gave_family=True)
    undone.index.put("a", {"simhash": {**FLAG, "family": "f"}})
    undone.index.put("o", {"simhash": {"family": "mine"}})
    report = undone.undo()
    assert (report.unmarked, report.unchanged) == (1, 1)
    assert set(undone.index.source("a")["simhash"]) == {*FLAG, "family"}
    assert undone.simhash("o") == {"family": "mine"}


def test_documents_of_several_indices_are_changed_where_they_are(undone: Undone) -> None:
    undone.record("flag", "a", **{"in": "i", "routing": "q"})
    undone.index.put("a", {"simhash": FLAG})
    undone.index.put("a", {"simhash": FLAG}, routing="q")
    assert undone.undo().unmarked == 1
    assert undone.simhash("a") == FLAG


@pytest.fixture
def alias(undone: Undone) -> Undone:
    """The same, of an alias that may stand for several indices."""
    undone.index.config = IndexConfig(is_alias=True)
    return undone


def test_flags_of_an_alias_are_removed_in_the_index_that_has_the_document(alias: Undone) -> None:
    for id in "abc":
        alias.record("flag", id)
    alias.index.put("a", {"simhash": FLAG}, index="i-1")
    for index in ("i-2", "i-1"):
        alias.index.put("b", {"simhash": FLAG}, index=index)
    report = alias.undo()
    # The third is gone.
    assert (report.unmarked, report.unchanged) == (2, 1)
    assert alias.index.source("a", "i-1")["simhash"]["duplicate_of"] is None
    # Of two documents with one id, the one in the newer index is meant.
    assert alias.index.source("b", "i-2")["simhash"]["duplicate_of"] is None
    assert alias.index.source("b", "i-1")["simhash"] == FLAG


def test_documents_of_an_alias_are_told_by_their_routing(alias: Undone) -> None:
    alias.record("flag", "a", routing="q")
    alias.index.put("a", {"simhash": FLAG}, index="i-1", routing="q")
    alias.index.put("a", {"simhash": FLAG}, index="i-2", routing="z")
    assert alias.undo().unmarked == 1
    assert alias.index.source("a", "i-1", "q")["simhash"]["duplicate_of"] is None
    assert alias.index.source("a", "i-2", "z")["simhash"] == FLAG


@pytest.mark.parametrize("further", [False, True])
def test_documents_of_an_alias_are_changed_in_the_index_that_is_recorded(
    alias: Undone, further: bool
) -> None:
    alias.record("flag", "a", **{"in": "i-1"})
    for index in ("i-1", "i-2"):
        for id in "ab":
            alias.index.put(id, {"simhash": FLAG}, index=index)
    if further:
        alias.record("flag", "b")
    assert alias.undo().unmarked == 1 + further
    assert alias.index.source("a", "i-1")["simhash"]["duplicate_of"] is None
    assert alias.index.source("a", "i-2")["simhash"] == FLAG
    # Only of documents whose index is unknown it is searched.
    searched = [each.ids for each in alias.index.requests if isinstance(each, FindPlaces)]
    assert searched == ([("b",)] if further else [])


def test_two_documents_of_one_id_are_told_by_the_index_that_is_recorded(alias: Undone) -> None:
    alias.record("flag", "a", **{"in": "i-1"})
    alias.record("flag", "a")
    for index in ("i-1", "i-2"):
        alias.index.put("a", {"simhash": FLAG}, index=index)
    assert alias.undo().unmarked == 2


# Other writers.


def test_a_document_that_is_changed_meanwhile_is_tried_again(undone: Undone) -> None:
    for id in "abc":
        undone.record("flag", id)
        undone.index.put(id, {"simhash": FLAG})
    undone.index.before_write = [
        lambda: undone.index.update("a", {"n": 1}),
        lambda: undone.index.update("a", {"simhash": {"duplicate_of": "mine"}}),
    ]
    report = undone.undo()
    assert (report.unmarked, report.unchanged, report.failed) == (2, 1, [])
    assert undone.simhash("a") == {**FLAG, "duplicate_of": "mine"}
    assert (undone.simhash("b"), undone.simhash("c")) == ({}, {})
    assert undone.index.source("a")["n"] == 1


def test_a_document_that_is_deleted_meanwhile_stays_deleted(undone: Undone) -> None:
    for id in "ab":
        undone.record("flag", id)
        undone.index.put(id, {"simhash": FLAG})
    undone.index.before_write = [lambda: undone.index.delete("a")]
    report = undone.undo()
    assert (report.unmarked, report.unchanged, report.failed) == (1, 1, [])
    assert undone.index.ids() == {"b"}


@pytest.mark.parametrize("changes", [WRITE_ATTEMPTS - 1, WRITE_ATTEMPTS])
def test_a_document_that_never_rests_is_reported_and_undone_by_the_next_run(
    undone: Undone, changes: int
) -> None:
    for id in "ab":
        undone.record("flag", id)
        undone.index.put(id, {"simhash": FLAG})

    def change() -> None:
        undone.index.update("a", {"n": undone.index.written})

    undone.index.before_write = [change] * changes
    report = undone.undo()
    if changes < WRITE_ATTEMPTS:
        assert (report.unmarked, report.failed) == (2, [])
        return
    ((id, reason),) = report.failed
    assert (id, report.unmarked, report.unchanged) == ("a", 1, 0)
    assert f"{WRITE_ATTEMPTS} times" in reason
    undone.index.written = 0
    again = undone.undo()
    assert (again.unmarked, again.unchanged, again.failed) == (1, 1, [])
    assert undone.simhash("a") == {}


def test_records_are_undone_some_at_a_time(undone: Undone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_RECORDS_PER_REQUEST", 2)
    for id in "abcde":
        undone.record("flag", id)
        undone.index.put(id, {"simhash": FLAG})
        undone.record("skip", f"new {id}", document={"text": f"Left out {id}."})
    report = undone.undo()
    assert (report.unmarked, report.restored) == (5, 5)


# Which records.


def test_only_the_runs_of_the_index_that_are_named_are_undone(undone: Undone) -> None:
    undone.record("skip", "a", document={"text": "Of r."})
    undone.record("skip", "b", run="s", document={"text": "Of s."})
    undone.record("skip", "c", index="j", document={"text": "Of another index."})
    undone.record("write", "d")
    with pytest.raises(InputError, match="There are 2 runs"):
        undone.undo()
    assert undone.undo("s") == UndoReport(restored=1, runs=("s",))
    assert undone.index.ids() == {"b"}
    assert undone.noted == [("s", ("b", "o"))]
    undone.index.written = 0
    report = undone.undo("all")
    assert (report.restored, report.present, report.runs) == (1, 1, ("r", "s"))
    assert undone.index.ids() == {"a", "b"}
    # Nothing was decided about what was written as it is.
    assert ("r", ("d", "o")) not in undone.noted


def test_a_log_of_another_index_is_refused(undone: Undone) -> None:
    undone.record("skip", "a", index="j", document={"text": "Left out."})
    with pytest.raises(InputError, match="has no decisions of index 'i'"):
        undone.undo()
    assert undone.noted == []


def test_what_is_not_given_is_the_default_and_the_end_is_visible(undone: Undone) -> None:
    undone.record("skip", "a", document={"text": "Left out."})
    undone.undo()
    config, policy = undone.opened[0]
    assert (config, policy) == (IndexConfig(), RetryPolicy())
    assert undone.refreshed == [(policy, "i")]
    given = IndexConfig(text_field="body"), RetryPolicy(max_elapsed=1.0)
    undone.index.written = 0
    undone.undo(config=given[0], retry=given[1])
    assert undone.opened[1] == given
    assert undone.refreshed[1] == (given[1], "i")
