"""`backfill` on an engine: what is written, and what is never overwritten."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import ClusterError, InputError
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.ingestion.bulk.outcomes import Outcome
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import (
    BackfillReport,
    BackfillSettings,
    Selection,
)
from es_simhash.maintenance.backfills.estimate import estimate
from es_simhash.store.codec import simhash_object
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.fields import ENTITIES, LARGE_MEMBERS
from es_simhash.store.installation.install import install

pytestmark = pytest.mark.cluster

RETRY = RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=0.5)
ONE = BackfillSettings(processes=1, retry=RETRY)
CHECK = Selection(check=True)
# Many pages and slices of few documents.
SMALL = BackfillSettings(processes=1, slices=3, page=7, retry=RETRY)

LONG = "The harbour was quiet that morning, and nobody had seen the ferry leave the pier. "
OTHER = "An entirely different report tells how the committee chose a new site for the museum. "


def statuses(outcomes: Iterable[Outcome]) -> Counter[str]:
    return Counter(each.status for each in outcomes)


def has_fields(text: str, field: str = "simhash") -> dict[str, Any]:
    """A query for each term that is derived from a text."""
    simhash = simhash_object(fingerprint(text))
    terms = [{"term": {f"{field}.blocks": each}} for each in simhash["blocks"]]
    terms += [{"term": {f"{field}.shingles": each}} for each in simhash["shingles"]]
    return {"bool": {"should": terms, "minimum_should_match": 1}}


def test_documents_get_the_fields_that_ingest_writes(
    client: Any, index: str, write: Any, stored: Any, documents: Any, expected: Any
) -> None:
    given = documents(60)
    write(index, given)
    outcomes = list(backfill(client, index, settings=SMALL))
    assert {each.id for each in outcomes} == set(given)
    assert statuses(outcomes) == {"written": 60}
    for id, found in stored(index).items():
        assert found["source"] == given[id]
        assert found["ours"] == expected(given[id]["text"])
        assert found["version"] == 2


@pytest.mark.long
def test_processes_write_what_one_process_writes(
    client: Any, index: str, write: Any, stored: Any, documents: Any, expected: Any
) -> None:
    write(index, documents(40))
    settings = BackfillSettings(processes=2, page=10, retry=RETRY)
    assert statuses(backfill(client, index, settings=settings)) == {"written": 40}
    assert stored(index)["39"]["ours"] == expected("Text number 39 of some words.")


def test_the_mapping_is_read_before_and_for_the_field_of_the_text(
    client: Any, index: str, write: Any, documents: Any, requests_of: list[str]
) -> None:
    write(index, documents(3))
    requests_of.clear()
    list(backfill(client, index, settings=ONE))
    assert requests_of.count(f"GET /{index}/_mapping") == 2


def test_backfill_twice_writes_nothing(
    client: Any, index: str, write: Any, stored: Any, documents: Any
) -> None:
    write(index, documents(30))
    list(backfill(client, index, settings=SMALL))
    before = stored(index)
    assert list(backfill(client, index, settings=SMALL)) == []
    assert statuses(backfill(client, index, selection=CHECK, settings=SMALL)) == {"unchanged": 30}
    assert stored(index) == before


def test_what_ingest_wrote_is_passed_over(
    client: Any, index: str, write: Any, documents: Any
) -> None:
    ours = [{"id": id, **fields} for id, fields in documents(10).items()]
    list(ingest(client, index, ours))
    write(index, {"new": {"text": "Written by another program."}})
    assert [each.id for each in backfill(client, index, settings=ONE)] == ["new"]


def test_a_query_chooses_the_documents(client: Any, index: str, write: Any, documents: Any) -> None:
    write(index, documents(20))
    where = {"range": {"n": {"gte": 15}}}
    chosen = {
        each.id for each in backfill(client, index, selection=Selection((where,)), settings=SMALL)
    }
    assert chosen == {"15", "16", "17", "18", "19"}
    with pytest.raises(ClusterError, match="no_such_query"):
        list(backfill(client, index, selection=Selection(({"no_such_query": {}},)), settings=ONE))


def test_a_changed_text_is_found_by_check_and_nothing_old_stays_searchable(
    client: Any, index: str, write: Any, stored: Any, matching: Any, expected: Any
) -> None:
    write(index, {"a": {"text": LONG}, "b": {"text": LONG}})
    list(backfill(client, index, settings=ONE))
    client.update(index=index, id="a", doc={"text": OTHER})
    assert matching(index, has_fields(LONG)) == {"a", "b"}
    assert list(backfill(client, index, settings=ONE)) == []
    outcomes = list(backfill(client, index, selection=CHECK, settings=ONE))
    assert {(each.id, each.status) for each in outcomes} == {("a", "written"), ("b", "unchanged")}
    assert matching(index, has_fields(LONG)) == {"b"}
    assert matching(index, has_fields(OTHER)) == {"a"}
    assert stored(index)["a"]["ours"] == expected(OTHER)


@pytest.mark.variants
@pytest.mark.parametrize("change", ["", "?! ...", None])
def test_a_text_that_became_empty_leaves_no_field_behind(
    client: Any, index: str, write: Any, stored: Any, matching: Any, change: str | None
) -> None:
    write(index, {"a": {"text": LONG, "n": 1}})
    list(backfill(client, index, settings=ONE))
    client.update(index=index, id="a", doc={"text": change})
    assert statuses(backfill(client, index, selection=CHECK, settings=ONE)) == {"written": 1}
    ours = stored(index)["a"]["ours"]
    assert set(ours) == {"scheme", "content_hash", "status", "semantic_scheme", "vector_table"}
    assert ours["status"] == "empty"
    for member in (*LARGE_MEMBERS, ENTITIES):
        assert matching(index, {"exists": {"field": f"simhash.{member}"}}) == set()
    assert statuses(backfill(client, index, selection=CHECK, settings=ONE)) == {"unchanged": 1}
    # And back again: the status goes.
    client.update(index=index, id="a", doc={"text": OTHER})
    assert statuses(backfill(client, index, selection=CHECK, settings=ONE)) == {"written": 1}
    assert matching(index, {"exists": {"field": "simhash.status"}}) == set()
    assert matching(index, has_fields(OTHER)) == {"a"}


def test_fields_of_another_scheme_are_replaced(
    client: Any, index: str, write: Any, stored: Any, expected: Any
) -> None:
    same = expected(LONG)["content_hash"]
    old = {"scheme": "an-older-one", "content_hash": same, "blocks": ["x"], "family": "kept"}
    write(index, {"a": {"text": LONG, "simhash": old}, "b": {"text": OTHER, "simhash": old}})
    assert statuses(backfill(client, index, settings=ONE)) == {"written": 2}
    found = stored(index)
    # The family is that of a text, and stays with it.
    assert found["a"]["ours"] == {**expected(LONG), "family": "kept"}
    assert found["b"]["ours"] == expected(OTHER)


def test_what_the_pipeline_could_not_take_is_enriched_and_its_error_goes(
    client: Any, index: str, write: Any, stored: Any, expected: Any
) -> None:
    failed = {"status": "failed", "error": "The script failed."}
    write(index, {"a": {"text": LONG, "simhash": failed}})
    assert statuses(backfill(client, index, settings=ONE)) == {"written": 1}
    assert stored(index)["a"]["ours"] == expected(LONG)


def test_a_partial_update_of_other_fields_leaves_ours_intact(
    client: Any, index: str, write: Any, stored: Any, matching: Any
) -> None:
    write(index, {"a": {"text": LONG, "n": 1}})
    list(backfill(client, index, settings=ONE))
    before = stored(index)["a"]["ours"]
    client.update(index=index, id="a", doc={"n": 2, "title": "New."})
    after = stored(index)["a"]
    assert after["ours"] == before
    assert after["source"] == {"text": LONG, "n": 2, "title": "New."}
    vector = simhash_object(fingerprint(LONG))["fingerprint"]
    near = {"field": "simhash.fingerprint", "query_vector": vector, "k": 5, "num_candidates": 5}
    answer = client.search(index=index, knn={**near, "similarity": 0})
    assert [hit["_id"] for hit in answer["hits"]["hits"]] == ["a"]
    assert matching(index, has_fields(LONG)) == {"a"}


def test_vectors_and_routing_of_the_user_stay_as_they_were(
    client: Any, index: str, write: Any, stored: Any
) -> None:
    client.indices.put_mapping(index=index, properties={"v": {"type": "dense_vector", "dims": 2}})
    write(index, {"a": {"text": LONG, "v": [1.0, 2.0]}}, routing="customer-7")
    assert statuses(backfill(client, index, settings=ONE)) == {"written": 1}
    assert client.count(index=index)["count"] == 1
    found = client.search(index=index, fields=["v"], query={"term": {"_routing": "customer-7"}})[
        "hits"
    ]["hits"]
    assert found[0]["fields"]["v"] == [1.0, 2.0]


def test_a_newer_text_is_never_overwritten(
    client: Any, index: str, proxy: Any, write: Any, stored: Any, expected: Any
) -> None:
    write(index, {"a": {"text": LONG}, "b": {"text": LONG}, "gone": {"text": LONG}})
    changed = False

    def change(path: str, body: bytes) -> None:
        nonlocal changed
        if "_bulk" in path and not changed:
            changed = True
            client.index(index=index, id="a", document={"text": OTHER, "n": 5})
            client.delete(index=index, id="gone")

    proxy.hook = change
    with connect(proxy.url) as through:
        outcomes = list(backfill(through, index, settings=ONE))
    assert {each.id: each.status for each in outcomes} == {
        "a": "written", "b": "written", "gone": "gone"
    }  # fmt: skip
    found = stored(index)
    assert set(found) == {"a", "b"}
    assert found["a"]["source"] == {"text": OTHER, "n": 5}
    assert found["a"]["ours"] == expected(OTHER)


@pytest.mark.long
def test_a_document_that_never_rests_fails_and_keeps_its_text(
    client: Any, index: str, proxy: Any, write: Any, stored: Any, tmp_path: Path
) -> None:
    write(index, {"a": {"text": LONG}})
    writes = 0

    def change(path: str, body: bytes) -> None:
        nonlocal writes
        if "_bulk" in path:
            writes += 1
            client.index(index=index, id="a", document={"text": f"{LONG} {writes}"})

    proxy.hook = change
    path = tmp_path / "failures"
    with connect(proxy.url) as through:
        (outcome,) = backfill(through, index, settings=replace(ONE, failures=path))
    assert not outcome.ok
    assert stored(index)["a"]["source"] == {"text": f"{LONG} {writes}"}
    (line,) = path.read_text("ascii").splitlines()
    assert json.loads(line)["id"] == "a"


def test_a_dry_run_writes_nothing_and_says_what_it_takes(
    client: Any, index: str, write: Any, stored: Any, documents: Any
) -> None:
    write(index, {**documents(250), "none": {"n": 1}})
    before = stored(index)
    found = estimate(client, index, settings=ONE)
    assert stored(index) == before
    assert found.documents == 251
    assert found.sampled == 200
    assert found.with_text >= 199
    assert found.bytes_a_document > 100
    assert found.bytes_held is not None
    slow = BackfillSettings(processes=1, max_docs_per_second=2.0)
    assert estimate(client, index, settings=slow).seconds == pytest.approx(251 / 2)


def test_the_sample_of_a_dry_run_is_random(client: Any, index: str, write: Any) -> None:
    write(index, {f"without{n}": {"n": n} for n in range(300)})
    write(index, {f"with{n}": {"text": LONG} for n in range(300)})
    only_open = Selection(filters=({"bool": {"must_not": {"term": {"closed": True}}}},))
    found = estimate(client, index, selection=only_open, settings=ONE)
    # Half of 200, give or take five standard deviations.
    assert 64 < found.with_text < 136


def test_an_estimate_of_nothing_is_nothing(client: Any, index: str) -> None:
    found = estimate(client, index, settings=ONE)
    assert (found.documents, found.seconds, found.bytes_added) == (0, 0.0, 0)


def test_the_report_counts_what_was_yielded(
    client: Any, index: str, write: Any, documents: Any
) -> None:
    write(index, {**documents(20), "none": {"n": 1}, "wrong": {"text": 5}})
    reports: list[dict[str, Any]] = []

    def report(now: BackfillReport) -> None:
        reports.append(now.to_dict())

    outcomes = list(backfill(client, index, settings=replace(SMALL, report=report)))
    assert reports[0]["written"] == 0
    last = reports[-1]
    assert last["total"] == 22
    assert statuses(outcomes) == {name: last[name] for name in statuses(outcomes)}
    assert len({each["run"] for each in reports}) == 1


def test_a_consumer_may_stop_early(client: Any, index: str, write: Any, documents: Any) -> None:
    write(index, documents(100))
    outcomes = backfill(client, index, settings=SMALL)
    assert next(outcomes).ok
    outcomes.close()  # type: ignore[attr-defined]
    rest = list(backfill(client, index, settings=SMALL))
    assert 0 < len(rest) < 100


def test_an_empty_index_and_one_that_is_done_are_no_work(client: Any, index: str) -> None:
    assert list(backfill(client, index, settings=ONE)) == []


def test_another_scheme_of_the_index_is_used(
    client: Any, index_name: str, write: Any, stored: Any
) -> None:
    scheme = Scheme(bits=64, blocks=4)
    install(client, index_name, scheme=scheme)
    write(index_name, {"a": {"text": LONG}})
    list(backfill(client, index_name, settings=ONE))
    assert stored(index_name)["a"]["ours"]["scheme"] == scheme.name


@pytest.mark.parametrize("present", [{"fp": {"scheme": "old"}}, {"x": 1}, None])
def test_the_fields_may_lie_in_an_object_of_the_user(
    client: Any, index_name: str, write: Any, matching: Any, present: dict[str, Any] | None
) -> None:
    install(client, index_name, simhash_field="own.fp")
    document: dict[str, Any] = {"body": {"text": LONG}}
    write(index_name, {"a": {**document, "own": present} if present else document})
    config = IndexConfig(text_field="body.text", simhash_field="own.fp")
    options: dict[str, Any] = {"config": config, "settings": ONE}
    assert statuses(backfill(client, index_name, **options)) == {"written": 1}
    assert matching(index_name, has_fields(LONG, "own.fp")) == {"a"}
    assert list(backfill(client, index_name, **options)) == []
    assert statuses(backfill(client, index_name, selection=CHECK, **options)) == {"unchanged": 1}


def test_a_speed_must_be_a_number_above_0(client: Any, index: str) -> None:
    # Of other numbers `test_document_pages` tells.
    with pytest.raises(InputError, match="above 0"):
        list(backfill(client, index, settings=BackfillSettings(max_docs_per_second=0.0)))
