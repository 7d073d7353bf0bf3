"""Pairs of documents that a person decided about: dismissals, joins, undone decisions.

All are in the state index INDEX-simhash, and stand until a person changes them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.references import DocumentVersion
from es_simhash.store.elasticsearch.hits import conditions_of, version_of
from es_simhash.store.installation.state_index import COUNTS, LeftFamilies, StateIndex, options_of
from es_simhash.store.state_entries import DISMISSAL, JOIN, Ids, ids_of

# Entries that are written with one request.
_ENTRIES_PER_REQUEST = 1000
# Kind of the entries of decisions that were undone.
_UNDONE = "undone"


@dataclass(frozen=True)
class NotedPair:
    """Two documents that a person said something about.

    Attributes:
        ids: The ids of the documents.
        undone: True when it was withdrawn, and no run has acknowledged that yet.
        pending: True when no run has acknowledged it yet.
        version: In which it was read.
    """

    ids: Ids
    undone: bool = False
    pending: bool = True
    version: DocumentVersion | None = field(default=None, repr=False, compare=False)


class NotedPairs:
    """The pairs of one index of which a person said the same.

    Args:
        state: Its state index.
        kind: What was said, as the kind of entries of the state index.
    """

    def __init__(self, state: StateIndex, kind: str) -> None:
        self._state = state
        self._kind = kind

    def all(self) -> list[NotedPair]:
        """Return all pairs, with those withdrawn that no run has acknowledged."""
        return self.of(self._state.hits(self._kind))

    def of(self, hits: Iterable[Mapping[str, Any]]) -> list[NotedPair]:
        """Return the pairs among documents of the state index, as `all` does."""
        return [
            NotedPair(
                ids_of(hit["_source"]),
                hit["_source"]["undone"],
                hit["_source"]["pending"],
                version_of(hit),
            )
            for hit in hits
            if hit["_source"]["kind"] == self._kind
        ]

    def pairs(self) -> set[Ids]:
        """Return the ids of the pairs that stand, in the order of the ids."""
        return standing(self.all())

    def write(self, noted: NotedPair) -> None:
        """Store a pair in place of what was stored of the two documents."""
        self.write_all([noted])

    def write_all(self, noted: Iterable[NotedPair]) -> None:
        """Store pairs, each in place of what was stored of the two documents."""
        self._state.write([self._entry(pair) for pair in noted])

    def withdraw(self, pairs: Iterable[Ids]) -> None:
        """Withdraw pairs; the next run acknowledges that."""
        self.write_all(NotedPair(ids, undone=True) for ids in pairs)

    def acknowledgement(self, noted: NotedPair) -> list[dict[str, Any]]:
        """Return the action that marks a pair as applied by a run, or deletes one withdrawn.

        What a person changed since it was read stays as it is, for the next run.
        """
        conditions = {} if noted.version is None else conditions_of(noted.version)
        if noted.undone:
            return self._state.removal(self._id(noted.ids), conditions)
        return self._entry(NotedPair(noted.ids, pending=False), conditions)

    def _id(self, ids: Ids) -> str:
        return digest_of_key(self._kind, self._state.field, *sorted(ids))

    def _entry(
        self, noted: NotedPair, conditions: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        entry = {
            "kind": self._kind,
            "ids": sorted(noted.ids),
            "undone": noted.undone,
            "pending": noted.pending,
        }
        return self._state.entry(self._id(noted.ids), entry, conditions)


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
        return undone_of(self._state.entries(_UNDONE))

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
        return digest_of_key(_UNDONE, self._state.field, decision.run, *decision.ids)

    def _undone(self, decision: UndoneDecision) -> list[dict[str, Any]]:
        entry = {"kind": _UNDONE, "ids": list(decision.ids), "run": decision.run}
        return self._state.entry(self._undone_id(decision), entry)


class Joins(NotedPairs):
    """The joins of one index: pairs that are versions of each other, whatever their texts are.

    Args:
        state: Its state index.
    """

    def __init__(self, state: StateIndex) -> None:
        super().__init__(state, JOIN)


def _batches(decisions: Iterable[UndoneDecision]) -> Iterator[list[UndoneDecision]]:
    remaining = iter(decisions)
    while batch := list(islice(remaining, _ENTRIES_PER_REQUEST)):
        yield batch


@dataclass(frozen=True)
class FamilyState:
    """What a run of families reads of the runs before it, and of what a person decided.

    Attributes:
        options: Options of the last run; None when there was none.
        left: What the last run left of the families; None when there was none.
        dismissals: Pairs that were dismissed.
        joins: Pairs that were joined.
    """

    options: str | None
    left: LeftFamilies | None
    dismissals: Sequence[NotedPair]
    joins: Sequence[NotedPair]


def family_state(state: StateIndex) -> FamilyState:
    """Return what a run of families needs of the state index, read together."""
    hits = list(state.hits("run", COUNTS, DISMISSAL, JOIN))
    entries = [hit["_source"] for hit in hits]
    return FamilyState(
        options_of(entries),
        LeftFamilies.of(entries),
        Dismissals(state).of(hits),
        Joins(state).of(hits),
    )


def standing(noted: Iterable[NotedPair]) -> set[Ids]:
    """Return the ids of the pairs that stand, in the order of the ids."""
    return {pair.ids for pair in noted if not pair.undone}


def undone_of(entries: Iterable[Mapping[str, Any]]) -> list[UndoneDecision]:
    """Return the decisions among entries that were undone."""
    return [
        UndoneDecision(ids_of(entry), entry["run"]) for entry in entries if entry["kind"] == _UNDONE
    ]


def binding_pairs(state: StateIndex) -> ManualPairs:
    """Return what a person decided and undid in an index, which binds its runs; read together."""
    hits = list(state.hits(DISMISSAL, JOIN, _UNDONE))
    undone = undone_of(hit["_source"] for hit in hits)
    return ManualPairs.of(
        standing(Dismissals(state).of(hits)),
        standing(Joins(state).of(hits)),
        [(decision.run, decision.ids) for decision in undone],
    )
