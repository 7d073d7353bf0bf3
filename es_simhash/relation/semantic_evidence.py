"""Evidence of semantic neighbours: the concepts both texts share, and their nearest passages."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.model import SharedPassage
from es_simhash.semantics.profile import VOCABULARY_PREFIX, concept_term
from es_simhash.semantics.rarity import rarity
from es_simhash.semantics.shared_concepts import shared_concepts
from es_simhash.semantics.similarity import VECTOR_WEIGHT, SemanticSimilarity
from es_simhash.semantics.spellings import Spellings
from es_simhash.semantics.vocabulary.evidence import common_concepts

# Concepts of a vocabulary that are shown; more say nothing to a reader.
_MAX_ABOUT = 5


def semantic_evidence(
    similarity: SemanticSimilarity, query: AnalysedText, hit: AnalysedText
) -> SemanticSimilarity:
    """Return it with the concepts both texts share, and those of the vocabulary common to both."""
    about = common_concepts(query.concepts, hit.concepts)[:_MAX_ABOUT]
    profile = query.profile
    spellings = Spellings((query.text or "", hit.text or ""), profile.language, profile.packages)
    labels = {
        VOCABULARY_PREFIX + concept_term(match.label): match.label for match in query.concepts
    }
    shared = shared_concepts(profile, hit.profile, spellings, labels)
    shown = similarity.vector + sum(concept.contribution for concept in shared)
    return replace(
        similarity,
        shared=shared,
        # Rounded, as what is left of the difference of equal numbers is not 0.
        others=round(similarity.similarity - shown, 10),
        shared_vocabulary=tuple(concept.sentence() for concept in about),
    )


def nearest_passages(query: AnalysedText, hit: AnalysedText) -> tuple[SharedPassage, ...]:
    """Return the pair of passages nearest in meaning; none when nothing is in common."""
    if not query.chunk_words or not hit.chunk_words:
        return ()
    similarities = _word_cosines(query, hit)
    if query.chunk_vectors is not None and hit.chunk_vectors is not None:
        cosines = np.maximum(query.chunk_vectors @ hit.chunk_vectors.T, 0)
        similarities = VECTOR_WEIGHT * cosines + (1 - VECTOR_WEIGHT) * similarities
    query_chunk, hit_chunk = map(int, np.unravel_index(similarities.argmax(), similarities.shape))
    if similarities[query_chunk, hit_chunk] <= 0:
        return ()
    score = round(float(similarities[query_chunk, hit_chunk]), 4)
    return (
        SharedPassage(
            query.chunk_span(query_chunk), hit.chunk_span(hit_chunk), "nearest", score, 1.0
        ),
    )


def _word_cosines(query: AnalysedText, hit: AnalysedText) -> NDArray[np.float64]:
    """Return cosines of the weighted words of each chunk of one text with each of the other."""
    shared = set().union(*query.chunk_words) & set().union(*hit.chunk_words)
    columns = {word: column for column, word in enumerate(sorted(shared))}
    if not columns:
        return np.zeros((len(query.chunk_words), len(hit.chunk_words)))
    cosines: NDArray[np.float64] = _rows(query, columns) @ _rows(hit, columns).T
    return cosines


def _rows(text: AnalysedText, columns: Mapping[str, int]) -> NDArray[np.float64]:
    """Return weights of the shared words by chunk, scaled by the norm of all words of it."""
    vocabulary = list(set().union(*text.chunk_words))
    rarities = rarity(vocabulary, text.profile.language).tolist()
    weights = dict(zip(vocabulary, rarities, strict=True))
    rows = np.zeros((len(text.chunk_words), len(columns)))
    for row, words in enumerate(text.chunk_words):
        norm = 0.0
        for word, count in words.items():
            weight = (1 + np.log(count)) * weights[word]
            norm += weight * weight
            if word in columns:
                rows[row, columns[word]] = weight
        # A chunk of one rare word would be nearest to everything that has it.
        rows[row] /= max(norm, 25.0) ** 0.5
    return rows
