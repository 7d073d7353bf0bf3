"""What the texts of a pair say beyond their fingerprints: aligned passages and shared concepts."""

from collections.abc import Sequence
from dataclasses import replace

from es_simhash.relation.alignment.align import AlignedPassage
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.combination import semantic_relation
from es_simhash.relation.model import VERSION_KINDS, Relation
from es_simhash.relation.passages import aligned_passages, shared_passages
from es_simhash.relation.reuse import with_reuse
from es_simhash.relation.semantic_evidence import nearest_passages, semantic_evidence
from es_simhash.relation.thresholds import SHOWN_SCORE


def with_passages(relation: Relation, query: AnalysedText, hit: AnalysedText) -> Relation:
    """Return a relation as the passages of both texts decide it, with its evidence.

    Args:
        relation: By fingerprints and semantic profiles.
        query: The query.
        hit: The hit.
    """
    passages = aligned_passages(query, hit)
    return with_evidence(settled(relation, query, hit, passages), query, hit, passages)


def explained(
    relation: Relation, query: AnalysedText, hit: AnalysedText, min_score: float | None = None
) -> Relation:
    """Return how two texts are related, or that they are not, with all there is to say about it.

    Texts that are less near in meaning than neighbours are not related: no passages are nearest,
    but what little they share in meaning is still there.

    Args:
        relation: By fingerprints and semantic profiles.
        query: The query.
        hit: The hit.
        min_score: Score from which on the index shows relations; None for 0.3. What it shows is
            related.
    """
    found = with_passages(relation, query, hit)
    least = SHOWN_SCORE if min_score is None else min(min_score, SHOWN_SCORE)
    if found.kind != "semantic" or found.score >= least:
        return found
    return replace(found, kind="none", evidence=())


def settled(
    relation: Relation, query: AnalysedText, hit: AnalysedText, passages: Sequence[AlignedPassage]
) -> Relation:
    """Return a relation as the passages of both texts decide it.

    Two texts share passages where some are aligned, however near they are in meaning; texts of
    which none is aligned are near in meaning, or have no relation. Nothing changes where a text is
    missing.

    Args:
        relation: By fingerprints and semantic profiles.
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


def with_evidence(
    relation: Relation, query: AnalysedText, hit: AnalysedText, passages: Sequence[AlignedPassage]
) -> Relation:
    """Return a relation with its passages side by side and the concepts both texts share.

    Args:
        relation: As `settled` returned it.
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
