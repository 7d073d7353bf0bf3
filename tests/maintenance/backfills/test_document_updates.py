"""What a backfill writes to a document, or why it writes nothing, without an engine."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.maintenance.backfills.backfill_job import (
    BackfillJob,
    PreparedPage,
    SourceDocument,
)
from es_simhash.maintenance.backfills.document_updates import prepare, rejection, stored_object
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.codec import simhash_object
from es_simhash.store.config import IndexConfig
from es_simhash.store.rows import Row
from es_simhash.text.limits import MAX_CHUNKS

JOB = BackfillJob("i", indices=frozenset({"i", "j"}))
BESIDE = replace(JOB, sidecar="s")
TEXT = "A text of some words."
CURRENT = simhash_object(fingerprint(TEXT))
OTHER = simhash_object(fingerprint("Another text."))
# What a sidecar says of the version that `document` returns.
ORIGIN = {"index": "i", "routing": None, "seq_no": 7, "primary_term": 2}


def row(ref: DocumentRef, source: Mapping[str, Any], seq_no: int = 7, term: int = 2) -> Row:
    return Row(ref, source=source, version=DocumentVersion(ref, seq_no, term))


def document(
    source: Mapping[str, Any], beside: Mapping[str, Any] | None = None, routing: str | None = None
) -> SourceDocument:
    """Return a document, with what the sidecar has of it."""
    counterpart = None if beside is None else row(DocumentRef("s", "a"), beside, 40, 3)
    return SourceDocument(row(DocumentRef("i", "a", routing), source), counterpart)


def action_of(page: PreparedPage) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the lines of the one action of a page."""
    assert (page.ends, page.positions, page.finished) == ([len(page.body)], [0], [])
    meta, body = map(json.loads, page.body.splitlines())
    return meta, body


def outcome_of(page: PreparedPage) -> tuple[str, str]:
    """Return status and reason of the one document of a page that is not written."""
    assert (page.body, page.positions) == (b"", [])
    (outcome,) = page.finished
    assert (outcome.id, outcome.index) == ("a", "i")
    return outcome.status, outcome.reason or ""


def test_the_object_is_read_where_it_is_written() -> None:
    inside = document({"simhash": CURRENT}, {"simhash": OTHER})
    assert stored_object(inside, JOB) == CURRENT
    assert stored_object(inside, BESIDE) == OTHER
    assert stored_object(document({"simhash": CURRENT}), BESIDE) == {}
    assert stored_object(document({"text": TEXT}), JOB) == {}
    assert stored_object(document({"simhash": "no object"}), JOB) == {}


def test_a_document_is_written_in_the_version_that_was_read() -> None:
    meta, body = action_of(prepare([document({"text": TEXT}, routing="r")], JOB))
    assert meta == {
        "update": {
            "_index": "i", "_id": "a", "if_seq_no": 7, "if_primary_term": 2, "routing": "r"
        }
    }  # fmt: skip
    assert body == {"doc": {"simhash": CURRENT}}


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ({}, ["meta.fp"]),
        ({"meta.fp": {"scheme": "old"}}, ["meta.fp"]),
        ({"meta": {"fp": {"scheme": "old"}}}, ["meta", "fp"]),
    ],
)
def test_the_object_is_written_where_the_document_has_it(
    source: dict[str, Any], path: list[str]
) -> None:
    job = replace(JOB, config=IndexConfig(simhash_field="meta.fp"))
    _, body = action_of(prepare([document({"text": TEXT, **source})], job))
    written = body["doc"]
    for name in path:
        assert list(written) == [name]
        written = written[name]
    # Nothing of another scheme is left.
    assert {name: value for name, value in written.items() if value} == CURRENT
    assert ("status" in written) == bool(source)


def test_a_sidecar_gets_a_document_with_the_version_it_is_of() -> None:
    meta, body = action_of(prepare([document({"text": TEXT})], BESIDE))
    assert meta == {"create": {"_index": "s", "_id": "a"}}
    assert body == {"simhash": CURRENT, "source": ORIGIN}
    # There is one: it is updated in the version that was read.
    found = document({"text": TEXT}, {"simhash": OTHER, "source": {**ORIGIN, "seq_no": 6}})
    meta, body = action_of(prepare([found], BESIDE))
    assert meta == {"update": {"_index": "s", "_id": "a", "if_seq_no": 40, "if_primary_term": 3}}
    assert body["doc"]["source"] == ORIGIN
    assert body["doc"]["simhash"]["content_hash"] == CURRENT["content_hash"]
    assert body["doc"]["simhash"]["status"] is None


def test_pages_hold_the_actions_of_the_documents_that_need_them() -> None:
    first, done, last = (
        document({"text": TEXT}),
        document({"text": TEXT, "simhash": CURRENT}),
        document({"text": "Another text."}),
    )
    page = prepare([first, done, last], JOB)
    assert list(page.positions) == [0, 2]
    assert [outcome.status for outcome in page.finished] == ["unchanged"]
    start, end = page.ends
    assert end == len(page.body)
    assert page.body[:start] == prepare([first], JOB).body
    assert page.body[start:] == prepare([last], JOB).body


def test_only_a_document_with_the_fields_of_its_text_is_unchanged() -> None:
    assert outcome_of(prepare([document({"text": TEXT, "simhash": CURRENT})], JOB)) == (
        "unchanged", ""
    )  # fmt: skip
    old = {**CURRENT, "scheme": "old"}
    for stored in (OTHER, old):
        _, body = action_of(prepare([document({"text": TEXT, "simhash": stored})], JOB))
        assert body["doc"]["simhash"]["content_hash"] == CURRENT["content_hash"]


def test_a_document_without_a_text_is_written_only_where_fields_would_be_left() -> None:
    for source in ({}, {"text": None}, {"n": 5}):
        assert outcome_of(prepare([document(source)], JOB)) == ("without_text", "")
    _, body = action_of(prepare([document({"simhash": CURRENT})], JOB))
    assert body["doc"]["simhash"]["status"] == "empty"
    assert body["doc"]["simhash"]["shingles"] is None
    # A text without words is one.
    assert action_of(prepare([document({"text": ""})], JOB))[1]["doc"]["simhash"]["status"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ({"text": 5}, "holds int, not text"),
        ({"parts": [{"text": TEXT}]}, "lies in a list of objects"),
    ],
)
def test_a_text_that_cannot_be_read_fails(source: dict[str, Any], reason: str) -> None:
    field = "text" if "text" in source else "parts.text"
    job = replace(JOB, config=IndexConfig(text_field=field))
    status, why = outcome_of(prepare([document(source)], job))
    assert status == "failed"
    assert reason in why
    assert repr(field) in why


@pytest.mark.parametrize("parts", [[], 5, "words", {}, {"n": [1]}, {"text": None}])
def test_what_holds_no_list_of_objects_is_without_text(parts: Any) -> None:
    job = replace(JOB, config=IndexConfig(text_field="parts.text"))
    assert outcome_of(prepare([document({"parts": parts})], job)) == ("without_text", "")


def test_all_fields_of_the_text_are_looked_at() -> None:
    job = replace(JOB, config=IndexConfig(text_field="title, parts.text"))
    assert outcome_of(prepare([document({"n": 1})], job))[0] == "without_text"
    assert outcome_of(prepare([document({"parts": [{"text": TEXT}]})], job))[0] == "failed"


def beside(origin: Any, *, simhash: Mapping[str, Any] = CURRENT) -> Mapping[str, Any]:
    return {"simhash": simhash, "source": origin}


def test_a_sidecar_with_the_fields_of_this_version_or_a_later_one_is_unchanged() -> None:
    def outcome(origin: Mapping[str, Any]) -> str:
        # The text is another one: what the sidecar has is believed by the version alone.
        return outcome_of(prepare([document({"text": "New."}, beside(origin))], BESIDE))[0]

    assert outcome(ORIGIN) == "unchanged"
    assert outcome({**ORIGIN, "seq_no": 8}) == "unchanged"
    assert outcome({**ORIGIN, "seq_no": 0, "primary_term": 3}) == "unchanged"


@pytest.mark.parametrize(
    "older", [{"seq_no": 6}, {"seq_no": 99, "primary_term": 1}, {"index": "gone"}]
)
def test_fields_of_an_older_version_or_of_an_index_that_is_left_are_written_again(
    older: Mapping[str, Any],
) -> None:
    stored = beside({**ORIGIN, **older}, simhash=OTHER)
    _, body = action_of(prepare([document({"text": TEXT}, stored)], BESIDE))
    assert body["doc"]["source"] == ORIGIN
    # The same text needs no new fields, whatever the version says.
    known = beside({**ORIGIN, **older})
    assert outcome_of(prepare([document({"text": TEXT}, known)], BESIDE)) == ("unchanged", "")


def test_fields_of_another_scheme_are_written_again_though_the_version_is_known() -> None:
    stored = beside(ORIGIN, simhash={**CURRENT, "scheme": "old"})
    _, body = action_of(prepare([document({"text": TEXT}, stored)], BESIDE))
    assert body["doc"]["simhash"]["scheme"] == CURRENT["scheme"]


@pytest.mark.parametrize("origin", [None, "seq_no", {}, {"index": "i", "routing": None}])
def test_a_document_that_no_backfill_wrote_is_not_overwritten(origin: Any) -> None:
    status, reason = outcome_of(prepare([document({"text": TEXT}, beside(origin))], BESIDE))
    assert status == "failed"
    assert "that no backfill wrote; name another sidecar" in reason


@pytest.mark.parametrize(
    ("routing", "stored", "known"),
    [("r", "q", "with routing 'q'"), (None, "q", "with routing 'q'"), ("r", None, "no routing")],
)
def test_an_id_under_two_routings_fails(
    routing: str | None, stored: str | None, known: str
) -> None:
    origin = {**ORIGIN, "routing": stored}
    found = document({"text": TEXT}, beside(origin), routing)
    status, reason = outcome_of(prepare([found], BESIDE))
    assert status == "failed"
    assert known in reason
    assert "backfill i --sidecar s --prune" in reason


def test_an_id_in_two_indices_behind_the_name_fails_and_one_of_a_left_index_does_not() -> None:
    origin = {**ORIGIN, "index": "j"}
    status, reason = outcome_of(prepare([document({"text": TEXT}, beside(origin))], BESIDE))
    assert status == "failed"
    assert "of index 'j'; give each of the indices a sidecar of its own" in reason
    left = beside({**origin, "index": "left"}, simhash=OTHER)
    assert (
        action_of(prepare([document({"text": TEXT}, left)], BESIDE))[1]["doc"]["source"] == ORIGIN
    )


def test_routed_documents_of_a_sidecar_are_the_same_by_index_and_routing() -> None:
    origin = {**ORIGIN, "routing": "r"}
    found = document({"text": "New."}, beside(origin), "r")
    assert outcome_of(prepare([found], BESIDE)) == ("unchanged", "")


def test_a_text_with_too_many_chunks_fails_before_it_is_fingerprinted() -> None:
    chunk = "a b c d e f g h. "
    assert rejection(chunk * MAX_CHUNKS, {}, IndexConfig()) is None
    reason = rejection(chunk * (MAX_CHUNKS + 1), {}, IndexConfig())
    assert reason is not None
    assert f"has {MAX_CHUNKS + 1} chunks" in reason
    status, why = outcome_of(prepare([document({"text": chunk * (MAX_CHUNKS + 1)})], JOB))
    assert (status, why) == ("failed", reason)


def test_entities_that_cannot_be_read_fail() -> None:
    semantics = replace(DEFAULT_SEMANTICS, entity_fields=("people",))
    config = IndexConfig(semantics=semantics)
    assert rejection(TEXT, {"people": ["Ada Lovelace"]}, config) is None
    assert "'people'" in str(rejection(TEXT, {"people": 5}, config))
