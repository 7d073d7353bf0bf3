"""Reads an index for the explorer, with the filters and the allowed fields of the service."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import TYPE_CHECKING, Any, TypeVar

from es_simhash.errors import InputError
from es_simhash.maintenance.reports.documents import large_families
from es_simhash.maintenance.reports.families import Family, all_families
from es_simhash.maintenance.reports.index_report import IndexReport, ReportedDocument, ReportOptions
from es_simhash.questions.document_contexts import Contexts
from es_simhash.relation.relation import DocumentContext
from es_simhash.service.explorer.narrowing import Narrowing
from es_simhash.service.explorer.page_contents import (
    PAGE,
    ChosenMatches,
    ComparedDocuments,
    Context,
    DocumentPage,
    FamilySizesList,
    ListedDocument,
    ListedFamily,
    SearchPage,
    UsefulPairs,
)
from es_simhash.service.operations import Filters, Question
from es_simhash.service.responses import Problem
from es_simhash.service.served_answers import Answers
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.intents import (
    Count,
    DocumentsById,
    Find,
    FindExcerpts,
    FindWords,
    KeywordFields,
    MeasureFamilies,
    Parts,
    Request,
    SearchableFields,
    Where,
    Words,
)
from es_simhash.store.protocol import Store, run
from es_simhash.store.rows import FamilySpan, Row, Rows
from es_simhash.store.source import stored_text

if TYPE_CHECKING:
    from es_simhash.lab.evaluation.useful_pairs import OfferedPair

# Of more documents, copied passages are left to the command line: all texts are read for them.
MAX_COMPARED = 5_000
# Seconds for reading the families.
_READING_SECONDS, _GLANCE_SECONDS = 60.0, 10.0
_FAMILIES = 1_000
# Versions on a timeline that are shown by title: the newest, and the two that are compared.
_TITLES = 200

Answered = TypeVar("Answered")
MakeReport = Callable[[ReportOptions], IndexReport]
# Called with a seed and filters.
MakePairs = Callable[[int, Filters], UsefulPairs]


@dataclass(frozen=True)
class ExplorerReader:
    """Reads an index for the explorer.

    Attributes:
        answers: Answers of the service, which know what may leave it.
        read_report: Makes a report of the index.
        useful_pairs: Returns pairs of the index to label, the most useful first.
    """

    answers: Answers
    read_report: MakeReport
    useful_pairs: MakePairs

    @property
    def index(self) -> str:
        """Its name."""
        return self.answers.documents.index

    def can_search(self) -> bool:
        """Check whether there is a field in which words may be searched."""
        words = self._words("")
        return bool(words.title or words.texts)

    def search(self, query: str, chosen: ChosenMatches, filters: Filters) -> SearchPage:
        """Return the documents that a query of words matches, one of each family.

        Raises:
            Problem: 400, when the engine cannot take the query.
        """
        page, narrowing, where = chosen.page, self._narrowing(), Where(tuple(filters))
        words = narrowing.narrowed(self._words(query), chosen)
        find = FindWords(words, where, page * PAGE + 1, narrowing.newest(chosen))
        try:
            matches, counts = self._store.ask([find, narrowing.counting(words, where)])
        except RequestRejected as error:
            if error.status != 400:
                raise
            raise Problem(400, "This query has too many or too long words.") from error
        families = {row.id: row.family for row in _page_of(matches, page)}
        ids, names = tuple(families), tuple(name for name in families.values() if name)
        spans, excerpts = self._store.ask(
            [MeasureFamilies(names, where), FindExcerpts(words, replace(where, ids=ids))]
        )
        contexts = self.contexts(ids, filters)
        entries = tuple(
            ListedDocument(id, contexts[id], _others(spans.get(name)), excerpts.get(id, ()))
            for id, name in families.items()
            if id in contexts
        )
        has_next = len(matches.rows) > page * PAGE
        facets = narrowing.facets(chosen, counts)
        return SearchPage(entries, matches.total, has_next, facets, narrowing.date is not None)

    def _narrowing(self) -> Narrowing:
        """Return what matches can be narrowed by: values that may be shown."""
        documents = self._config.documents
        known = {"owner": documents.owner, "language": documents.language}
        allowed = {
            role: name
            for role, name in known.items()
            if name is not None and self.answers.allowed.allows(name)
        }
        keywords = self._ask(KeywordFields(tuple(allowed.values())))
        date = self.answers.documents.date_field if self._shows_dates else None
        return Narrowing(allowed, keywords, date)

    def ungrouped(self, page: int, filters: Filters) -> DocumentPage:
        """Return the documents without a family."""
        where = Where(tuple(filters), has_family=False)
        matches = self._ask(Find(where, size=page * PAGE + 1, order=(), count=True))
        ids = [row.id for row in _page_of(matches, page)]
        contexts = self.contexts(ids, filters)
        entries = tuple(ListedDocument(id, contexts[id]) for id in ids if id in contexts)
        return DocumentPage(entries, matches.total, len(matches.rows) > page * PAGE)

    def document(self, id: str, filters: Filters) -> dict[str, Any]:
        """Return a document: `id`, `document`, `source`, and its `text` where that is allowed.

        Where passages may be shown, it is: a comparison with any other shows the whole text.
        """
        body = self.answers.document(Question(filters, (id,))).plain
        try:
            text = self._text(id, body["source"])
        except InputError:
            # As a list with numbers, which is no text: the rest of the page is there all the same.
            text = ""
        return {**body, "text": text}

    def _text(self, id: str, source: Mapping[str, Any]) -> str | None:
        """Return the text of a document, empty without one; None where it may not be shown."""
        if all(map(self.answers.allowed.allows, self._config.text_fields)):
            return stored_text(source, self._config.text_field) or ""
        if not self.answers.allowed.evidence:
            return None
        (row,) = self._ask(DocumentsById((id,), Parts(text=True)))
        return row.text or ""

    def contexts(self, ids: Sequence[str], filters: Filters) -> Mapping[str, Context]:
        """Return the allowed context of documents; those that do not match are left out."""
        return self.answers.contexts(ids, filters) if ids else {}

    def family_size(self, name: str, filters: Filters) -> int:
        """Return how many documents a family has, by its name as callers see it."""
        stored = self.answers.allowed.names.stored(name)
        if stored is None:
            return 0
        spans = self._ask(MeasureFamilies((stored,), Where(tuple(filters))))
        return spans[stored].documents if stored in spans else 0

    def families(self, low: int, high: int | None, filters: Filters) -> FamilySizesList:
        """Return the families of these sizes: of more than 1,000, the largest."""
        total = 0
        largest: list[Family] = []

        def take(families: Sequence[Family]) -> bool:
            nonlocal total, largest
            wanted = [family for family in families if low <= family[1] <= (high or family[1])]
            total += len(wanted)
            largest = nsmallest(_FAMILIES, [*largest, *wanted], key=_by_size)
            return True

        run(all_families(Where(tuple(filters)), take), self._store)
        return FamilySizesList(tuple(largest), total, time.strftime("%H:%M %Z"))

    def representatives(
        self, families: Sequence[Family], filters: Filters
    ) -> Sequence[ListedFamily]:
        """Return families with the documents that represent them."""
        dates = self.answers.documents.date_field if self._shows_dates else None
        where, read = Where(tuple(filters)), Contexts(self._config, dates)
        largest = run(large_families(families, where, read), self._store)
        contexts = self.contexts([family.representative.id for family in largest], filters)
        return [
            ListedFamily(
                self.answers.allowed.names.shown(family.name),
                family.documents,
                family.representative.id,
                contexts[family.representative.id],
                family.oldest,
                family.newest,
            )
            for family in largest
            if family.representative.id in contexts
        ]

    def compare(self, a: str, b: str, filters: Filters) -> ComparedDocuments:
        """Return two documents compared.

        Raises:
            DocumentMissing: One of them is not there, or does not match the filters.
        """
        # What is missing, or is another's, is reported before anything of it is read.
        contexts = {
            id: self.answers.document(Question(filters, (id,))).plain["document"] for id in (a, b)
        }
        evidence = self.answers.allowed.evidence
        dated = filters if evidence and self._shows_dates else None
        compared = self.answers.compared((a, b), changes=evidence, timeline=dated)
        timeline = compared.timeline
        if timeline is not None:
            newest = timeline.versions[-_TITLES:]
            others = self.contexts([*{a, b, *(version.id for version in newest)}], filters)
            timeline = timeline.with_titles({id: each["title"] for id, each in others.items()})
        return ComparedDocuments(
            compared.relation, compared.changes, contexts[a], contexts[b], timeline
        )

    def glance(self, filters: Filters) -> IndexReport:
        """Return what of the report is soon there: families, the newest and the largest."""
        options = ReportOptions(filters=tuple(filters), seconds=_GLANCE_SECONDS, sampled=0)
        return self._allowed(self.read_report(options), filters)

    def count(self, filters: Filters) -> int:
        """Return how many documents match."""
        return self._ask(Count(Where(tuple(filters))))

    def report(self, filters: Filters) -> IndexReport:
        """Return a report of all documents that match, with what may be known of them alone."""
        copies = self.answers.allowed.evidence and self._shows_owners and self._shows_dates
        options = ReportOptions(
            copies=copies,
            filters=tuple(filters),
            max_compared=MAX_COMPARED,
            seconds=_READING_SECONDS,
        )
        notes = []
        if not copies:
            notes.append("Copied passages are left out: texts, owners or dates may not be shown.")
        try:
            report = self.read_report(options)
        except InputError:
            if not copies:
                raise
            report = self.read_report(replace(options, copies=False))
            notes.append("Copied passages could not be looked for.")
        if report.newest is not None and not self._shows_dates:
            notes.append("The newest versions are left out: dates may not be shown.")
        return self._allowed(replace(report, notes=(*report.notes, *notes)), filters)

    def pairs(self, seed: int, filters: Filters) -> UsefulPairs:
        """Return pairs of documents to label.

        Raises:
            InputError: No documents match, or none is related to another.
        """
        pairs = self.useful_pairs(seed, filters)
        if self._shows_dates:
            return pairs
        return replace(pairs, pairs=tuple(map(_without_order, pairs.pairs)))

    def _allowed(self, report: IndexReport, filters: Filters) -> IndexReport:
        """Return a report in which documents have the fields that are allowed alone."""
        versions = () if report.newest is None else report.newest.versions
        named = [family.representative for family in report.largest]
        named += [version.document for version in versions]
        # What speaks for versions is evidence like the texts that it was found in.
        scores = report.scores
        pairs = () if scores is None or not self.answers.allowed.evidence else scores.closest
        named += [document for pair in pairs for document in (pair.a, pair.b)]
        contexts = self.contexts(list(dict.fromkeys(document.id for document in named)), filters)

        def allowed(document: ReportedDocument) -> ReportedDocument:
            known = contexts.get(document.id)
            context = DocumentContext() if known is None else DocumentContext(**known)
            return replace(document, context=context)

        largest = tuple(
            replace(
                family,
                name=self.answers.allowed.names.shown(family.name),
                representative=allowed(family.representative),
                oldest=family.oldest if self._shows_dates else None,
                newest=family.newest if self._shows_dates else None,
            )
            for family in report.largest
        )
        newest = report.newest if self._shows_dates else None
        if newest is not None:
            shown = tuple(
                replace(version, document=allowed(version.document)) for version in versions
            )
            newest = replace(newest, versions=shown)
        if scores is not None:
            closest = tuple(replace(pair, a=allowed(pair.a), b=allowed(pair.b)) for pair in pairs)
            scores = replace(scores, closest=closest)
        copies, title = report.copies, self._config.documents.title
        if copies is not None and title is not None and not self.answers.allowed.allows(title):
            copies = copies.with_titles({})
        return replace(report, largest=largest, newest=newest, scores=scores, copies=copies)

    def _words(self, query: str) -> Words:
        """Return a query in the fields of title and text that may be searched now.

        Whoever searches a field learns what is in it: that of the title must be allowed, those of
        the text unless passages of them may be shown anyway.
        """
        answers, title = self.answers, self._config.documents.title
        allowed = [
            name
            for name in self._config.text_fields
            if answers.allowed.evidence or answers.allowed.allows(name)
        ]
        if title is not None and answers.allowed.allows(title):
            allowed.append(title)
        names = self._ask(SearchableFields(tuple(allowed)))
        texts = tuple(name for name in self._config.text_fields if name in names)
        return Words(query, title if title in names else None, texts)

    @property
    def _store(self) -> Store:
        return self.answers.documents.store

    def _ask(self, request: Request[Answered]) -> Answered:
        (answer,) = self._store.ask([request])
        typed: Answered = answer
        return typed

    @property
    def _config(self) -> IndexConfig:
        return self.answers.config

    @property
    def _shows_dates(self) -> bool:
        date = self._config.documents.date
        return date is None or self.answers.allowed.allows(date)

    @property
    def _shows_owners(self) -> bool:
        owner = self._config.documents.owner
        return owner is None or self.answers.allowed.allows(owner)


def _by_size(family: Family) -> tuple[int, str]:
    return -family[1], family[0]


def _others(span: FamilySpan | None) -> int:
    """Return how many documents a family has besides one."""
    return 0 if span is None else max(0, span.documents - 1)


def _page_of(matches: Rows, page: int) -> Sequence[Row]:
    return matches.rows[(page - 1) * PAGE : page * PAGE]


def _without_order(pair: "OfferedPair") -> "OfferedPair":
    """Return a pair in the order of the ids: that of the dates would say which is older."""
    if pair.first.id < pair.second.id:
        return pair
    return replace(pair, first=pair.second, second=pair.first)
