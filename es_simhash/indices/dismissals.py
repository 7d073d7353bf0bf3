"""Pairs of documents that a person decided about: dismissals, and decisions that were undone.

Both are in the state index INDEX-simhash, and stand until a person changes them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.indices.noted_pairs import Ids, NotedPair, NotedPairs, ids_of
from es_simhash.indices.state_index import StateIndex

DISMISSAL = "dismissal"
# Entries that are written with one request.
_ENTRIES_PER_REQUEST = 1000

# Two documents that are not versions of each other.
Dismissal = NotedPair


@dataclass(frozen=True)
class UndoneDecision:
    """A decision about two documents that `undo` reverted, and that no run makes again.

    Attributes:
        ids: The id of the document, and that of its original.
        run: Id of the run that decided.
    """

    ids: Ids
    run: str


class Dismissals(NotedPairs):
    """The dismissals and the undone decisions of one index.

    Args:
        state: Its state index.
    """

    def __init__(self, state: StateIndex) -> None:
        super().__init__(state, DISMISSAL)

    def undone(self) -> list[UndoneDecision]:
        """Return all decisions that were undone."""
        return [
            UndoneDecision(ids_of(entry), entry["run"]) for entry in self._state.entries("undone")
        ]

    def settled(self) -> tuple[set[Ids], list[tuple[str, Ids]]]:
        """Return what binds a run: the dismissed pairs, and the undone ones with their runs."""
        return self.pairs(), [(decision.run, decision.ids) for decision in self.undone()]

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

    def _undone_id(self, decision: UndoneDecision) -> str:
        return digest_of_key("undone", self._state.field, decision.run, *decision.ids)

    def _undone(self, decision: UndoneDecision) -> list[dict[str, Any]]:
        entry = {"kind": "undone", "ids": list(decision.ids), "run": decision.run}
        return self._state.entry(self._undone_id(decision), entry)


def _batches(decisions: Iterable[UndoneDecision]) -> Iterator[list[UndoneDecision]]:
    remaining = iter(decisions)
    while batch := list(islice(remaining, _ENTRIES_PER_REQUEST)):
        yield batch
