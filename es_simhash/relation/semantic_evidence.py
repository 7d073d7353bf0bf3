"""Evidence of semantic neighbours: what both texts are about, and their nearest passages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.simhash import hamming_distances
from es_simhash.relation.model import SharedPassage
from es_simhash.relation.passages import ReadText
from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.profile import SemanticProfile
from es_simhash.semantics.rarity import rarity
from es_simhash.semantics.similarity import VECTOR_WEIGHT, SemanticSimilarity, shared_concepts
from es_simhash.semantics.vectors import WordVectors
from es_simhash.semantics.vocabulary.evidence import common
from es_simhash.semantics.vocabulary.vocabulary import FoundConcept, Vocabulary

# Concepts of a vocabulary told; more say nothing to a reader.
_MOST_ABOUT = 5
# Chunks of a text looked at for the nearest passages.
_MOST_CHUNKS = 200


@dataclass(frozen=True)
class Side:
    """One of the two texts, read for evidence.

    Attributes:
        read: Its tokens and chunks.
        meaning: What it is about.
        found: Concepts of the user's vocabulary in it.
        words: Counts of the words of each chunk.
        vectors: Vector of each chunk; None without a table.
    """

    read: ReadText
    semantics: SemanticProfile
    found: Sequence[FoundConcept]
    words: Sequence[Mapping[str, int]]
    vectors: NDArray[np.float32] | None

    @classmethod
    def of(
        cls,
        read: ReadText,
        profile: SemanticProfile,
        table: WordVectors | None,
        vocabulary: Vocabulary | None = None,
    ) -> "Side":
        """Read what evidence needs of a text."""
        bounds = read.chunks[: _MOST_CHUNKS + 1].tolist()
        spans = [read.span(first, last).text for first, last in pairwise(bounds)]
        words = [count_words(each, profile.language) for each in spans]
        in_table = table is not None and profile.vector is not None
        found = vocabulary.find(read.original, profile.language) if vocabulary else []
        return cls(
            read, profile, found, words, table.vectors(words) if table and in_table else None
        )


def with_evidence(shared: SemanticSimilarity, query: Side, hit: Side) -> SemanticSimilarity:
    """Add the concepts both texts share, and what the vocabulary says they are about."""
    about = common(query.found, hit.found)[:_MOST_ABOUT]
    return replace(
        shared,
        shared=shared_concepts(query.semantics, hit.semantics),
        about=tuple(each.sentence() for each in about),
    )


def nearest_passages(query: Side, hit: Side) -> tuple[SharedPassage, ...]:
    """Return the pair of passages that are nearest in meaning; none when nothing is in common."""
    if not query.words or not hit.words:
        return ()
    similarities = _word_cosines(query, hit)
    if query.vectors is not None and hit.vectors is not None:
        cosines = np.maximum(query.vectors @ hit.vectors.T, 0)
        similarities = VECTOR_WEIGHT * cosines + (1 - VECTOR_WEIGHT) * similarities
    ours, theirs = np.unravel_index(int(similarities.argmax()), similarities.shape)
    if similarities[ours, theirs] <= 0:
        return ()
    return (_pair(query.read, hit.read, int(ours), int(theirs)),)


def _pair(query: ReadText, hit: ReadText, ours: int, theirs: int) -> SharedPassage:
    distance = hamming_distances(
        query.fingerprints[ours : ours + 1], hit.fingerprints[theirs : theirs + 1]
    )
    return SharedPassage(
        query.span(int(query.chunks[ours]), int(query.chunks[ours + 1])),
        hit.span(int(hit.chunks[theirs]), int(hit.chunks[theirs + 1])),
        int(distance[0, 0]),
    )


def _word_cosines(query: Side, hit: Side) -> NDArray[np.float64]:
    """Cosines of the weighted words of each chunk of one text with each of the other."""
    shared = set().union(*query.words) & set().union(*hit.words)
    terms = {word: place for place, word in enumerate(sorted(shared))}
    if not terms:
        return np.zeros((len(query.words), len(hit.words)))
    ours = _rows(query, terms)
    theirs = _rows(hit, terms)
    cosines: NDArray[np.float64] = ours @ theirs.T
    return cosines


def _rows(side: Side, terms: Mapping[str, int]) -> NDArray[np.float64]:
    """Weights of the shared words by chunk, scaled by the norm of all words of the chunk."""
    vocabulary = list(set().union(*side.words))
    weights = dict(
        zip(vocabulary, rarity(vocabulary, side.semantics.language).tolist(), strict=True)
    )
    rows = np.zeros((len(side.words), len(terms)))
    for row, words in enumerate(side.words):
        norm = 0.0
        for word, count in words.items():
            weight = (1 + np.log(count)) * weights[word]
            norm += weight * weight
            if word in terms:
                rows[row, terms[word]] = weight
        # A chunk of one rare word would be nearest to everything that has it.
        rows[row] /= max(norm, 25.0) ** 0.5
    return rows
