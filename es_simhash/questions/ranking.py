"""Candidates of one text pooled, scored by what is stored of them, and put into one order."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from es_simhash.questions.diversity import without_copies
from es_simhash.relation.candidate import Candidate, ScoredText
from es_simhash.relation.decided_pairs import NO_MANUAL_PAIRS, ManualPairsOfDocument
from es_simhash.relation.references import Key
from es_simhash.relation.relation import (
    Relation,
    as_joined,
    combine,
    semantic_relation,
    semantic_score,
)
from es_simhash.relation.scoring import (
    rounded_coverages,
    score_candidates,
    unshared_scores,
    with_commonness,
)
from es_simhash.relation.thresholds import SHOWN_SCORE
from es_simhash.store.options import Recency, SearchOptions
from es_simhash.store.order import Order, Rank, best_first
from es_simhash.store.rows import Neighbour, SimilarTexts

# Unread neighbours are checked against so many of the best relations, whatever page is shown.
BEST = 10


@dataclass
class CandidatePool:
    """Candidates of one query, each once.

    Attributes:
        by_key: The candidates, by index and id.
        is_cut: Whether a limit cut them.
        is_sharing_cut: Whether it cut those that share shingles.
        uncounted: Those of which it is not known what they share with the query, as the limit cut
            them from those that share shingles.
    """

    by_key: dict[Key, Candidate] = field(default_factory=dict)
    is_cut: bool = False
    is_sharing_cut: bool = False
    uncounted: set[Key] = field(default_factory=set)

    @classmethod
    def of(
        cls,
        query: ScoredText,
        similar: SimilarTexts,
        neighbours: Sequence[Neighbour],
        least: float = 0.0,
    ) -> "CandidatePool":
        """Merge what shares shingles, what is within k, and what is near in meaning.

        Neighbours may share passages as well.

        Args:
            query: The query.
            similar: What shares shingles, and what is within k.
            neighbours: What is near in meaning.
            least: Score from which on relations are shown; what cannot have it is left out.
        """
        is_cut = similar.is_cut or similar.is_cut_within_k
        pool = cls(is_cut=is_cut, is_sharing_cut=similar.is_cut)
        pool._add(similar.sharing, is_counted=True)
        pool._add(similar.within_k, is_counted=not similar.is_cut)
        pool.add_neighbours(query, neighbours, least)
        return pool

    def add_neighbours(
        self, query: ScoredText, neighbours: Sequence[Neighbour], least: float
    ) -> None:
        """Add what is near in meaning, but for what cannot have the score that is shown."""
        self._add(_resembling(query, neighbours, least), is_counted=not self.is_sharing_cut)

    def _add(self, candidates: Sequence[Candidate], *, is_counted: bool) -> None:
        for candidate in candidates:
            key = candidate.index, candidate.id
            if key not in self.by_key:
                self.by_key[key] = candidate
                if not is_counted:
                    self.uncounted.add(key)

    @property
    def uncounted_ids(self) -> tuple[str, ...]:
        """Ids of candidates whose shared shingles are not counted yet."""
        return tuple(sorted({str(id) for _, id in self.uncounted}))

    def count(self, compared: Sequence[Candidate]) -> None:
        """Take what the uncounted ones share; others stay as they are."""
        for candidate in compared:
            key = candidate.index, candidate.id
            if key in self.uncounted:
                self.by_key[key] = candidate
        self.uncounted.clear()

    def add(self, candidates: Sequence[Candidate]) -> None:
        """Add candidates that were requested by their ids."""
        self._add(candidates, is_counted=True)


@dataclass(frozen=True)
class ScoredRelations:
    """The relations of one query by what is stored of the texts, each document once, in no order.

    Attributes:
        query: The query.
        relations: Those of all that was found.
        undecided: Neighbours that share nothing, and whose chunks were not compared.
        threshold: Where versions begin.
        weak: Those that share too little to be versions, however near they are in meaning; those
            that share most come first.
        common: How much of what they share other documents have as well, of all whose shingles
            were compared.
    """

    query: ScoredText
    relations: Sequence[Relation]
    undecided: Mapping[Key, Candidate]
    threshold: float
    weak: Sequence[Key] = ()
    common: Mapping[Key, float | None] = field(default_factory=dict)

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
    known = {(candidate.index, candidate.id) for candidate in candidates}
    neighbours = [
        near
        for near in neighbours
        if _passes(near, options.least_score) or (near.index, near.id) in known
    ]
    similarities = {(near.index, near.id): near.semantics.similarity for near in neighbours}
    free = [candidate for candidate in candidates if candidate.id not in noted.joined]
    undecided = _only_near(query, free, similarities, options.least_score)
    scored = [
        candidate for candidate in candidates if (candidate.index, candidate.id) not in undecided
    ]
    by_shingles = with_commonness(score_candidates(query, scored, threshold), scored)
    relations = merged(by_shingles, neighbours, options, noted.dismissed, noted.joined)
    weak = [relation for relation in by_shingles if relation.kind == "shares_passages"]
    weak_keys = [(relation.index, relation.id) for relation in sorted(weak, key=best_first)]
    common = {(relation.index, relation.id): relation.common for relation in by_shingles}
    return ScoredRelations(query, relations, undecided, threshold, weak_keys, common)


def _passes(neighbour: Neighbour, least: float) -> bool:
    return semantic_score(neighbour.semantics.similarity) >= least


def _resembling(
    query: ScoredText, neighbours: Sequence[Neighbour], least: float
) -> list[Candidate]:
    """Return neighbours as candidates, as far as they can be shown.

    For what they mean, or for what their chunks resemble though they share no shingle.
    """
    near = [(each, each.text) for each in neighbours if each.text is not None]
    greatest = unshared_scores(query, [text for _, text in near])
    shown, nothing = min(SHOWN_SCORE, least), np.zeros(0, np.uint32)
    return [
        Candidate(each.id, text, nothing, index=each.index)
        for (each, text), score in zip(near, greatest, strict=True)
        if score >= shown or _passes(each, least)
    ]


def _only_near(
    query: ScoredText,
    candidates: Sequence[Candidate],
    similarities: Mapping[Key, float],
    least: float,
) -> dict[Key, Candidate]:
    """Return neighbours that share nothing, and whose chunks cannot show them as anything else.

    Those are most of them, and comparing chunks takes longer than all else.

    Args:
        query: The query.
        candidates: What was found.
        similarities: How near in meaning the neighbours among them are.
        least: Score from which on relations are shown.
    """
    apart = [
        candidate
        for candidate in candidates
        if (candidate.index, candidate.id) in similarities
        and not (candidate.same_content or len(candidate.shared))
    ]
    only_near = {}
    for candidate, greatest in zip(apart, unshared_scores(query, apart), strict=True):
        key = candidate.index, candidate.id
        near = semantic_score(similarities[key])
        if greatest < SHOWN_SCORE and (greatest < near or max(greatest, near) < least):
            only_near[key] = candidate
    return only_near


def merged(
    by_shingles: Sequence[Relation],
    neighbours: Sequence[Neighbour],
    options: SearchOptions,
    dismissed: Collection[str] = (),
    joined: Collection[str] = (),
) -> list[Relation]:
    """Return the relations of all that was found, each document once, in no order.

    Args:
        by_shingles: Relations of the candidates for versions, those of kind `none` among them.
        neighbours: Documents near in meaning.
        options: Which neighbours to return, and whether versions of each other are returned once.
        dismissed: Ids of documents that a person dismissed as versions of the query.
        joined: Ids of documents that a person joined with the query: they are versions.
    """
    versions: dict[Key, Relation] = {
        (relation.index, relation.id): as_joined(relation) if relation.id in joined else relation
        for relation in by_shingles
    }
    semantic = []
    for neighbour in neighbours:
        key = neighbour.index, neighbour.id
        relation = semantic_relation(neighbour.id, neighbour.index, neighbour.semantics)
        if key in versions:
            relation = _together(versions[key], relation, options)
        if relation.kind == "semantic":
            versions.pop(key, None)
            semantic.append((relation, neighbour))
        else:
            versions[key] = relation
    return [
        # Before the cut, so that others take the places of those that are left out.
        replace(relation, dismissed=True) if relation.id in dismissed else relation
        for relation in [*versions.values(), *_without_copies(semantic, options)]
    ]


def _together(by_shingles: Relation, semantic: Relation, options: SearchOptions) -> Relation:
    """Return the relation of a document that was found both ways."""
    if options.distinctive and by_shingles.is_boilerplate:
        return replace(semantic, common=by_shingles.common)
    relation = combine(by_shingles, semantic)
    is_lost = relation.kind == "semantic" and not options.may_show(relation)
    if is_lost and by_shingles.kind != "none":
        # A neighbour that is too far away is no reason not to look for passages.
        return replace(by_shingles, semantics=semantic.semantics)
    return relation


def may_lack_nearer(unread: float, shown: Sequence[Relation], options: SearchOptions) -> bool:
    """Check whether a document that was not read may be nearer than one that is shown.

    Args:
        unread: The greatest similarity that one of them may have; 0 for none.
        shown: The relations of one page.
        options: What to show.
    """
    if not unread:
        return False
    greatest = semantic_score(min(1.0, unread))
    if options.recency or options.sorts_by_date or len(shown) < options.size:
        return greatest >= options.least_score
    return greatest > min(relation.score for relation in shown)


def ranked_order(neighbours: Sequence[Neighbour], options: SearchOptions) -> Order:
    """Return the order of relations by score, in which newer neighbours may be preferred."""
    if options.recency is None:
        return best_first
    dates = {(neighbour.index, neighbour.id): neighbour.date for neighbour in neighbours}
    return partial(best_first, rank=_rank(options.recency, dates))


def _rank(recency: Recency, dates: Mapping[Key, float | None]) -> Rank:
    """Return what relations are ordered by: the date moves neighbours, and only their order.

    Were it part of the score, the cut at `min_score` would leave nothing of old documents.
    """

    def rank(relation: Relation) -> float:
        if relation.kind != "semantic":
            return relation.score
        return relation.score * recency.factor(dates.get((relation.index, relation.id)))

    return rank


def _without_copies(
    semantic: Sequence[tuple[Relation, Neighbour]], options: SearchOptions
) -> list[Relation]:
    """Return neighbours without those that are versions of one with a higher score."""
    wanted = [pair for pair in semantic if options.may_show(pair[0])]
    pairs = sorted(wanted, key=lambda pair: best_first(pair[0]))
    if not options.collapse:
        return [relation for relation, _ in pairs]
    return without_copies(
        [relation for relation, _ in pairs],
        [None if near.text is None else near.text.chunks for _, near in pairs],
        [neighbour.family for _, neighbour in pairs],
        # By their dates, any of them may be among the first.
        len(pairs) if options.recency or options.sorts_by_date else max(BEST, options.end),
    )
