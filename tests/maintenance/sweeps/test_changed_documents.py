"""What a sweep finds to have changed, and in which order it is decided, without an engine."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from es_simhash.maintenance.backfills.backfill_job import IndexPart
from es_simhash.maintenance.sweeps import changed_documents as module
from es_simhash.maintenance.sweeps.changed_documents import (
    ChangedDocument,
    SweptDocuments,
    changed_documents,
    changed_parts,
    families_by_name,
    have_others_written,
    members_in_order,
    overlooked_documents,
    with_new_texts,
)
from es_simhash.pairs.family_changes import Family
from es_simhash.relation.references import DocumentRef
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.index_stats import Checkpoint
from es_simhash.store.installation.state_index import SweepCheckpoint
from es_simhash.store.intents import Where
from tests.support.versioned_index import VersionedIndex


def ref(id: str) -> DocumentRef:
    return DocumentRef("i", id)


def checkpoint(shard: int, seq_no: int) -> Checkpoint:
    return Checkpoint("i", shard, f"i/{shard}", seq_no, seq_no)


def part(above: int) -> IndexPart:
    return IndexPart("i", Where(above_seq_no=above), 0, "i/0")


def above(checkpoints: Sequence[Checkpoint], processed: dict[str, int]) -> dict[str, int | None]:
    """Return above which number each shard is processed."""
    return {part.name: part.where.above_seq_no for part in changed_parts(checkpoints, processed)}


def test_a_shard_is_processed_from_where_the_last_sweep_ended() -> None:
    shards = [checkpoint(0, 9), checkpoint(1, 5), checkpoint(2, 0), checkpoint(3, 9)]
    assert above(shards, {"i/0": 7, "i/1": 5}) == {"i/0": 7, "i/2": -1, "i/3": -1}
    first, *_ = changed_parts(shards, {"i/0": 7, "i/1": 5})
    assert first == IndexPart("i", Where(above_seq_no=7), 0, "i/0")


def test_a_shard_that_was_restored_to_a_lower_number_is_processed_whole() -> None:
    assert above([checkpoint(0, 9)], {"i/0": 10}) == {"i/0": -1}
    assert above([checkpoint(0, 0)], {"i/0": 1}) == {"i/0": -1}
    # Nothing was ever written.
    assert above([checkpoint(0, -1)], {}) == {}


@pytest.fixture
def index() -> VersionedIndex:
    """Return an index of four documents: two of a family, one written twice, one without."""
    index = VersionedIndex()
    for id in ("old", "twice"):
        index.put(id, {"simhash": {"family": "f"}, "published": 5.0})
    index.put("bare", {})
    index.update("twice", {"n": 1})
    index.put("new", {"simhash": {"family": "f"}})
    return index


def undecided(changes: dict[DocumentRef, ChangedDocument]) -> set[str]:
    return {ref.id for ref, change in changes.items() if change.is_undecided}


def changed(index: VersionedIndex, last: SweepCheckpoint, since: int) -> Any:
    return changed_documents(index, [part(since)], DateField("published"), last)


def test_a_first_sweep_decides_all_and_knows_none_to_be_new(index: VersionedIndex) -> None:
    changes = changed(index, SweepCheckpoint(ended={"i/0": 99}), -1)
    assert undecided(changes) == {"old", "twice", "bare", "new"}
    assert not any(change.is_new for change in changes.values())
    assert changes[ref("old")] == ChangedDocument(5.0, 0, False, "f")
    assert changes[ref("bare")] == ChangedDocument(None, 2, False, None)


def test_a_document_is_new_when_it_was_created_since_in_a_shard_that_is_known(
    index: VersionedIndex,
) -> None:
    known = SweepCheckpoint({"i/0": 1}, ended={"i/0": 99})
    changes = changed(index, known, 1)
    assert {ref.id: change.is_new for ref, change in changes.items()} == {
        "twice": False, "bare": True, "new": True
    }  # fmt: skip
    assert undecided(changes) == {"bare", "new"}
    # The shard was restored, or made anew: what it has may be old.
    changes = changed(index, known, -1)
    assert not any(change.is_new for change in changes.values())
    assert undecided(changes) == {"bare"}


def test_what_the_last_sweep_wrote_itself_is_decided_unless_it_left_it(
    index: VersionedIndex,
) -> None:
    def of(last: SweepCheckpoint) -> set[str]:
        return undecided(changed(index, last, -1))

    seq_nos = {"i/0": 0}
    assert of(SweepCheckpoint(seq_nos, ended={"i/0": 4})) == {"bare"}
    assert of(SweepCheckpoint(seq_nos, ended={"i/0": 3})) == {"bare", "new"}
    assert of(SweepCheckpoint(seq_nos, ended={"i/0": 2})) == {"bare", "new", "twice"}
    left = SweepCheckpoint(seq_nos, ended={"i/0": 4}, undecided=frozenset({"old"}))
    assert of(left) == {"bare", "old"}
    # Of a shard of which nothing is known, the first write is undecided too.
    assert of(SweepCheckpoint(seq_nos)) == {"bare", "new", "twice", "old"}


def test_what_got_new_fingerprints_is_decided() -> None:
    decided = ChangedDocument(None, 1, False, "f", is_undecided=False)
    changes = {ref(id): decided for id in "ab"} | {ref("c"): ChangedDocument(None, 2, True, "f")}
    again = with_new_texts(changes, {("i", "a"), ("j", "b")})
    assert undecided(again) == {"a", "c"}
    assert again[ref("b")] == decided


def test_what_others_wrote_twice_while_a_sweep_ran_is_left_to_the_next(
    index: VersionedIndex,
) -> None:
    def left(since: int, *swept: str) -> set[str]:
        return overlooked_documents(index, [checkpoint(0, since)], {ref(id) for id in swept})

    # "bare" has no family, and "new" was written once: the next sweep decides them in any case.
    assert left(-1) == {"twice"}
    assert left(-1, "twice") == left(3) == set()
    index.update("old", {"n": 1})
    assert left(-1) == {"twice", "old"}
    assert left(4, "twice") == {"old"}


def test_a_document_that_a_sweep_was_to_leave_as_it_is_was_not_decided_by_it() -> None:
    changes = {
        ref("decided"): ChangedDocument(None, 1, False, "f"),
        ref("left"): ChangedDocument(None, 2, False, "f", is_undecided=False),
        ref("moved"): ChangedDocument(None, 3, False, "f", is_undecided=False),
    }
    swept = SweptDocuments(changes, {ref("moved"), ref("old")})
    assert [ref(id) in swept for id in ("decided", "moved", "old")] == [True] * 3
    assert [ref(id) in swept for id in ("left", "new")] == [False] * 2


def test_a_write_that_nobody_knows_of_is_one_of_others() -> None:
    began = [Checkpoint("i", 0, "i/0", 4, 4), Checkpoint("i", 1, "i/1", 8, 8)]
    now = [Checkpoint("i", 0, "i/0", 7, 7), Checkpoint("i", 1, "i/1", 8, 9)]
    assert not have_others_written(began, now, 4)
    assert have_others_written(began, now, 3)
    assert have_others_written(began, now, None)
    # One that was under way when the sweep began may not have been read.
    assert have_others_written([replace(began[0], seq_no=3), began[1]], now, 4)
    # What the sweep wrote to a shard that came since is not told from the writes of others.
    assert have_others_written(began[:1], now, 4)
    assert have_others_written(began, now[:1], 3)


def test_families_are_read_some_names_at_a_time(
    index: VersionedIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_NAMES", 2)
    for name in "edcba":
        index.put(f"in {name}", {"simhash": {"family": name}})
    families = list(families_by_name(index, set("abcdefg")))
    assert [family.name for family in families] == list("abcdef")
    assert families[0] == Family("a", (ref("in a"),))
    assert families[5].documents == (ref("old"), ref("twice"), ref("new"))


def order(family: Family, changes: dict[DocumentRef, ChangedDocument]) -> str:
    members = list(members_in_order([family], changes))
    assert all(member.originals is members[0].originals for member in members)
    return "".join(member.ref.id for member in members)


def test_members_come_in_the_order_of_dates_and_writes_decided_ones_first() -> None:
    def change(date: float | None, seq_no: int, *, is_undecided: bool = True) -> ChangedDocument:
        return ChangedDocument(date, seq_no, True, "f", is_undecided)

    family = Family("f", tuple(map(ref, "edcba")))
    changes = {ref("a"): change(None, 1), ref("b"): change(7.0, 3), ref("c"): change(7.0, 2)}
    assert order(family, changes) == "decba"
    # One that was decided comes behind those that nobody has changed.
    changes[ref("d")] = change(2.0, 9, is_undecided=False)
    changes[ref("b")] = change(1.0, 9, is_undecided=False)
    assert order(family, changes) == "ebdca"
    changes = {ref(id): change(None, n) for n, id in enumerate("edcba")}
    assert order(family, changes) == "edcba"


def test_a_family_with_nothing_to_decide_is_left_out() -> None:
    decided = ChangedDocument(None, 1, False, "f", is_undecided=False)
    changes = {ref("a"): decided, ref("c"): ChangedDocument(None, 2, False, "g")}
    families = [Family("f", (ref("a"), ref("b"))), Family("g", (ref("c"), ref("d")))]
    members = list(members_in_order(families, changes))
    assert [(member.family, member.ref.id) for member in members] == [("g", "d"), ("g", "c")]
    assert [member.is_undecided for member in members] == [False, True]
    assert list(members_in_order(families[:1], changes)) == []
