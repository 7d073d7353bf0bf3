"""What a backfill is made of, without an engine."""

import json

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.maintenance.backfills.backfill_job import BackfillJob, Selection, SourceDocument
from es_simhash.maintenance.backfills.document_pages import Throttle
from es_simhash.maintenance.backfills.document_updates import (
    ABSENT,
    derived_objects,
    prepare,
    replacing,
)
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store.codec import simhash_object
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.conditions import conditions
from es_simhash.store.intents import Where
from es_simhash.store.paths import get_object
from es_simhash.store.rows import Row

VERSION = DocumentVersion(DocumentRef("i", "a"), 3, 1)


def test_the_derived_object_is_that_of_the_text() -> None:
    texts = ["A text.", "", "Another text."]
    found = [json.loads(each) for each in derived_objects(texts, [{}] * 3, IndexConfig())]
    assert found == [simhash_object(fingerprint(each)) for each in texts]


def test_an_object_that_replaces_another_names_every_member() -> None:
    (empty,) = derived_objects([""], [{}], IndexConfig())
    found = json.loads(replacing(empty, {"scheme": "old"}))
    assert set(ABSENT) <= set(found)
    assert found["status"] == "empty"
    assert found["blocks"] is None
    # An object inside would be merged with the one that is there; a list is not.
    weighed = b'{"weights":{"a":1},"content_hash":"1"}'
    assert json.loads(replacing(weighed, {}))["weights"] == [{"a": 1}]


def test_what_was_decided_about_a_text_goes_with_it() -> None:
    fresh = b'{"content_hash":"1"}'
    decided = {"family": "f", "duplicate_of": "x", "dismissed": ["y"]}
    for same in ({"content_hash": "1"}, {}):
        assert not {*decided} & {*json.loads(replacing(fresh, {**same, **decided}))}
    changed = json.loads(replacing(fresh, {"content_hash": "2", **decided}))
    assert {name: changed[name] for name in changed.keys() & decided.keys()} == {
        "family": None, "duplicate_of": None
    }  # fmt: skip


def test_documents_wait_behind_each_other_for_their_turn() -> None:
    throttle = Throttle(10.0)
    assert throttle.reserve(5, 100.0) == 0.0
    assert throttle.reserve(20, 100.0) == 0.5
    assert throttle.reserve(1, 101.0) == 1.5
    assert throttle.reserve(1, 200.0) == 0.0
    assert Throttle(None).reserve(1_000_000, 0.0) == 0.0


def test_a_first_enrichment_is_no_longer_than_it_must_be() -> None:
    job = BackfillJob("i")
    fresh, again = (
        prepare([SourceDocument(Row(VERSION.ref, source=source, version=VERSION))], job)
        for source in ({"text": "A text."}, {"text": "A text.", "simhash": {"scheme": "old"}})
    )
    assert b"null" not in fresh.body
    meta, document = again.body.splitlines()
    assert json.loads(meta) == {
        "update": {"_index": "i", "_id": "a", "if_seq_no": 3, "if_primary_term": 1}
    }
    assert json.loads(document)["doc"]["simhash"]["status"] is None


def test_our_object_is_found_under_a_dotted_name_and_in_objects() -> None:
    assert get_object({"a.b": {"x": 1}, "a": {"b": {"x": 2}}}, "a.b") == ({"x": 1}, False)
    assert get_object({"a": {"b": {"x": 2}}}, "a.b") == ({"x": 2}, True)
    assert get_object({"a": 5}, "a.b") == (None, False)


def test_without_check_the_cluster_chooses_the_documents() -> None:
    where = {"term": {"lang": "en"}}
    job = BackfillJob("i")
    of_scheme = {"term": {"simhash.scheme": DEFAULT.name}}
    vectors = [{"exists": {"field": "simhash.fingerprint"}}, {"term": {"simhash.status": "empty"}}]
    lost = {"bool": {"filter": [of_scheme], "must_not": vectors}}
    assert conditions(job.where(Selection((where,))), job.config) == {
        "bool": {
            "filter": [where],
            "must_not": [{"bool": {"filter": [of_scheme], "must_not": [lost]}}],
        }
    }
    assert job.where(Selection(check=True)) == Where()
    assert BackfillJob("i", sidecar="s").where(Selection()) == Where()
