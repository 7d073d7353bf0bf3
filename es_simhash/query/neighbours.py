"""The search for semantic neighbours, and how its answer is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.query.options import Limits, Query
from es_simhash.semantics.profile import SemanticProfile
from es_simhash.semantics.similarity import (
    VECTOR_WEIGHT,
    SemanticSimilarity,
    entity_cosine,
    entity_terms,
    semantic_similarity,
    vector_cosines,
)
from es_simhash.storage import fields
from es_simhash.storage.codec import unpack_chunks
from es_simhash.storage.fields import field_path
from es_simhash.storage.semantic_codec import (
    concept_terms,
    packed_query_vector,
    unpack_user_vector,
    unpack_vector,
)

# Name of the clause whose score is the cosine of the concepts.
CONCEPTS = "concepts"
# What a server takes as k of a kNN search at the most.
_MOST_NEIGHBOURS = 10_000


@dataclass(frozen=True)
class Neighbour:
    """A document near in meaning.

    Attributes:
        id: Of the document.
        index: Index of the document; None in memory.
        meaning: How near, without evidence.
        chunks: Its chunk fingerprints; None when it has none.
        family: Its version family; empty when it is in none.
        date: Milliseconds since 1970 of the date field asked for; None without one.
    """

    id: str | None
    index: str | None
    semantics: SemanticSimilarity
    chunks: ChunkFingerprints | None = None
    family: str = ""
    date: float | None = None


def neighbour_query(
    profile: SemanticProfile,
    scheme: str,
    *,
    field: str = fields.DEFAULT_FIELD,
    limits: Limits | None = None,
    filters: Sequence[Query] = (),
    without_ids: Sequence[str] = (),
    vector_field: str | None = None,
    date_field: str | None = None,
) -> dict[str, Any]:
    """Return the body of the search for documents near in meaning.

    One query brings both kinds of candidates: those with near vector fingerprints, by kNN, and
    those with heavy concepts in common. The server computes the cosine of the concepts for all
    of them; send it with `include_named_queries_score`.

    Args:
        meaning: What the text is about; not empty.
        scheme: Name of the meaning scheme.
        field: Name of our object in the index.
        limits: Bounds; by default `Limits()`.
        filters: Elasticsearch queries that every hit must match, before any cut.
        without_ids: Documents to leave out, such as the query itself.
        vector_field: A dense_vector field of the user's, in place of ours.
        date_field: A date field to bring along.
    """
    limits = limits or Limits()
    conditions: list[Query] = [
        {"term": {field_path(field, fields.SEMANTIC_SCHEME): scheme}},
        *filters,
    ]
    if without_ids:
        conditions.append({"bool": {"must_not": [{"ids": {"values": list(without_ids)}}]}})
    should = [*_nearest(profile, field, limits, conditions, vector_field)]
    if terms := concept_terms(profile.asked_concepts()):
        should.append(_common(terms, field, _concept_boost(profile)))
    vectors = {"field": vector_field or field_path(field, fields.VECTOR), "format": "binary"}
    values: list[Any] = [
        field_path(field, fields.CHUNKS),
        field_path(field, fields.FAMILY),
        field_path(field, fields.ENTITIES),
        *([vectors] if profile.vector is not None else []),
        *([{"field": date_field, "format": "epoch_millis"}] if date_field else []),
    ]
    return {
        "size": limits.candidates,
        "_source": False,
        "docvalue_fields": values,
        "track_total_hits": False,
        "query": {
            "bool": {"filter": conditions, "should": should, "minimum_should_match": 1},
        },
    }


def _nearest(
    profile: SemanticProfile,
    field: str,
    limits: Limits,
    conditions: Sequence[Query],
    vector_field: str | None,
) -> list[Query]:
    if profile.vector is None:
        return []
    if vector_field is None:
        path = field_path(field, fields.VECTOR_FINGERPRINT)
        vector: Any = packed_query_vector(profile.vector)[1]
    else:
        path, vector = vector_field, profile.vector.tolist()
    most = min(limits.candidates, _MOST_NEIGHBOURS)
    search = {
        "field": path,
        "query_vector": vector,
        # The other half of the candidates have concepts in common (docs/meaning.md).
        "k": max(1, most // 2),
        "num_candidates": most,
        "filter": list(conditions),
        "boost": VECTOR_WEIGHT,
    }
    return [{"knn": search}]


def _concept_boost(profile: SemanticProfile) -> float:
    """Share of concepts and entities, whose words are among them, in the order of the server."""
    return 1.0 if profile.vector is None else 1 - VECTOR_WEIGHT


def _common(terms: Mapping[str, float], field: str, boost: float) -> Query:
    search = {
        "field": field_path(field, fields.CONCEPTS),
        "query_vector": dict(terms),
        # Left to itself a server may drop frequent concepts, and the cosine would be wrong.
        "prune": False,
        "boost": boost,
        "_name": CONCEPTS,
    }
    return {"sparse_vector": search}


def read_neighbours(
    answer: Mapping[str, Any],
    profile: SemanticProfile,
    *,
    field: str = fields.DEFAULT_FIELD,
    vector_field: str | None = None,
    date_field: str | None = None,
) -> list[Neighbour]:
    """Read the answer to `neighbour_query`, nearest first.

    Args:
        answer: Of the search.
        meaning: That of the query.
        field: As in the query.
        vector_field: As in the query.
        date_field: As in the query.
    """
    hits = answer["hits"]["hits"]
    path = vector_field or field_path(field, fields.VECTOR)
    vectors = [_vector(hit, path, own=vector_field is not None) for hit in hits]
    boost = _concept_boost(profile)
    names = entity_terms(profile.stored_entities(), profile)
    entities = field_path(field, fields.ENTITIES)
    found = [
        Neighbour(
            hit["_id"],
            hit["_index"],
            semantic_similarity(
                cosine,
                _concept_score(hit) / boost,
                entity_cosine(
                    names, entity_terms(hit.get("fields", {}).get(entities, ()), profile)
                ),
            ),
            _chunks(hit, field_path(field, fields.CHUNKS)),
            _first(hit, field_path(field, fields.FAMILY), ""),
            _date(hit, date_field),
        )
        for hit, cosine in zip(hits, vector_cosines(profile.vector, vectors), strict=True)
    ]
    near = [each for each in found if each.semantics.similarity > 0]
    return sorted(near, key=lambda each: (-each.semantics.similarity, str(each.id)))


def _first(hit: Mapping[str, Any], path: str, default: Any) -> Any:
    values = hit.get("fields", {}).get(path)
    return values[0] if values else default


def _vector(hit: Mapping[str, Any], path: str, *, own: bool) -> Any:
    packed = _first(hit, path, None)
    if packed is None:
        return None
    if not own:
        return unpack_vector(packed)
    return unpack_user_vector(packed)


def _chunks(hit: Mapping[str, Any], path: str) -> ChunkFingerprints | None:
    packed = _first(hit, path, None)
    return None if packed is None else unpack_chunks(packed)


def _concept_score(hit: Mapping[str, Any]) -> float:
    names = hit.get("matched_queries", {})
    return float(names[CONCEPTS]) if CONCEPTS in names else 0.0


def _date(hit: Mapping[str, Any], date_field: str | None) -> float | None:
    value = None if date_field is None else _first(hit, date_field, None)
    return None if value is None else float(value)
