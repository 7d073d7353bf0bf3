"""What the texts of hits say: candidates are aligned with their queries, and the best returned."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Protocol

from es_simhash.errors import InputError
from es_simhash.query.options import SearchOptions, best_first
from es_simhash.query.ranking import Key, Rank
from es_simhash.query.relations import ScoredRelations
from es_simhash.relation.alignment.align import AlignedPassage
from es_simhash.relation.analysed_text import AnalysedText, set_profile
from es_simhash.relation.compare import compare_texts
from es_simhash.relation.evidence import settled, with_evidence
from es_simhash.relation.joined import as_joined
from es_simhash.relation.model import Coverage, Relation
from es_simhash.relation.passages import passages_of_each
from es_simhash.search.query_document import QueryDocument
from es_simhash.semantics.profile import SemanticProfile

# Candidates that are aligned although they share too little to be shown for that.
_MAX_WEAK = 3

ReadProfiles = Callable[[Sequence[QueryDocument]], None]


class Texts(Protocol):
    """The texts of candidates, as `HitTexts` fetches them."""

    def fetch(self, relations: Collection[Relation]) -> None:
        """Fetch the documents of candidates."""

    def document(self, relation: Relation) -> QueryDocument:
        """Return the document of a candidate that was fetched."""

    def text(self, relation: Relation) -> AnalysedText:
        """Return the text of a candidate that was fetched."""


@dataclass
class Found:
    """What was found for one query.

    Attributes:
        query: Its text.
        scored: The relations by what is stored of the texts.
        by_words: Documents that may share a passage by their words, best first.
        rank: What relations are ordered by in place of their scores; None for these.
        dismissed: Ids of documents that a person dismissed as versions of the query.
        joined: Ids of documents that a person joined with the query.
    """

    query: AnalysedText
    scored: ScoredRelations
    by_words: Sequence[Key] = ()
    rank: Rank | None = None
    dismissed: Collection[str] = ()
    joined: Collection[str] = ()
    _queue: list[Relation] = field(default_factory=list)
    _settled: dict[Key, tuple[Relation, list[AlignedPassage]]] = field(default_factory=dict)

    def by_fingerprints(self, options: SearchOptions) -> list[Relation]:
        """Return the relations to show when no texts are read, best first."""
        return self.scored.with_coverage(options.select(self.scored.relations, self.rank))

    def first(self, options: SearchOptions) -> list[Relation]:
        """Return the candidates to align first: those to show, and what passages may raise."""
        related = (relation for relation in self.scored.relations if relation.kind != "none")
        ordered = sorted(related, key=lambda relation: best_first(relation, self.rank))
        shown = [relation for relation in ordered if options.may_show(relation)]
        self._queue = shown[options.size :]
        pool = {(each.index, each.id): each for each in shown[: options.size]}
        if options.wants_passages:
            known = {(each.index, each.id): each for each in ordered}
            weak = (each for each in ordered if each.kind == "shares_passages")
            unshown = (each for each in weak if not options.may_show(each))
            pool |= {(each.index, each.id): each for each in islice(unshown, _MAX_WEAK)}
            for key in self.by_words:
                pool.setdefault(key, known.get(key) or _unknown(key))
        return list(pool.values())

    def next(self, options: SearchOptions) -> list[Relation]:
        """Return the candidates to align next; none when enough are shown."""
        if len(self.shown(options)) >= options.size:
            return []
        pool, self._queue = self._queue[: options.size], self._queue[options.size :]
        return pool

    def align(self, pool: Sequence[Relation], hits: Sequence[AnalysedText]) -> list[Relation]:
        """Align candidates; return those that were not compared, and share a passage."""
        aligned = passages_of_each(self.query, hits)
        for relation, passages in zip(pool, aligned, strict=True):
            self._settled[relation.index, relation.id] = relation, passages
        return [
            relation
            for relation, passages in zip(pool, aligned, strict=True)
            if passages and relation.kind == "none"
        ]

    def settle(self, candidate: Relation, hit: AnalysedText, *, distinctive: bool) -> None:
        """Take what the text of an aligned candidate says.

        Args:
            candidate: The candidate.
            hit: Its text.
            distinctive: Whether passages that are common do not count.
        """
        key = candidate.index, candidate.id
        relation, passages = self._settled[key]
        if relation.kind == "none" and passages:
            compared = compare_texts(self.query, hit)
            relation = replace(compared, id=relation.id, index=relation.index)
        if relation.id in self.dismissed:
            relation = replace(relation, dismissed=True)
        if relation.id in self.joined:
            relation = as_joined(relation)
        aligned = settled(relation, self.query, hit, passages)
        if distinctive and aligned.is_boilerplate and relation.semantics is not None:
            # What is common does not count: they are about the same.
            aligned = settled(relation, self.query, hit, [])
        self._settled[key] = aligned, passages

    def shown(self, options: SearchOptions) -> list[Relation]:
        """Return the relations to show of those that are settled, best first."""
        relations = [relation for relation, _ in self._settled.values()]
        return options.select(
            (relation for relation in relations if relation.kind != "none"), self.rank
        )

    def evidence(self, relation: Relation, hit: AnalysedText) -> Relation:
        """Return a settled relation with its evidence."""
        _, passages = self._settled[relation.index, relation.id]
        return with_evidence(relation, self.query, hit, passages)


def settle(
    found: Sequence[Found], hits: Texts, options: SearchOptions, read_profiles: ReadProfiles
) -> list[list[Relation]]:
    """Return the relations to show of each query, as the texts of its candidates decide.

    Args:
        found: What was found for each query.
        hits: The texts of the candidates.
        options: What to show.
        read_profiles: Reads semantic profiles together.
    """
    pools = [each.first(options) for each in found]
    while any(pools):
        hits.fetch([relation for pool in pools for relation in pool])
        new = [
            relation
            for each, pool in zip(found, pools, strict=True)
            for relation in each.align(pool, [hits.text(one) for one in pool])
        ]
        _read_profiles(new, hits, read_profiles)
        for each, pool in zip(found, pools, strict=True):
            for relation in pool:
                each.settle(relation, hits.text(relation), distinctive=options.distinctive)
        pools = [each.next(options) for each in found]
    shown = [each.scored.with_coverage(each.shown(options)) for each in found]
    if not options.evidence:
        return shown
    _read_profiles([relation for relations in shown for relation in relations], hits, read_profiles)
    return [
        [each.evidence(relation, hits.text(relation)) for relation in relations]
        for each, relations in zip(found, shown, strict=True)
    ]


def _unknown(key: Key) -> Relation:
    return Relation(key[1], "none", 0.0, Coverage(0.0, 0.0), index=key[0])


def _read_profiles(relations: Iterable[Relation], hits: Texts, read_profiles: ReadProfiles) -> None:
    """Read the profiles of hits from their texts: the index keeps less than evidence shows."""
    documents = {document.ref: document for document in map(hits.document, relations)}
    _read_each(list(documents.values()), read_profiles)


def _read_each(documents: Sequence[QueryDocument], read_profiles: ReadProfiles) -> None:
    try:
        read_profiles(documents)
    except InputError:
        # Someone has written what cannot be read; that hit alone is shown without evidence.
        if len(documents) == 1:
            set_profile(documents[0].text, SemanticProfile())
            return
        for document in documents:
            _read_each([document], read_profiles)
