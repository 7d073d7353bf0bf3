"""Pairs of documents that a person noted in the state index, and that stand until one is undone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.indices.state_index import StateIndex
from es_simhash.storage.references import DocumentVersion

Ids = tuple[str, str]


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
        return [
            NotedPair(
                ids_of(hit["_source"]),
                hit["_source"]["undone"],
                hit["_source"]["pending"],
                DocumentVersion.of_hit(hit),
            )
            for hit in self._state.hits(self._kind)
        ]

    def pairs(self) -> set[Ids]:
        """Return the ids of the pairs that stand, in the order of the ids."""
        return {noted.ids for noted in self.all() if not noted.undone}

    def write(self, noted: NotedPair) -> None:
        """Store a pair in place of what was stored of the two documents."""
        self.write_all([noted])

    def write_all(self, noted: Iterable[NotedPair]) -> None:
        """Store pairs, each in place of what was stored of the two documents."""
        self._state.write([self._entry(pair) for pair in noted])

    def withdraw(self, pairs: Iterable[Ids]) -> None:
        """Withdraw pairs; the next run acknowledges that."""
        self.write_all(NotedPair(ids, undone=True) for ids in pairs)

    def acknowledge(self, noted: Sequence[NotedPair]) -> None:
        """Mark pairs as applied by a run, and delete those withdrawn.

        What a person changed since it was read stays as it is, for the next run.
        """
        self._state.write([self._acknowledgement(pair) for pair in noted])

    def _acknowledgement(self, noted: NotedPair) -> list[dict[str, Any]]:
        conditions = {} if noted.version is None else noted.version.conditions
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


def ids_of(entry: Mapping[str, Any]) -> Ids:
    """Return the ids of a stored pair."""
    return entry["ids"][0], entry["ids"][1]
