"""How near in meaning two texts are, and what they have in common.

The similarity h is 0.4 of the cosine of the vectors, 0.3 of that of the weighted concepts and 0.3
of that of the entities. Where one side has no vector, or no entity, the concepts have its share.
Cosines are sums over what is shared, so each shared concept and entity has its part in h.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.profile import VOCABULARY_MARK, SemanticProfile
from es_simhash.semantics.rarity import rarity

# Chosen on their plateau over four collections, docs/semantic-neighbours.md.
VECTOR_WEIGHT, ENTITY_WEIGHT = 0.4, 0.3
# Chinese names are words of the text already, and what finds them errs too often to count twice.
_WITHOUT_ENTITIES = frozenset({"zh"})
# Marks the name as a whole among the words of entities.
_WHOLE = "@"
# More say nothing to a reader.
MOST_SHARED = 12


@dataclass(frozen=True)
class SharedConcept:
    """A word, an entity or a concept of the vocabulary that both texts have.

    Attributes:
        text: The concept; an entity as it is written.
        part: Its part in the similarity; all parts and that of the vectors add up to it.
        is_entity: True when it names a person, a place, an organisation or another thing.
    """

    text: str
    part: float
    is_entity: bool = False


@dataclass(frozen=True)
class SemanticSimilarity:
    """Why two texts are near in meaning.

    Attributes:
        similarity: h, from 0 to 1.
        vector: Part of the vectors in it.
        concepts: Part of the shared concepts in it.
        entities: Part of the shared entities in it.
        shared: The concepts with the greatest parts; empty when no evidence was asked for.
        about: What both are about by the user's vocabulary, and through which narrower concepts.
    """

    similarity: float
    vector: float
    concepts: float
    entities: float = 0.0
    shared: tuple[SharedConcept, ...] = ()
    about: tuple[str, ...] = ()


class Weights(NamedTuple):
    """Shares of vectors, concepts and entities in the similarity; they add up to 1."""

    vector: float
    concepts: float
    entities: float

    @classmethod
    def of(cls, *, vectors: bool, entities: bool) -> "Weights":
        """Return the shares for two texts that both have vectors, or entities, or not."""
        vector = VECTOR_WEIGHT if vectors else 0.0
        entity = ENTITY_WEIGHT if entities else 0.0
        return cls(vector, 1 - vector - entity, entity)


def semantic_similarity(
    vector_cosine: float | None, concept_cosine: float, entity_cosine: float | None = None
) -> SemanticSimilarity:
    """Put the cosines together; None where one side has no vector, or no entity."""
    weights = Weights.of(vectors=vector_cosine is not None, entities=entity_cosine is not None)
    vector = weights.vector * _within(vector_cosine)
    concepts = weights.concepts * _within(concept_cosine)
    entities = weights.entities * _within(entity_cosine)
    return SemanticSimilarity(vector + concepts + entities, vector, concepts, entities)


def _within(cosine: float | None) -> float:
    return min(1.0, max(0.0, cosine or 0.0))


def entity_terms(names: Sequence[str], profile: SemanticProfile) -> dict[str, float]:
    """Return the weights of names and of their words, the squares adding up to 1.

    Args:
        names: Of the entities.
        meaning: Of the query: names are read in its language.
    """
    if profile.language in _WITHOUT_ENTITIES:
        return {}
    terms: dict[str, float] = {}
    for name in names:
        terms.update(_name_terms(name, profile.language, profile.packages))
    norm = sum(weight * weight for weight in terms.values()) ** 0.5
    return {term: weight / norm for term, weight in terms.items()} if norm else {}


@lru_cache(maxsize=1 << 16)
def _name_terms(
    name: str, language: str, packages: frozenset[str]
) -> tuple[tuple[str, float], ...]:
    """Words of a name with their rarity; a name of several words counts as its rarest too."""
    words = list(count_words(name, language))
    weights = rarity(words, language, packages).tolist() if words else []
    terms = [*zip(words, weights, strict=True)]
    if len(words) > 1:
        terms.append((_WHOLE + " ".join(words), max(weights)))
    return tuple(terms)


def entity_cosine(ours: Mapping[str, float], theirs: Mapping[str, float]) -> float | None:
    """Return the cosine of entity terms; None when one side has none."""
    if not ours or not theirs:
        return None
    return concept_cosine(ours, theirs)


def vector_cosines(
    query: NDArray[np.float32] | None, vectors: Sequence[NDArray[np.float32] | None]
) -> list[float | None]:
    """Return the cosine of the query's vector with each of many; None where one is missing."""
    if query is None or not vectors:
        return [None] * len(vectors)
    known = [each for each in vectors if each is not None]
    if not known:
        return [None] * len(vectors)
    rows = np.stack(known).astype(np.float32)
    norms = np.linalg.norm(rows, axis=1) * np.linalg.norm(query)
    cosines = iter((rows @ query / np.maximum(norms, 1e-9)).tolist())
    return [None if each is None else next(cosines) for each in vectors]


def concept_cosine(query: Mapping[str, float], stored: Mapping[str, float]) -> float:
    """Return the cosine of a query's concepts with those stored of a document."""
    return sum(weight * stored[concept] for concept, weight in query.items() if concept in stored)


def compare_profiles(query: SemanticProfile, hit: SemanticProfile) -> SemanticSimilarity:
    """Return how near two texts are in meaning, without evidence."""
    cosine = None
    if query.vector is not None and hit.vector is not None:
        cosine = float(query.vector @ hit.vector)
    entities = entity_cosine(
        entity_terms(query.stored_entities(), query), entity_terms(hit.stored_entities(), query)
    )
    return semantic_similarity(
        cosine, concept_cosine(query.asked_concepts(), hit.stored_concepts()), entities
    )


def shared_concepts(query: SemanticProfile, hit: SemanticProfile) -> tuple[SharedConcept, ...]:
    """Return the concepts and entities two texts share, those with the greatest part first.

    What the words of an entity that both name add is told as that entity, once.
    """
    ours = entity_terms(query.stored_entities(), query)
    theirs = entity_terms(hit.stored_entities(), query)
    weights = Weights.of(
        vectors=query.vector is not None and hit.vector is not None,
        entities=bool(ours and theirs),
    )
    words = _products(query.asked_concepts(), hit.stored_concepts(), weights.concepts)
    names = _products(ours, theirs, weights.entities)
    found = []
    for name in _common_names(query, hit):
        terms = dict(_name_terms(name, query.language, query.packages))
        part = sum(names.pop(term, 0.0) + words.pop(term, 0.0) for term in terms)
        if part:
            found.append(SharedConcept(name, round(part, 4), is_entity=True))
    spelled = _spelled(query.stored_entities())
    found += [
        SharedConcept(spelled.get(term, term), round(part + words.pop(term, 0.0), 4), True)
        for term, part in names.items()
    ]
    found += [
        SharedConcept(term.removeprefix(VOCABULARY_MARK), round(part, 4))
        for term, part in words.items()
    ]
    return tuple(sorted(found, key=lambda each: -each.part)[:MOST_SHARED])


def _products(
    ours: Mapping[str, float], theirs: Mapping[str, float], share: float
) -> dict[str, float]:
    return {term: share * weight * theirs[term] for term, weight in ours.items() if term in theirs}


def _spelled(names: Sequence[str]) -> dict[str, str]:
    """Words of names as they are written there, by the words in lower case."""
    return {word.casefold(): word for name in names for word in name.split()}


def _common_names(query: SemanticProfile, hit: SemanticProfile) -> list[str]:
    """Entities of the query that the hit names too, longer names first."""
    named = {name.casefold() for name in hit.stored_entities()}
    common = [name for name in query.stored_entities() if name.casefold() in named]
    return sorted(common, key=lambda name: -len(name))
