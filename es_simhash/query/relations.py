"""The relations to show of one query, from what the searches found."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from es_simhash.query.neighbours import Neighbour
from es_simhash.query.options import SearchOptions
from es_simhash.query.ranking import ranked
from es_simhash.relation.commonness import with_commonness
from es_simhash.relation.model import Relation, semantic_score
from es_simhash.relation.scoring import (
    Candidate,
    rounded_coverages,
    score_candidates,
    unshared_score,
)
from es_simhash.relation.thresholds import SHOWN_SCORE
from es_simhash.relation.version_score import ScoredText

_Key = tuple[str | None, str | None]


def relations_to_show(
    query: ScoredText,
    candidates: Sequence[Candidate],
    neighbours: Sequence[Neighbour],
    options: SearchOptions,
    dismissed: Collection[str] = (),
) -> list[Relation]:
    """Return the relations of a query to show, best first.

    Args:
        query: The query; not an empty text.
        candidates: What was found, the neighbours among them.
        neighbours: Documents near in meaning.
        options: What to show.
        dismissed: Ids of documents that a person dismissed as versions of the query.
    """
    similarities = {(near.index, near.id): near.semantics.similarity for near in neighbours}
    decided = {
        key: candidate
        for candidate in candidates
        if (key := (candidate.index, candidate.id)) in similarities
        and _is_only_near(query, candidate, similarities[key], options.min_score)
    }
    scored = [
        candidate for candidate in candidates if (candidate.index, candidate.id) not in decided
    ]
    by_shingles = with_commonness(score_candidates(query, scored), scored)
    return _with_coverage(query, ranked(by_shingles, neighbours, options, dismissed), decided)


def _is_only_near(query: ScoredText, candidate: Candidate, similarity: float, least: float) -> bool:
    """Check whether a neighbour shares nothing, and its chunks cannot show it as anything else.

    That is so for most of them, and comparing chunks takes longer than all else.
    """
    if candidate.same_content or len(candidate.shared):
        return False
    greatest = unshared_score(query, candidate)
    near = semantic_score(similarity)
    return greatest < SHOWN_SCORE and (greatest < near or max(greatest, near) < least)


def _with_coverage(
    query: ScoredText, relations: Sequence[Relation], decided: Mapping[_Key, Candidate]
) -> list[Relation]:
    """Return relations with the coverage of those that were decided without it."""
    shown = [
        candidate
        for relation in relations
        if (candidate := decided.get((relation.index, relation.id))) is not None
    ]
    covered = iter(rounded_coverages(query, shown))
    return [
        replace(relation, coverage=next(covered))
        if (relation.index, relation.id) in decided
        else relation
        for relation in relations
    ]
