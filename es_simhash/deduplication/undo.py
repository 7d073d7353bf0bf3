"""Taking back what a run decided, from its audit log."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from es_simhash.bulk.batches import Lines
from es_simhash.bulk.documents import ID, splice
from es_simhash.bulk.outcome import Outcome
from es_simhash.bulk.run import write_batches
from es_simhash.bulk.target import TargetIndex
from es_simhash.bulk.write_all import WriteAll
from es_simhash.deduplication.actions import nested
from es_simhash.deduplication.audit import read_audit
from es_simhash.deduplication.audit_records import Record
from es_simhash.deduplication.requests import Requests
from es_simhash.deduplication.stored_documents import Fact
from es_simhash.engine.errors import reason_of
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.engine.retry import RetryPolicy
from es_simhash.errors import ClusterError, InputError
from es_simhash.indices.install import installed
from es_simhash.storage import fields
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.fields import DEFAULT_FIELD, field_path
from es_simhash.storage.references import DocumentVersion

# Records that are taken back with one request; each may hold a document.
_BATCH = 100
_CONFLICT, _MISSING = 409, 404
_TRIES = 5
_MARKED = ("flag", "link")
_MARKS = (fields.DUPLICATE_OF, fields.DUPLICATE_SCORE, fields.FAMILY)


@dataclass
class Undone:
    """What became of the records.

    Attributes:
        restored: Documents that were written again.
        present: Documents that were there already, and left as they are.
        unmarked: Documents whose mark or family was taken away.
        unchanged: Documents that had no such mark any more, or are gone.
        failed: Documents that could not be written, with the reason.
    """

    restored: int = 0
    present: int = 0
    unmarked: int = 0
    unchanged: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)


def undo(
    client: Client,
    index: str,
    audit: str | Path,
    *,
    run: str | None = None,
    text_field: str = "text",
    simhash_field: str = DEFAULT_FIELD,
    retry: RetryPolicy | None = None,
) -> Undone:
    """Put back what was skipped or replaced, and take marks and families away again.

    A document that is there, whatever it holds now, is never overwritten. Doing it twice does
    nothing the second time.

    Args:
        client: The client.
        index: The index the decisions are about.
        audit: The audit log: a file, or `index:NAME`.
        run: Id of the one run to undo; all by default.
        text_field: Field of the text.
        simhash_field: Name of our object.
        retry: How long requests to a busy cluster are retried.

    Raises:
        InputError: The log has nothing about this index, or this run.
        ClusterError: A document is refused.
    """
    installed(client, index, simhash_field)
    log = _Log(client, index, audit, run)
    last = {_lost_id(each): _key(each) for each in log.records() if each.document is not None}
    if not last and next(log.records(), None) is None:
        which = f"run {run!r} on " if run is not None else ""
        raise InputError(f"{audit} has no decisions of {which}index {index!r}; check the names.")
    requests = Requests(Gateway.of(client, retry or RetryPolicy()), index, simhash_field)
    undone = Undone()
    for batch in _batches(each for each in log.records() if each.head["action"] in _MARKED):
        _Unmarking(requests, simhash_field, undone).unmark(batch)
    # Of a document that was lost twice, the later one is the one to have.
    lost = (each for each in log.records() if each.document is not None)
    final = (each for each in lost if last[_lost_id(each)] == _key(each))
    lines = _absent(requests, final, undone)
    config = IndexConfig(text_field=text_field, simhash_field=simhash_field)
    target = TargetIndex.open(client, index, config, retry or RetryPolicy())
    for outcome in write_batches(WriteAll(target), lines):
        _count(outcome, undone)
    requests.refresh()
    return undone


@dataclass(frozen=True)
class _Log:
    """The part of an audit log that is to be undone."""

    client: Client
    index: str
    audit: str | Path
    run: str | None

    def records(self) -> Iterator[Record]:
        """Yield its records."""
        for each in read_audit(self.audit, self.client):
            if each.head["index"] == self.index and self.run in (None, each.head["run"]):
                yield each


def _key(record: Record) -> tuple[Any, Any]:
    return record.head["run"], record.head["number"]


def _lost_id(record: Record) -> str:
    """Return the id of the document that a record holds."""
    return str(record.head["other" if record.head["action"] == "replace" else "id"])


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    records = iter(records)
    while batch := list(islice(records, _BATCH)):
        yield batch


def _absent(requests: Requests, records: Iterable[Record], undone: Undone) -> Iterator[Lines]:
    """Yield the lost documents that the index has not."""
    for batch in _batches(records):
        ids = [_lost_id(each) for each in batch]
        found = requests.documents([(None, id) for id in ids], [])
        lines = []
        for id, record, entry in zip(ids, batch, found, strict=True):
            if entry.get("found"):
                undone.present += 1
            else:
                member = json.dumps(ID).encode()
                lines.append(splice(record.document or b"", member, json.dumps(id).encode()))
        if lines:
            yield Lines("audit", 1, b"\n".join(lines))


def _count(outcome: Outcome, undone: Undone) -> None:
    if outcome.ok:
        undone.restored += 1
    else:
        undone.failed.append((str(outcome.id), str(outcome.reason)))


@dataclass(frozen=True)
class _Where:
    """Where a document is; None for the index the log is about, and for routing by the id."""

    id: str
    index: str | None = None
    routing: str | None = None


class _Unmarking:
    """Takes marks and families away from documents that still have them."""

    def __init__(self, requests: Requests, simhash_field: str, undone: Undone) -> None:
        self._requests = requests
        self._field = simhash_field
        self._undone = undone

    def unmark(self, records: Sequence[Record]) -> None:
        """Take away what some records tell of."""
        wanted: dict[_Where, dict[str, Any]] = {}
        for each in records:
            head = each.head
            marks = {fields.DUPLICATE_OF: head["other"], fields.DUPLICATE_SCORE: head["score"]}
            if "family" in head:
                marks[fields.FAMILY] = head["family"]
                if head["gave_family"]:
                    other = _Where(str(head["other"]))
                    wanted.setdefault(other, {})[fields.FAMILY] = head["family"]
            where = _Where(str(head["id"]), head.get("in"), head.get("routing"))
            wanted.setdefault(where, {}).update(marks)
        pending = list(wanted)
        for _ in range(_TRIES):
            pending = self._attempt(pending, wanted)
        self._undone.unchanged += len(pending)

    def _attempt(
        self, places: Sequence[_Where], wanted: Mapping[_Where, Mapping[str, Any]]
    ) -> list[_Where]:
        """Update documents; give those that somebody else has changed meanwhile."""
        members = [field_path(self._field, each) for each in _MARKS]
        keys, routings = [(each.index, each.id) for each in places], [p.routing for p in places]
        found = self._requests.documents(keys, members, routings)
        marked = {}
        for place, fact in zip(places, found, strict=True):
            taken = self._present(fact, wanted[place])
            if taken:
                marked[place] = (fact, taken)
            else:
                self._undone.unchanged += 1
        lines = [
            [
                {
                    "update": {
                        "_index": fact["_index"],
                        "_id": place.id,
                        **DocumentVersion.of_hit(fact).conditions,
                    }
                },
                {"doc": nested(self._field, taken)},
            ]
            for place, (fact, taken) in marked.items()
        ]
        results = self._requests.bulk(self._requests.index, lines)
        return [
            each for each, result in zip(marked, results, strict=True) if self._is_outrun(result)
        ]

    def _present(self, fact: Fact, marks: Mapping[str, Any]) -> dict[str, None]:
        """Return the marks to take away: those that are still what was written."""
        source = fact.get("_source", {}) if fact.get("found") else {}
        stored = _object(source, self._field)
        same = {name for name, value in marks.items() if stored.get(name) == value}
        if fields.DUPLICATE_OF in marks and fields.DUPLICATE_OF not in same:
            same.clear()  # another decision has been made since
        return dict.fromkeys(sorted(same))

    def _is_outrun(self, result: Mapping[str, Any]) -> bool:
        if result["status"] == _CONFLICT:
            return True
        if "error" in result and result["status"] != _MISSING:
            raise ClusterError(f"Document {result['_id']!r} is refused: {reason_of(result)}.")
        self._undone.unmarked += 1
        return False


def _object(source: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    value: Any = source
    for part in field.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}
