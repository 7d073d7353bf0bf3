"""What is related to texts, as steps: analyse, search, rank, align, and read what is shown."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from es_simhash.errors import InputError, UnreadableParts
from es_simhash.questions.current_background import CurrentBackground
from es_simhash.questions.document_contexts import Contexts, hit_conditions, in_context
from es_simhash.questions.question_texts import HitTexts, TextReader
from es_simhash.questions.ranked_hits import RankedHits, aligned
from es_simhash.questions.ranking import (
    BEST,
    CandidatePool,
    may_lack_nearer,
    ranked_order,
    scored_relations,
)
from es_simhash.relation.analysed_text import QueryDocument
from es_simhash.relation.answer import Answer
from es_simhash.relation.decided_pairs import ManualPairs, ManualPairsOfDocument
from es_simhash.relation.evidence import explained
from es_simhash.relation.references import DocumentRef, Key
from es_simhash.relation.relation import Relation, as_joined
from es_simhash.relation.scoring import compare_texts, with_log_odds
from es_simhash.store.config import DocumentFields, IndexConfig
from es_simhash.store.dates import NANOSECONDS, DateField
from es_simhash.store.intents import (
    CompareShingles,
    Find,
    FindIndexState,
    FindNear,
    FindSharedWords,
    FindSimilar,
    Parts,
    Request,
    Where,
)
from es_simhash.store.options import Recency, SearchOptions
from es_simhash.store.order import by_date
from es_simhash.store.own_texts import with_own_texts
from es_simhash.store.protocol import Steps, all_compared, ask
from es_simhash.store.rows import IndexState, Rows, SimilarTexts, TextHits

# Where an unread document may be among the best, so many times the candidates are read, up to a
# maximum: for one question in twenty (docs/semantic-neighbours.md).
_FARTHER, _MOST_FARTHER = 2, 1_000


class OtherVectors(Exception):
    """The index has other word vectors than those that a question was read by."""


@dataclass(frozen=True)
class RelatedSteps:
    """Finds what is related to texts of one index, or to any text.

    Attributes:
        reader: How texts are read; its name is that of the index.
        date_field: The date field that the index is configured with; None without one.
        background: How common words and names are in the index.
        takes_any_vectors: Whether a question is answered by the word vectors that it was read by,
            whatever the index has by now.
    """

    reader: TextReader
    date_field: DateField | None
    background: CurrentBackground
    takes_any_vectors: bool = False

    @property
    def _config(self) -> IndexConfig:
        return self.reader.config

    def answers(
        self, documents: Sequence[QueryDocument], options: SearchOptions
    ) -> Steps[list[Answer]]:
        """Return what is related to each of some texts, searched together.

        Raises:
            OtherVectors: The index has other word vectors by now.
            UnreadableParts: What is stored of a candidate is damaged, and it has no text either.
        """
        if not documents:
            return []
        yield from self.reader.read_profiles(documents)
        try:
            return (yield from self._answers(documents, options))
        except UnreadableParts:
            # To read what is stored of all candidates first would take longer than all else.
            answers = self._answers(documents, options)
            return (yield from with_own_texts(answers, self._config.scheme))

    def _answers(
        self, documents: Sequence[QueryDocument], options: SearchOptions
    ) -> Steps[list[Answer]]:
        contexts = Contexts(self._config, self.date_field)
        wheres = yield from hit_conditions(documents, options, contexts)
        self.background.weigh(documents)
        searched = yield from self._search(documents, wheres, options)
        self._require_vectors(searched.state)
        if self.background.has_changed(documents, searched.state.background):
            # It was not read yet, or another one has taken its place.
            yield from self.background.read(documents)
            searched = yield from self._search(documents, wheres, options)
        noted, by_newest = searched.state.pairs, replace(options, recency=searched.recency)
        yield from _count_shared(documents, searched.pools)
        joined = yield from _add_joined(documents, searched.pools, wheres, noted)
        queries = self._ranked(documents, searched, by_newest, noted)
        if (yield from _read_farther(documents, wheres, searched, queries, by_newest)):
            queries = self._ranked(documents, searched, by_newest, noted)
        for query, hits in zip(queries, searched.by_words, strict=True):
            query.by_words = hits.keys
        yield from self._order(queries, contexts, options)
        is_given = any(document.ref is None for document in documents)
        places = {**searched.places, **joined}
        shown = yield from self._shown(queries, places, options, is_given=is_given)
        if self._wants_context(options):
            shown = yield from in_context(contexts, documents, shown)
        return [
            replace(
                _answer(query, document, relations, is_cut, contexts, options),
                other_vectors=near.other_vectors,
                left_out=self._config.left_out,
            )
            for query, document, relations, is_cut, near in zip(
                queries,
                documents,
                shown,
                searched.is_cut(shown, options),
                searched.near,
                strict=True,
            )
        ]

    def explained(self, id_a: str, id_b: str) -> Steps[Relation]:
        """Return the relation of two stored documents, with all its evidence."""
        query, hit = yield from self.reader.stored([id_a, id_b])
        yield from self.reader.read_profiles([query, hit])
        self.background.weigh([query])
        state = yield from ask(FindIndexState((id_a,)))
        self._require_vectors(state)
        if self.background.has_changed([query], state.background):
            yield from self.background.read([query])
        compared = compare_texts(query.text, hit.text, self._config.versions_from)
        if id_b in state.pairs.joined.others(id_a):
            # Before the evidence, which is that of versions then, as `related` has it.
            compared = as_joined(compared)
        relation = explained(compared, query.text, hit.text, self._config.min_score)
        relation = with_log_odds(relation, query.text, hit.text)
        relation = replace(
            relation,
            id=id_b,
            index=hit.ref.index if hit.ref else None,
            dismissed=id_b in state.pairs.dismissed.get(id_a, ()),
        )
        if self._config.documents == DocumentFields():
            return relation
        contexts = Contexts(self._config, self.date_field)
        ((relation,),) = yield from in_context(contexts, [query], [[relation]])
        return relation

    def _require_vectors(self, state: IndexState) -> None:
        """Reject other word vectors than those that texts were read by.

        Raises:
            OtherVectors: The index has other ones by now.
        """
        semantics, table = self._config.semantics, self._config.table
        if self.takes_any_vectors or semantics is None or not semantics.is_learned:
            return
        if state.vectors != (None if table is None else table.name):
            raise OtherVectors

    def requests(
        self, document: QueryDocument, options: SearchOptions
    ) -> Steps[list[Request[Any]]]:
        """Return the requests for one text; only the families of hits are read."""
        yield from self.reader.read_profiles([document])
        contexts = Contexts(self._config, self.date_field)
        (where,) = yield from hit_conditions([document], options, contexts)
        yield from self.background.read([document])
        return self._requests(document, where, options)

    def _requests(
        self, document: QueryDocument, where: Where, options: SearchOptions
    ) -> list[Request[Any]]:
        """Return the requests for candidates of a text; none for one without words."""
        text, candidates = document.text, options.limits.candidates
        if text.is_empty:
            return []
        requests: list[Request[Any]] = [
            FindSimilar(text.fingerprints, where, options.k, candidates),
            _find_near(document, where, candidates, options),
        ]
        if options.wants_passages:
            requests.append(FindSharedWords(text, text.profile.language, where, options.size))
        return requests

    def _search(
        self,
        documents: Sequence[QueryDocument],
        wheres: Sequence[Where],
        options: SearchOptions,
    ) -> "Steps[_Searched]":
        """Search for candidates of all texts, and what is stored of the index, with one request."""
        requests = [
            self._requests(document, where, options)
            for document, where in zip(documents, wheres, strict=True)
        ]
        ids = tuple(id for document in documents for id in document.own_ids)
        searches = [request for some in requests for request in some]
        newest = _newest(options) if any(requests) else []
        state, *answers = yield [FindIndexState(ids), *newest, *searches]
        searched = _Searched(state, options.least_score)
        searched.recency = _since_newest(options.recency, answers[0] if newest else None)
        remaining = iter(answers[len(newest) :])
        for document, some in zip(documents, requests, strict=True):
            searched.add(document, [next(remaining) for _ in some])
        return searched

    def _ranked(
        self,
        documents: Sequence[QueryDocument],
        searched: "_Searched",
        options: SearchOptions,
        noted: ManualPairs,
    ) -> list[RankedHits]:
        """Rank the hits of each text without reading their texts."""
        return [
            self._ranked_hits(document, pool, near, options, noted)
            for document, pool, near in zip(documents, searched.pools, searched.near, strict=True)
        ]

    def _ranked_hits(
        self,
        document: QueryDocument,
        pool: CandidatePool,
        near: TextHits,
        options: SearchOptions,
        noted: ManualPairs,
    ) -> RankedHits:
        """Rank the hits of one text without reading their texts."""
        dismissed = {other for id in document.own_ids for other in noted.dismissed.get(id, ())}
        others = ManualPairsOfDocument(dismissed, _joined_with(document, noted))
        candidates = list(pool.by_key.values())
        scored = scored_relations(
            document.text, candidates, near.neighbours, options, self._config.versions_from, others
        )
        order = ranked_order(near.neighbours, options)
        return RankedHits(document.text, scored, order=order, noted=others)

    def _order(
        self, queries: Sequence[RankedHits], contexts: Contexts, options: SearchOptions
    ) -> Steps[None]:
        """Order hits by date, where that is wanted.

        Raises:
            InputError: The index is configured with no date field.
        """
        if not options.sorts_by_date:
            return
        name = self.reader.name
        if self.date_field is None:
            raise InputError(
                f"Index {name!r} has no date field to sort by. Run "
                f"`es-simhash config {name} --date-field FIELD`.",
                parameter="sort",
            )
        dates = yield from contexts.dates({key for query in queries for key in query.keys})
        for query in queries:
            query.order = by_date(dates, newest_first=options.sort == "-date")

    def _shown(
        self,
        queries: Sequence[RankedHits],
        places: dict[Key, DocumentRef],
        options: SearchOptions,
        *,
        is_given: bool,
    ) -> Steps[list[list[Relation]]]:
        """Return the relations of each query, with the requested fields and the evidence.

        Args:
            queries: The queries.
            places: Where hits are.
            options: What to show.
            is_given: Whether a query is a text, not a document.
        """
        hits = HitTexts(self.reader, options, places)
        if options.passages:
            answers = yield from aligned(queries, hits, options)
            yield from hits.require_text(is_given=is_given)
        else:
            answers = [query.by_fingerprints(options) for query in queries]
        if options.fields:
            yield from hits.fetch([relation for relations in answers for relation in relations])
        shown = []
        for relations in answers:
            shown.append((yield from hits.with_fields(relations)))
        return shown

    def _wants_context(self, options: SearchOptions) -> bool:
        if options.context is None:
            return self._config.documents != DocumentFields()
        return options.context


class _Searched:
    """What the searches found for each of some texts.

    Args:
        state: What is stored of the index as a whole.
        least: Score from which on relations are shown.
    """

    def __init__(self, state: IndexState, least: float) -> None:
        self.state = state
        self._least = least
        self.recency: Recency | None = None
        self.pools: list[CandidatePool] = []
        self.near: list[TextHits] = []
        self.by_words: list[TextHits] = []
        self.places: dict[Key, DocumentRef] = {}

    def add(self, document: QueryDocument, answers: Sequence[Any]) -> None:
        """Add the answers for one text; there are none for one without words."""
        similar: SimilarTexts = answers[0] if answers else SimilarTexts()
        near: TextHits = answers[1] if answers else TextHits()
        by_words: TextHits = answers[2] if len(answers) > 2 else TextHits()
        pool = CandidatePool.of(document.text, similar, near.neighbours, self._least)
        self.pools.append(pool)
        self.near.append(near)
        self.by_words.append(by_words)
        self.places |= {**similar.places, **near.places, **by_words.places}

    def read_farther(self, number: int, document: QueryDocument, near: TextHits) -> None:
        """Take more neighbours of a text in place of those that were read first."""
        self.pools[number].add_neighbours(document.text, near.neighbours, self._least)
        self.near[number] = near
        self.places |= near.places

    def is_cut(self, shown: Sequence[Sequence[Relation]], options: SearchOptions) -> list[bool]:
        """Return whether a limit cut what was found for each text, so that there may be better."""
        return [
            pool.is_cut or words.is_cut or may_lack_nearer(near.unread, relations, options)
            for pool, words, near, relations in zip(
                self.pools, self.by_words, self.near, shown, strict=True
            )
        ]


def _find_near(
    document: QueryDocument, where: Where, candidates: int, options: SearchOptions
) -> FindNear:
    date = None if options.recency is None else DateField(options.recency.field)
    return FindNear(document.text.profile, where, candidates, date)


def _newest(options: SearchOptions) -> list[Request[Rows]]:
    """Return the request for the newest document; none where ages are not counted from it."""
    if options.recency is None or options.recency.origin is not None:
        return []
    date = DateField(options.recency.field)
    where = Where(options.filters, has_fields=(date.name,))
    return [Find(where, Parts(date=date), size=1, order=("newest",), date=date)]


def _since_newest(recency: Recency | None, newest: Rows | None) -> Recency | None:
    """Return the recency with ages counted from the newest document, or from now if it is later."""
    if recency is None or newest is None:
        return recency
    dates = [row.date for row in newest.rows if row.date is not None]
    if not dates:
        return recency
    return replace(recency, origin=min(dates[0] / NANOSECONDS, time.time() * 1000))


def _read_farther(
    documents: Sequence[QueryDocument],
    wheres: Sequence[Where],
    searched: _Searched,
    queries: Sequence[RankedHits],
    options: SearchOptions,
) -> Steps[bool]:
    """Read more neighbours of texts where one that was not read may be among the best.

    Returns:
        Whether any were read.
    """
    candidates = min(_FARTHER * options.limits.candidates, _MOST_FARTHER)
    has_unread = [number for number, near in enumerate(searched.near) if near.unread]
    if candidates <= options.limits.candidates or not has_unread:
        return False
    best = replace(options, size=BEST, offset=0)
    pending = [
        (number, _find_near(documents[number], wheres[number], candidates, options))
        for number in has_unread
        if may_lack_nearer(searched.near[number].unread, queries[number].ranked(best), best)
    ]
    answers = (yield [request for _, request in pending]) if pending else []
    for (number, _), near in zip(pending, answers, strict=True):
        searched.read_farther(number, documents[number], near)
    if pending:
        yield from _count_shared(documents, searched.pools)
    return bool(pending)


def _count_shared(
    documents: Sequence[QueryDocument], pools: Sequence[CandidatePool]
) -> Steps[None]:
    """Ask what candidates share that a limit cut from those that share shingles; mostly none."""
    pending = [
        (pool, CompareShingles(document.text.fingerprints, pool.uncounted_ids))
        for document, pool in zip(documents, pools, strict=True)
        if pool.uncounted
    ]
    answers = yield from all_compared([request for _, request in pending])
    for (pool, _), compared in zip(pending, answers, strict=True):
        pool.count([candidate for each in compared for candidate in each.sharing])


def _add_joined(
    documents: Sequence[QueryDocument],
    pools: Sequence[CandidatePool],
    wheres: Sequence[Where],
    noted: ManualPairs,
) -> Steps[dict[Key, DocumentRef]]:
    """Add what a person joined with a query and was not found; mostly there is nothing.

    Returns:
        Where the documents are that were added.
    """
    pending = []
    for document, pool, where in zip(documents, pools, wheres, strict=True):
        known = {str(id) for _, id in pool.by_key}
        wanted = _joined_with(document, noted) - known - {*where.excluded_ids}
        if wanted and not document.text.is_empty:
            conditions = replace(where, excluded_ids=(), fingerprinted=True)
            ids = tuple(sorted(wanted))
            pending.append((pool, CompareShingles(document.text.fingerprints, ids, conditions)))
    places: dict[Key, DocumentRef] = {}
    answers = yield from all_compared([request for _, request in pending])
    for (pool, _), compared in zip(pending, answers, strict=True):
        for each in compared:
            pool.add(each.sharing)
            places |= each.places
    return places


def _joined_with(document: QueryDocument, noted: ManualPairs) -> set[str]:
    """Return the ids of the documents that are joined with a query."""
    return {other for id in document.own_ids for other in noted.joined.others(id)}


def _answer(
    query: RankedHits,
    document: QueryDocument,
    relations: Sequence[Relation],
    is_cut: bool,
    contexts: Contexts,
    options: SearchOptions,
) -> Answer:
    is_cut = is_cut or query.may_lack_passages
    answer = query.answer((replace(each, truncated=is_cut) for each in relations), options)
    context = contexts.context(document.ref.key) if document.ref else None
    return replace(answer, truncated=is_cut, document=context)
