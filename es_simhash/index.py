"""Asking an index for the documents related to a text or to a stored document."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import elasticsearch

from es_simhash import document, installing
from es_simhash.cluster import missing_index, plain_errors, reason_of
from es_simhash.document import text_of
from es_simhash.errors import (
    ClusterError,
    DocumentMissing,
    IndexMissing,
    InputError,
    SchemeMismatch,
)
from es_simhash.evidence import ReadText, read, shared_passages
from es_simhash.fingerprints import TextFingerprints, fingerprint_texts
from es_simhash.limits import require_few_chunks, within_limit
from es_simhash.query import Asking, read_answers, related_query
from es_simhash.query.body import asked_passages
from es_simhash.relation import Answer, Relation, relate
from es_simhash.scheme import Scheme

__all__ = ["Asking", "Index", "related"]

# Texts of hits are fetched for the evidence; hits without the field are shown without it.
_MOST_TEXTS = 1000


class Index:
    """An index, alias or data stream that has fingerprint fields.

    The constructor sends nothing.

    Args:
        client: Of the cluster.
        name: Of the index.
        text_field: Field of the text; dots lead into objects.
        field: Name of our object.
        scheme: Scheme of the index; by default it is read from the mapping, once.
    """

    def __init__(
        self,
        client: elasticsearch.Elasticsearch,
        name: str,
        *,
        text_field: str = "text",
        field: str = document.DEFAULT_FIELD,
        scheme: Scheme | None = None,
    ) -> None:
        self.client = client
        self.name = name
        self.text_field = text_field
        self.field = field
        self._scheme = scheme

    def __repr__(self) -> str:
        return f"Index({self.name!r}, text_field={self.text_field!r}, field={self.field!r})"

    @property
    def scheme(self) -> Scheme:
        """The scheme of the index, read from its mapping once.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no fingerprint fields.
        """
        if self._scheme is None:
            self._scheme = installing.require_installed(self.client, self.name, self.field)
        return self._scheme

    def related(
        self, *, id: str | None = None, text: str | None = None, asking: Asking | None = None
    ) -> Answer:
        """Give the documents related to a stored document or to a text, best first.

        Raises:
            DocumentMissing: There is no document of that id.
            InputError: Both or neither of id and text are given, or the document has no text.
            SchemeMismatch: The document was fingerprinted with another scheme than the index's.
        """
        if (id is None) == (text is None):
            raise InputError("Give either an id or a text to find what is related to it.")
        if id is not None:
            return self.related_to_each([id], asking=asking)[id]
        assert text is not None
        return self._related([_Question(text)], asking or Asking())[0]

    def related_to_each(
        self, ids: Sequence[str], *, asking: Asking | None = None
    ) -> dict[str, Answer]:
        """Give what is related to each of many stored documents, with one search request for all.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """
        questions = self._stored(ids)
        answers = self._related(questions, asking or Asking())
        return dict(zip(ids, answers, strict=True))

    def searches(
        self, *, id: str | None = None, text: str | None = None, asking: Asking | None = None
    ) -> list[dict[str, Any]]:
        """Give the search bodies that `related` would send; only the document itself is read."""
        if (id is None) == (text is None):
            raise InputError("Give either an id or a text to find what is related to it.")
        question = _Question(text) if text is not None else self._stored([str(id)])[0]
        fingerprints = next(iter(fingerprint_texts([question.text], self.scheme)))
        return self._bodies(fingerprints, question, asking or Asking())

    def _stored(self, ids: Sequence[str]) -> list["_Question"]:
        if not ids:
            return []
        wanted = [self.text_field, f"{self.field}.{document.SCHEME}"]
        with plain_errors(self.client):
            answer = self.client.mget(index=self.name, ids=list(ids), source_includes=wanted)
        entries = answer["docs"]
        # A name that stands for several indices is refused, or taken for that of no index.
        if any("error" in entry for entry in entries):
            entries = self._searched(ids, wanted)
        return [self._question(entry) for entry in entries]

    def _searched(self, ids: Sequence[str], wanted: Sequence[str]) -> list[Mapping[str, Any]]:
        """Find documents by their ids in all the indices behind the name."""
        bodies = [{"query": {"ids": {"values": [id]}}, "size": 2, "_source": wanted} for id in ids]
        entries: list[Mapping[str, Any]] = []
        for id, answer in zip(ids, self._search(bodies), strict=True):
            hits = answer["hits"]["hits"]
            if len(hits) > 1:
                raise ClusterError(
                    f"Document {id!r} is in several indices behind {self.name!r} "
                    f"({hits[0]['_index']}, {hits[1]['_index']}); ask one of them."
                )
            entries.append({**hits[0], "found": True} if hits else {"_id": id, "found": False})
        return entries

    def _question(self, entry: Mapping[str, Any]) -> "_Question":
        id = entry["_id"]
        if not entry.get("found"):
            raise DocumentMissing(f"Document {id!r} is not in index {self.name!r}; check the id.")
        source = entry.get("_source", {})
        text = text_of(source, self.text_field)
        if text is None:
            raise InputError(
                f"Document {id!r} has no text in field {self.text_field!r}; "
                "name the field with --field."
            )
        stored = text_of(source, f"{self.field}.{document.SCHEME}")
        if stored is not None and stored != self.scheme.name:
            raise SchemeMismatch(
                f"Document {id!r} has fingerprints of scheme {stored!r}, the index is of "
                f"{self.scheme.name!r}; ingest the document again."
            )
        return _Question(text, id)

    def _bodies(
        self, fingerprints: TextFingerprints, question: "_Question", asking: Asking
    ) -> list[dict[str, Any]]:
        return related_query(
            fingerprints,
            field=self.field,
            k=asking.k,
            limits=asking.limits,
            filters=asking.filters,
            without_ids=[question.id] if question.id is not None else [],
        )

    def _related(self, questions: Sequence["_Question"], asking: Asking) -> list[Answer]:
        """Answer all questions: one multi-search, and one request for the texts of the hits."""
        prints = list(
            fingerprint_texts([within_limit(each.text) for each in questions], self.scheme)
        )
        for each in prints:
            require_few_chunks(len(each.chunks))
        bodies = [
            self._bodies(each, question, asking)
            for each, question in zip(prints, questions, strict=True)
            if not each.is_empty
        ]
        answers = iter(self._search([body for pair in bodies for body in pair]))
        relations: list[Answer] = []
        for each in prints:
            if each.is_empty:
                relations.append(Answer())
                continue
            found = read_answers(
                [next(answers), next(answers)], field=self.field, limits=asking.limits
            )
            judged = relate(each, asked_passages(each, asking.limits), found.candidates)
            shown = asking.select(judged)
            marked = [replace(one, truncated=found.truncated) for one in shown]
            relations.append(Answer(marked, truncated=found.truncated))
        if asking.evidence or asking.fields:
            return self._with_sources(questions, relations, asking)
        return relations

    def _search(self, bodies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        if not bodies:
            return []
        lines: list[Mapping[str, Any]] = []
        for body in bodies:
            lines += [{}, body]
        with plain_errors(self.client):
            answer = self.client.msearch(index=self.name, searches=lines)
        for response in answer["responses"]:
            error = response.get("error", {})
            if error.get("type") == "index_not_found_exception":
                raise IndexMissing(missing_index(self.name))
            if error:
                raise ClusterError(f"The search is refused: {reason_of(error)}.")
        responses: list[Mapping[str, Any]] = answer["responses"]
        return responses

    def _with_sources(
        self,
        questions: Sequence["_Question"],
        relations: list[Answer],
        asking: Asking,
    ) -> list[Answer]:
        sources = self._sources({(r.index, r.id) for each in relations for r in each}, asking)
        scheme = self.scheme
        answered = []
        for question, each in zip(questions, relations, strict=True):
            ours = read(question.text, scheme) if each and asking.evidence else None
            complete = [
                self._complete(one, sources.get((one.index, one.id), {}), ours, asking)
                for one in each
            ]
            answered.append(Answer(complete, truncated=each.truncated))
        return answered

    def _sources(
        self, keys: set[tuple[str | None, str | None]], asking: Asking
    ) -> dict[tuple[str | None, str | None], dict[str, Any]]:
        wanted = [*asking.fields, *([self.text_field] if asking.evidence else [])]
        ordered = sorted(keys, key=str)
        found = {}
        for start in range(0, len(ordered), _MOST_TEXTS):
            docs = [{"_index": i, "_id": d} for i, d in ordered[start : start + _MOST_TEXTS]]
            with plain_errors(self.client):
                answer = self.client.mget(docs=docs, source_includes=wanted)
            for entry in answer["docs"]:
                found[entry["_index"], entry["_id"]] = entry.get("_source", {})
        return found

    def _complete(
        self,
        relation: Relation,
        source: dict[str, Any],
        ours: ReadText | None,
        asking: Asking,
    ) -> Relation:
        evidence = relation.evidence
        text = None
        if ours is not None:
            # The user may have written anything there since; the hit is shown without evidence.
            with suppress(InputError):
                text = text_of(source, self.text_field)
            if text is not None:
                evidence = shared_passages(ours, read(text, self.scheme))
        if not _is_among(self.text_field, asking.fields):
            source = _without(source, self.text_field)
        return replace(relation, evidence=evidence, source=source)


@dataclass(frozen=True)
class _Question:
    """A text to find relations of, and its id when it is stored."""

    text: str
    id: str | None = None


def _is_among(path: str, wanted: Sequence[str]) -> bool:
    """Tell whether a field is asked for: by its name, a pattern, or that of an object above it."""
    return any(fnmatchcase(path, each) or fnmatchcase(path, f"{each}.*") for each in wanted)


def _without(source: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Give a document without one field, nor the objects that held nothing else."""
    rest = {name: value for name, value in source.items() if name != path}
    head, dot, inner = path.partition(".")
    if dot and isinstance(rest.get(head), Mapping):
        left = _without(rest.pop(head), inner)
        return {**rest, head: left} if left else rest
    return rest


def related(
    client: elasticsearch.Elasticsearch,
    index: str,
    *,
    id: str | None = None,
    text: str | None = None,
    text_field: str = "text",
    field: str = document.DEFAULT_FIELD,
    asking: Asking | None = None,
) -> Answer:
    """Give the documents of an index that are related to a stored document or to a text.

    A shorthand for `Index(client, index, ...).related(...)`, which see.
    """
    return Index(client, index, text_field=text_field, field=field).related(
        id=id, text=text, asking=asking
    )
