"""What other writers added or changed is found, enriched once, and given families."""

from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.errors import InputError, MappingConflict
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.sweeps.sweep import sweep
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.installation.install import install
from es_simhash.store.installation.state_index import StateIndex, SweepCheckpoint
from tests.support.proxy import Proxy
from tests.support.swept import SweptIndex

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


def versions(client: Any, index: str) -> dict[str, int]:
    """Return how often each document was written."""
    client.indices.refresh(index=index)
    hits = client.search(index=index, size=1000, version=True, source=False)["hits"]["hits"]
    return {hit["_id"]: hit["_version"] for hit in hits}


@pytest.mark.long
def test_the_first_sweep_looks_at_everything_and_the_next_at_nothing(
    index: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    index.store({"a": first, "b": make_text(2), "a2": revise(first, 3)})
    done = index.sweep()
    assert done.enriched["written"] == 3
    families = index.families()
    assert families["a"] == families["a2"] != families["b"]
    before = versions(index.client, index.name)
    # Our own writes were made after the first sweep began, and are looked at once.
    again = index.sweep()
    assert again.enriched == {"unchanged": 3}
    nothing = index.sweep()
    assert nothing.families is None
    assert not nothing.enriched
    assert versions(index.client, index.name) == before


@pytest.mark.long
def test_a_sweep_with_nothing_new_reads_the_mapping_once_and_no_document(
    index: Any, make_text: Make, requests_of: list[str]
) -> None:
    index.store({"a": make_text(1)})
    index.sweep()
    index.sweep()
    requests_of.clear()
    index.sweep()
    name = index.name
    assert requests_of == [
        f"GET /{name}/_mapping",
        f"GET /{name}/_settings",
        f"POST /{name}-simhash/_search",
        f"GET /{name}/_stats/docs",
    ]


@pytest.mark.long
def test_what_came_since_is_enriched_and_joins_its_family(
    index: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    index.store({"a": first, "b": make_text(2)})
    index.sweep()
    index.sweep()
    index.store({"a2": revise(first, 3)})
    done = index.sweep()
    assert done.enriched == {"written": 1}
    families = index.families()
    assert families["a2"] == families["a"] is not None
    assert families["b"] not in (families["a"], None)


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("way", ["index", "update", "bulk update"])
def test_a_text_that_was_changed_gets_fingerprints_and_a_family_of_its_own(
    index: Any, make_text: Make, revise: Make, way: str
) -> None:
    first = make_text(1)
    index.store({"a": first, "a2": revise(first, 3)}, kept="by its owner")
    index.sweep()
    client, other = index.client, make_text(9)
    if way == "index":
        client.index(index=index.name, id="a2", document={"text": other, "kept": "by its owner"})
    elif way == "update":
        client.update(index=index.name, id="a2", doc={"text": other})
    else:
        # Of which Elasticsearch runs no ingest pipeline.
        lines = [{"update": {"_id": "a2"}}, {"doc": {"text": other}}]
        assert not client.bulk(index=index.name, operations=lines)["errors"]
    index.sweep()
    source = index.sources()["a2"]
    assert source["simhash"]["content_hash"] == fingerprint(other).content_hash
    assert source["kept"] == "by its owner"
    families = index.families()
    assert families["a2"] not in (families["a"], None)


@pytest.mark.long
def test_other_fields_that_were_changed_cost_no_write(index: Any, make_text: Make) -> None:
    index.store({"a": make_text(1)})
    index.sweep()
    index.client.update(index=index.name, id="a", doc={"seen": 7})
    before = versions(index.client, index.name)
    done = index.sweep()
    assert done.enriched == {"unchanged": 1}
    assert versions(index.client, index.name) == before


@pytest.mark.long
def test_a_document_that_was_deleted_leaves_its_family(
    index: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    index.store({"a": first, "a2": revise(first, 3), "b": make_text(2)})
    index.sweep()
    index.sweep()
    index.client.delete(index=index.name, id="a")
    done = index.sweep()
    assert done.families is not None
    assert [each.members for each in done.families.families] == []
    assert set(index.families()) == {"a2", "b"}


def test_several_shards_each_have_their_own_place(client: Any, index: Any, make_text: Make) -> None:
    client.indices.delete(index=index.name)
    client.indices.create(index=index.name, settings={"number_of_shards": 5})
    install(client, index.name, semantics=None)
    index.store({str(n): make_text(n, 60) for n in range(40)})
    # One shard is far ahead of the others.
    for n in range(200):
        client.index(index=index.name, id="busy", document={"text": make_text(100, 60), "n": n})
    assert index.sweep().enriched["written"] == 41
    index.sweep()
    index.store({str(n): make_text(n, 60) for n in range(40, 60)})
    assert index.sweep().enriched == {"written": 20}
    assert None not in index.families().values()


@pytest.mark.long
def test_an_index_that_is_made_anew_is_looked_at_as_a_whole(
    client: Any, index: Any, make_text: Make
) -> None:
    index.store({str(n): make_text(n, 60) for n in range(5)})
    index.sweep()
    client.indices.delete(index=index.name)
    install(client, index.name, semantics=None)
    index.store({"a": make_text(1, 60)})
    assert index.sweep().enriched == {"written": 1}


@pytest.mark.parametrize("action", ["skip", "replace"])
def test_what_another_index_behind_the_alias_had_before_is_flagged_not_deleted(
    client: Any, index: Any, make_text: Make, revise: Make, discard: Any, action: str
) -> None:
    second, alias = f"{index.name}-2", f"{index.name}-all"
    discard(second, f"{alias}-simhash")
    first = make_text(1)
    index.store({"a": first, "a2": revise(first, 3), "b": make_text(2)})
    client.indices.put_alias(index=index.name, name=alias)
    # What is there stays as it is.
    sweep(client, alias)
    sweep(client, alias)
    # As `_reindex` does: all documents are written once, with what the sweeps gave them.
    install(client, second, semantics=None)
    for id, source in index.sources().items():
        client.index(index=second, id=id, document=source)
    moved = {"remove": {"index": index.name, "alias": alias}}
    client.indices.update_aliases(actions=[moved, {"add": {"index": second, "alias": alias}}])
    rules = OnVersion(action, audit=index.audit, lose=1)
    assert sweep(client, alias, on_version=rules).decisions == {"flag": 1}
    assert set(versions(client, second)) == {"a", "a2", "b"}
    # From then on it is known.
    client.index(index=second, id="b2", document={"text": revise(make_text(2), 3)})
    assert sweep(client, alias, on_version=rules).decisions == {"skip": 1}
    assert set(versions(client, second)) == {"a", "a2", "b"}


def test_what_was_restored_from_before_the_last_sweep_is_flagged_not_deleted(
    index: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    index.store({"a": first, "a2": revise(first, 3)})
    index.sweep()
    state = StateIndex(index.client, index.name, "simhash")
    ((entry),) = state.entries("sweep")
    # The last sweep came after many writes that the shard does not have now.
    state.write_sweep(entry["options"], SweepCheckpoint({entry["shards"][0]: 1000}))
    index.store({"a3": revise(first, 4)})
    assert index.sweep("skip").decisions == {"flag": 2}
    assert set(index.sources()) == {"a", "a2", "a3"}


@pytest.mark.long
def test_an_alias_over_several_indices_and_routed_documents(
    client: Any, index: Any, make_text: Make, revise: Make
) -> None:
    second, alias = f"{index.name}-2", f"{index.name}-all"
    client.indices.create(index=second, settings={"number_of_shards": 3})
    install(client, second, semantics=None)
    try:
        for name in (index.name, second):
            client.indices.put_alias(index=name, name=alias)
        first = make_text(1)
        index.store({"a": first})
        client.index(index=second, id="a2", routing="z", document={"text": revise(first, 3)})
        done = sweep(client, alias, on_version=OnVersion("flag", audit=index.audit))
        assert done.enriched == {"written": 2}
        assert done.decisions == {"flag": 1}
        found = client.get(index=second, id="a2", routing="z")["_source"]["simhash"]
        assert found["family"] == index.families()["a"]
        assert found["duplicate_of"] == "a"
        with pytest.raises(InputError, match=r"stands for .*; use flag or link"):
            sweep(client, alias, on_version=OnVersion("skip", audit=index.audit))
    finally:
        client.indices.delete(index=[second])
        client.indices.delete(index=f"{alias}-simhash", ignore_unavailable=True)


@pytest.mark.long
def test_an_option_that_is_not_given_is_as_in_the_last_run(
    index: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    index.store({"a": first})
    index.store({"a2": revise(first, 3)}, date="2024-01-01")
    index.store({"b": make_text(2)}, date="2020-01-01")
    sweep(index.client, index.name, families=FamilyOptions("newest", "date"))
    index.sweep()
    index.store({"c": make_text(4)})
    done = index.sweep()
    # Told otherwise, the run would look at all documents again.
    assert done.families is not None
    assert done.families.documents == 1


def test_a_name_that_cannot_be_swept_is_refused_in_one_sentence(
    client: Any, index: Any, make_text: Make
) -> None:
    with pytest.raises(InputError, match="names several indices"):
        sweep(client, f"{index.name}*")
    bare = f"{index.name}-bare"
    client.indices.create(index=bare)
    try:
        with pytest.raises(MappingConflict, match="es-simhash install"):
            sweep(client, bare)
    finally:
        client.indices.delete(index=bare)
    with pytest.raises(InputError, match=r"action must be one of skip, .*, got 'drop'"):
        index.sweep("drop")


def test_a_sidecar_is_brought_up_to_date_by_backfill(
    client: Any, index: Any, make_text: Make
) -> None:
    from es_simhash.maintenance.backfills.backfill import backfill

    index.store({"a": make_text(1, 60)})
    side = f"{index.name}-near"
    try:
        assert [each.status for each in backfill(client, index.name, sidecar=side)] == ["written"]
        with pytest.raises(InputError, match=rf"backfill {index.name} --sidecar {side}"):
            sweep(client, side)
    finally:
        client.indices.delete(index=side, ignore_unavailable=True)


@pytest.mark.long
@pytest.mark.parametrize("action", ["flag", "skip"])
def test_what_was_decided_counts_although_its_answer_was_lost(
    index: Any, make_text: Make, proxy: Proxy, action: str
) -> None:
    index.store({"a": make_text(1)})
    index.sweep()
    index.store({"b": make_text(1)})
    lost = proxy.lose_a_bulk_request(
        index.client, lambda body: b'"duplicate_of"' in body or b'{"delete"' in body
    )
    with connect(proxy.url) as client:
        done = SweptIndex(client, index.name, index.audit.parent).sweep(action)
    assert not lost[0]["errors"]
    assert (done.decisions, done.conflicted) == ({action: 1}, ())
    assert len(index.audit.read_text().splitlines()) == 1
