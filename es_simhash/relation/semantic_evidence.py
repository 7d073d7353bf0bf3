"""Evidence of semantic neighbours: the concepts both texts share, and their nearest passages."""

from dataclasses import replace

import numpy as np

from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.model import SharedPassage
from es_simhash.semantics.profile import VOCABULARY_PREFIX, concept_term
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
    similarities = query.weighted_chunks.cosines(hit.weighted_chunks)
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
