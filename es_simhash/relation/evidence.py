"""Evidence of a relation: aligned passages, what they say of it, and shared concepts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from es_simhash.relation.alignment.aligned_passages import AlignedPassage, align
from es_simhash.relation.alignment.screening import may_share_passages
from es_simhash.relation.alignment.sentence_words import WordsOfTexts
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.relation import (
    VERSION_KINDS,
    Coverage,
    Relation,
    Reuse,
    SharedPassage,
    semantic_relation,
    semantic_score,
)
from es_simhash.relation.thresholds import (
    REUSE_KINDS,
    SCORE_DIGITS,
    SHARED_SCORE,
    SHOWN_SCORE,
    VERSION_SCORE,
    ReuseKind,
)
from es_simhash.semantics.near_words import near_words
from es_simhash.semantics.semantic_profile import VOCABULARY_PREFIX, concept_term
from es_simhash.semantics.semantic_similarity import NearWords, SemanticSimilarity, SharedConcept
from es_simhash.semantics.shared_concepts import shared_concepts
from es_simhash.semantics.similarity import VECTOR_WEIGHT, have_comparable_vectors
from es_simhash.semantics.spellings import Spellings
from es_simhash.semantics.vocabularies.shared_vocabulary import common_concepts
from es_simhash.semantics.word_places import WordPlaces, placed
from es_simhash.text.lines import title_of
from es_simhash.text.normal_forms import normalise_all
from es_simhash.text.segmentation import batches_of_texts, segment, text_batches

# What is shared by texts that share no passage is below this.
_LEAST_SHARED = SHARED_SCORE - 0.0001


def aligned_passages(query: AnalysedText, hit: AnalysedText) -> list[AlignedPassage]:
    """Return the passages of two texts, in the order of the query; none of an empty text."""
    if not query.text or not hit.text:
        return []
    return align(query.sentence_words, hit.sentence_words)


def passages_of_each(
    query: AnalysedText, hits: Sequence[AnalysedText]
) -> list[list[AlignedPassage]]:
    """Return the passages of a query with each of many texts, which are screened together."""
    aligned = passages_within_budget(query, hits, [False] * len(hits), budget=0)
    return [passages or [] for passages in aligned]


def passages_of_pairs(
    pairs: Sequence[tuple[AnalysedText, AnalysedText]],
) -> Iterator[list[AlignedPassage]]:
    """Yield the passages of each of some pairs of texts, which are divided into words together."""
    for batch in batches_of_texts(pairs, lambda pair: f"{pair[0].text}{pair[1].text}"):
        texts = [text for pair in batch for text in pair]
        normalised = normalise_all([text.text or "" for text in texts])
        words = WordsOfTexts.of(segment(normalised, texts[0].analyser.scheme))
        for place, text in enumerate(texts):
            text.set_words(words, place, with_sentences=True)
        yield from (aligned_passages(*pair) for pair in batch)


def passages_within_budget(
    query: AnalysedText, hits: Sequence[AnalysedText], may_wait: Sequence[bool], budget: int
) -> list[list[AlignedPassage] | None]:
    """Return the passages of a query with each of many texts, which are screened together.

    Args:
        query: The query.
        hits: The texts.
        may_wait: Which of them are only aligned as far as the budget goes.
        budget: Characters of these and of the query, together; of those that screening leaves.

    Returns:
        The passages of each; None for one that the budget left out.
    """
    if not query.text:
        return [[] for _ in hits]
    passages: list[list[AlignedPassage] | None] = []
    for batch in text_batches(hit.text or "" for hit in hits):
        texts = WordsOfTexts.of(segment(normalise_all(batch), query.analyser.scheme))
        may_share = may_share_passages(query.sentence_words, texts)
        for place, hit in enumerate(hits[len(passages) : len(passages) + len(batch)]):
            # Evidence needs the tokens of whatever is shown.
            is_aligned = bool(may_share[place])
            if is_aligned and may_wait[len(passages)]:
                budget -= len(query.text) + len(hit.text or "")
                if budget < 0:
                    passages.append(None)
                    continue
            hit.set_words(texts, place, with_sentences=is_aligned)
            passages.append(aligned_passages(query, hit) if is_aligned else [])
    return passages


def shared_passages(
    query: AnalysedText, hit: AnalysedText, passages: Sequence[AlignedPassage]
) -> tuple[SharedPassage, ...]:
    """Return aligned passages with their offsets and words, those that share most first."""
    ordered = sorted(passages, key=lambda passage: passage.rank_by_weight)
    return tuple(_shown(query, hit, passage) for passage in ordered)


def _shown(query: AnalysedText, hit: AnalysedText, passage: AlignedPassage) -> SharedPassage:
    at, agreement = passage.at, passage.agreement
    return SharedPassage(
        query.span(at.query_start, at.query_end),
        hit.span(at.hit_start, at.hit_end),
        agreement.kind,
        round(agreement.score, SCORE_DIGITS),
        round(1 - agreement.kept, SCORE_DIGITS),
    )


def with_reuse(
    relation: Relation,
    query: AnalysedText,
    hit: AnalysedText,
    passages: Sequence[AlignedPassage],
) -> Relation:
    """Return a relation with the reuse of its passages, which decide whether it shares any.

    Versions stay versions. The score of other texts that share a passage is from 0.3 on, where
    relations are shown, to that of versions, by the share of the text that has more of it; texts
    that are nearer in meaning than that have the score of their similarity.

    Args:
        relation: The relation by fingerprints.
        query: The query.
        hit: The hit.
        passages: All that were aligned.
    """
    is_version = relation.kind in VERSION_KINDS
    if not passages:
        if is_version:
            return relation
        return replace(relation, kind="none", score=min(relation.score, _LEAST_SHARED))
    reuse = _reuse(query, hit, passages)
    if is_version:
        return replace(relation, reuse=reuse)
    share = max(_alike(query, hit, passages))
    score = SHOWN_SCORE + (VERSION_SCORE - SHOWN_SCORE) * share
    score = min(round(score, SCORE_DIGITS), VERSION_SCORE - 0.0001)
    if relation.semantics is not None:
        score = max(score, semantic_score(relation.semantics.similarity))
    coverage = Coverage(*(round(share, SCORE_DIGITS) for share in _covered(query, hit, passages)))
    return replace(relation, kind="shares_passages", score=score, coverage=coverage, reuse=reuse)


def _reuse(query: AnalysedText, hit: AnalysedText, passages: Sequence[AlignedPassage]) -> Reuse:
    shares = {
        kind: _covered(
            query, hit, [passage for passage in passages if passage.agreement.kind == kind]
        )
        for kind in REUSE_KINDS
    }
    most: ReuseKind = max(REUSE_KINDS, key=lambda kind: sum(shares[kind]))
    verbatim, edited, paraphrased = (
        Coverage(*(round(share, SCORE_DIGITS) for share in shares[kind])) for kind in REUSE_KINDS
    )
    information = sum(passage.agreement.information for passage in passages)
    return Reuse(most, verbatim, edited, paraphrased, round(information, 1))


def _covered(
    query: AnalysedText, hit: AnalysedText, passages: Sequence[AlignedPassage]
) -> tuple[float, float]:
    """Return the share of the letters of each text that lies in passages."""
    return _weighted(query, hit, [(passage, 1.0) for passage in passages])


def _alike(
    query: AnalysedText, hit: AnalysedText, passages: Sequence[AlignedPassage]
) -> tuple[float, float]:
    """Return the share of each text in passages, as far as these are alike."""
    return _weighted(query, hit, [(passage, passage.agreement.score) for passage in passages])


def _weighted(
    query: AnalysedText, hit: AnalysedText, passages: Sequence[tuple[AlignedPassage, float]]
) -> tuple[float, float]:
    shares = []
    for number, text in enumerate((query.sentence_words, hit.sentence_words)):
        counts = np.zeros(len(text.tokens))
        for passage, weight in passages:
            start, end = passage.at.sides[number]
            counts[start:end] = np.maximum(counts[start:end], weight)
        # Not by `@`, which starts threads for a long text, and waits for them.
        letters = float((text.token_letters * counts).sum())
        shares.append(letters / max(1, int(text.letters[-1])))
    return shares[0], shares[1]


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
    query_places, hit_places = (
        WordPlaces(side, spellings, title_of(text.text or ""), text.entity_names)
        for side, text in enumerate((query, hit))
    )
    concepts = shared_concepts(profile, hit.profile, spellings, labels)
    shared = placed(concepts, query_places, hit_places)
    shown = similarity.vector + sum(concept.contribution for concept in shared)
    return replace(
        similarity,
        shared=shared,
        # Rounded, as what is left of the difference of equal numbers is not 0.
        others=round(similarity.similarity - shown, 10),
        shared_vocabulary=tuple(concept.sentence() for concept in about),
        near=_near_words(similarity.vector, query, hit, shared, spellings),
    )


def _near_words(
    vector: float,
    query: AnalysedText,
    hit: AnalysedText,
    shared: Sequence[SharedConcept],
    spellings: Spellings,
) -> NearWords:
    if vector <= 0 or not have_comparable_vectors(query.profile, hit.profile):
        return NearWords()
    parts = query.word_parts(hit.profile.vector), hit.word_parts(query.profile.vector)
    return near_words(parts, vector, shared, spellings)


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
