"""Pairs of documents that a person decided about: dismissals, and decisions that were undone.

Both are in the state index INDEX-simhash, and stand until a person changes them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.indices.state_index import StateIndex
from es_simhash.storage.references import DocumentVersion

Ids = tuple[str, str]

# Entries that are written with one request.
_ENTRIES_PER_REQUEST = 1000


@dataclass(frozen=True)
class Dismissal:
    """Two documents that are not versions of each other.

    Attributes:
        ids: The ids of the documents.
        undone: True when the dismissal was withdrawn, and no run has acknowledged that yet.
        pending: True when no run has acknowledged it yet.
        version: In which it was read.
    """

    ids: Ids
    undone: bool = False
    pending: bool = True
    version: DocumentVersion | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class UndoneDecision:
    """A decision about two documents that `undo` reverted, and that no run makes again.

    Attributes:
        ids: The id of the document, and that of its original.
        run: Id of the run that decided.
    """

    ids: Ids
    run: str


class Dismissals:
    """The dismissals and the undone decisions of one index.

    Args:
        state: Its state index.
    """

    def __init__(self, state: StateIndex) -> None:
        self._state = state

    def all(self) -> list[Dismissal]:
        """Return all dismissals, with those withdrawn that no run has acknowledged."""
        return [
            Dismissal(
                ids_of(hit["_source"]),
                hit["_source"]["undone"],
                hit["_source"]["pending"],
                DocumentVersion.of_hit(hit),
            )
            for hit in self._state.hits("dismissal")
        ]

    def pairs(self) -> set[Ids]:
        """Return the ids of the documents that are dismissed, in the order of the ids."""
        return {dismissal.ids for dismissal in self.all() if not dismissal.undone}

    def undone(self) -> list[UndoneDecision]:
        """Return all decisions that were undone."""
        return [
            UndoneDecision(ids_of(entry), entry["run"]) for entry in self._state.entries("undone")
        ]

    def settled(self) -> tuple[set[Ids], list[tuple[str, Ids]]]:
        """Return what binds a run: the dismissed pairs, and the undone ones with their runs."""
        return self.pairs(), [(decision.run, decision.ids) for decision in self.undone()]

    def write(self, dismissal: Dismissal) -> None:
        """Store a dismissal in place of what was stored of the two documents."""
        self._state.write([self._dismissal(dismissal)])

    def acknowledge(self, dismissals: Sequence[Dismissal]) -> None:
        """Mark dismissals as applied by a run, and delete those withdrawn.

        What a person changed since it was read stays as it is, for the next run.
        """
        self._state.write([self._acknowledgement(dismissal) for dismissal in dismissals])

    def _acknowledgement(self, dismissal: Dismissal) -> list[dict[str, Any]]:
        conditions = {} if dismissal.version is None else dismissal.version.conditions
        if dismissal.undone:
            return self._state.removal(self._dismissal_id(dismissal.ids), conditions)
        return self._dismissal(Dismissal(dismissal.ids, pending=False), conditions)

    def write_undone(self, decisions: Iterable[UndoneDecision]) -> int:
        """Store decisions that are undone; return their number."""
        count = 0
        for batch in _batches(decisions):
            self._state.write([self._undone(decision) for decision in batch])
            count += len(batch)
        return count

    def lift(self, decisions: Iterable[UndoneDecision]) -> None:
        """Delete undone decisions, so that runs may make them again."""
        for batch in _batches(decisions):
            self._state.write([self._state.removal(self._undone_id(each)) for each in batch])

    def _dismissal_id(self, ids: Ids) -> str:
        return digest_of_key("dismissal", self._state.field, *sorted(ids))

    def _dismissal(
        self, dismissal: Dismissal, conditions: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        entry = {
            "kind": "dismissal",
            "ids": sorted(dismissal.ids),
            "undone": dismissal.undone,
            "pending": dismissal.pending,
        }
        return self._state.entry(self._dismissal_id(dismissal.ids), entry, conditions)

    def _undone_id(self, decision: UndoneDecision) -> str:
        return digest_of_key("undone", self._state.field, decision.run, *decision.ids)

    def _undone(self, decision: UndoneDecision) -> list[dict[str, Any]]:
        entry = {"kind": "undone", "ids": list(decision.ids), "run": decision.run}
        return self._state.entry(self._undone_id(decision), entry)


def ids_of(entry: Mapping[str, Any]) -> Ids:
    """Return the ids of a stored pair."""
    return entry["ids"][0], entry["ids"][1]


def _batches(decisions: Iterable[UndoneDecision]) -> Iterator[list[UndoneDecision]]:
    remaining = iter(decisions)
    while batch := list(islice(remaining, _ENTRIES_PER_REQUEST)):
        yield batch
