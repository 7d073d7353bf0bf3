"""The search for semantic neighbours, and reading its hits."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.relation.relation import semantic_score
from es_simhash.relation.thresholds import FINGERPRINT_MARGIN, UNREAD_MARGIN
from es_simhash.semantics.semantic_profile import SemanticProfile
from es_simhash.semantics.semantic_scheme import WORD_VECTORS, SemanticScheme
from es_simhash.semantics.semantic_similarity import SemanticSimilarity
from es_simhash.semantics.similarity import (
    SimilarityWeights,
    entity_cosines,
    entity_terms,
    name_weights,
    similarity_of,
    similarity_parts,
    vector_cosines,
)
from es_simhash.store import fields
from es_simhash.store.codec import PackedText
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.conditions import MAX_HITS, clauses, filters_of
from es_simhash.store.elasticsearch.hits import places_of
from es_simhash.store.fields import field_path
from es_simhash.store.intents import Filter, FindNear, Where
from es_simhash.store.rows import Neighbour, TextHits
from es_simhash.store.semantic_codec import (
    concept_terms,
    packed_query_vector,
    unpack_user_vectors,
    unpack_vectors,
)

# Of the documents that are read, the share that may be there for their vectors. The score of a
# vector is above 0 for each of them, however far it is, and 0 for all others: were there as many
# as are read, they alone would be (docs/semantic-neighbours.md).
_NEAREST_SHARE = 0.4
# Vectors that are looked at for each of these, so that the graph misses none.
_EXPLORED = 3
# Ids that are left out after the search for vectors, which a filter makes slow in a large index.
_FEW_IDS = 10
# The share of equal bits of vectors that have nothing in common, and the score of a cosine of 0.
_UNRELATED = 0.5


def near_bodies(
    request: FindNear, config: IndexConfig, where: Where, *, is_uniform: bool = False
) -> list[dict[str, Any]]:
    """Return the body of the search for documents near in meaning; none without a profile.

    One search brings all kinds of candidates: those with the nearest vectors, by kNN over all
    shards, and those with heavy concepts or names in common, in the order of what these add up to.
    The server computes the cosine of the concepts for all of them; send it with
    `include_named_queries_score`.

    Args:
        request: The request.
        config: Of the index.
        where: Which documents, as the searched index has them.
        is_uniform: Whether all vectors that come with the package are of the index's scheme.
    """
    profile, scheme = request.profile, config.semantics
    if scheme is None or profile.is_empty:
        return []
    spaces = _spaces(profile, scheme, config.simhash_field)
    own_scheme = _own_scheme(scheme, config)
    required, excluded = clauses(where, config)
    order = _ServerOrder.of(profile)
    should = []
    if terms := concept_terms(profile.query_concepts()):
        should.append(_common(terms, order.concepts, config.simhash_field))
    should += _named(profile, order.names, config)
    if not should and not spaces:
        # What it has is too common to be searched for.
        return []
    body: dict[str, Any] = {
        "size": _size(request),
        "_source": False,
        "docvalue_fields": _docvalue_fields(request, spaces, config),
        "track_total_hits": False,
        "query": _any_of(should, required),
        # Nearly all documents fulfil both. Within the query they would keep Lucene from skipping
        # documents that cannot be among the best: twice the time, with 300,000 documents.
        "post_filter": {"bool": {"filter": [own_scheme], "must_not": excluded}},
    }
    if spaces:
        # The documents of a few ids are requested too, and left out by `post_filter`.
        few = where.excluded_ids if len(where.excluded_ids) <= _FEW_IDS else ()
        nearest = _nearest_count(request) + len(few)
        conditions = filters_of(replace(where, excluded_ids=()) if few else where, config)
        body["knn"] = [
            _nearest(
                space,
                order.vectors,
                nearest,
                conditions
                if is_uniform and not space.is_learned
                else [own_scheme, *conditions, *space.filters],
            )
            for space in spaces
        ]
    if not should:
        # What has a vector alone: a query without clauses would bring every document.
        del body["query"]
    return [body]


def other_vectors_body(config: IndexConfig) -> dict[str, Any] | None:
    """Return the search that counts one document whose vector is not of the scheme of the index.

    Where there is none, a search for vectors needs no filter for the scheme, for which the server
    goes through all documents of the index: two thirds of its time, with 700,000.

    Args:
        config: Of the index.

    Returns:
        None without a semantic scheme.
    """
    scheme = config.semantics
    if scheme is None:
        return None
    path = scheme.vector_field or config.path(fields.VECTOR_FINGERPRINT)
    own = [_own_scheme(scheme, config)]
    if scheme.is_learned:
        own.append({"term": {config.path(fields.VECTOR_TABLE): WORD_VECTORS}})
    others = {"filter": [{"exists": {"field": path}}], "must_not": [{"bool": {"filter": own}}]}
    return {
        "size": 0,
        "_source": False,
        "docvalue_fields": [],
        "track_total_hits": 1,
        "query": {"bool": others},
    }


def _own_scheme(scheme: SemanticScheme, config: IndexConfig) -> Filter:
    return {"term": {config.path(fields.SEMANTIC_SCHEME): scheme.name}}


class _ServerOrder(NamedTuple):
    """What the server orders documents by, and how far that is from their similarity.

    Attributes:
        vectors: Weight of the vectors, twice that of their cosine.
        concepts: Weight of the cosine of the concepts.
        names: Weight of the names that are equal in full.
        weights: Those of the similarity.
        read: How many documents are read for each that is returned.
        margin: What an unread document may be nearer by than it seems.
    """

    vectors: float
    concepts: float
    names: float
    weights: SimilarityWeights
    read: float
    margin: float

    @classmethod
    def of(cls, profile: SemanticProfile) -> "_ServerOrder":
        """Return the order for a query.

        That is the similarity itself where the server compares the vectors, but for names that are
        equal in part. Fingerprints of vectors say less than these: their weights were chosen so
        that the first hits are the nearest (docs/semantic-neighbours.md).
        """
        has_vector = profile.vector is not None
        weights = SimilarityWeights.of(
            profile, vectors=has_vector, entities=bool(name_weights(profile))
        )
        if has_vector and not profile.has_learned_vector:
            return cls(0.6, 0.5, 0.15, weights, read=2.0, margin=FINGERPRINT_MARGIN)
        # Of a cosine the server makes a number from 0 to 1.
        vectors, concepts = round(2 * weights.vector, 4), round(weights.concepts, 4)
        return cls(vectors, concepts, weights.entities, weights, read=1.2, margin=UNREAD_MARGIN)


def _size(request: FindNear) -> int:
    """Return how many documents to read: more than the limit, as only the nearest are returned."""
    read = _ServerOrder.of(request.profile).read
    return min(math.ceil(read * request.candidates), MAX_HITS)


def _nearest_count(request: FindNear) -> int:
    """Return how many documents are read for their vectors alone, if need be."""
    return math.ceil(_NEAREST_SHARE * _size(request))


@dataclass(frozen=True)
class _Space:
    """Vectors of an index that a vector of the question can be compared with.

    Attributes:
        vector: That of the question.
        path: Field of the vectors.
        searched: Field of what the server compares: these, or their fingerprints.
        queried: The vector of the question as that field is searched.
        members: Values of the fields that say in which space the vector of a document is.
        is_learned: Whether it is one of those that were learned of the index, a space for each
            language.
    """

    vector: NDArray[np.float32]
    path: str
    searched: str
    queried: Any
    members: Mapping[str, str] = field(default_factory=dict)
    is_learned: bool = False

    @property
    def filters(self) -> list[Filter]:
        """What the documents of the space match."""
        return [{"term": {path: value}} for path, value in self.members.items()]

    def has(self, values: Mapping[str, Any]) -> bool:
        """Check whether a hit has a vector that is one of them, by its doc values."""
        if not values.get(self.path):
            return False
        return all(values.get(path) == [value] for path, value in self.members.items())


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
        spaces.append(
            _Space(vector, path, path, packed_query_vector(vector)[0], named, is_learned=True)
        )
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


def _nearest(
    space: _Space, boost: float, nearest: int, conditions: Sequence[Filter]
) -> dict[str, Any]:
    """Return the kNN search for the documents whose vectors are nearest."""
    return {
        "field": space.searched,
        "query_vector": space.queried,
        "k": nearest,
        "num_candidates": min(_EXPLORED * nearest, MAX_HITS),
        **({"filter": [*conditions]} if conditions else {}),
        "boost": boost,
    }


def _named(profile: SemanticProfile, boost: float, config: IndexConfig) -> list[Filter]:
    """Return a clause for each name of the text: names have a part of the similarity.

    Case does not count there, and headlines are written in another one.
    """
    path = config.path(fields.ENTITIES)
    return [
        {
            "constant_score": {
                "filter": {"terms": {path: sorted({name, name.upper(), name.title()})}},
                "boost": round(boost * weight, 4),
            }
        }
        for name, weight in name_weights(profile).items()
    ]


def _any_of(should: Sequence[Filter], required: Sequence[Filter]) -> Filter:
    """Return the query for the documents that fulfil all of some conditions and any of others.

    Without conditions it has optional clauses alone: only such queries are merged with those
    around and within them, and only then documents are skipped by the scores of all terms.
    """
    filters = {"filter": [*required]} if required else {}
    return {"bool": {"should": [*should], "minimum_should_match": 1, **filters}}


def _common(terms: Mapping[str, float], boost: float, simhash_field: str) -> Filter:
    # What a server makes of the query `sparse_vector`, but that one prunes frequent concepts by
    # default, and comes with machine learning before 8.16.
    path = field_path(simhash_field, fields.CONCEPTS)
    # The boost is that of each term, as a query with one of its own is not merged with others.
    weighted = [
        {"term": {path: {"value": term, "boost": boost * weight}}} for term, weight in terms.items()
    ]
    # The score of the named clause is the cosine of the concepts, times the boost.
    return {"bool": {"should": weighted, "_name": fields.CONCEPTS}}


def read_near(
    responses: Sequence[Mapping[str, Any]], request: FindNear, config: IndexConfig
) -> TextHits:
    """Return the documents of the search of `near_bodies`, nearest first."""
    scheme, profile, simhash_field = config.semantics, request.profile, config.simhash_field
    if scheme is None or not responses:
        return TextHits()
    hits = responses[0]["hits"]["hits"]
    values = [hit.get("fields", {}) for hit in hits]
    query_entities = entity_terms(profile.stored_entities(), profile)
    entities = field_path(simhash_field, fields.ENTITIES)
    boost = _ServerOrder.of(profile).concepts
    cosines = _vector_cosines(values, _spaces(profile, scheme, simhash_field), scheme)
    similarities = similarity_parts(
        cosines,
        [_concept_score(hit) / boost for hit in hits],
        entity_cosines(query_entities, [each.get(entities, ()) for each in values], profile),
        profile,
    )
    pairs = zip(hits, similarities, strict=True)
    near = [(hit, parts) for hit, parts in pairs if parts.similarity > 0]
    near.sort(key=lambda pair: (-pair[1].similarity, str(pair[0]["_id"])))
    best, left = near[: request.candidates], near[request.candidates :]
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
        unread=max(farther, _unread(hits, cosines, request)),
        other_vectors=_with_other_vectors([hit for hit, _ in best], profile, config),
    )


def _with_other_vectors(
    hits: Sequence[Mapping[str, Any]], profile: SemanticProfile, config: IndexConfig
) -> int:
    """Count the hits that have not the vectors that the index has learned."""
    if config.semantics is None or not config.semantics.is_learned:
        return 0
    table, own = config.path(fields.VECTOR_TABLE), [profile.vector_table]
    return sum(hit.get("fields", {}).get(table, [""]) != own for hit in hits)


def _neighbour(
    hit: Mapping[str, Any], semantics: SemanticSimilarity, request: FindNear, simhash_field: str
) -> Neighbour:
    values = hit.get("fields", {})
    families = values.get(field_path(simhash_field, fields.FAMILY))
    return Neighbour(
        hit["_id"],
        hit["_index"],
        semantics,
        PackedText.of(hit, simhash_field),
        families[0] if families else "",
        None if request.date is None else request.date.milliseconds_of_hit(hit),
    )


def _unread(
    hits: Sequence[Mapping[str, Any]], cosines: Sequence[float | None], request: FindNear
) -> float:
    """Estimate how near documents may be that were not read; 0 when all were read.

    Args:
        hits: What was read.
        cosines: Those of their vectors; None for a hit without one.
        request: What was requested.
    """
    order, nearest = _ServerOrder.of(request.profile), _nearest_count(request)
    last = float(hits[-1]["_score"]) if len(hits) >= _size(request) else 0.0
    known = sorted((cosine for cosine in cosines if cosine is not None), reverse=True)
    if len(known) >= nearest and not _are_all_scored(hits, cosines, order):
        # They may be as far as the last that was read for its vector, and as like otherwise.
        farthest = max(0.0, known[nearest - 1])
        alike = last * order.weights.concepts / order.concepts
        return alike + order.weights.vector * farthest + order.margin
    if not last:
        return 0.0
    unrelated = order.vectors * _UNRELATED if known else 0.0
    return max(0.0, last - unrelated) + order.margin


def _are_all_scored(
    hits: Sequence[Mapping[str, Any]], cosines: Sequence[float | None], order: "_ServerOrder"
) -> bool:
    """Check whether the score of each hit with a vector has a part for it.

    An engine without a graph of vectors compares all; where few have one, the graph does.
    """
    least = order.vectors * _UNRELATED - 1e-3
    return all(
        float(hit["_score"]) - _concept_score(hit) >= least
        for hit, cosine in zip(hits, cosines, strict=True)
        if cosine is not None
    )


def _vector_cosines(
    values: Sequence[Mapping[str, Any]], spaces: Sequence[_Space], scheme: SemanticScheme
) -> list[float | None]:
    """Return the cosine of the vector of each hit with that of the question in its space.

    Args:
        values: The doc values of each hit.
        spaces: Those of the question.
        scheme: Semantic scheme of the index.
    """
    cosines: list[float | None] = [None] * len(values)
    unpack = unpack_user_vectors if scheme.vector_field is not None else unpack_vectors
    for space in spaces:
        places = [place for place, stored in enumerate(values) if space.has(stored)]
        if places:
            vectors = unpack([values[place][space.path][0] for place in places])
            of_space = vector_cosines(space.vector, vectors)
            for place, cosine in zip(places, of_space.tolist(), strict=True):
                cosines[place] = cosine
    return cosines


def _concept_score(hit: Mapping[str, Any]) -> float:
    names = hit.get("matched_queries", {})
    return float(names[fields.CONCEPTS]) if fields.CONCEPTS in names else 0.0
