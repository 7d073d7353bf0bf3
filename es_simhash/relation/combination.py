"""One relation of a document by all that is known: shingles, semantic profile, what was joined."""

from dataclasses import replace

from es_simhash.relation.model import VERSION_KINDS, Coverage, Relation, semantic_score
from es_simhash.relation.thresholds import SHOWN_SCORE, VERSION_SCORE
from es_simhash.semantics.similarity import SemanticSimilarity

_UNCOVERED = Coverage(0.0, 0.0)


def semantic_relation(id: str | None, index: str | None, semantics: SemanticSimilarity) -> Relation:
    """Return the relation of a document that is near in meaning.

    Args:
        id: Of the document.
        index: Of the document.
        semantics: How near it is.
    """
    score = semantic_score(semantics.similarity)
    if semantics.score != score:
        semantics = replace(semantics, score=score)
    return Relation(id, "semantic", score, _UNCOVERED, index=index, semantics=semantics)


def combine(by_shingles: Relation, semantic: Relation) -> Relation:
    """Return the relation to show: a version is not shown again as a neighbour.

    A document that shares a passage worth showing says so, however near it is in meaning; its score
    is the higher of both.
    """
    if not _prevails(by_shingles, semantic):
        return replace(semantic, coverage=by_shingles.coverage, common=by_shingles.common)
    score = by_shingles.score
    if by_shingles.kind not in VERSION_KINDS:
        score = max(score, semantic.score)
    return replace(by_shingles, score=score, semantics=semantic.semantics)


def as_joined(relation: Relation) -> Relation:
    """Return the relation of two documents that a person joined: they are versions."""
    if relation.kind in VERSION_KINDS:
        return replace(relation, joined=True)
    score = max(relation.score, VERSION_SCORE)
    return replace(relation, kind="version", score=score, joined=True)


def _prevails(by_shingles: Relation, semantic: Relation) -> bool:
    if by_shingles.kind == "none":
        return False
    return by_shingles.score >= SHOWN_SCORE or by_shingles.score >= semantic.score
