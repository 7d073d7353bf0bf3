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
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.candidates import excluded_ids, excluding
from es_simhash.store.fields import field_path
from es_simhash.store.neighbour import Neighbour
from es_simhash.store.options import MAX_NEIGHBOURS, Limits, Query, SearchOptions
from es_simhash.store.semantic_codec import (
    concept_terms,
    packed_query_vector,
    unpack_user_vector,
    unpack_vector,
)


def neighbour_query(
    profile: SemanticProfile,
    scheme: SemanticScheme,
    *,
    options: SearchOptions | None = None,
    simhash_field: str = fields.DEFAULT_FIELD,
    exclude_ids: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the body of the search for documents near in meaning.

    One query brings both kinds of candidates: those with near vector fingerprints, by kNN, and
    those with heavy concepts in common. The server computes the cosine of the concepts for all
    of them; send it with `include_named_queries_score`.

    Args:
        profile: Semantic profile of the text; not empty.
        scheme: Scheme of the profiles in the index.
        options: Filters, limits, and the date field to bring along.
        simhash_field: Field of the `simhash` object.
        exclude_ids: Documents to leave out, such as the query itself.
    """
    options = options or SearchOptions()
    path = field_path(simhash_field, fields.SEMANTIC_SCHEME)
    own_scheme: Query = {"term": {path: scheme.name}}
    filters = [own_scheme, *options.filters, *excluding(exclude_ids)]
    should = _nearest(profile, scheme, simhash_field, options.limits, filters)
    if terms := concept_terms(profile.query_concepts()):
        should.append(_common(terms, simhash_field, _concept_boost(profile)))
    return {
        "size": options.limits.candidates,
        "_source": False,
        "docvalue_fields": _docvalue_fields(profile, scheme, simhash_field, options),
        "track_total_hits": False,
        "query": {
            "bool": {
                "filter": list(options.filters),
                "must_not": excluded_ids(exclude_ids),
                "should": should,
                "minimum_should_match": 1,
            },
        },
        # Nearly all documents have it. As a filter it would keep Lucene from skipping documents
        # that cannot be among the best: a fifth of the speed, with 100,000 documents.
        "post_filter": own_scheme,
    }


def _vector_path(scheme: SemanticScheme, simhash_field: str) -> str:
    return scheme.vector_field or field_path(simhash_field, fields.VECTOR)


def _docvalue_fields(
    profile: SemanticProfile, scheme: SemanticScheme, simhash_field: str, options: SearchOptions
) -> list[Any]:
    members = (*fields.SCORED_MEMBERS, fields.FAMILY, fields.ENTITIES)
    values: list[Any] = [field_path(simhash_field, member) for member in members]
    if profile.vector is not None:
        values.append({"field": _vector_path(scheme, simhash_field), "format": "binary"})
    if options.recency is not None:
        values.append(DateField(options.recency.field).requested)
    return values


def _nearest(
    profile: SemanticProfile,
    scheme: SemanticScheme,
    simhash_field: str,
    limits: Limits,
    filters: Sequence[Query],
) -> list[Query]:
    if profile.vector is None:
        return []
    if scheme.vector_field is None:
        path = field_path(simhash_field, fields.VECTOR_FINGERPRINT)
        vector: Any = packed_query_vector(profile.vector)[1]
    else:
        path, vector = scheme.vector_field, profile.vector.tolist()
    most = min(limits.candidates, MAX_NEIGHBOURS)
    search = {
        "field": path,
        "query_vector": vector,
        # The other half of the candidates have concepts in common.
        "k": max(1, most // 2),
        "num_candidates": most,
        "filter": list(filters),
        "boost": VECTOR_WEIGHT,
    }
    return [{"knn": search}]


def _concept_boost(profile: SemanticProfile) -> float:
    """Return the share of concepts and entities in the order of the server."""
    return 1.0 if profile.vector is None else 1 - VECTOR_WEIGHT


def _common(terms: Mapping[str, float], simhash_field: str, boost: float) -> Query:
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


def read_neighbours(
    answer: Mapping[str, Any],
    profile: SemanticProfile,
    scheme: SemanticScheme,
    *,
    options: SearchOptions | None = None,
    simhash_field: str = fields.DEFAULT_FIELD,
) -> list[Neighbour]:
    """Return the hits of `neighbour_query`, nearest first.

    Args:
        answer: Of the search.
        profile: That of the query.
        scheme: As in the query.
        options: As in the query.
        simhash_field: As in the query.
    """
    hits = answer["hits"]["hits"]
    path = _vector_path(scheme, simhash_field)
    vectors = [_vector(hit, path, own=scheme.vector_field is not None) for hit in hits]
    dates = DateField(options.recency.field) if options and options.recency else None
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
            ),
            chunks,
            sketch,
            _first(hit, field_path(simhash_field, fields.FAMILY), ""),
            None if dates is None else dates.milliseconds_of_hit(hit),
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
    return sorted(near, key=lambda neighbour: (-neighbour.semantics.similarity, str(neighbour.id)))


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
