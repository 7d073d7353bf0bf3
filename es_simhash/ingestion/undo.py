"""Undoing what a run decided about versions, from its audit log."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.document_batches import Lines
from es_simhash.ingestion.bulk.json_documents import ID, ROUTING, splice
from es_simhash.ingestion.bulk.lookup import Identity
from es_simhash.ingestion.bulk.outcomes import Outcome
from es_simhash.ingestion.bulk.target_index import TargetIndex
from es_simhash.ingestion.bulk.write_run import WriteAll, write_batches
from es_simhash.ingestion.deduplication.audit_log import (
    Audit,
    Record,
    audit_of,
    unchanging_audit,
)
from es_simhash.ingestion.deduplication.audit_runs import choose_runs, runs_of
from es_simhash.ingestion.deduplication.version_rules import FLAGGING, REVERSIBLE
from es_simhash.relation.references import DocumentRef
from es_simhash.store import fields
from es_simhash.store.changes import WRITE_ATTEMPTS, Change
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.elasticsearch.store import ElasticsearchStore, installed_store
from es_simhash.store.installation.noted_pairs import Dismissals, UndoneDecision
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.intents import DocumentsAt, FindPlaces, Parts
from es_simhash.store.rows import batches_of


@dataclass
class UndoReport:
    """What became of the records.

    Attributes:
        restored: Documents that were written again.
        present: Documents that were there already, and left as they are.
        unmarked: Documents whose flag or family was removed.
        unchanged: Documents that had no such flag any more, or are gone.
        failed: Documents that could not be restored or unmarked, with the reason.
        runs: Ids of the runs that were undone, the newest first.
    """

    restored: int = 0
    present: int = 0
    unmarked: int = 0
    unchanged: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    runs: tuple[str, ...] = ()

    def count(self, outcome: Outcome) -> None:
        """Take in what became of a document that was to be restored."""
        if outcome.ok:
            self.restored += 1
        else:
            self.failed.append((str(outcome.id), str(outcome.reason)))


_BUSY = f"Other writers changed it {WRITE_ATTEMPTS} times while its flag was to be removed."
# Records that are undone with one request; each may hold a document.
_RECORDS_PER_REQUEST = 100
_FLAGS = (fields.DUPLICATE_OF, fields.DUPLICATE_SCORE, fields.FAMILY, fields.REPRESENTATIVE)


def undo(
    client: Client,
    index: str,
    audit: str | Path,
    *,
    run: str | None = None,
    config: IndexConfig | None = None,
    retry: RetryPolicy | None = None,
) -> UndoReport:
    """Restore what was skipped or replaced, and remove flags and families; see `Index.undo`.

    Args:
        client: Client of the cluster.
        index: The index the decisions are about.
        audit: The audit log: a file, or `index:NAME`.
        run: Id of the run to undo or the beginning of it, or "all"; not needed where the log has
            one run.
        config: Names of the fields, and the vocabulary; the schemes are those of the index.
        retry: How long requests to a busy cluster are retried.
    """
    policy = retry or RetryPolicy()
    store = installed_store(client, index, config or IndexConfig(), policy)
    with unchanging_audit(audit):
        report = _undone(store, _Log.open(audit_of(audit, client), index, run))
    # The waiting of the store has ended with what it wrote.
    Gateway.of(client, policy).refresh(index)
    return report


def _undone(store: ElasticsearchStore, log: "_Log") -> UndoReport:
    target, index = TargetIndex(store), store.name
    undoing = _Undo(target, UndoReport(runs=log.runs))
    last = {_lost_id(record): _key(record) for record in log.lost()}
    if last:
        # Before any flag is removed; to remove flags alone nothing is fingerprinted.
        target.require_profiler()
    # First, or a sweep between the two would decide again.
    Dismissals(StateIndex(store.gateway, index, target.config.state_field)).write_undone(
        UndoneDecision((str(record.head["id"]), str(record.head["other"])), record.head["run"])
        for record in log.records()
        if record.head["action"] in REVERSIBLE
    )
    flagged = (record for record in log.records() if record.head["action"] in FLAGGING)
    for batch in batches_of(flagged, _RECORDS_PER_REQUEST):
        undoing.remove_flags(batch)
    # Of a document that was lost twice, the later one is restored.
    undoing.restore(record for record in log.lost() if last[_lost_id(record)] == _key(record))
    return undoing.report


@dataclass(frozen=True)
class _Log:
    """The part of an audit log that is to be undone.

    Attributes:
        audit: The log.
        index: The index that it is about.
        runs: Ids of the runs to undo.
    """

    audit: Audit
    index: str
    runs: tuple[str, ...] = ()

    @classmethod
    def open(cls, audit: Audit, index: str, run: str | None) -> "_Log":
        """Return the part of a log that a person names.

        Raises:
            InputError: It has nothing about the index or the run, or several runs.
        """
        whole = cls(audit, index)
        runs = runs_of(record.head for record in whole.of_index())
        if not runs:
            raise InputError(
                f"Audit log {audit.name!r} has no decisions of index {index!r}. Check the names.",
                parameter="audit",
            )
        where = f"audit log {audit.name!r} for index {index!r}"
        return replace(whole, runs=tuple(choose_runs(run, runs, where)))

    def of_index(self) -> Iterator[Record]:
        """Yield all records about the index."""
        for record in self.audit.read():
            if record.head["index"] == self.index:
                yield record

    def records(self) -> Iterator[Record]:
        """Yield the records of the runs."""
        runs = set(self.runs)
        return (record for record in self.of_index() if record.head["run"] in runs)

    def lost(self) -> Iterator[Record]:
        """Yield the records that hold a document."""
        return (record for record in self.records() if record.document is not None)


def _key(record: Record) -> tuple[Any, Any]:
    return record.head["run"], record.head["number"]


def _lost_id(record: Record) -> str:
    """Return the id of the document that a record holds."""
    return str(record.head["other" if record.head["action"] == "replace" else "id"])


def _lost_identity(record: Record) -> Identity:
    """Return id and routing of the document that a record holds."""
    routing = "other_routing" if record.head["action"] == "replace" else "routing"
    return Identity(_lost_id(record), record.head.get(routing))


def _line(document: bytes, identity: Identity) -> bytes:
    """Return a document as `ingest` reads it, with its id and its routing."""
    line = splice(document, json.dumps(ID).encode(), json.dumps(identity.id).encode())
    if identity.routing is None:
        return line
    return splice(line, json.dumps(ROUTING).encode(), json.dumps(identity.routing).encode())


class _Undo:
    """Undoes records of one index, and counts what became of them."""

    def __init__(self, target: TargetIndex, report: UndoReport) -> None:
        self._target = target
        self.report = report

    def restore(self, records: Iterable[Record]) -> None:
        """Write the documents of records again that the index does not have."""
        for outcome in write_batches(WriteAll(self._target), self._absent(records)):
            self.report.count(outcome)

    def _absent(self, records: Iterable[Record]) -> Iterator[Lines]:
        for batch in batches_of(records, _RECORDS_PER_REQUEST):
            identities = [_lost_identity(record) for record in batch]
            found = self._target.lookup(identities, Parts())
            lines = [
                _line(record.document or b"", identity)
                for identity, record in zip(identities, batch, strict=True)
                # Refused: it is there, under another routing.
                if identity.id not in found.stored and identity.id not in found.refused
            ]
            self.report.present += len(batch) - len(lines)
            if lines:
                yield Lines("audit", 1, b"\n".join(lines))

    def remove_flags(self, records: Sequence[Record]) -> None:
        """Remove flags and families from documents that still have them."""
        wanted: dict[DocumentRef, dict[str, Any]] = {}
        for record in records:
            for ref, flags in _flags(record.head):
                wanted.setdefault(ref, {}).update(flags)
        wanted = self._placed(wanted)
        pending = list(wanted)
        for _ in range(WRITE_ATTEMPTS):
            pending = self._attempt(pending, wanted)
        self.report.failed += [(ref.id, _BUSY) for ref in pending]

    def _placed(
        self, wanted: dict[DocumentRef, dict[str, Any]]
    ) -> dict[DocumentRef, dict[str, Any]]:
        """Return documents of an alias in the index that has them: it may stand for several."""
        ids = tuple(ref.id for ref in wanted if ref.index is None)
        if not ids or not self._target.config.is_alias:
            return wanted
        # They are searched, as which index has them is unknown.
        self._target.store.refresh_if_allowed(self._target.name)
        (found,) = self._target.store.ask([FindPlaces(ids)])
        placed: dict[DocumentRef, dict[str, Any]] = {}
        for ref, flags in wanted.items():
            places = [] if ref.index is not None else found.get(ref.id, [])
            same = [place for place in places if ref.routing in (None, place.routing)]
            placed.setdefault(max(same, default=ref), {}).update(flags)
        return placed

    def _attempt(
        self, refs: Sequence[DocumentRef], wanted: Mapping[DocumentRef, Mapping[str, Any]]
    ) -> list[DocumentRef]:
        """Update documents; return those that another writer has changed meanwhile."""
        (rows,) = self._target.store.ask([DocumentsAt(tuple(refs), Parts(simhash=_FLAGS))])
        flagged, changes = [], []
        for ref in refs:
            row = rows.get(ref)
            removed = {} if row is None else _removed(row.simhash, wanted[ref])
            if row is None or not removed:
                self.report.unchanged += 1
                continue
            flagged.append(ref)
            changes.append(Change(row.read_version, removed))
        results = self._target.change(changes)
        conflicts = [
            ref for ref, result in zip(flagged, results, strict=True) if result.status == "conflict"
        ]
        self.report.unmarked += len(flagged) - len(conflicts)
        return conflicts


def _removed(stored: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, None]:
    """Return the flags to remove, by null: those that are still what was written."""
    same = {name for name, value in flags.items() if stored.get(name) == value}
    if fields.DUPLICATE_OF in flags and fields.DUPLICATE_OF not in same:
        same.clear()  # another decision has been made since
    if fields.FAMILY in same and stored.get(fields.REPRESENTATIVE) is not None:
        # Of no family, it must not be taken for one that another document represents.
        same.add(fields.REPRESENTATIVE)
    return dict.fromkeys(sorted(same))


def _flags(head: Mapping[str, Any]) -> Iterator[tuple[DocumentRef, dict[str, Any]]]:
    """Yield documents that a record is about, each with the flags that it got."""
    flags = {fields.DUPLICATE_OF: head["other"], fields.DUPLICATE_SCORE: head["score"]}
    if "family" in head:
        flags[fields.FAMILY] = head["family"]
        if head["gave_family"]:
            original = DocumentRef(None, str(head["other"]), head.get("other_routing"))
            yield original, {fields.FAMILY: head["family"]}
    yield DocumentRef(head.get("in"), str(head["id"]), head.get("routing")), flags
