"""Vectors of the user's own: a field the documents have, or a Python function."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from es_simhash import ClusterError, Index, InputError, MappingConflict, compare
from es_simhash.ingestion.ingest import ingest
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store.installation.install import install
from es_simhash.store.options import SearchOptions

ANYTHING = SearchOptions(min_score=0)
ONE = IngestSettings(processes=1)
Embedding = Callable[[str], str]
# One dimension for each subject; no two of the texts below have a word in common.
BY_SUBJECT = """
    import numpy as np
    subjects = [("ship", "vessel"), ("honey", "hive"), ("rates", "bank")]
    return np.array([
        [float(any(word in text for word in words)) for words in subjects] + [0.1] * 13
        for text in texts
    ])
"""
SHIPS = "Every ship waits outside."
VESSELS = "A vessel lies at anchor."
HONEY = "Honey tastes of lime."


def scheme_of(vectors: str, dims: int = 16) -> SemanticScheme:
    return SemanticScheme("builtin", vectors, dims)


def refusal(vectors: str, dims: int = 16, texts: tuple[str, ...] = (SHIPS, HONEY)) -> str:
    with pytest.raises(InputError) as caught:
        semantic_profiler(scheme_of(vectors, dims)).profile(texts)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def test_vectors_of_a_function_are_scaled_to_length_one(embedding: Embedding) -> None:
    reader = semantic_profiler(scheme_of(embedding("return [[3.0] * 16 for _ in texts]")))
    [semantics] = reader.profile([SHIPS])
    assert semantics.vector is not None
    assert float(np.linalg.norm(semantics.vector)) == pytest.approx(1)


def test_a_vector_of_zeros_is_none(embedding: Embedding) -> None:
    reader = semantic_profiler(scheme_of(embedding("return [[0.0] * 16 for _ in texts]")))
    assert reader.profile([SHIPS])[0].vector is None


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("return [[1.0] * 8 for _ in texts]", r"\(8,\).*16 dimensions"),
        ("return [[[1.0] * 16] for _ in texts]", r"\(1, 16\).*16 dimensions"),
        ("return [1.0 for _ in texts]", r"\(\).*16 dimensions"),
        ("return [[1.0] * 16]", "1 vectors for 2 texts"),
        (
            "return [[float('nan')] + [1.0] * 15 for _ in texts]",
            "NaN or an infinite number",
        ),
        (
            "return [[float('inf')] + [1.0] * 15 for _ in texts]",
            "NaN or an infinite number",
        ),
        ("return None", "NoneType"),
        ("return [['a'] * 16 for _ in texts]", "could not convert"),
        ("return [[[1.0], [1.0, 2.0]] for _ in texts]", "vectors"),
    ],
)
def test_what_is_no_vector_is_refused_in_one_sentence(
    embedding: Embedding, body: str, named: str
) -> None:
    import re

    path = embedding(body)
    sentence = refusal(path)
    assert path in sentence
    assert re.search(named, sentence), sentence


@pytest.mark.parametrize("path", ["python:no_such_module:embed", "python:json:no_such_function"])
def test_a_function_that_is_not_there_is_named(path: str) -> None:
    assert path.removeprefix("python:") in refusal(path)


def test_two_texts_are_compared_by_the_function(embedding: Embedding) -> None:
    semantics = scheme_of(embedding(BY_SUBJECT))
    near, far = (compare(SHIPS, other, semantics=semantics) for other in (VESSELS, HONEY))
    assert near.kind == "semantic"
    assert near.score > far.score


@pytest.mark.cluster
def test_a_function_makes_the_vectors_of_an_index(indexed: Any, embedding: Embedding) -> None:
    index = indexed(
        {"id": "ships", "text": SHIPS},
        {"id": "vessels", "text": VESSELS},
        {"id": "honey", "text": HONEY},
        semantics=scheme_of(embedding(BY_SUBJECT)),
    )
    [first, *_] = index.related(id="ships", options=ANYTHING)
    assert (first.id, first.kind, first.semantics.shared) == ("vessels", "semantic", ())
    assert first.semantics.vector == pytest.approx(0.4, abs=0.01)
    assert next(iter(index.related(text="A hive.", options=ANYTHING))).id == "honey"
    # Each has its own words, so that all of the score is the vectors'.
    assert index.explain("ships", "vessels").semantics.vector == pytest.approx(0.4, abs=0.01)


@pytest.mark.cluster
def test_a_function_that_gives_nonsense_ends_an_ingest_in_one_sentence(
    client: Any, index_name: str, embedding: Embedding
) -> None:
    path = embedding("return [[1.0] * 8 for _ in texts]")
    install(client, index_name, semantics=scheme_of(path))
    with pytest.raises(InputError, match="16 dimensions"):
        list(ingest(client, index_name, [{"id": "1", "text": SHIPS}], settings=ONE))
    assert client.count(index=index_name)["count"] == 0


# A field that the documents have


@pytest.fixture
def with_field(client: Any, index_name: str) -> Callable[..., Index]:
    """An index whose documents bring vectors of their own."""

    def make(**settings: Any) -> Index:
        field = {"type": "dense_vector", "dims": 4, "similarity": "cosine", **settings}
        mappings = {"properties": {"mine": {"properties": {"vector": field}}}}
        client.indices.create(index=index_name, mappings=mappings)
        install(client, index_name, semantics=scheme_of("field:mine.vector"))
        documents: list[dict[str, Any]] = [
            {"id": "ships", "text": SHIPS, "mine": {"vector": [1.0, 0.1, 0.0, 0.0]}},
            {"id": "vessels", "text": VESSELS, "mine": {"vector": [2.0, 0.0, 0.1, 0.0]}},
            {"id": "honey", "text": HONEY, "mine": {"vector": [0.0, 0.0, 0.1, 3.0]}},
            {"id": "bare", "text": "The ship waits outside forever."},
        ]
        assert all(each.ok for each in ingest(client, index_name, documents, settings=ONE))
        client.indices.refresh(index=index_name)
        return Index(client, index_name)

    return make


@pytest.mark.cluster
def test_a_vector_field_of_the_user_takes_the_place_of_ours(
    client: Any, index_name: str, with_field: Callable[..., Index]
) -> None:
    index = with_field()
    mapping = client.indices.get_mapping(index=index_name)[index_name]["mappings"]
    assert not {"vector", "vector_fingerprint"} & set(
        mapping["properties"]["simhash"]["properties"]
    )
    found = {each.id: each for each in index.related(id="ships", options=ANYTHING)}
    cosine = 2.0 / (1.01**0.5 * 4.01**0.5)
    semantics = found["vessels"].semantics
    assert semantics is not None
    assert semantics.vector == pytest.approx(0.4 * cosine, abs=0.001)
    assert semantics.concepts == 0
    assert "honey" not in found
    explained = index.explain("ships", "vessels").semantics
    assert explained is not None
    assert explained.vector == pytest.approx(semantics.vector, abs=0.001)


@pytest.mark.cluster
def test_documents_and_texts_without_a_vector_are_found_by_their_words(
    with_field: Callable[..., Index],
) -> None:
    index = with_field()
    found = {each.id: each for each in index.related(id="ships", options=ANYTHING)}
    assert found["bare"].semantics is not None
    assert (found["bare"].semantics.vector, found["bare"].semantics.concepts > 0) == (0.0, True)
    assert [each.id for each in index.related(id="bare", options=ANYTHING)] == ["ships"]
    by_text = index.related(text="Somewhere one ship is waiting.", options=ANYTHING)
    assert {each.id for each in by_text} == {"ships", "bare"}


@pytest.mark.cluster
@pytest.mark.parametrize(
    ("field", "named"),
    [
        (None, "'mine'"),
        ({"type": "keyword"}, "'mine'.*keyword"),
        ({"type": "dense_vector", "dims": 4, "element_type": "byte"}, "'mine'.*byte"),
        ({"type": "dense_vector", "dims": 4, "index": False}, "'mine'.*index"),
    ],
)
def test_a_field_that_cannot_give_vectors_is_refused_at_once(
    client: Any, index_name: str, field: Any, named: str
) -> None:
    properties = {} if field is None else {"mine": field}
    client.indices.create(index=index_name, mappings={"properties": properties})
    with pytest.raises(MappingConflict, match=named):
        install(client, index_name, semantics=scheme_of("field:mine"))
    mapping = client.indices.get_mapping(index=index_name)[index_name]["mappings"]
    assert "simhash" not in mapping.get("properties", {})


@pytest.mark.cluster
def test_a_document_with_a_vector_of_the_wrong_length_fails_alone(
    client: Any, index_name: str, with_field: Callable[..., Index]
) -> None:
    with_field()
    documents: list[dict[str, Any]] = [
        {"id": "short", "text": SHIPS, "mine": {"vector": [1.0, 2.0]}},
        {"id": "right", "text": SHIPS, "mine": {"vector": [1.0, 2.0, 0.0, 0.0]}},
    ]
    short, right = ingest(client, index_name, documents, settings=ONE)
    assert (short.ok, right.ok) == (False, True)
    assert short.reason is not None
    assert "dimensions [2]" in short.reason


@pytest.mark.cluster
def test_a_field_that_vanished_is_reported_in_one_sentence(
    client: Any, index_name: str, with_field: Callable[..., Index]
) -> None:
    with_field()
    meta = client.indices.get_mapping(index=index_name)[index_name]["mappings"]["_meta"]
    meta["es_simhash"]["simhash"]["semantics"] = scheme_of("field:text").to_meta()
    client.indices.put_mapping(index=index_name, meta=meta)
    with pytest.raises(ClusterError) as caught:
        Index(client, index_name).related(id="ships", options=ANYTHING)
    assert "\n" not in str(caught.value)
