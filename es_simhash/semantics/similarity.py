"""Semantic similarity of two texts, and the concepts and entities they share.

The similarity h is 0.4 of the cosine of the vectors, 0.4 of that of the weighted concepts and 0.2
of that of the entities; vectors learned from the index have at most 0.35, and less where they were
learned from few texts or from short ones. The concepts have what is left, and the share of
vectors or entities that one side lacks.
With a background of the index, what is common there weighs less among concepts and entities.
A cosine is a sum over what is shared, so each shared concept and entity contributes to h.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.rarity import rarity
from es_simhash.semantics.semantic_profile import SemanticProfile
from es_simhash.semantics.semantic_similarity import SemanticSimilarity
from es_simhash.text.memo import Memo

# Chosen on their plateau over four collections, docs/semantic-neighbours.md.
VECTOR_WEIGHT, ENTITY_WEIGHT = 0.4, 0.2
# Vectors learned from the index have less, or news on one subject would all be alike
# (docs/semantic-neighbours.md).
LEARNED_VECTOR_WEIGHT = 0.35
# Chinese names are words of the text already, and too often wrong to count twice.
_WITHOUT_ENTITIES = frozenset({"zh"})
# Prefix of the term of a full name among the words of entities.
FULL_NAME = "@"
# Backgrounds of which names are cached; dropping all at once is cheap and rare.
_MAX_BACKGROUNDS = 16


class SimilarityWeights(NamedTuple):
    """Weights of vectors, concepts and entities in the similarity; they add up to 1."""

    vector: float
    concepts: float
    entities: float

    @classmethod
    def of(cls, query: SemanticProfile, *, vectors: bool, entities: bool) -> "SimilarityWeights":
        """Return the weights for two texts that both have vectors, or entities, or not.

        Args:
            query: Profile of the query.
            vectors: Whether both have vectors.
            entities: Whether both have entities.
        """
        vector = vector_weight(query) if vectors else 0.0
        entity = ENTITY_WEIGHT if entities else 0.0
        return cls(vector, 1 - vector - entity, entity)


def vector_weight(query: SemanticProfile) -> float:
    """Return the weight of the vectors where both texts have one."""
    if not query.has_learned_vector:
        return VECTOR_WEIGHT
    return LEARNED_VECTOR_WEIGHT * query.vector_trust


def semantic_similarity(
    vector_cosine: float | None,
    concept_cosine: float,
    entity_cosine: float | None = None,
    query: SemanticProfile | None = None,
) -> SemanticSimilarity:
    """Return the weighted sum of the cosines; None where one side has no vector, or no entity.

    Args:
        vector_cosine: Cosine of the vectors.
        concept_cosine: Cosine of the concepts.
        entity_cosine: Cosine of the entities.
        query: Profile of the query: its background weighed concepts and entities.
    """
    query = query or SemanticProfile()
    (parts,) = similarity_parts([vector_cosine], [concept_cosine], [entity_cosine], query)
    return similarity_of(parts, query)


class SimilarityParts(NamedTuple):
    """The similarity of two texts, and what vectors, concepts and entities add to it."""

    similarity: float
    vector: float
    concepts: float
    entities: float


def similarity_parts(
    vector_cosines: Iterable[float | None],
    concept_cosines: Iterable[float],
    entity_cosines: Iterable[float | None],
    query: SemanticProfile,
) -> list[SimilarityParts]:
    """Return the similarities of a query and many texts; arguments as for `semantic_similarity`."""
    # numpy makes nan of None.
    cosines = np.array([[*vector_cosines], [*concept_cosines], [*entity_cosines]], np.float64)
    has_vectors, _, has_entities = ~np.isnan(cosines)
    weights = np.array(
        [
            SimilarityWeights.of(query, vectors=vectors, entities=entities)
            for vectors in (False, True)
            for entities in (False, True)
        ]
    )
    parts = weights[2 * has_vectors + has_entities].T * np.clip(np.nan_to_num(cosines), 0, 1)
    vector, concepts, entities = parts
    rows = zip((vector + (concepts + entities)).tolist(), *parts.tolist(), strict=True)
    return list(map(SimilarityParts._make, rows))


def similarity_of(
    parts: SimilarityParts, query: SemanticProfile, score: float = 0.0
) -> SemanticSimilarity:
    """Return a similarity without evidence; the background of the query weighed it.

    Args:
        parts: Its parts.
        query: Profile of the query.
        score: Score that it has by itself, where that is known.
    """
    name = None if query.background is None else query.background.name
    shared = parts.concepts + parts.entities
    return SemanticSimilarity(*parts, others=shared, score=score, background=name)


def entity_terms(names: Sequence[str], profile: SemanticProfile) -> dict[str, float]:
    """Return the weights of names and of their words, the squares adding up to 1.

    Args:
        names: Names of the entities.
        profile: Profile of the query: names are analysed in its language.
    """
    terms, norm = _weighed(names, profile)
    return {term: weight / norm for term, weight in terms.items()} if norm else {}


def name_weights(profile: SemanticProfile) -> dict[str, float]:
    """Return what each stored name of a profile adds to the cosine of entities with itself."""
    names = profile.stored_entities()
    weights = entity_terms(names, profile)
    return {
        name: weight
        for name in (names if weights else ())
        if (weight := _weight_of(name_terms(name, profile.language, profile.packages), weights))
    }


def _weight_of(terms: Iterable[str], weights: Mapping[str, float]) -> float:
    return sum(weights[term] ** 2 for term in terms if term in weights)


def entity_cosines(
    query: Mapping[str, float], named: Iterable[Sequence[str]], profile: SemanticProfile
) -> list[float | None]:
    """Return the cosine of the query's entities with each of many lists of names.

    Args:
        query: The query's `entity_terms`.
        named: Lists of names.
        profile: Profile of the query.

    Returns:
        None where one side has no entities.
    """
    lists = list(named)
    if not query:
        return [None] * len(lists)
    terms_of = _names(profile)
    queried = query.keys()
    # A name is in many lists, and most lists have none of these.
    sharing = {name for name in set().union(*lists) if not queried.isdisjoint(terms_of[name])}
    cosines: list[float | None] = []
    for names in lists:
        if sharing.isdisjoint(names):
            cosines.append(0.0 if any(any(terms_of[name].values()) for name in names) else None)
            continue
        terms = {term: weight for name in names for term, weight in terms_of[name].items()}
        norm = sum([weight * weight for weight in terms.values()]) ** 0.5
        if not norm:
            cosines.append(None)
            continue
        # Only what is shared is divided by the norm; that of a hundred hits takes a millisecond.
        shared = [weight * (terms[term] / norm) for term, weight in query.items() if term in terms]
        cosines.append(sum(shared) if shared else 0.0)
    return cosines


def _weighed(names: Sequence[str], profile: SemanticProfile) -> tuple[dict[str, float], float]:
    """Return the rarity of names and of their words, and the norm of all."""
    terms: dict[str, float] = {}
    terms_of = _names(profile)
    for name in names:
        terms.update(terms_of[name])
    return terms, sum([weight * weight for weight in terms.values()]) ** 0.5


def _names(profile: SemanticProfile) -> Memo[str, Mapping[str, float]]:
    """Return the rarities of names and their words; what is common in the index has less."""
    language, background = profile.language, profile.background
    if language in _WITHOUT_ENTITIES:
        return Memo(lambda name: {})
    names = _names_of_language(language, profile.packages)
    if background is None:
        return names
    key = background.name, language, profile.packages
    weighed = _WEIGHED_NAMES.get(key)
    if weighed is None:
        if len(_WEIGHED_NAMES) >= _MAX_BACKGROUNDS:
            _WEIGHED_NAMES.clear()
        weighed = Memo(lambda name: background.weighed_names(names[name], language, FULL_NAME))
        _WEIGHED_NAMES[key] = weighed
    return weighed


# Names as a background weighs them, by its name, the language and the packages.
_WEIGHED_NAMES: dict[tuple[str, str, frozenset[str]], Memo[str, Mapping[str, float]]] = {}


@lru_cache(maxsize=64)
def _names_of_language(language: str, packages: frozenset[str]) -> Memo[str, Mapping[str, float]]:
    return Memo(lambda name: _name_terms(name, language, packages))


def name_terms(name: str, language: str, packages: frozenset[str]) -> Mapping[str, float]:
    """Return the terms of a name with their rarity; several words have a term together too.

    Args:
        name: The name.
        language: ISO 639-1 code of the language.
        packages: Packages whose word frequencies may be used.
    """
    return _names_of_language(language, packages)[name]


def _name_terms(name: str, language: str, packages: frozenset[str]) -> Mapping[str, float]:
    words = list(count_words(name, language))
    weights = rarity(words, language, packages).tolist() if words else []
    terms = dict(zip(words, weights, strict=True))
    if len(words) > 1:
        terms[FULL_NAME + " ".join(words)] = max(weights)
    return terms


def vector_cosines(query: NDArray[np.float32], vectors: NDArray[Any]) -> NDArray[np.float32]:
    """Return the cosine of the query's vector with each of many, a row each."""
    rows = vectors.astype(np.float32)
    norms = np.linalg.norm(rows, axis=1) * np.linalg.norm(query)
    cosines: NDArray[np.float32] = rows @ query / np.maximum(norms, 1e-9)
    return cosines


def concept_cosine(query: Mapping[str, float], stored: Mapping[str, float]) -> float:
    """Return the cosine of the concepts of a query and of a stored document."""
    return sum(weight * stored[concept] for concept, weight in query.items() if concept in stored)


def have_comparable_vectors(query: SemanticProfile, hit: SemanticProfile) -> bool:
    """Check whether two profiles have vectors of one space."""
    have_both = query.vector is not None and hit.vector is not None
    return have_both and query.vector_space == hit.vector_space


def compare_profiles(query: SemanticProfile, hit: SemanticProfile) -> SemanticSimilarity:
    """Return the similarity of two semantic profiles, without evidence."""
    cosine = None
    if have_comparable_vectors(query, hit):
        assert query.vector is not None
        assert hit.vector is not None
        cosine = float(query.vector @ hit.vector)
    query_terms = entity_terms(query.stored_entities(), query)
    (entities,) = entity_cosines(query_terms, [hit.stored_entities()], query)
    return semantic_similarity(
        cosine,
        concept_cosine(query.query_concepts(), hit.stored_concepts()),
        entities,
        query,
    )
