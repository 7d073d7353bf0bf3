"""An index in memory that numbers its writes: one fails where another writer was quicker."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from es_simhash.ingestion.bulk.json_documents import ROUTING
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store import fields, intents
from es_simhash.store.changes import Change
from es_simhash.store.config import IndexConfig, Installed
from es_simhash.store.rows import Row, Rows, WriteResult
from es_simhash.store.source import stored_text

Source = dict[str, Any]


@dataclass
class _Stored:
    """A document, with the number of its last write and how often it was written."""

    source: Source
    seq_no: int
    writes: int = 1


class VersionedIndex:
    """Documents in memory, as the steps that write to an index see them.

    Args:
        config: How they are read.

    Attributes:
        name: Of the index.
        config: That configuration.
        documents: The documents, by where they are.
        before_write: What other writers do, one before each request that writes.
        before_read: What they do before each request for documents.
        rejected: Reasons why the mapping rejects documents, by id.
        unanswered: Ids of documents of which the next `write` has no answer, and is sent again.
        requests: All requests that were answered.
        written: Number of the requests that wrote.
        refreshed: How often searches were brought up to date.
    """

    def __init__(self, config: IndexConfig | None = None) -> None:
        self.name = "i"
        self.config = config or IndexConfig()
        self.documents: dict[DocumentRef, _Stored] = {}
        self.before_write: list[Callable[[], object]] = []
        self.before_read: list[Callable[[], object]] = []
        self.rejected: dict[str, str] = {}
        self.unanswered: set[str] = set()
        self.requests: list[intents.Request[Any]] = []
        self.written = 0
        self.refreshed = 0
        self._last = -1

    # What other writers do, and tests.

    def put(
        self,
        id: str,
        source: Mapping[str, Any],
        *,
        routing: str | None = None,
        index: str | None = None,
    ) -> None:
        """Write a document whole; one of the indices behind the name may be given."""
        self._put(DocumentRef(index or self.name, id, routing), dict(source))

    def update(self, id: str, source: Mapping[str, Any]) -> None:
        """Add fields to a document."""
        ref = DocumentRef(self.name, id)
        self._put(ref, _merged(self.documents[ref].source, source))

    def delete(self, id: str, routing: str | None = None) -> None:
        """Delete a document."""
        del self.documents[DocumentRef(self.name, id, routing)]

    def source(self, id: str, index: str | None = None, routing: str | None = None) -> Source:
        """Return a document."""
        return self.documents[DocumentRef(index or self.name, id, routing)].source

    def ids(self) -> set[str]:
        """Return the ids of all documents."""
        return {ref.id for ref in self.documents}

    def row(self, ref: DocumentRef) -> Row:
        """Return a document as it is read whole."""
        return self.read_row(ref, intents.Parts(whole=True, text=True, members=True))

    # The store.

    def ask(self, requests: Sequence[intents.Request[Any]]) -> list[Any]:
        """Return the answer to each request."""
        self.requests += requests
        return [self._answer(request) for request in requests]

    def _answer(self, request: intents.Request[Any]) -> Any:
        match request:
            case intents.DocumentsAt():
                if self.before_read:
                    self.before_read.pop(0)()
                placed = {ref: self._place_of(ref) for ref in request.refs}
                return {
                    ref: self.read_row(place, request.parts)
                    for ref, place in placed.items()
                    if place in self.documents
                }
            case intents.Count():
                return len(self.matching(request.where))
            case intents.Find():
                refs = self.matching(request.where)
                return Rows(
                    [self.read_row(ref, request.parts) for ref in refs][: request.size], len(refs)
                )
            case intents.Configuration():
                return Installed(self.name, self.config)
            case intents.FindPlaces():
                found = {id: [ref for ref in self.documents if ref.id == id] for id in request.ids}
                return {id: refs for id, refs in found.items() if refs}
        raise AssertionError(f"{request} is not answered")

    def change(self, changes: Sequence[Change]) -> list[WriteResult]:
        """Change documents that nobody has changed since they were read."""
        if changes:
            self._others_write()
        return [self._change(change) for change in changes]

    def write(
        self, body: bytes, ends: Sequence[int], *, index: str | None = None
    ) -> dict[int, WriteResult]:
        """Write documents by actions of the engine, and return what was not written, by number."""
        self._others_write()
        starts = (0, *ends)
        results = [
            self._written(body[start:end], index or self.name)
            for start, end in zip(starts, ends, strict=False)
        ]
        return {number: result for number, result in enumerate(results) if result is not None}

    @contextmanager
    def snapshot(
        self, index: str | None = None, *, shard: int | None = None, must_refresh: bool = True
    ) -> Iterator[Any]:
        """Return the index as it is."""
        assert must_refresh
        yield _Snapshot(self, index or self.name)

    def refresh(self) -> None:
        """Make all that was written visible to searches."""
        self.refreshed += 1

    def refresh_if_allowed(self, index: str) -> bool:
        """Do the same."""
        self.refresh()
        return True

    def wait(self, seconds: float) -> None:
        """Wait for nothing."""

    def stop(self) -> None:
        """End no waiting."""

    # How it is stored.

    def _place_of(self, ref: DocumentRef) -> DocumentRef:
        return DocumentRef(ref.index or self.name, ref.id, ref.routing)

    def _put(self, ref: DocumentRef, source: Source) -> None:
        self._last += 1
        before = self.documents.get(ref)
        self.documents[ref] = _Stored(source, self._last, before.writes + 1 if before else 1)

    def _others_write(self) -> None:
        self.written += 1
        if self.before_write:
            self.before_write.pop(0)()

    def _change(self, change: Change) -> WriteResult:
        ref = self._place_of(change.version.ref)
        stored = self.documents.get(ref)
        if stored is None or stored.seq_no != change.version.seq_no:
            return WriteResult("conflict")
        if change.members is None:
            del self.documents[ref]
        else:
            self._put(ref, _merged(stored.source, {self.config.simhash_field: change.members}))
        return WriteResult("written")

    def _written(self, action: bytes, index: str) -> WriteResult | None:
        """Return why an action fails; None for one that was done."""
        meta, document = map(json.loads, action.splitlines())
        ((verb, target),) = meta.items()
        ref = DocumentRef(target.get("_index", index), target["_id"], target.get("routing"))
        stored = self.documents.get(ref)
        if ref.id in self.rejected:
            return WriteResult("rejected", self.rejected[ref.id])
        if verb == "update":
            if stored is None:
                return WriteResult("missing", "there is none")
            if stored.seq_no != target["if_seq_no"]:
                return WriteResult("conflict", "it is newer")
            document = _merged(stored.source, document["doc"])
        elif verb == "create" and stored is not None:
            return WriteResult("conflict", "there is one")
        self._put(ref, document)
        if ref.id not in self.unanswered:
            return None
        # What was done is sent again, and conflicts with itself.
        self.unanswered.discard(ref.id)
        return WriteResult("conflict", "it is newer", is_resent=True)

    def matching(self, where: intents.Where, index: str | None = None) -> list[DocumentRef]:
        """Return where the documents are that match conditions."""
        matching = []
        for ref, stored in self.documents.items():
            family = stored.source.get(self.config.simhash_field, {}).get(fields.FAMILY)
            is_newer = where.above_seq_no is None or stored.seq_no > where.above_seq_no
            is_of_family = where.families is None or family in where.families
            is_routed = ROUTING not in where.has_fields or ref.routing is not None
            if ref.index == (index or self.name) and is_newer and is_of_family and is_routed:
                matching.append(ref)
        return matching

    def read_row(self, ref: DocumentRef, parts: intents.Parts) -> Row:
        """Return parts of a document."""
        stored = self.documents[ref]
        simhash = stored.source.get(self.config.simhash_field) or {}
        members = simhash if parts.members else {}
        return Row(
            ref,
            source=self._read(stored.source, parts),
            text=stored_text(stored.source, self.config.text_field) if parts.text else None,
            content_hash=members.get(fields.CONTENT_HASH),
            family=simhash.get(fields.FAMILY) if parts.members or parts.family else None,
            duplicate_of=members.get(fields.DUPLICATE_OF),
            date=stored.source.get(parts.date.name) if parts.date else None,
            simhash={name: simhash[name] for name in parts.simhash if name in simhash},
            version=DocumentVersion(ref, stored.seq_no, 1),
            writes=stored.writes,
        )

    def _read(self, source: Source, parts: intents.Parts) -> Source:
        """Return the fields of a document that were asked for."""
        if parts.whole:
            return source
        return {
            name: _without(value, parts.excluded) if name == self.config.simhash_field else value
            for name, value in source.items()
            if any(fnmatchcase(name, wanted) for wanted in parts.fields)
        }


@dataclass(frozen=True)
class _Snapshot:
    """The documents of one index behind the name, as they are."""

    store: VersionedIndex
    index: str

    def rows(
        self, where: intents.Where, parts: intents.Parts, *, page: int = 5000
    ) -> Iterator[Row]:
        """Yield all documents that match conditions."""
        for ref in self.store.matching(where, self.index):
            yield self.store.read_row(ref, parts)


def _without(simhash: Any, excluded: Sequence[str]) -> Any:
    if not isinstance(simhash, Mapping):
        return simhash
    return {name: value for name, value in simhash.items() if name not in excluded}


def _merged(stored: Any, added: Any) -> Any:
    """Return an object as a partial update leaves it: objects are merged, all else is replaced."""
    if not isinstance(stored, Mapping) or not isinstance(added, Mapping):
        return added
    return {
        **stored,
        **{name: _merged(stored.get(name), value) for name, value in added.items()},
    }
