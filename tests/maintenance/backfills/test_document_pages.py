"""Pages that a backfill writes while other writers change the same documents, without an engine."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.ingestion.bulk.outcomes import Outcome
from es_simhash.maintenance.backfills.backfill_job import BackfillJob, IndexPart, SourceDocument
from es_simhash.maintenance.backfills.document_pages import (
    DocumentReader,
    DocumentWriter,
    Throttle,
)
from es_simhash.maintenance.backfills.document_updates import prepare
from es_simhash.relation.references import DocumentRef
from es_simhash.store.codec import simhash_object
from es_simhash.store.fields import ENTITIES, LARGE_MEMBERS, PACKED_MEMBERS
from es_simhash.store.intents import Find, Where
from tests.support.versioned_index import VersionedIndex

JOB = BackfillJob("i", indices=frozenset({"i"}))
BESIDE = BackfillJob("i", indices=frozenset({"i"}), sidecar="s")


def filled(ids: Iterable[str] = "abc") -> VersionedIndex:
    """Return an index of documents without fingerprints."""
    index = VersionedIndex()
    for id in ids:
        index.put(id, {"text": f"The text of {id}."})
    return index


def read(index: VersionedIndex, ids: Iterable[str], job: BackfillJob = JOB) -> list[SourceDocument]:
    """Return documents as a backfill reads them."""
    rows = [index.row(DocumentRef("i", id)) for id in ids]
    return DocumentReader(index, job).with_counterparts(rows)


def write(
    index: VersionedIndex, documents: list[SourceDocument], job: BackfillJob = JOB
) -> dict[str, Outcome]:
    """Write documents as a backfill does, and return what became of each."""
    reader = DocumentReader(index, job)
    writer = DocumentWriter(index, job.target, reader, partial(prepare, job=job))
    outcomes = writer.write(documents)
    assert len({outcome.id for outcome in outcomes}) == len(outcomes)
    return {str(outcome.id): outcome for outcome in outcomes}


def statuses(outcomes: dict[str, Outcome]) -> dict[str, str]:
    return {id: outcome.status for id, outcome in outcomes.items()}


def has_fields_of(simhash: dict[str, Any], text: str) -> bool:
    return bool(simhash["content_hash"] == fingerprint(text).content_hash)


def test_documents_get_the_fields_of_their_texts() -> None:
    index = filled()
    assert statuses(write(index, read(index, "abc"))) == dict.fromkeys("abc", "written")
    assert index.source("a")["simhash"] == simhash_object(fingerprint("The text of a."))
    assert index.written == 1
    # Nothing is sent for what has them.
    outcomes = write(index, read(index, "abc"))
    assert statuses(outcomes) == dict.fromkeys("abc", "unchanged")
    assert {outcome.index for outcome in outcomes.values()} == {"i"}


def test_a_document_that_is_changed_meanwhile_gets_the_fields_of_its_new_text() -> None:
    index = filled()
    index.before_write = [
        lambda: index.update("b", {"text": "Another text.", "by": "others"}),
        lambda: index.update("b", {"text": "And another."}),
    ]
    assert statuses(write(index, read(index, "abc"))) == dict.fromkeys("abc", "written")
    source = index.source("b")
    assert (source["text"], source["by"]) == ("And another.", "others")
    assert has_fields_of(source["simhash"], "And another.")
    # Only the one that was changed is sent again.
    assert {id: index.documents[DocumentRef("i", id)].writes for id in "abc"} == {
        "a": 2, "b": 4, "c": 2
    }  # fmt: skip


def test_a_document_that_gets_its_fields_from_another_writer_is_unchanged() -> None:
    index = filled()

    def other() -> None:
        index.update("b", {"simhash": simhash_object(fingerprint("The text of b."))})

    index.before_write = [other]
    assert statuses(write(index, read(index, "abc"))) == {
        "a": "written", "b": "unchanged", "c": "written"
    }  # fmt: skip
    assert index.documents[DocumentRef("i", "b")].writes == 2


@pytest.mark.parametrize("job", [JOB, BESIDE])
def test_what_was_written_though_no_answer_came_is_written(job: BackfillJob) -> None:
    index = filled("abcd")
    index.unanswered = {"b", "d"}
    documents = read(index, "abcd", job)
    index.before_read = [lambda: index.delete("d")]
    assert statuses(write(index, documents, job)) == {
        "a": "written", "b": "written", "c": "written", "d": "gone"
    }  # fmt: skip
    place = DocumentRef(job.target, "b")
    assert index.documents[place].writes == (2 if job is JOB else 1)


def test_what_is_deleted_before_it_is_written_or_read_again_is_gone() -> None:
    index = filled("abcd")

    def other() -> None:
        index.delete("a")
        index.update("b", {"n": 1})
        index.update("c", {"n": 1})
        index.before_read = [lambda: index.delete("b")]

    index.before_write = [other]
    outcomes = write(index, read(index, "abcd"))
    assert statuses(outcomes) == {"a": "gone", "b": "gone", "c": "written", "d": "written"}
    assert not any(outcome.reason for outcome in outcomes.values())
    assert index.ids() == {"c", "d"}
    assert has_fields_of(index.source("c")["simhash"], "The text of c.")


def test_a_document_that_never_rests_fails_and_keeps_its_text() -> None:
    index = filled()

    def change() -> None:
        index.update("b", {"n": index.written})

    index.before_write = [change] * 100
    outcomes = write(index, read(index, "abc"))
    assert statuses(outcomes) == {"a": "written", "b": "failed", "c": "written"}
    assert "run the same again later" in str(outcomes["b"].reason)
    assert index.written == 20
    assert index.source("b") == {"text": "The text of b.", "n": 20}


def test_what_is_rejected_for_another_reason_fails_with_it_at_once() -> None:
    index = filled()
    index.rejected = {"b": "The mapping has no place for it."}
    outcomes = write(index, read(index, "abc"))
    assert statuses(outcomes) == {"a": "written", "b": "failed", "c": "written"}
    assert outcomes["b"].reason == "The mapping has no place for it."
    assert index.written == 1


def test_a_sidecar_gets_the_fields_and_says_of_which_version() -> None:
    index = filled()
    assert statuses(write(index, read(index, "abc", BESIDE), BESIDE)) == dict.fromkeys(
        "abc", "written"
    )
    assert index.source("b") == {"text": "The text of b."}
    beside = index.source("b", "s")
    assert has_fields_of(beside["simhash"], "The text of b.")
    assert beside["source"] == {"index": "i", "routing": None, "seq_no": 1, "primary_term": 1}
    assert [each.counterpart is None for each in read(index, "abc")] == [True] * 3
    again = read(index, "abc", BESIDE)
    assert [each.counterpart and each.counterpart.ref for each in again] == [
        DocumentRef("s", id) for id in "abc"
    ]
    assert statuses(write(index, again, BESIDE)) == dict.fromkeys("abc", "unchanged")


def test_of_two_backfills_of_one_sidecar_neither_overwrites_the_other() -> None:
    index = filled("ab")
    outdated = read(index, "ab", BESIDE)
    write(index, read(index, "ab", BESIDE), BESIDE)
    index.update("a", {"text": "A new text."})
    outcomes = write(index, outdated, BESIDE)
    # Both conflict with what is there, and are read again.
    assert statuses(outcomes) == {"a": "written", "b": "unchanged"}
    assert has_fields_of(index.source("a", "s")["simhash"], "A new text.")
    assert index.source("a", "s")["source"]["seq_no"] == 4


def test_documents_are_read_again_in_their_order() -> None:
    index = filled("abcd")
    documents = read(index, "dbca")
    index.delete("b")
    index.delete("a")
    again = DocumentReader(index, JOB).reread(documents)
    assert [each and each.row.id for each in again] == ["d", None, "c", None]
    assert DocumentReader(index, BESIDE).reread(documents)[1] is None


@pytest.mark.parametrize("check", [False, True])
def test_large_members_are_read_only_where_they_are_checked(check: bool) -> None:
    parts = DocumentReader(VersionedIndex(), BackfillJob("i", check=check)).parts
    unread = {*LARGE_MEMBERS, ENTITIES}
    assert {*parts.excluded} == (unread - {*PACKED_MEMBERS} if check else unread)
    assert unread >= {*PACKED_MEMBERS}


def test_documents_are_counted_and_drawn() -> None:
    index = filled("abcd")
    reader = DocumentReader(index, JOB)
    assert reader.count(IndexPart("i", Where(above_seq_no=0), shard=2)) == 3
    assert [row.id for row in reader.sample(Where(), 3)] == ["a", "b", "c"]
    assert index.requests[-1] == Find(Where(), reader.parts, 3, ("random",))


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_a_speed_must_be_a_number_above_0(rate: float) -> None:
    with pytest.raises(InputError, match="above 0, got"):
        Throttle(rate)


def test_who_begins_waits_for_nobody_however_slow_it_is() -> None:
    throttle = Throttle(0.5)
    assert throttle.reserve(2, 0.0) == 0.0
    assert throttle.reserve(1, 1.0) == 3.0
    unbounded = Throttle(None)
    assert [unbounded.reserve(5, 7.0) for _ in range(3)] == [0.0] * 3
