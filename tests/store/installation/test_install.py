"""Our fields come into an index beside the user's, and never over them."""

from typing import Any

import pytest

from es_simhash import ClusterError, IndexMissing, MappingConflict, Scheme, SchemeMismatch
from es_simhash.questions.index import Index
from es_simhash.store.config import IndexConfig
from es_simhash.store.fields import BLOCKS, CHUNKS, FINGERPRINT, SHINGLES

pytestmark = pytest.mark.cluster

OF_VERSIONS = {
    "scheme", "status", "content_hash", "fingerprint", "blocks", "shingles", "chunks", "sketch",
    "family", "representative", "duplicate_of",
    "duplicate_score",
}  # fmt: skip
MEMBERS = OF_VERSIONS | {
    *("semantic_scheme", "concepts", "entities", "vector", "vector_fingerprint"),
    *("index_vector", "vector_table", "vector_language"),
}
TEXT = "The bell of the old school rings at eight, and the caretaker opens both gates."


def install(client: Any, index: str, **options: Any) -> Any:
    from es_simhash.store.installation.install import install

    return install(client, index, **options)


def mapping_of(client: Any, index: str) -> dict[str, Any]:
    found: dict[str, Any] = client.indices.get_mapping(index=index).body[index]["mappings"]
    return found


def related_ids(client: Any, index: str, id: str, **names: str) -> list[str | None]:
    from es_simhash import Index

    return [each.id for each in Index(client, index, IndexConfig(**names)).related(id=id)]


def test_a_missing_index_is_created(client: Any, index_name: str) -> None:
    [request] = install(client, index_name)
    assert (request.method, request.path) == ("PUT", f"/{index_name}")
    mapping = mapping_of(client, index_name)
    assert set(mapping["properties"]) == {"simhash"}
    assert set(mapping["properties"]["simhash"]["properties"]) == MEMBERS
    assert mapping["properties"]["simhash"]["properties"]["fingerprint"]["dims"] == 128
    assert mapping["_meta"]["es_simhash"]["simhash"]["scheme"] == Scheme().name


@pytest.mark.parametrize("mark", ["#1", "?", " 1"])
def test_a_name_that_no_index_may_have_creates_none(
    client: Any, index_name: str, mark: str
) -> None:
    with pytest.raises(ClusterError, match="takes no index of the name"):
        install(client, f"{index_name}{mark}")
    assert not client.indices.exists(index=index_name)


def test_a_name_with_a_date_creates_the_index_of_the_day(client: Any, index_name: str) -> None:
    typed = f"<{index_name}-{{now/d}}>"
    made: list[str] = []
    try:
        install(client, typed)
        made = list(client.indices.get(index=f"{index_name}-*"))
        assert len(made) == 1
        assert "simhash" in mapping_of(client, made[0])["properties"]
    finally:
        if made:
            client.indices.delete(index=made)


def test_an_index_whose_name_has_a_percent_sign_gets_the_fields(
    client: Any, index_name: str
) -> None:
    """Also one that has been there before."""
    name = f"{index_name}-100%41-港口"
    try:
        client.indices.create(index=name)
        install(client, name)
        assert "simhash" in mapping_of(client, name)["properties"]
    finally:
        client.indices.delete(index=name, ignore_unavailable=True)


def test_an_index_for_versions_alone_gets_their_fields(client: Any, index_name: str) -> None:
    install(client, index_name, semantics=None)
    mapping = mapping_of(client, index_name)
    assert set(mapping["properties"]["simhash"]["properties"]) == OF_VERSIONS
    assert "semantics" not in mapping["_meta"]["es_simhash"]["simhash"]


def test_the_fields_and_the_meta_of_the_user_are_kept(client: Any, index_name: str) -> None:
    theirs = {
        "dynamic": "strict",
        "_meta": {"owner": "library", "es_simhash": {"older": {"scheme": Scheme(64, 4).name}}},
        "properties": {
            "title": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
            "shelf": {"type": "short"},
        },
    }
    client.indices.create(index=index_name, mappings=theirs)
    [request] = install(client, index_name)
    assert request.path == f"/{index_name}/_mapping"
    mapping = mapping_of(client, index_name)
    assert mapping["dynamic"] == "strict"
    assert mapping["properties"].pop("simhash")["properties"].keys() == MEMBERS
    assert mapping["properties"] == theirs["properties"]
    meta = mapping["_meta"]
    assert meta["owner"] == "library"
    assert meta["es_simhash"]["older"] == {"scheme": Scheme(64, 4).name}
    assert meta["es_simhash"]["simhash"]["scheme"] == Scheme().name


def test_a_second_run_sends_nothing_that_writes(
    client: Any, index_name: str, requests_of: list[str]
) -> None:
    install(client, index_name)
    before = mapping_of(client, index_name)
    requests_of.clear()
    assert install(client, index_name) == []
    assert requests_of == [f"GET /{index_name}/_mapping"]
    assert mapping_of(client, index_name) == before


def test_a_dry_run_writes_nothing(client: Any, index_name: str, requests_of: list[str]) -> None:
    planned = install(client, index_name, dry_run=True)
    assert {each.partition(" ")[0] for each in requests_of} == {"GET"}
    assert not client.indices.exists(index=index_name)
    assert planned == install(client, index_name)


def test_a_dry_run_leaves_a_mapping_as_it_is(client: Any, index_name: str) -> None:
    client.indices.create(index=index_name, mappings={"properties": {"title": {"type": "text"}}})
    before = mapping_of(client, index_name)
    assert install(client, index_name, dry_run=True)
    assert mapping_of(client, index_name) == before


@pytest.mark.parametrize("type_", ["keyword", "text", "nested"])
def test_a_field_of_our_name_with_another_type_is_refused(
    client: Any, index_name: str, type_: str
) -> None:
    client.indices.create(index=index_name, mappings={"properties": {"simhash": {"type": type_}}})
    before = mapping_of(client, index_name)
    with pytest.raises(MappingConflict, match=rf"'simhash'.*type '{type_}'.*'object'"):
        install(client, index_name)
    assert mapping_of(client, index_name) == before


def test_a_member_with_another_type_is_refused(client: Any, index_name: str) -> None:
    # What Elasticsearch maps by itself when documents come before the fields.
    client.index(index=index_name, document={"simhash": {"blocks": ["0:1234"]}})
    with pytest.raises(MappingConflict, match=r"'simhash\.blocks'.*type 'text'.*'keyword'"):
        install(client, index_name)


def test_another_scheme_under_the_same_name_is_refused(client: Any, index_name: str) -> None:
    install(client, index_name)
    with pytest.raises(MappingConflict, match=r"b8\..*not.*b16\."):
        install(client, index_name, scheme=Scheme(blocks=16))
    install(client, index_name, scheme=Scheme(blocks=16), simhash_field="finer")
    meta = mapping_of(client, index_name)["_meta"]["es_simhash"]
    assert {field: entry["scheme"] for field, entry in meta.items()} == {
        "simhash": Scheme().name,
        "finer": Scheme(blocks=16).name,
    }


def test_other_dimensions_without_meta_are_refused(client: Any, index_name: str) -> None:
    install(client, index_name, scheme=Scheme(64, 4))
    client.indices.put_mapping(index=index_name, meta={"owner": "someone"})
    with pytest.raises(MappingConflict, match=r"dims 64.*128"):
        install(client, index_name)
    assert len(install(client, index_name, scheme=Scheme(64, 4))) == 1


def test_every_index_behind_an_alias_gets_the_fields(client: Any, index_name: str) -> None:
    names = [f"{index_name}-{part}" for part in "ab"]
    try:
        for each in names:
            client.indices.create(index=each, aliases={index_name: {}})
        install(client, names[1])
        assert [request.path for request in install(client, index_name)] == [
            f"/{names[0]}/_mapping"
        ]
        for each in names:
            assert "simhash" in mapping_of(client, each)["properties"]
        assert install(client, index_name) == []
    finally:
        client.indices.delete(index=names, ignore_unavailable=True)


def test_an_alias_of_two_schemes_is_asked_by_that_of_the_last(client: Any, index_name: str) -> None:
    names = [f"{index_name}-{part}" for part in "ab"]
    try:
        for each, scheme in zip(names, (Scheme(), Scheme(blocks=16)), strict=True):
            install(client, each, scheme=scheme)
            client.indices.put_alias(index=each, name=index_name)
        answer = Index(client, index_name).related(text=TEXT)
        assert [(each.index, each.scheme) for each in answer.left_out] == [
            (names[0], Scheme().name)
        ]
    finally:
        client.indices.delete(index=names, ignore_unavailable=True)


def test_a_pattern_that_matches_nothing_creates_nothing(client: Any, index_name: str) -> None:
    from es_simhash.store.elasticsearch.gateway import Gateway
    from es_simhash.store.elasticsearch.store import ElasticsearchStore

    with pytest.raises(IndexMissing, match=f"{index_name}-\\*"):
        _ = ElasticsearchStore(Gateway(client), f"{index_name}-*").config


def test_the_object_may_lie_in_another(client: Any, index_name: str, filled: Any) -> None:
    mappings = {"properties": {"meta": {"properties": {"source": {"type": "keyword"}}}}}
    client.indices.create(index=index_name, mappings=mappings)
    documents = [{"id": id, "text": TEXT, "meta": {"source": "scan"}} for id in "12"]
    filled(*documents, simhash_field="meta.simhash")
    inner = mapping_of(client, index_name)["properties"]["meta"]["properties"]
    assert inner["source"] == {"type": "keyword"}
    assert set(inner["simhash"]["properties"]) == MEMBERS
    assert install(client, index_name, simhash_field="meta.simhash") == []
    assert related_ids(client, index_name, "1", simhash_field="meta.simhash") == ["2"]
    kept = client.get(index=index_name, id="1")["_source"]
    assert kept["meta"]["source"] == "scan"
    with pytest.raises(MappingConflict, match=r"under 'simhash'"):
        related_ids(client, index_name, "1")


@pytest.mark.parametrize("scheme", [Scheme(64, 4), Scheme(64, 13), Scheme(128, 64)], ids=str)
def test_other_schemes_work_from_end_to_end(client: Any, filled: Any, scheme: Scheme) -> None:
    name = filled(
        {"id": "1", "text": TEXT},
        {"id": "2", "text": TEXT.replace("both", "the two")},
        {"id": "3", "text": "Nobody knows when the quarry was dug, or who first cut its stone."},
        scheme=scheme,
    )
    properties = mapping_of(client, name)["properties"]["simhash"]["properties"]
    assert properties["fingerprint"]["dims"] == scheme.bits
    assert related_ids(client, name, "1") == ["2"]


def test_documents_of_another_scheme_are_not_compared(client: Any, filled: Any) -> None:
    name = filled({"id": "1", "text": TEXT}, {"id": "2", "text": TEXT}, semantics=None)
    other = Scheme(blocks=16).name
    client.update(index=name, id="2", doc={"simhash": {"scheme": other}}, refresh=True)
    assert related_ids(client, name, "1") == []
    with pytest.raises(SchemeMismatch, match=r"'2'.*b16.*b8"):
        related_ids(client, name, "2")


def stored_fields(client: Any, index: str, id: str) -> dict[str, Any]:
    """What the index itself holds of one document, whatever its source shows."""
    found = client.search(
        index=index,
        query={"ids": {"values": [id]}},
        docvalue_fields=[f"simhash.{CHUNKS}"],
        fields=[f"simhash.{FINGERPRINT}", f"simhash.{BLOCKS}", f"simhash.{SHINGLES}"],
    )
    fields: dict[str, Any] = found["hits"]["hits"][0]["fields"]
    return fields


def within_no_bit(client: Any, index: str, fingerprint: str) -> list[str]:
    knn = {
        "field": f"simhash.{FINGERPRINT}", "query_vector": fingerprint,
        "k": 10, "num_candidates": 10, "similarity": 0,
    }  # fmt: skip
    return sorted(hit["_id"] for hit in client.search(index=index, knn=knn)["hits"]["hits"])


def test_a_partial_update_of_the_user_leaves_the_fingerprints(client: Any, filled: Any) -> None:
    from es_simhash import fingerprint
    from es_simhash.store.codec import simhash_object

    name = filled({"id": "1", "text": TEXT, "read": 0}, {"id": "2", "text": TEXT, "read": 0})
    before = stored_fields(client, name, "2")
    # Elasticsearch 8 gives no doc values of bit vectors; the kNN search below sees them.
    assert {f"simhash.{each}" for each in (BLOCKS, SHINGLES, CHUNKS)} <= before.keys()
    for count in (1, 2):
        client.update(index=name, id="2", doc={"read": count}, refresh=True)
    client.indices.forcemerge(index=name, max_num_segments=1)
    assert client.get(index=name, id="2")["_source"]["read"] == 2
    assert stored_fields(client, name, "2") == before

    written = simhash_object(fingerprint(TEXT))
    assert before[f"simhash.{CHUNKS}"] == [written[CHUNKS]]
    assert before[f"simhash.{BLOCKS}"] == written[BLOCKS]
    assert sorted(before[f"simhash.{SHINGLES}"]) == sorted(written[SHINGLES])
    assert within_no_bit(client, name, written[FINGERPRINT]) == ["1", "2"]
    for member in (BLOCKS, SHINGLES):
        for term in written[member]:
            counted = client.count(index=name, query={"term": {f"simhash.{member}": term}})
            assert counted["count"] == 2
    assert related_ids(client, name, "1") == ["2"]


def require_module(client: Any, name: str) -> None:
    """Skip on an engine without this module; the local node has only what is on Maven Central."""
    nodes = client.nodes.info(metric="plugins")["nodes"].values()
    if not all(any(each["name"] == name for each in node["modules"]) for node in nodes):
        pytest.skip(f"this engine has no module {name}")


def test_a_script_of_the_user_leaves_the_fingerprints(client: Any, filled: Any) -> None:
    require_module(client, "lang-painless")
    name = filled({"id": "1", "text": TEXT, "read": 0}, {"id": "2", "text": TEXT, "read": 0})
    before = stored_fields(client, name, "2")
    script = {"source": "ctx._source.read += params.more", "params": {"more": 5}}
    client.update(index=name, id="2", script=script, refresh=True)
    assert client.get(index=name, id="2")["_source"]["read"] == 5
    assert stored_fields(client, name, "2") == before
    assert related_ids(client, name, "1") == ["2"]


def test_a_reindexed_document_keeps_its_fingerprints(client: Any, filled: Any) -> None:
    require_module(client, "reindex")
    name = filled({"id": "1", "text": TEXT}, {"id": "2", "text": TEXT})
    copy = f"{name}-copy"
    try:
        install(client, copy)
        client.reindex(source={"index": name}, dest={"index": copy}, refresh=True)
        assert stored_fields(client, copy, "1") == stored_fields(client, name, "1")
        assert related_ids(client, copy, "1") == ["2"]
    finally:
        client.indices.delete(index=copy, ignore_unavailable=True)
