"""The search for semantic neighbours, and reading its hits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.relation.relation import semantic_score
from es_simhash.relation.thresholds import UNREAD_MARGIN
from es_simhash.semantics.semantic_profile import SemanticProfile
from es_simhash.semantics.semantic_scheme import WORD_VECTORS, SemanticScheme
from es_simhash.semantics.semantic_similarity import SemanticSimilarity
from es_simhash.semantics.similarity import (
    entity_cosines,
    entity_terms,
    name_weights,
    similarity_of,
    similarity_parts,
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

# Weights of what the server orders by: vectors learned from the index or fingerprints of others,
# concepts, and names that are equal in full. They were chosen so that the first hits have those of
# the greatest similarity, which the client computes (docs/semantic-neighbours.md).
_VECTOR_BOOST, _CONCEPT_BOOST, _NAMES_BOOST = 0.6, 0.5, 0.15
# What concepts weigh more where vectors say nothing.
_MORE_CONCEPTS = 0.3
# Documents whose distance from the vector counts in the order. More of them cost little; hits do.
_NEAREST = 5_000
# The share of equal bits of vectors that have nothing in common, and the score of a cosine of 0.
_UNRELATED = 0.5


def near_bodies(request: FindNear, config: IndexConfig, where: Where) -> list[dict[str, Any]]:
    """Return the body of the search for documents near in meaning; none without a profile.

    One query brings all kinds of candidates: those with near vector fingerprints, by kNN, and those
    with heavy concepts or names in common, in the order of what these add up to. The server
    computes the cosine of the concepts for all of them; send it with
    `include_named_queries_score`.

    Args:
        request: The request.
        config: Of the index.
        where: Which documents, as the searched index has them.
    """
    profile, scheme = request.profile, config.semantics
    if scheme is None or profile.is_empty:
        return []
    spaces = _spaces(profile, scheme, config.simhash_field)
    own_scheme: Filter = {"term": {config.path(fields.SEMANTIC_SCHEME): scheme.name}}
    required, excluded = clauses(where, config)
    conditions = [own_scheme, *filters_of(where, config)]
    boosts = _Boosts.of(profile)
    should = [_nearest(space, boosts.vectors, _size(request), conditions) for space in spaces]
    if terms := concept_terms(profile.query_concepts()):
        should.append(_common(terms, boosts.concepts, config.simhash_field))
    should += _named(profile, config)
    body = {
        "size": _size(request),
        "_source": False,
        "docvalue_fields": _docvalue_fields(request, spaces, config),
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


class _Boosts(NamedTuple):
    """What vectors and concepts weigh in the order of the server.

    Attributes:
        vectors: Weight of the vectors, twice that of their cosine.
        concepts: Weight of the cosine of the concepts.
    """

    vectors: float
    concepts: float

    @classmethod
    def of(cls, profile: SemanticProfile) -> "_Boosts":
        """Return the weights for a query: less for vectors that say less of it."""
        trust = profile.vector_trust
        more = _MORE_CONCEPTS * (1 - trust)
        return cls(round(_VECTOR_BOOST * trust, 4), round(_CONCEPT_BOOST + more, 4))


def _size(request: FindNear) -> int:
    """Return how many documents to read: twice the limit, as only the nearest are returned."""
    return min(2 * request.candidates, MAX_HITS)


@dataclass(frozen=True)
class _Space:
    """Vectors of an index that a vector of the question can be compared with.

    Attributes:
        vector: That of the question.
        path: Field of the vectors.
        searched: Field of what the server compares: these, or their fingerprints.
        queried: The vector of the question as that field is searched.
        members: Values of the fields that say in which space the vector of a document is.
    """

    vector: NDArray[np.float32]
    path: str
    searched: str
    queried: Any
    members: Mapping[str, str] = field(default_factory=dict)

    def has(self, hit: Mapping[str, Any]) -> bool:
        """Check whether the vector of a hit is one of them."""
        return all(_first(hit, path, "") == value for path, value in self.members.items())


def _spaces(profile: SemanticProfile, scheme: SemanticScheme, simhash_field: str) -> list[_Space]:
    """Return where documents may have vectors that those of a text can be compared with.

    Where vectors were learned, documents that have not been given theirs have the shipped ones.
    """
    vector = profile.vector
    spaces = []
    if scheme.vector_field is not None and vector is not None:
        path = scheme.vector_field
        return [_Space(vector, path, path, vector.tolist())]
    if profile.has_learned_vector and vector is not None:
        path = field_path(simhash_field, fields.INDEX_VECTOR)
        members = (fields.VECTOR_TABLE, fields.VECTOR_LANGUAGE)
        values = zip(members, profile.vector_space, strict=True)
        named = {field_path(simhash_field, member): value for member, value in values}
        spaces.append(_Space(vector, path, path, packed_query_vector(vector)[0], named))
    shipped = profile.shipped_vector if profile.has_learned_vector else vector
    if shipped is not None:
        path = field_path(simhash_field, fields.VECTOR)
        searched = field_path(simhash_field, fields.VECTOR_FINGERPRINT)
        table = field_path(simhash_field, fields.VECTOR_TABLE)
        named = {table: WORD_VECTORS} if scheme.is_learned else {}
        spaces.append(_Space(shipped, path, searched, packed_query_vector(shipped)[1], named))
    return spaces


def _docvalue_fields(request: FindNear, spaces: Sequence[_Space], config: IndexConfig) -> list[Any]:
    members = [*fields.SCORED_MEMBERS, fields.FAMILY, fields.ENTITIES]
    if config.semantics is not None and config.semantics.is_learned:
        members += [fields.VECTOR_TABLE, fields.VECTOR_LANGUAGE]
    values: list[Any] = [config.path(member) for member in members]
    values += [{"field": space.path, "format": "binary"} for space in spaces]
    if request.date is not None:
        values.append(request.date.requested)
    return values


def _nearest(space: _Space, boost: float, size: int, conditions: Sequence[Filter]) -> Filter:
    """Return the clause for the documents whose vectors are nearest."""
    nearest = min(max(_NEAREST, size), MAX_HITS)
    search = {
        "field": space.searched,
        "query_vector": space.queried,
        "k": nearest,
        "num_candidates": nearest,
        "filter": [*conditions, *({"term": {k: v}} for k, v in space.members.items())],
        "boost": boost,
    }
    return {"knn": search}


def _named(profile: SemanticProfile, config: IndexConfig) -> list[Filter]:
    """Return a clause for each name of the text: names have a part of the similarity."""
    path = config.path(fields.ENTITIES)
    return [
        {
            "constant_score": {
                "filter": {"term": {path: name}},
                "boost": round(_NAMES_BOOST * weight, 4),
            }
        }
        for name, weight in name_weights(profile).items()
    ]


def _common(terms: Mapping[str, float], boost: float, simhash_field: str) -> Filter:
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
    values = [hit.get("fields", {}) for hit in hits]
    cosines = _vector_cosines(hits, _spaces(profile, scheme, simhash_field), scheme)
    query_entities = entity_terms(profile.stored_entities(), profile)
    entities = field_path(simhash_field, fields.ENTITIES)
    named = [fields_of_hit.get(entities, ()) for fields_of_hit in values]
    boost = _Boosts.of(profile).concepts
    similarities = similarity_parts(
        cosines,
        [_concept_score(hit) / boost for hit in hits],
        entity_cosines(query_entities, named, profile),
        profile,
    )
    pairs = zip(hits, similarities, strict=True)
    near = [(hit, parts) for hit, parts in pairs if parts.similarity > 0]
    near.sort(key=lambda pair: (-pair[1].similarity, str(pair[0]["_id"])))
    best, left = near[: request.candidates], near[request.candidates :]
    table = field_path(simhash_field, fields.VECTOR_TABLE)
    farther = left[0][1].similarity if left else 0.0
    neighbours = [
        _neighbour(
            hit,
            similarity_of(parts, profile, semantic_score(parts.similarity)),
            request,
            simhash_field,
        )
        for hit, parts in best
    ]
    return TextHits(
        neighbours,
        [(neighbour.index, neighbour.id) for neighbour in neighbours],
        places=places_of([hit for hit, _ in best]),
        unread=max(farther, _unread(hits, request)),
        other_vectors=sum(
            scheme.is_learned and _first(hit, table, "") != profile.vector_table for hit, _ in best
        ),
    )


def _neighbour(
    hit: Mapping[str, Any], semantics: SemanticSimilarity, request: FindNear, simhash_field: str
) -> Neighbour:
    chunks, sketch = stored_parts(hit.get("fields", {}), simhash_field) or (None, None)
    return Neighbour(
        hit["_id"],
        hit["_index"],
        semantics,
        chunks,
        sketch,
        _first(hit, field_path(simhash_field, fields.FAMILY), ""),
        None if request.date is None else request.date.milliseconds_of_hit(hit),
    )


def _unread(hits: Sequence[Mapping[str, Any]], request: FindNear) -> float:
    """Estimate how near documents may be that were not read; 0 when all were read."""
    if len(hits) < _size(request):
        return 0.0
    profile = request.profile
    unrelated = 0.0 if profile.vector is None else _Boosts.of(profile).vectors * _UNRELATED
    return max(0.0, float(hits[-1]["_score"]) - unrelated) + UNREAD_MARGIN


def _vector_cosines(
    hits: Sequence[Mapping[str, Any]], spaces: Sequence[_Space], scheme: SemanticScheme
) -> list[float | None]:
    """Return the cosine of the vector of each hit with that of the question in its space."""
    cosines: list[float | None] = [None] * len(hits)
    own = scheme.vector_field is not None
    for space in spaces:
        places = [place for place, hit in enumerate(hits) if space.has(hit)]
        found = [hits[place].get("fields", {}).get(space.path) for place in places]
        vectors = [_vector(values, own=own) for values in found]
        for place, cosine in zip(places, vector_cosines(space.vector, vectors), strict=True):
            cosines[place] = cosine
    return cosines


def _first(hit: Mapping[str, Any], path: str, default: Any) -> Any:
    values = hit.get("fields", {}).get(path)
    return values[0] if values else default


def _vector(values: Sequence[Any] | None, *, own: bool) -> Any:
    if not values:
        return None
    return unpack_user_vector(values[0]) if own else unpack_vector(values[0])


def _concept_score(hit: Mapping[str, Any]) -> float:
    names = hit.get("matched_queries", {})
    return float(names[fields.CONCEPTS]) if fields.CONCEPTS in names else 0.0
