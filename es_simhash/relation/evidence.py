"""Evidence of a relation: its passages side by side, and the concepts both texts share."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from es_simhash.relation.alignment.aligned_passages import AlignedPassage
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.relation import (
    VERSION_KINDS,
    Relation,
    SharedPassage,
    semantic_relation,
)
from es_simhash.relation.shared_passages import aligned_passages, shared_passages, with_reuse
from es_simhash.relation.thresholds import SHOWN_SCORE
from es_simhash.semantics.semantic_profile import (
    VOCABULARY_PREFIX,
    SemanticSimilarity,
    concept_term,
)
from es_simhash.semantics.shared_concepts import shared_concepts
from es_simhash.semantics.similarity import VECTOR_WEIGHT
from es_simhash.semantics.spellings import Spellings
from es_simhash.semantics.vocabularies.shared_vocabulary import common_concepts

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


def by_passages(
    relation: Relation, query: AnalysedText, hit: AnalysedText, passages: Sequence[AlignedPassage]
) -> Relation:
    """Return a relation as the passages of both texts decide it.

    Two texts share passages where some are aligned, however near they are in meaning; texts of
    which none is aligned are near in meaning, or have no relation. Nothing changes where a text is
    missing.

    Args:
        relation: The relation by fingerprints and semantic profiles.
        query: The query.
        hit: The hit.
        passages: All that were aligned.
    """
    if not query.text or not hit.text:
        return relation
    return _by_passages_or_meaning(relation, with_reuse(relation, query, hit, passages))


def _by_passages_or_meaning(relation: Relation, aligned: Relation) -> Relation:
    if relation.semantics is None or aligned.kind in VERSION_KINDS:
        return aligned
    semantic = semantic_relation(relation.id, relation.index, relation.semantics)
    if aligned.kind == "none":
        return replace(aligned, kind="semantic", score=semantic.score)
    return replace(aligned, score=max(aligned.score, semantic.score))


def explained(
    relation: Relation, query: AnalysedText, hit: AnalysedText, min_score: float | None = None
) -> Relation:
    """Return how two texts are related, or that they are not, with all there is to say about it.

    Texts that are less near in meaning than neighbours are not related: no passages are nearest,
    but what little they share in meaning is still there.

    Args:
        relation: The relation by fingerprints and semantic profiles.
        query: The query.
        hit: The hit.
        min_score: Score from which on the index shows relations; None for 0.3. What it shows is
            related.
    """
    passages = aligned_passages(query, hit)
    decided = by_passages(relation, query, hit, passages)
    explained_relation = with_evidence(decided, query, hit, passages)
    least = SHOWN_SCORE if min_score is None else min(min_score, SHOWN_SCORE)
    if decided.kind != "semantic" or decided.score >= least:
        return explained_relation
    return replace(explained_relation, kind="none", evidence=())


def with_evidence(
    relation: Relation, query: AnalysedText, hit: AnalysedText, passages: Sequence[AlignedPassage]
) -> Relation:
    """Return a relation with its passages side by side and the concepts both texts share.

    Args:
        relation: As `by_passages` returned it.
        query: The query.
        hit: The hit.
        passages: All that were aligned.
    """
    if relation.kind == "none" or not query.text or not hit.text:
        return relation
    semantics = relation.semantics
    if semantics is not None:
        semantics = semantic_evidence(semantics, query, hit)
    if relation.kind == "semantic":
        return replace(relation, evidence=nearest_passages(query, hit), semantics=semantics)
    evidence = shared_passages(query, hit, passages)
    return replace(relation, evidence=evidence, semantics=semantics)
