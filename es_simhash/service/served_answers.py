"""Answers of an index: relations, comparisons, families, documents, with allowed fields alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, TypeVar

from es_simhash.differences.difference import Changes
from es_simhash.differences.version_timeline import Timeline
from es_simhash.errors import OF_ONE_DOCUMENT, DocumentMissing
from es_simhash.ingestion.deduplication.version_decisions import Decision
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.pairs.parted_texts import Within
from es_simhash.questions.protocol import DocumentReader, FilteredDocument, RelatedIndex
from es_simhash.relation.answer import Answer
from es_simhash.relation.family_history import FamilyHistory
from es_simhash.relation.relation import Relation
from es_simhash.service.allowed_parts import AllowedParts, allowed_source
from es_simhash.service.answer_types import (
    ChangesOfVersions,
    Comparison,
    Document,
    Duplicate,
    Evidence,
    Family,
    FamilyList,
    ListedFamily,
    NearFamily,
    Related,
    RelatedToEach,
    RelatedToOne,
    plain,
)
from es_simhash.service.freshness import StatesRequest
from es_simhash.service.operations import (
    ApiAnswer,
    FamilyPage,
    Filters,
    MemberPage,
    Operation,
    Question,
    States,
)
from es_simhash.service.paging import next_families, next_members, next_related
from es_simhash.service.request_bodies import DraftBody, IdsBody, TextBody
from es_simhash.service.responses import Problem, not_found, problem_of
from es_simhash.service.separate_process import SeparateProcess
from es_simhash.store.config import IndexConfig
from es_simhash.store.intents import DocumentsById, ListFamilies, MeasureFamilies, Parts, Where
from es_simhash.store.options import Query, SearchOptions
from es_simhash.store.order import SORTS, Sort
from es_simhash.store.rows import FamilySpan

Value = TypeVar("Value")

# Texts of so many bytes take longer to compare than a process to start.
_LONG_BYTES = 100_000
# Members of a relation that say why it is one, where nobody asked for that.
_UNEXPLAINED: dict[str, Any] = {
    "evidence": (),
    "semantics": None,
    "common": None,
    "reuse": None,
    "fields": (),
    "log_odds": None,
}


class Compared(NamedTuple):
    """How two documents are related.

    Attributes:
        relation: The relation.
        changes: What changed from one to the other; None where that was not asked.
        timeline: Their family in order of the dates; None where that was not asked, or without one.
    """

    relation: Relation
    changes: Changes | None
    timeline: Timeline | None


class ServedIndex(RelatedIndex, Protocol):
    """Finds related documents, compares them and knows their families."""

    def changes(self, id_a: str, id_b: str) -> Changes:
        """Return what changed from one document to another."""

    def timeline(self, id_a: str, id_b: str, *, filters: Sequence[Query] = ()) -> Timeline | None:
        """Return the family of two documents in order of the dates."""

    def family(
        self,
        id: str,
        *,
        date_field: str | None = None,
        newer_than: str | None = None,
        filters: Sequence[Query] = (),
    ) -> FamilyHistory:
        """Return the family of a document, or that of a name."""


class DraftReader(Protocol):
    """Decides about texts that are not indexed, as `DraftCheck` does."""

    def decide(
        self,
        text: str,
        rules: OnVersion,
        *,
        filters: Sequence[Query] = (),
        within: Within | None = None,
    ) -> Decision:
        """Return what would become of a text."""


@dataclass(frozen=True)
class Answers:
    """Answers from one index, of documents that match filters, with allowed fields alone.

    Attributes:
        index: The index.
        documents: Reads its documents.
        allowed: What may leave.
        drafts: Decides about texts that are not indexed.
        max_offset: Most relations, or members of a family, to pass over.
        max_compared_bytes: Most bytes of two texts that are compared.
        apart: Makes the same answers in processes of their own, for long texts; None for none.
    """

    index: ServedIndex
    documents: DocumentReader
    allowed: AllowedParts
    drafts: DraftReader
    max_offset: int
    max_compared_bytes: int
    apart: "SeparateProcess[Answers] | None" = None

    @property
    def sorts(self) -> tuple[Sort, ...]:
        """Orders that are possible; one by date tells something of the dates."""
        return ("score",) if self.date is None else SORTS

    @property
    def date(self) -> str | None:
        """The date field that may be told of; None without one."""
        date = self.config.documents.date
        return date if date is not None and self.allowed.allows(date) else None

    @property
    def config(self) -> IndexConfig:
        """Configuration of the index."""
        return self.documents.config

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Operations of the API, with their addresses."""
        return (
            Operation(
                "/v1/related/{id}", "relatedToDocument", "Documents related to a document",
                Related, self.related, SearchOptions,
            ),
            Operation(
                "/v1/related", "relatedToText", "Documents related to a text",
                Related, self.related, SearchOptions, TextBody, is_cached=False,
            ),
            Operation(
                "/v1/batch/related", "relatedToEach", "Documents related to each of several",
                RelatedToEach, self.related_to_each, SearchOptions, IdsBody, is_cached=False,
            ),
            Operation(
                "/v1/duplicates", "findDuplicate", "Whether a text is in the index already",
                Duplicate, self.duplicate, OnVersion, DraftBody, is_cached=False, is_heavy=True,
            ),
            Operation(
                "/v1/compare/{a}/{b}", "compareDocuments",
                "How two documents are related, and what changed",
                Comparison, self.compare, is_heavy=True,
            ),
            Operation(
                "/v1/evidence/{a}/{b}", "explainRelation", "Why two documents are related",
                Evidence, self.explain, is_heavy=True,
            ),
            Operation(
                "/v1/families", "listFamilies", "All families, in no order that means anything",
                FamilyList, self.families, FamilyPage, is_cached=False,
            ),
            Operation(
                "/v1/families/{id}", "getFamily", "The versions of a document",
                Family, self.family, MemberPage,
            ),
            Operation(
                "/v1/documents/{id}", "getDocument", "The allowed fields of a document",
                Document, self.document, is_cached=False,
            ),
        )  # fmt: skip

    def related(self, question: Question) -> ApiAnswer:
        """Return the documents related to a document, or to a text.

        Raises:
            DocumentMissing: There is no such document that matches the filters.
        """
        options = self._options(question)
        if question.text is not None:
            answer = self.index.related(text=question.text, options=options)
            return ApiAnswer(self._answer(answer, question.search))
        self._require(question)
        answer = self.index.related(id=question.id, options=options)
        return ApiAnswer(
            self._answer(answer, question.search),
            frozenset({question.id, *(str(relation.id) for relation in answer)}),
        )

    def related_to_each(self, question: Question) -> ApiAnswer:
        """Return the documents related to each of several documents, searched together."""
        ids = tuple(dict.fromkeys(question.ids))
        there = self.documents.read(ids, question.filters)
        options, found = self._options(question), [id for id in ids if id in there]
        answers: dict[str, Answer | Problem] = {}
        try:
            answers |= self.index.related_to_each(found, options=options) if found else {}
        except OF_ONE_DOCUMENT:
            # One of them has no answer: the others are answered for.
            for id in found:
                try:
                    answers[id] = self.index.related(id=id, options=options)
                except OF_ONE_DOCUMENT as error:
                    answers[id] = problem_of(error)
        shown = (
            RelatedToOne(id, None, answer.document)
            if isinstance(answer := answers.get(id, not_found()), Problem)
            else RelatedToOne(id, self._answer(answer, question.search), None)
            for id in ids
        )
        return ApiAnswer(RelatedToEach(tuple(shown)))

    def duplicate(self, question: Question) -> ApiAnswer:
        """Return whether a text is in the index already, decided as at ingest."""
        assert question.text is not None
        draft = question.text, question.rules, question.filters, question.within
        decision = self._where_it_fits(_bytes(question.text), Answers.decide, *draft)
        relation = decision.relation
        if relation is not None:
            id = str(relation.id)
            documents = self.documents.read([id], question.filters, self.allowed.fields)
            if id in documents:
                document = documents[id]
                relation = replace(relation, document=document.context, source=document.source)
            relation = self.allowed.relation(relation)
        action = decision.action
        assert action == "write" or action == "skip" or action == "retain", action
        return ApiAnswer(Duplicate(action, relation, self.allowed.lost(decision.lost)))

    def decide(
        self, text: str, rules: OnVersion, filters: Filters, within: Within | None
    ) -> Decision:
        """Return what would become of a text."""
        return self.drafts.decide(text, rules, filters=filters, within=within)

    def compare(self, question: Question) -> ApiAnswer:
        """Return the relation of two documents, and what changed from one to the other.

        Raises:
            DocumentMissing: One of them is not there, or does not match the filters.
        """
        documents = self._require(question)
        a, b = (documents[id].context for id in question.ids)
        compared = self.compared(question.ids, changes=self.allowed.evidence)
        changes = compared.changes
        body = Comparison(
            self.allowed.relation(replace(compared.relation, document=b)),
            None if changes is None else ChangesOfVersions.of(changes),
            self.allowed.context(a),
            self.allowed.context(b),
        )
        return ApiAnswer(body, frozenset(question.ids))

    def explain(self, question: Question) -> ApiAnswer:
        """Return the relation of two documents with its evidence.

        Raises:
            DocumentMissing: One of them is not there, or does not match the filters.
        """
        documents = self._require(question)
        compared = self.compared(question.ids)
        other = documents[question.ids[1]]
        relation = replace(compared.relation, document=other.context, source=other.source)
        return ApiAnswer(Evidence(self.allowed.relation(relation)), frozenset(question.ids))

    def compared(
        self, ids: Sequence[str], *, changes: bool = False, timeline: Filters | None = None
    ) -> Compared:
        """Return how two documents are related.

        Args:
            ids: Of both.
            changes: Whether to return what changed.
            timeline: Filters of the family to return in order of the dates; None for none.

        Raises:
            Problem: Their texts are too large to be compared here.
        """
        (rows,) = self.documents.store.ask([DocumentsById(tuple(ids), Parts(text=True))])
        size = sum(_bytes(row.text or "") for row in rows)
        if size > self.max_compared_bytes:
            raise Problem(
                413,
                f"Two texts may have at most {self.max_compared_bytes} bytes together to be "
                "compared here.",
            )
        return self._where_it_fits(size, Answers.compare_texts, tuple(ids), changes, timeline)

    def compare_texts(
        self, ids: tuple[str, str], changes: bool, timeline: Filters | None
    ) -> Compared:
        """Return how two documents are related, whatever their size; see `compared`."""
        return Compared(
            self.index.explain(*ids),
            self.index.changes(*ids) if changes else None,
            None if timeline is None else self.index.timeline(*ids, filters=timeline),
        )

    def _where_it_fits(self, size: int, method: Callable[..., Value], *args: Any) -> Value:
        """Return what a method returns, for texts of so many bytes."""
        if self.apart is None or size < _LONG_BYTES:
            return method(self, *args)
        return self.apart.run(method, *args)

    def families(self, question: Question) -> ApiAnswer:
        """Return some of all families.

        Raises:
            Problem: 400, when no page ended with the family after which this one begins.
        """
        page, where, after = question.families, Where(tuple(question.filters)), None
        if page.after is not None:
            after = self.allowed.names.stored(page.after)
            if after is None:
                raise Problem(400, "after must be the name of a family. Use next as it is.")
        ask = self.documents.store.ask
        (listed,) = ask([ListFamilies(where, after, page.size)])
        names = tuple(name for name, _ in listed.sizes)
        date = None if self.date is None else self.documents.date_field
        spans = ask([MeasureFamilies(names, where, date)])[0] if names else {}
        families = []
        for name, size in listed.sizes:
            span = spans.get(name, FamilySpan(size))
            dates = (
                None if date is None or at is None else date.iso(at)
                for at in (span.oldest, span.newest)
            )
            families.append(ListedFamily(self.allowed.names.shown(name), size, *dates))
        following = None
        if listed.after is not None:
            following = next_families(page, self.allowed.names.shown(listed.after))
        return ApiAnswer(FamilyList(tuple(families), following))

    def family(self, question: Question) -> ApiAnswer:
        """Return the version family of a document, or that of a name.

        Raises:
            DocumentMissing: There is none with a document that matches the filters.
        """
        documents = self.documents.read(question.ids, question.filters)
        document = documents.get(question.id)
        if document is not None and document.context.family is None:
            raise DocumentMissing(f"Document {question.id!r} has no family yet.")
        named = question.id if document is not None else self.allowed.names.stored(question.id)
        if named is None:
            raise DocumentMissing(f"Document {question.id!r} is not there for this caller.")
        family = self.index.family(named, filters=question.filters)
        ids = {*(each.id for each in family.members), *(each.id for each in family.near)}
        return ApiAnswer(
            self._shown_family(family, question.members), frozenset({*ids, *documents})
        )

    def _shown_family(self, family: FamilyHistory, page: MemberPage) -> Family:
        """Return a page of a family, with what may leave alone."""
        end = page.offset + page.size
        has_next = end < len(family.members) and end <= self.max_offset
        is_dated = bool(self.allowed.context_fields.date)
        return Family(
            self.allowed.names.shown(family.name),
            family.representative,
            tuple(map(self.allowed.member, family.members[page.offset : end])),
            family.documents,
            tuple(
                NearFamily.of(
                    replace(self.allowed.member(near), family=self.allowed.family(near.family))
                )
                for near in family.near
            ),
            family.date_field if is_dated else None,
            family.undated if is_dated else (),
            family.several_dates if is_dated else (),
            family.truncated,
            next_members(page) if has_next else None,
        )

    def document(self, question: Question) -> ApiAnswer:
        """Return the allowed fields of a document.

        Raises:
            DocumentMissing: There is none that matches the filters.
        """
        document = self._require(question)[question.id]
        source = allowed_source(document.source, self.allowed.fields)
        body = Document(question.id, self.allowed.context(document.context), source)
        return ApiAnswer(body, frozenset(question.ids))

    def contexts(self, ids: Sequence[str], filters: Filters) -> dict[str, dict[str, Any]]:
        """Return the allowed context of documents; those that do not match are left out."""
        return {
            id: plain(self.allowed.context(document.context))
            for id, document in self.documents.read(ids, filters).items()
        }

    def states(self, requests: Sequence[StatesRequest]) -> Sequence[States]:
        """Return the states of documents, with one search; any that does not match is left out."""
        return self.documents.states(requests)

    def require_ready(self) -> None:
        """Check that the index can be searched.

        Raises:
            ClusterError: It cannot.
        """
        self.documents.read(["-"], ())

    def _require(self, question: Question) -> Mapping[str, FilteredDocument]:
        """Return the documents of a question.

        Raises:
            DocumentMissing: One of them is not there, or does not match the filters.
        """
        ids = list(dict.fromkeys(question.ids))
        documents = self.documents.read(ids, question.filters, self.allowed.fields)
        if missing := [id for id in ids if id not in documents]:
            raise DocumentMissing(f"Document {missing[0]!r} is not there for this caller.")
        return documents

    def _options(self, question: Question) -> SearchOptions:
        return replace(
            question.search,
            filters=tuple(question.filters),
            evidence=self.allowed.evidence and question.search.evidence,
            fields=self.allowed.fields,
            context=True,
        )

    def _answer(self, answer: Answer, options: SearchOptions) -> Related:
        extent = answer.extent
        following = extent.next_offset
        if following is not None and following > self.max_offset:
            following = None
        relations = tuple(map(self.allowed.relation, answer))
        if not options.evidence:
            relations = tuple(replace(relation, **_UNEXPLAINED) for relation in relations)
        return Related(
            None if answer.document is None else self.allowed.context(answer.document),
            relations,
            extent.total,
            extent.is_estimate,
            None if following is None else next_related(options, following),
            answer.truncated,
            len(answer.left_out),
        )


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
