"""Indices with and without semantic fields: what is installed, kept, refused and written again."""

import json
from typing import Any

import numpy as np
import pytest

from es_simhash import Index, MappingConflict
from es_simhash.errors import IndexMissing, InputError, SchemeError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.ingestion.ingest import ingest
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.relation.relation import Relation
from es_simhash.semantics.semantic_profile import (
    STORED_CONCEPTS,
    SemanticProfile,
    concept_term,
    safe_name,
)
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, WORD_VECTORS, SemanticScheme
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.install import install, plan
from es_simhash.store.options import SearchOptions

PLAIN = SemanticScheme("builtin", "none")
GERMAN = SemanticScheme("builtin", "none", language="de")
OF_MEANING = {"semantic_scheme", "concepts", "entities", "vector", "vector_fingerprint"}
ONE = IngestSettings(processes=1)
ANYTHING = SearchOptions(min_score=0)


# The scheme


@pytest.mark.parametrize(
    "scheme",
    [
        SemanticScheme(),
        DEFAULT_SEMANTICS,
        SemanticScheme("builtin+jieba"),
        SemanticScheme("spacy:blank:en", "none"),
        SemanticScheme(vectors="field:my.vector"),
        SemanticScheme(vectors="python:my.module:embed", dims=384),
        SemanticScheme(language="de"),
        SemanticScheme(entity_fields=("people", "place.names")),
        SemanticScheme(vocabulary="0123456789abcdef"),
    ],
    ids=lambda scheme: scheme.name,
)
def test_a_scheme_is_read_back_from_the_mapping(scheme: SemanticScheme) -> None:
    assert SemanticScheme.from_meta(scheme.to_meta()) == scheme


def test_every_parameter_is_in_the_name() -> None:
    schemes = [
        SemanticScheme(),
        SemanticScheme("builtin+jieba"),
        SemanticScheme("spacy:a"),
        SemanticScheme(vectors="none"),
        SemanticScheme(vectors="python:a:b"),
        SemanticScheme(vectors="python:a:b", dims=512),
        SemanticScheme(language="en"),
        SemanticScheme(entity_fields=("a", "b")),
        SemanticScheme(entity_fields=("b", "a")),
        SemanticScheme(vocabulary="0"),
    ]
    assert len({each.name for each in schemes}) == len(schemes)


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"extractor": "magic"}, "'magic'"),
        ({"extractor": "builtin+unknown"}, "'builtin\\+unknown'"),
        ({"vectors": "glove"}, "'glove'"),
        ({"vectors": "python:a:b", "dims": 12}, "12 dimensions"),
        ({"vectors": "python:a:b", "dims": 8192}, "8192 dimensions"),
        ({"vectors": WORD_VECTORS, "dims": 128}, "256"),
        ({"vectors": "field:"}, "'field:'"),
        ({"vectors": "python:embed"}, "'python:embed'"),
    ],
)
def test_parameters_that_make_no_scheme_are_refused(parameters: Any, named: str) -> None:
    with pytest.raises(SchemeError, match=named):
        SemanticScheme(**parameters)


@pytest.mark.parametrize(
    "change",
    [
        {"extractor": None},
        {"dims": "many"},
        {"vectors": "from the future"},
        {"entity_fields": None},
        {"name": None},
        {"name": "semantic-another.v9"},
        {"language": "de"},
    ],
)
def test_a_description_by_hand_or_by_another_version_is_refused(change: dict[str, Any]) -> None:
    meta = {**SemanticScheme().to_meta(), **change}
    with pytest.raises(SchemeError):
        SemanticScheme.from_meta({name: value for name, value in meta.items() if value is not None})


def test_names_become_terms_that_every_index_takes() -> None:
    assert concept_term("U.S. Senate") == "u s senate"
    assert concept_term('"quoted"\x00\x1b[31m') == '"quoted"[31m'
    assert concept_term(" . ") == ""
    assert len(safe_name("x" * 10_000)) == 120
    assert safe_name("a\n\tb\u202e") == "a b"


def test_stored_concepts_are_the_heaviest_scaled_to_one() -> None:
    weights = {f"w{n}": 1 / (n + 1) for n in range(4 * STORED_CONCEPTS)}
    vector = np.ones(8, np.float32)
    with_vector = SemanticProfile(concepts=weights, vector=vector).stored_concepts()
    alone = SemanticProfile(concepts=weights, stored_limit=2 * STORED_CONCEPTS).stored_concepts()
    assert list(with_vector) == list(weights)[:STORED_CONCEPTS]
    # The words alone must say what vectors say elsewhere.
    assert len(alone) > len(with_vector)
    for stored in (with_vector, alone):
        assert list(stored) == list(weights)[: len(stored)]
        assert sum(weight * weight for weight in stored.values()) == pytest.approx(1)
    assert SemanticProfile().stored_concepts() == {}


# Planning, on a mapping that no engine holds


class Mappings(Gateway):
    """Stands for a gateway to a cluster that has these mappings."""

    def __init__(self, mappings: dict[str, Any]) -> None:
        super().__init__(connect("http://127.0.0.1:1"))
        self._mappings = mappings

    def mappings(self, index: str) -> dict[str, dict[str, Any]]:
        return self._mappings


def planned(mappings: dict[str, Any], semantics: SemanticScheme | None = DEFAULT_SEMANTICS) -> Any:
    return plan(
        Mappings(mappings), "i", scheme=DEFAULT, simhash_field="simhash", semantics=semantics
    )


def body_of(semantics: SemanticScheme | None) -> Any:
    from es_simhash.store.resources import mapping

    return mapping(DEFAULT, "simhash", semantics)


def test_an_index_of_the_first_version_gets_the_semantic_fields() -> None:
    old = body_of(None)
    old["_meta"]["es_simhash"]["simhash"]["version"] = 1
    for name in ("family", "duplicate_of"):
        del old["properties"]["simhash"]["properties"][name]
    [request] = planned({"i": old})
    assert (request.method, request.path) == ("PUT", "/i/_mapping")
    assert set(request.body["properties"]["simhash"]["properties"]) >= OF_MEANING
    [request] = planned({"i": old}, None)
    assert not set(request.body["properties"]["simhash"]["properties"]) & OF_MEANING


@pytest.mark.parametrize("asked_for", [None, DEFAULT_SEMANTICS, GERMAN])
def test_nothing_is_planned_where_everything_is_there(asked_for: SemanticScheme | None) -> None:
    assert planned({"i": body_of(GERMAN)}, asked_for) == []


def test_another_semantic_scheme_is_refused() -> None:
    with pytest.raises(
        MappingConflict, match=f"{GERMAN.name}.*{PLAIN.name}.*Set simhash_field"
    ) as error:
        planned({"i": body_of(GERMAN)}, PLAIN)
    assert error.value.parameter == "simhash_field"


def test_only_indices_that_lack_something_are_written() -> None:
    mappings = {"a": body_of(DEFAULT_SEMANTICS), "b": body_of(None), "c": {}}
    assert [request.path for request in planned(mappings)] == ["/b/_mapping", "/c/_mapping"]


def test_a_field_of_another_type_in_the_place_of_ours_is_refused() -> None:
    taken = body_of(None)
    taken["properties"]["simhash"]["properties"]["concepts"] = {"type": "keyword"}
    with pytest.raises(MappingConflict, match=r"simhash\.concepts.*'keyword'.*'sparse_vector'"):
        planned({"i": taken})


def test_the_users_meta_is_kept_in_the_plan() -> None:
    theirs = {"_meta": {"owner": "library", "es_simhash": {"other": {"scheme": "x"}}}}
    [request] = planned({"i": theirs})
    assert request.body["_meta"]["owner"] == "library"
    assert set(request.body["_meta"]["es_simhash"]) == {"other", "simhash"}


# On an engine


def members(client: Any, index: str) -> set[str]:
    mapping = client.indices.get_mapping(index=index)[index]["mappings"]
    return set(mapping["properties"]["simhash"]["properties"])


def found_in(client: Any, name: str, id: str) -> dict[str, Relation]:
    relations = Index(client, name).related(id=id, options=ANYTHING)
    return {str(each.id): each for each in relations}


@pytest.fixture
def two(library_texts: dict[str, str]) -> list[dict[str, Any]]:
    """Two documents near in meaning."""
    return [{"id": id, "text": library_texts[id], "read": 0} for id in ("bank", "bank-outlook")]


@pytest.mark.cluster
@pytest.mark.parametrize("scheme", [PLAIN, GERMAN, SemanticScheme(entity_fields=("people",))])
def test_what_is_installed_is_read_back(
    client: Any, index_name: str, scheme: SemanticScheme
) -> None:
    assert len(install(client, index_name, semantics=scheme)) == 1
    assert ElasticsearchStore(Gateway(client), index_name).config.semantics == scheme
    assert install(client, index_name, semantics=scheme) == []
    # Who asks for nothing in particular leaves the index what it has.
    assert install(client, index_name) == []
    assert install(client, index_name, semantics=None) == []
    assert ElasticsearchStore(Gateway(client), index_name).config.semantics == scheme
    with pytest.raises(MappingConflict, match="Set simhash_field") as error:
        install(client, index_name, semantics=SemanticScheme("builtin", "none", language="fr"))
    assert error.value.parameter == "simhash_field"


@pytest.mark.cluster
def test_without_vectors_no_field_for_them_is_installed(client: Any, index_name: str) -> None:
    install(client, index_name, semantics=PLAIN)
    assert members(client, index_name) & OF_MEANING == {"semantic_scheme", "concepts", "entities"}


@pytest.mark.cluster
def test_an_index_for_versions_alone_tells_no_neighbours(
    indexed: Any, two: list[dict[str, Any]]
) -> None:
    index = indexed(*two, semantics=None)
    assert index.config.semantics is None
    assert index.related(id="bank", options=ANYTHING) == []
    explained = index.explain("bank", "bank-outlook")
    assert explained.kind != "semantic"
    assert explained.semantics is None
    assert fields.SEMANTIC_SCHEME not in json.dumps(index.searches(id="bank"))


@pytest.mark.cluster
def test_installing_semantics_later_makes_ingest_write_the_documents_again(
    client: Any, index_name: str, indexed: Any, two: list[dict[str, Any]]
) -> None:
    indexed(*two, semantics=None)
    assert len(install(client, index_name)) == 1
    assert members(client, index_name) >= OF_MEANING
    assert found_in(client, index_name, "bank") == {}
    again = [each.status for each in ingest(client, index_name, two, settings=ONE)]
    assert again == ["written", "written"]
    client.indices.refresh(index=index_name)
    assert found_in(client, index_name, "bank")["bank-outlook"].kind == "semantic"


@pytest.mark.cluster
def test_unchanged_documents_are_not_written_again(
    client: Any, index_name: str, indexed: Any, two: list[dict[str, Any]]
) -> None:
    indexed(*two)
    again = ingest(client, index_name, [two[0], {**two[1], "read": 1}], settings=ONE)
    assert [each.status for each in again] == ["unchanged", "written"]


@pytest.mark.cluster
def test_documents_read_in_another_way_are_no_candidates(
    client: Any, index_name: str, indexed: Any, two: list[dict[str, Any]]
) -> None:
    indexed(*two)
    assert found_in(client, index_name, "bank")
    other = {"simhash": {"semantic_scheme": GERMAN.name}}
    client.update(index=index_name, id="bank-outlook", doc=other, refresh=True)
    assert found_in(client, index_name, "bank") == {}


@pytest.mark.cluster
def test_behind_an_alias_only_some_indices_may_have_semantic_fields(
    client: Any, index_name: str, two: list[dict[str, Any]], library_texts: dict[str, str]
) -> None:
    names = [f"{index_name}-{part}" for part in "ab"]
    try:
        for name, semantics in zip(names, (DEFAULT_SEMANTICS, None), strict=True):
            install(client, name, semantics=semantics)
            documents = [{**each, "id": f"{each['id']}/{name[-1]}"} for each in two]
            assert all(each.ok for each in ingest(client, name, documents, settings=ONE))
            client.indices.put_alias(index=name, name=index_name)
        client.indices.refresh(index=index_name)
        assert ElasticsearchStore(Gateway(client), index_name).config.semantics == DEFAULT_SEMANTICS
        found = Index(client, index_name).related(text=library_texts["bank"], options=ANYTHING)
        assert {each.id: each.kind for each in found} == {
            "bank/a": "exact", "bank/b": "exact", "bank-outlook/a": "semantic",
        }  # fmt: skip
        assert {each.index for each in found} == set(names)
    finally:
        client.indices.delete(index=names, ignore_unavailable=True)


@pytest.mark.cluster
def test_an_alias_of_two_semantic_schemes_cannot_be_searched(client: Any, index_name: str) -> None:
    names = [f"{index_name}-{part}" for part in "ab"]
    try:
        for name, semantics in zip(names, (PLAIN, GERMAN), strict=True):
            install(client, name, semantics=semantics)
            client.indices.put_alias(index=name, name=index_name)
        with pytest.raises(
            MappingConflict, match=r"indices of 2 semantic schemes\. Query one of them"
        ):
            Index(client, index_name).related(text="Any text.")
    finally:
        client.indices.delete(index=names, ignore_unavailable=True)


@pytest.mark.cluster
def test_a_partial_update_leaves_what_a_document_is_about(
    client: Any, index_name: str, indexed: Any, two: list[dict[str, Any]]
) -> None:
    indexed(*two)
    before = found_in(client, index_name, "bank")["bank-outlook"]
    assert before.semantics is not None
    assert before.semantics.vector > 0
    for count in (1, 2):
        client.update(index=index_name, id="bank-outlook", doc={"read": count}, refresh=True)
    client.indices.forcemerge(index=index_name, max_num_segments=1)
    assert client.get(index=index_name, id="bank-outlook")["_source"]["read"] == 2
    after = found_in(client, index_name, "bank")["bank-outlook"]
    assert (after.kind, after.semantics) == (before.kind, before.semantics)
    knn = {
        "field": "simhash.vector_fingerprint", "k": 10, "num_candidates": 10,
        "query_vector": "00" * 32,
    }  # fmt: skip
    hits = client.search(index=index_name, knn=knn)["hits"]["hits"]
    assert {hit["_id"] for hit in hits} == {"bank", "bank-outlook"}


@pytest.mark.cluster
def test_an_index_that_is_not_there_has_nothing_installed(client: Any, index_name: str) -> None:
    with pytest.raises(IndexMissing):
        _ = ElasticsearchStore(Gateway(client), index_name).config


@pytest.mark.cluster
def test_a_misspelt_field_of_entities_is_refused_and_one_in_the_source_alone_is_not(
    client: Any, index_name: str
) -> None:
    mappings = {"dynamic": False, "properties": {"people": {"type": "keyword"}}}
    client.indices.create(index=index_name, mappings=mappings)
    # Documents to come may have it.
    install(client, index_name, semantics=SemanticScheme(entity_fields=("poeple",)), dry_run=True)
    client.index(index=index_name, document={"ner": {"names": ["Ann"]}}, refresh=True)
    with pytest.raises(InputError) as refused:
        install(client, index_name, semantics=SemanticScheme(entity_fields=("poeple",)))
    assert str(refused.value) == (
        f"Neither the mapping nor a document of {index_name} has a field 'poeple'; the nearest "
        "field of the mapping is 'people'. Set entity_fields."
    )
    assert refused.value.parameter == "entity_fields"
    install(client, index_name, semantics=SemanticScheme(entity_fields=("people", "ner.names")))


@pytest.mark.cluster
def test_a_misspelt_field_of_vectors_names_the_nearest(client: Any, index_name: str) -> None:
    vector = {"type": "dense_vector", "dims": 8, "similarity": "cosine"}
    mappings = {"properties": {"embedding": vector, "emphasis": {"type": "text"}}}
    client.indices.create(index=index_name, mappings=mappings)
    with pytest.raises(MappingConflict) as refused:
        install(client, index_name, semantics=SemanticScheme(vectors="field:embeding"))
    assert str(refused.value) == (
        f"No mapping of {index_name} has a field 'embeding' for vectors; the nearest field of the "
        "mapping is 'embedding'. Set vectors."
    )


@pytest.mark.cluster
def test_a_misspelt_object_names_the_one_that_is_installed(client: Any, index_name: str) -> None:
    install(client, index_name, semantics=None)
    with pytest.raises(MappingConflict) as refused:
        Index(client, index_name, IndexConfig(simhash_field="simhsh")).related(text="A text.")
    assert str(refused.value) == (
        f"Index {index_name!r} has no fingerprint fields under 'simhsh', but under 'simhash'. "
        "Set simhash_field."
    )
