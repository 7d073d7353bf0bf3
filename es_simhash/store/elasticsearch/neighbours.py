"""The search for semantic neighbours, and reading its hits."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.semantics.semantic_profile import SemanticProfile
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.semantics.similarity import (
    VECTOR_WEIGHT,
    entity_cosines,
    entity_terms,
    semantic_similarity,
    vector_cosines,
)
from es_simhash.store import fields
from es_simhash.store.codec import stored_parts
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.conditions import MAX_HITS, clauses, filters_of
from es_simhash.store.elasticsearch.hits import places_of
from es_simhash.store.fields import field_path
from es_simhash.store.intents import Filter, FindNear, Where
from es_simhash.store.rows import Neighbour, TextHits
from es_simhash.store.semantic_codec import (
    concept_terms,
    packed_query_vector,
    unpack_user_vector,
    unpack_vector,
)


def near_bodies(request: FindNear, config: IndexConfig, where: Where) -> list[dict[str, Any]]:
    """Return the body of the search for documents near in meaning; none without a profile.

    One query brings both kinds of candidates: those with near vector fingerprints, by kNN, and
    those with heavy concepts in common. The server computes the cosine of the concepts for all
    of them; send it with `include_named_queries_score`.

    Args:
        request: The request.
        config: Of the index.
        where: Which documents, as the searched index has them.
    """
    profile, scheme = request.profile, config.semantics
    if scheme is None or profile.is_empty:
        return []
    own_scheme: Filter = {"term": {config.path(fields.SEMANTIC_SCHEME): scheme.name}}
    required, excluded = clauses(where, config)
    conditions = [own_scheme, *filters_of(where, config)]
    should = _nearest(request, scheme, config.simhash_field, conditions)
    if terms := concept_terms(profile.query_concepts()):
        should.append(_common(terms, config.simhash_field, _concept_boost(profile)))
    body = {
        "size": request.candidates,
        "_source": False,
        "docvalue_fields": _docvalue_fields(request, scheme, config.simhash_field),
        "track_total_hits": False,
        "query": {
            "bool": {
                "filter": required,
                "must_not": excluded,
                "should": should,
                "minimum_should_match": 1,
            },
        },
        # Nearly all documents have it. As a filter it would keep Lucene from skipping documents
        # that cannot be among the best: a fifth of the speed, with 100,000 documents.
        "post_filter": own_scheme,
    }
    return [body]


def _vector_path(scheme: SemanticScheme, simhash_field: str) -> str:
    return scheme.vector_field or field_path(simhash_field, fields.VECTOR)


def _docvalue_fields(request: FindNear, scheme: SemanticScheme, simhash_field: str) -> list[Any]:
    members = (*fields.SCORED_MEMBERS, fields.FAMILY, fields.ENTITIES)
    values: list[Any] = [field_path(simhash_field, member) for member in members]
    if request.profile.vector is not None:
        values.append({"field": _vector_path(scheme, simhash_field), "format": "binary"})
    if request.date is not None:
        values.append(request.date.requested)
    return values


def _nearest(
    request: FindNear, scheme: SemanticScheme, simhash_field: str, conditions: Sequence[Filter]
) -> list[Filter]:
    vector = request.profile.vector
    if vector is None:
        return []
    if scheme.vector_field is None:
        path = field_path(simhash_field, fields.VECTOR_FINGERPRINT)
        query_vector: Any = packed_query_vector(vector)[1]
    else:
        path, query_vector = scheme.vector_field, vector.tolist()
    most = min(request.candidates, MAX_HITS)
    search = {
        "field": path,
        "query_vector": query_vector,
        # The other half of the candidates have concepts in common.
        "k": max(1, most // 2),
        "num_candidates": most,
        "filter": list(conditions),
        "boost": VECTOR_WEIGHT,
    }
    return [{"knn": search}]


def _concept_boost(profile: SemanticProfile) -> float:
    """Return the share of concepts and entities in the order of the server."""
    return 1.0 if profile.vector is None else 1 - VECTOR_WEIGHT


def _common(terms: Mapping[str, float], simhash_field: str, boost: float) -> Filter:
    search = {
        "field": field_path(simhash_field, fields.CONCEPTS),
        "query_vector": dict(terms),
        # Left to itself a server may drop frequent concepts, and the cosine would be wrong.
        "prune": False,
        "boost": boost,
        # The score of this clause is the cosine of the concepts.
        "_name": fields.CONCEPTS,
    }
    return {"sparse_vector": search}


def read_near(
    responses: Sequence[Mapping[str, Any]], request: FindNear, config: IndexConfig
) -> TextHits:
    """Return the documents of the search of `near_bodies`, nearest first."""
    scheme, profile, simhash_field = config.semantics, request.profile, config.simhash_field
    if scheme is None or not responses:
        return TextHits()
    hits = responses[0]["hits"]["hits"]
    path = _vector_path(scheme, simhash_field)
    vectors = [_vector(hit, path, own=scheme.vector_field is not None) for hit in hits]
    query_entities = entity_terms(profile.stored_entities(), profile)
    entities = field_path(simhash_field, fields.ENTITIES)
    named = [hit.get("fields", {}).get(entities, ()) for hit in hits]
    stored = [stored_parts(hit.get("fields", {}), simhash_field) or (None, None) for hit in hits]
    neighbours = [
        Neighbour(
            hit["_id"],
            hit["_index"],
            semantic_similarity(
                cosine,
                _concept_score(hit) / _concept_boost(profile),
                entities_in_common,
                profile.background,
            ),
            chunks,
            sketch,
            _first(hit, field_path(simhash_field, fields.FAMILY), ""),
            None if request.date is None else request.date.milliseconds_of_hit(hit),
        )
        for hit, cosine, entities_in_common, (chunks, sketch) in zip(
            hits,
            vector_cosines(profile.vector, vectors),
            entity_cosines(query_entities, named, profile),
            stored,
            strict=True,
        )
    ]
    near = [neighbour for neighbour in neighbours if neighbour.semantics.similarity > 0]
    near.sort(key=lambda neighbour: (-neighbour.semantics.similarity, str(neighbour.id)))
    return TextHits(
        near,
        [(neighbour.index, neighbour.id) for neighbour in near],
        places=places_of(hits),
    )


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


def _concept_score(hit: Mapping[str, Any]) -> float:
    names = hit.get("matched_queries", {})
    return float(names[fields.CONCEPTS]) if fields.CONCEPTS in names else 0.0
