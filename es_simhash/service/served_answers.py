"""Answers of an index: relations, comparisons, families, documents, with allowed fields alone."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

from es_simhash.differences.difference import Changes
from es_simhash.differences.version_timeline import Timeline
from es_simhash.errors import DocumentMissing
from es_simhash.questions.protocol import DocumentReader, FilteredDocument, RelatedIndex
from es_simhash.relation.answer import Answer
from es_simhash.relation.family_history import FamilyHistory
from es_simhash.relation.relation import DocumentContext, Relation
from es_simhash.service.dispatcher import States
from es_simhash.service.family_names import FamilyNames
from es_simhash.service.operations import ApiAnswer, Filters, Operation, Question
from es_simhash.service.responses import Problem
from es_simhash.store.config import DocumentFields, IndexConfig, link_fields
from es_simhash.store.intents import DocumentsById, Parts
from es_simhash.store.options import Query, SearchOptions
from es_simhash.store.order import SORTS, Sort

# Members of a relation that say why it is one, where nobody asked for that.
_UNEXPLAINED: dict[str, Any] = {
    "evidence": [],
    "semantics": None,
    "common": None,
    "reuse": None,
    "fields": [],
    "log_odds": None,
}


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
        date = self.config.documents.date
        return SORTS if date is not None and self.allows(date) else ("score",)

    @property
    def config(self) -> IndexConfig:
        """Configuration of the index."""
        return self.documents.config

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Operations of the API, with their addresses."""
        return (
            Operation(
                "/v1/related/{id}", "Documents related to a document", "Related", self.related,
                searches=True,
            ),
            Operation(
                "/v1/related", "Documents related to a text", "Related", self.related,
                searches=True, reads_text=True, is_cached=False,
            ),
            Operation(
                "/v1/compare/{a}/{b}", "How two documents are related, and what changed",
                "Comparison", self.compare, is_heavy=True,
            ),
            Operation(
                "/v1/evidence/{a}/{b}", "Why two documents are related", "Evidence", self.explain,
                is_heavy=True,
            ),
            Operation("/v1/families/{id}", "The versions of a document", "Family", self.family),
            Operation(
                "/v1/documents/{id}", "The allowed fields of a document", "Document", self.document,
                is_cached=False,
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
            return ApiAnswer(self._answer(answer, is_explained=question.search.evidence))
        self._require(question)
        answer = self.index.related(id=question.id, options=options)
        return ApiAnswer(
            self._answer(answer, is_explained=question.search.evidence),
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
        body = {
            "relation": self._relation(relation),
            "changes": self.index.changes(*question.ids).to_dict() if self.evidence else None,
            "a": self._context(a),
            "b": self._context(b),
        }
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
        return ApiAnswer({"relation": self._relation(relation)}, frozenset(question.ids))

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
        body = self.index.family(named, filters=question.filters).to_dict()
        body["name"] = self.names.shown(body["name"])
        allowed = self._allowed_context()
        members = (*body["members"], *body["near"])
        for member in members:
            if not allowed.title:
                member["title"] = None
            if not allowed.date:
                member["date"] = None
        for near in body["near"]:
            # A sentence for whoever runs the families; `reason` says it to a program.
            del near["because"]
            near["family"] = self._family(near["family"])
        if not allowed.date:
            body["date_field"] = None
            body["undated"], body["several_dates"] = [], []
        return ApiAnswer(body, frozenset({*(member["id"] for member in members), *documents}))

    def document(self, question: Question) -> ApiAnswer:
        """Return the allowed fields of a document.

        Raises:
            DocumentMissing: There is none that matches the filters.
        """
        document = self._require(question)[question.id]
        body = {
            "id": question.id,
            "document": self._context(document.context),
            "source": allowed_source(document.source, self.fields),
        }
        return ApiAnswer(body, frozenset(question.ids))

    def contexts(self, ids: Sequence[str], filters: Filters) -> dict[str, dict[str, Any]]:
        """Return the allowed context of documents; those that do not match are left out."""
        return {
            id: self._context(document.context)
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

    def _answer(self, answer: Answer, *, is_explained: bool) -> dict[str, Any]:
        extent = answer.extent
        following = extent.next_offset
        if following is not None and following > self.max_offset:
            following = None
        return {
            "document": None if answer.document is None else self._context(answer.document),
            "relations": [
                self._relation(relation) | ({} if is_explained else _UNEXPLAINED)
                for relation in answer
            ],
            "total": extent.total,
            "is_estimate": extent.is_estimate,
            "next": following,
            "truncated": answer.truncated,
        }

    def _relation(self, relation: Relation) -> dict[str, Any]:
        context = relation.document
        shown = relation.to_dict()
        shown["source"] = allowed_source(relation.source, self.fields)
        shown["document"] = None if context is None else self._context(context)
        shown["fields"] = [each for each in shown["fields"] if self.allows(each["field"])]
        if not self._allowed_context().date:
            shown["direction"] = None
        if not self.evidence:
            shown["evidence"] = []
            if shown["semantics"] is not None:
                shown["semantics"] |= {"shared": [], "shared_vocabulary": []}
        return shown

    def _context(self, context: DocumentContext) -> dict[str, Any]:
        """Return the context of a document, without the parts from fields that may not leave."""
        allowed = asdict(self._allowed_context())
        shown = {
            name: value if allowed.get(name) else None for name, value in asdict(context).items()
        }
        return {**shown, "family": self._family(context.family)}

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
