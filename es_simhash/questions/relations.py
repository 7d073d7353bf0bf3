"""The relations to show of one query, from what the searches found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from es_simhash.questions.ranking import merged
from es_simhash.relation.candidate import Candidate
from es_simhash.relation.decided_pairs import NO_MANUAL_PAIRS, ManualPairsOfDocument
from es_simhash.relation.relation import Relation, semantic_score
from es_simhash.relation.scoring import (
    rounded_coverages,
    score_candidates,
    unshared_score,
    with_commonness,
)
from es_simhash.relation.thresholds import SHOWN_SCORE
from es_simhash.relation.version_value import ScoredText
from es_simhash.store.neighbour import Neighbour
from es_simhash.store.options import SearchOptions
from es_simhash.store.rows import Key


@dataclass(frozen=True)
class ScoredRelations:
    """The relations of one query by what is stored of the texts, each document once, in no order.

    Attributes:
        query: The query.
        relations: Those of all that was found.
        undecided: Neighbours that share nothing, and whose chunks were not compared.
        threshold: Where versions begin.
    """

    query: ScoredText
    relations: Sequence[Relation]
    undecided: Mapping[Key, Candidate]
    threshold: float

    def with_coverage(self, relations: Sequence[Relation]) -> list[Relation]:
        """Return relations, also with the coverage of those whose chunks were not compared."""
        shown = [
            candidate
            for relation in relations
            if (candidate := self._uncovered(relation)) is not None
        ]
        covered = iter(rounded_coverages(self.query, shown))
        return [
            relation
            if self._uncovered(relation) is None
            else replace(relation, coverage=next(covered))
            for relation in relations
        ]

    def _uncovered(self, relation: Relation) -> Candidate | None:
        if relation.kind != "semantic":
            return None
        return self.undecided.get((relation.index, relation.id))


def scored_relations(
    query: ScoredText,
    candidates: Sequence[Candidate],
    neighbours: Sequence[Neighbour],
    options: SearchOptions,
    threshold: float,
    noted: ManualPairsOfDocument = NO_MANUAL_PAIRS,
) -> ScoredRelations:
    """Return the relations of a query to all that was found.

    Args:
        query: The query; not an empty text.
        candidates: What was found, the neighbours among them.
        neighbours: Documents near in meaning.
        options: What to show.
        threshold: Where versions begin in the index.
        noted: What a person noted about the query.
    """
    similarities = {(near.index, near.id): near.semantics.similarity for near in neighbours}
    undecided = {
        key: candidate
        for candidate in candidates
        if (key := (candidate.index, candidate.id)) in similarities
        and candidate.id not in noted.joined
        and _is_only_near(query, candidate, similarities[key], options.least_score)
    }
    scored = [
        candidate for candidate in candidates if (candidate.index, candidate.id) not in undecided
    ]
    by_shingles = with_commonness(score_candidates(query, scored, threshold), scored)
    relations = merged(by_shingles, neighbours, options, noted.dismissed, noted.joined)
    return ScoredRelations(query, relations, undecided, threshold)


def _is_only_near(query: ScoredText, candidate: Candidate, similarity: float, least: float) -> bool:
    """Check whether a neighbour shares nothing, and its chunks cannot show it as anything else.

    That is so for most of them, and comparing chunks takes longer than all else.
    """
    if candidate.same_content or len(candidate.shared):
        return False
    greatest = unshared_score(query, candidate)
    near = semantic_score(similarity)
    return greatest < SHOWN_SCORE and (greatest < near or max(greatest, near) < least)
