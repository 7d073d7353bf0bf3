"""Answers of an index: relations, comparisons, families, documents, with allowed fields alone."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Protocol, TypeVar

from es_simhash.differences.difference import Changes
from es_simhash.differences.version_timeline import Timeline
from es_simhash.errors import DocumentMissing
from es_simhash.questions.protocol import DocumentReader, FilteredDocument, RelatedIndex
from es_simhash.relation.answer import Answer
from es_simhash.relation.family_history import FamilyHistory, FamilyMember, NearDocument
from es_simhash.relation.relation import DocumentContext, Relation
from es_simhash.service.answer_types import (
    ChangesOfVersions,
    Comparison,
    Document,
    Evidence,
    Family,
    NearFamily,
    Related,
    plain,
)
from es_simhash.service.dispatcher import States
from es_simhash.service.family_names import FamilyNames
from es_simhash.service.operations import ApiAnswer, Filters, MemberPage, Operation, Question
from es_simhash.service.paging import next_members, next_related
from es_simhash.service.request_bodies import TextBody
from es_simhash.service.responses import Problem
from es_simhash.store.config import DocumentFields, IndexConfig, link_fields
from es_simhash.store.intents import DocumentsById, Parts
from es_simhash.store.options import Query, SearchOptions
from es_simhash.store.order import SORTS, Sort

# Members of a relation that say why it is one, where nobody asked for that.
_UNEXPLAINED: dict[str, Any] = {
    "evidence": (),
    "semantics": None,
    "common": None,
    "reuse": None,
    "fields": (),
    "log_odds": None,
}
Member = TypeVar("Member", FamilyMember, NearDocument)


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


@dataclass(frozen=True)
class Answers:
    """Answers from one index, of documents that match filters, with allowed fields alone.

    Attributes:
        index: The index.
        documents: Reads its documents.
        fields: Fields that may leave.
        evidence: Whether passages, and what texts have in common, may leave.
        max_offset: Most relations to pass over.
        max_compared_bytes: Most bytes of two texts that are compared.
        names: Names of families as callers see them.
    """

    index: ServedIndex
    documents: DocumentReader
    fields: tuple[str, ...]
    evidence: bool
    max_offset: int
    max_compared_bytes: int
    names: FamilyNames

    @property
    def sorts(self) -> tuple[Sort, ...]:
        """Orders that are possible; one by date tells something of the dates."""
        return ("score",) if self.date is None else SORTS

    @property
    def date(self) -> str | None:
        """The date field that may be told of; None without one."""
        date = self.config.documents.date
        return date if date is not None and self.allows(date) else None

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
                "/v1/compare/{a}/{b}", "compareDocuments",
                "How two documents are related, and what changed",
                Comparison, self.compare, is_heavy=True,
            ),
            Operation(
                "/v1/evidence/{a}/{b}", "explainRelation", "Why two documents are related",
                Evidence, self.explain, is_heavy=True,
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

    def compare(self, question: Question) -> ApiAnswer:
        """Return the relation of two documents, and what changed from one to the other.

        Raises:
            DocumentMissing: One of them is not there, or does not match the filters.
        """
        documents = self._require(question)
        self.require_comparable(question.ids)
        a, b = (documents[id].context for id in question.ids)
        relation = replace(self.index.explain(*question.ids), document=b)
        changes = None
        if self.evidence:
            changes = ChangesOfVersions.of(self.index.changes(*question.ids))
        body = Comparison(self._relation(relation), changes, self._context(a), self._context(b))
        return ApiAnswer(body, frozenset(question.ids))

    def explain(self, question: Question) -> ApiAnswer:
        """Return the relation of two documents with its evidence.

        Raises:
            DocumentMissing: One of them is not there, or does not match the filters.
        """
        documents = self._require(question)
        self.require_comparable(question.ids)
        relation = self.index.explain(*question.ids)
        other = documents[question.ids[1]]
        relation = replace(relation, document=other.context, source=other.source)
        return ApiAnswer(Evidence(self._relation(relation)), frozenset(question.ids))

    def require_comparable(self, ids: Sequence[str]) -> None:
        """Check that two texts are not too large to be compared here.

        Raises:
            Problem: They are.
        """
        (rows,) = self.documents.store.ask([DocumentsById(tuple(ids), Parts(text=True))])
        size = sum(len((row.text or "").encode("utf-8", "surrogatepass")) for row in rows)
        if size > self.max_compared_bytes:
            raise Problem(
                413,
                f"Two texts may have at most {self.max_compared_bytes} bytes together to be "
                "compared here.",
            )

    def family(self, question: Question) -> ApiAnswer:
        """Return the version family of a document, or that of a name.

        Raises:
            DocumentMissing: There is none with a document that matches the filters.
        """
        documents = self.documents.read(question.ids, question.filters)
        document = documents.get(question.id)
        if document is not None and document.context.family is None:
            raise DocumentMissing(f"Document {question.id!r} has no family yet.")
        named = question.id if document is not None else self.names.stored(question.id)
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
        is_dated = bool(self._allowed_context().date)
        return Family(
            self.names.shown(family.name),
            family.representative,
            tuple(map(self._allowed_member, family.members[page.offset : end])),
            family.documents,
            tuple(
                NearFamily.of(replace(self._allowed_member(near), family=self._family(near.family)))
                for near in family.near
            ),
            family.date_field if is_dated else None,
            family.undated if is_dated else (),
            family.several_dates if is_dated else (),
            family.truncated,
            next_members(page) if end < len(family.members) else None,
        )

    def _allowed_member(self, member: Member) -> Member:
        allowed = self._allowed_context()
        return replace(
            member,
            title=member.title if allowed.title else None,
            date=member.date if allowed.date else None,
        )

    def document(self, question: Question) -> ApiAnswer:
        """Return the allowed fields of a document.

        Raises:
            DocumentMissing: There is none that matches the filters.
        """
        document = self._require(question)[question.id]
        source = allowed_source(document.source, self.fields)
        body = Document(question.id, self._context(document.context), source)
        return ApiAnswer(body, frozenset(question.ids))

    def contexts(self, ids: Sequence[str], filters: Filters) -> dict[str, dict[str, Any]]:
        """Return the allowed context of documents; those that do not match are left out."""
        return {
            id: plain(self._context(document.context))
            for id, document in self.documents.read(ids, filters).items()
        }

    def states(self, ids: Collection[str], filters: Filters) -> States:
        """Return the states of documents; any that does not match is left out."""
        return self.documents.states(ids, filters)

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
        documents = self.documents.read(ids, question.filters, self.fields)
        if missing := [id for id in ids if id not in documents]:
            raise DocumentMissing(f"Document {missing[0]!r} is not there for this caller.")
        return documents

    def _options(self, question: Question) -> SearchOptions:
        return replace(
            question.search,
            filters=tuple(question.filters),
            evidence=self.evidence and question.search.evidence,
            fields=self.fields,
            context=True,
        )

    def _answer(self, answer: Answer, options: SearchOptions) -> Related:
        extent = answer.extent
        following = extent.next_offset
        if following is not None and following > self.max_offset:
            following = None
        relations = tuple(map(self._relation, answer))
        if not options.evidence:
            relations = tuple(replace(relation, **_UNEXPLAINED) for relation in relations)
        return Related(
            None if answer.document is None else self._context(answer.document),
            relations,
            extent.total,
            extent.is_estimate,
            None if following is None else next_related(options, following),
            answer.truncated,
        )

    def _relation(self, relation: Relation) -> Relation:
        """Return a relation with what may leave alone."""
        context, semantics = relation.document, relation.semantics
        if not self.evidence and semantics is not None:
            semantics = replace(semantics, shared=(), shared_vocabulary=())
        return replace(
            relation,
            source=allowed_source(relation.source, self.fields),
            document=None if context is None else self._context(context),
            fields=tuple(each for each in relation.fields if self.allows(each.field)),
            direction=relation.direction if self._allowed_context().date else None,
            evidence=relation.evidence if self.evidence else (),
            semantics=semantics,
        )

    def _context(self, context: DocumentContext) -> DocumentContext:
        """Return the context of a document, without the parts from fields that may not leave."""
        allowed = self._allowed_context()
        hidden = {
            part.name: None for part in fields(context) if not getattr(allowed, part.name, None)
        }
        return replace(context, **{**hidden, "family": self._family(context.family)})

    def _family(self, name: str | None) -> str | None:
        return None if name is None else self.names.shown(name)

    def _allowed_context(self) -> DocumentFields:
        """Return the fields of the index's configuration that may leave."""
        named = asdict(self.config.documents)
        link = named.pop("link")
        allowed = {name: field for name, field in named.items() if field and self.allows(field)}
        parts = [] if link is None else [name for name in link_fields(link) if name != "id"]
        if link is not None and all(self.allows(name) for name in parts):
            allowed["link"] = link
        return DocumentFields(**allowed)

    def allows(self, field: str) -> bool:
        """Check whether a field may leave: by its name, or by that of an object it is in."""
        return any(field == name or field.startswith(f"{name}.") for name in self.fields)


def allowed_source(source: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """Return a document with these fields alone.

    Args:
        source: The document, nested or with dots in its names, as it was written.
        fields: Full names of fields, or of objects with all that is in them.
    """
    return _allowed(source, fields, "")


def _allowed(source: Mapping[str, Any], fields: Sequence[str], prefix: str) -> dict[str, Any]:
    allowed: dict[str, Any] = {}
    for name, value in source.items():
        path = f"{prefix}{name}"
        if any(path == field or path.startswith(f"{field}.") for field in fields):
            allowed[name] = value
        elif any(field.startswith(f"{path}.") for field in fields):
            inner = _within(value, fields, f"{path}.")
            if inner:
                allowed[name] = inner
    return allowed


def _within(value: Any, fields: Sequence[str], prefix: str) -> Any:
    if isinstance(value, dict):
        return _allowed(value, fields, prefix)
    if isinstance(value, list):
        inner = (_within(item, fields, prefix) for item in value)
        return [item for item in inner if item]
    return None
