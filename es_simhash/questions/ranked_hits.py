"""What the texts of hits say: candidates are aligned with their queries, and the best returned."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from es_simhash.questions.question_texts import HitTexts
from es_simhash.questions.ranking import ScoredRelations
from es_simhash.relation.alignment.aligned_passages import AlignedPassage
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.answer import Answer, Extent
from es_simhash.relation.decided_pairs import NO_MANUAL_PAIRS, ManualPairsOfDocument
from es_simhash.relation.evidence import by_passages, passages_within_budget, with_evidence
from es_simhash.relation.references import Key
from es_simhash.relation.relation import VERSION_KINDS, Coverage, Relation, as_joined
from es_simhash.relation.scoring import compare_texts
from es_simhash.store.options import SearchOptions
from es_simhash.store.order import Order, best_first
from es_simhash.store.protocol import Steps

# Candidates that are aligned before it is their turn, as what they share may be a passage.
_MAX_WEAK = 3
# Characters of both texts that are aligned before it is their turn: about a second. All of an
# archive of long judgements that quote each other took ten times as long.
_MAX_EARLY = 2_000_000


@dataclass
class RankedHits:
    """The hits of one query, ranked; their texts decide which are listed, and as what.

    Attributes:
        query: Its text.
        scored: The relations by what is stored of the texts.
        by_words: Documents that may share a passage by their words, best first.
        order: The key that sorts relations.
        noted: What a person noted about the query.
    """

    query: AnalysedText
    scored: ScoredRelations
    by_words: Sequence[Key] = ()
    order: Order = best_first
    noted: ManualPairsOfDocument = NO_MANUAL_PAIRS
    _early: set[Key] = field(default_factory=set)
    _put_off: set[Key] = field(default_factory=set)
    _queue: list[Relation] = field(default_factory=list)
    _listed: list[Relation] = field(default_factory=list)
    _decided: dict[Key, tuple[Relation, list[AlignedPassage]]] = field(default_factory=dict)

    @property
    def keys(self) -> list[Key]:
        """Index and id of all that was found."""
        scored = ((relation.index, relation.id) for relation in self.scored.relations)
        return [*scored, *self.by_words]

    def ranked(self, options: SearchOptions) -> list[Relation]:
        """Return the relations of one page, ranked without their texts."""
        return options.select(self.scored.relations, self.order)[options.offset : options.end]

    def by_fingerprints(self, options: SearchOptions) -> list[Relation]:
        """Return the relations to show when no texts are read, in order."""
        self._listed = options.select(self.scored.relations, self.order)
        return self.shown(options)

    def first(self, options: SearchOptions) -> list[Relation]:
        """Return the candidates to align first: those to show, and what passages may raise."""
        related = (relation for relation in self.scored.relations if relation.kind != "none")
        ordered = sorted(related, key=self.order)
        shown = [relation for relation in ordered if options.may_show(relation)]
        pool = {(each.index, each.id): each for each in shown[: options.size]}
        if options.wants_passages:
            known = {(each.index, each.id): each for each in ordered}
            weak = (key for key in self.scored.weak if key in known and key not in pool)
            pool |= {key: known[key] for key in islice(weak, _MAX_WEAK)}
            unsettled = (known.get(key) or _unknown(key) for key in self.by_words)
            # Passages change neither that a version is one nor its score: it waits for its turn.
            for one in unsettled:
                if one.kind not in VERSION_KINDS:
                    pool.setdefault((one.index, one.id), one)
            self._early = {*list(pool)[len(shown[: options.size]) :]}
        # What is aligned out of turn is counted, and aligned, once.
        rest = shown[options.size :]
        self._queue = [each for each in rest if (each.index, each.id) not in pool]
        return list(pool.values())

    @property
    def may_lack_passages(self) -> bool:
        """Whether documents that may share a passage were not aligned, as texts are long."""
        return any((each.index, each.id) in self._put_off for each in self._queue)

    def next(self, options: SearchOptions) -> list[Relation]:
        """Return the candidates to align next; none when enough are listed.

        The list grows page by page, and what is listed stays: so pages of one size never show a
        relation twice, nor leave one out, whatever the texts of later candidates say.
        """
        while len(self._listed) < options.end:
            waiting = self._waiting(options)
            if len(waiting) < options.size and self._queue:
                pool, self._queue = self._queue[: options.size], self._queue[options.size :]
                return pool
            if not waiting:
                break
            self._listed += waiting[: options.size]
        return []

    def _waiting(self, options: SearchOptions) -> list[Relation]:
        """Return the decided relations that may be listed next, in order."""
        listed = {(each.index, each.id) for each in self._listed}
        decided = (one for key, (one, _) in self._decided.items() if key not in listed)
        waiting = options.select((one for one in decided if one.kind != "none"), self.order)
        if options.sorts_by_date and self._queue:
            # What was aligned out of turn waits for those before it.
            next_key = self.order(self._queue[0])
            waiting = [relation for relation in waiting if self.order(relation) <= next_key]
        return waiting

    def align(
        self, pool: Sequence[Relation], hits: Sequence[AnalysedText], options: SearchOptions
    ) -> list[Relation]:
        """Align candidates; return them without those that come before their turn and are too long.

        Args:
            pool: The candidates, best first.
            hits: Their texts.
            options: What to show.
        """
        early = [(each.index, each.id) in self._early for each in pool]
        aligned, waiting = [], []
        for relation, passages in zip(
            pool, passages_within_budget(self.query, hits, early, _MAX_EARLY), strict=True
        ):
            if passages is None:
                waiting.append(relation)
                continue
            self._decided[relation.index, relation.id] = relation, passages
            aligned.append(relation)
        self._put_off_to_their_turn(waiting, options)
        return aligned

    def _put_off_to_their_turn(self, waiting: Sequence[Relation], options: SearchOptions) -> None:
        self._early.clear()
        self._put_off |= {(each.index, each.id) for each in waiting}
        inserted = [each for each in waiting if each.kind != "none" or options.sorts_by_date]
        if inserted:
            self._queue = sorted([*self._queue, *inserted], key=self.order)
        if not options.sorts_by_date:
            # Scores do not order what was not compared: it comes last, as the search had it.
            self._queue += [each for each in waiting if each.kind == "none"]

    def uncompared(self, pool: Iterable[Relation]) -> list[Relation]:
        """Return aligned candidates that were not compared, and share a passage."""
        return [
            each for each in pool if each.kind == "none" and self._decided[each.index, each.id][1]
        ]

    def decide(self, candidate: Relation, hit: AnalysedText, *, distinctive: bool) -> None:
        """Take what the text of an aligned candidate says.

        Args:
            candidate: The candidate.
            hit: Its text.
            distinctive: Whether passages that are common do not count.
        """
        key = candidate.index, candidate.id
        relation, passages = self._decided[key]
        if relation.kind == "none" and passages:
            compared = compare_texts(self.query, hit, self.scored.threshold)
            # It may have been left out of the ranking for what is common.
            common = self.scored.common.get(key)
            relation = replace(compared, id=relation.id, index=relation.index, common=common)
        if relation.id in self.noted.dismissed:
            relation = replace(relation, dismissed=True)
        if relation.id in self.noted.joined:
            relation = as_joined(relation)
        aligned = by_passages(relation, self.query, hit, passages)
        if distinctive and aligned.is_boilerplate and relation.semantics is not None:
            # What is common does not count: they are about the same.
            aligned = by_passages(relation, self.query, hit, [])
        self._decided[key] = aligned, passages

    def shown(self, options: SearchOptions) -> list[Relation]:
        """Return the relations of one page of the list."""
        return self.scored.with_coverage(self._listed[options.offset : options.end])

    def answer(self, relations: Iterable[Relation], options: SearchOptions) -> Answer:
        """Return the answer of these relations, with what there is beyond them."""
        listed = {(each.index, each.id) for each in self._listed}
        decided = (one for key, (one, _) in self._decided.items() if key not in listed)
        more = [one for one in (*decided, *self._queue) if one.kind != "none"]
        further = self._listed[options.end :] + options.select(more)
        extent = Extent(
            total=sum(1 + one.copies for one in (*self._listed[: options.end], *further)),
            is_estimate=self.may_lack_passages or any(map(options.may_change, self._queue)),
            offset=options.offset,
            next_offset=options.end if further else None,
        )
        return Answer(relations, extent=extent)

    def evidence(self, relation: Relation, hit: AnalysedText) -> Relation:
        """Return a relation that was decided, with its evidence."""
        _, passages = self._decided[relation.index, relation.id]
        return with_evidence(relation, self.query, hit, passages)


def aligned(
    queries: Sequence[RankedHits], hits: HitTexts, options: SearchOptions
) -> Steps[list[list[Relation]]]:
    """Return the relations to show of each query, as the texts of its candidates decide.

    Args:
        queries: The hits of each query.
        hits: Their texts.
        options: What to show.
    """
    pools = [query.first(options) for query in queries]
    while any(pools):
        yield from hits.fetch([relation for pool in pools for relation in pool])
        pools = [
            query.align(pool, [hits.text(candidate) for candidate in pool], options)
            for query, pool in zip(queries, pools, strict=True)
        ]
        new = [
            relation
            for query, pool in zip(queries, pools, strict=True)
            for relation in query.uncompared(pool)
        ]
        yield from hits.read_profiles(new)
        for query, pool in zip(queries, pools, strict=True):
            for relation in pool:
                query.decide(relation, hits.text(relation), distinctive=options.distinctive)
        pools = [query.next(options) for query in queries]
    shown = [query.shown(options) for query in queries]
    if not options.evidence:
        return shown
    yield from hits.read_profiles([relation for relations in shown for relation in relations])
    return [
        [query.evidence(relation, hits.text(relation)) for relation in relations]
        for query, relations in zip(queries, shown, strict=True)
    ]


def _unknown(key: Key) -> Relation:
    return Relation(key[1], "none", 0.0, Coverage(0.0, 0.0), index=key[0])
