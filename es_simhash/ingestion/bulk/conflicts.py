"""Several documents of one run with one id: which of them is kept, and what became of the others.

What a run has written to the index is known by digests alone, so that a run of any length takes 16
bytes an id. Two ids with the same digest of 64 bits would be taken for one: among 100 million ids
that happens with a chance of 1 to 4,000.
"""

import threading
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
import xxhash

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.digest_table import DigestTable, Words, records_of
from es_simhash.ingestion.bulk.documents import Document
from es_simhash.ingestion.bulk.outcome import Status

OnConflict = Literal["last", "first", "fail"]
ON_CONFLICT: tuple[OnConflict, ...] = get_args(OnConflict)

REPEATED = "Another document of this run has the same id and text."
CONFLICT = "Another document of this run has the same id and another text, and is kept."
FAILED_CONFLICT = (
    "An earlier document of this run has the same id and another text. Give one of them another "
    "id, or choose with on_conflict (--on-conflict) which is kept."
)
REROUTED = (
    "An earlier document of this run has the same id and another routing, and ids are unique. Give "
    "one of them another id."
)
NOT_KEPT = "The document of the same id that was kept in its place failed."

# A value: 46 bits of the text, 16 bits of the routing, and 2 bits that say how it was counted.
_STATUS_BITS, _ROUTING_BITS = 2, 16
_STATUSES: tuple[Status | None, ...] = (None, "written", "unchanged")
_TEXT_SHIFT = _STATUS_BITS + _ROUTING_BITS


class Mark(NamedTuple):
    """A document as a run remembers it: digests of its id, and of its text and routing."""

    key: int
    value: int

    def has_text_of(self, other: "Mark") -> bool:
        """Check whether two documents have the same text."""
        return self.value >> _TEXT_SHIFT == other.value >> _TEXT_SHIFT

    def has_routing_of(self, other: "Mark") -> bool:
        """Check whether two documents have the same routing, or none."""
        differing = (self.value ^ other.value) & ((1 << _TEXT_SHIFT) - 1)
        return differing >> _STATUS_BITS == 0


class Standing(NamedTuple):
    """A document of this run that is in the index, and the status it was counted as."""

    mark: Mark
    status: Status


def key_of(id: str) -> int:
    """Return the digest of an id."""
    return xxhash.xxh3_64_intdigest(id.encode("utf-8", "surrogatepass"))


def mark_of(document: Document) -> Mark:
    """Return how a run remembers a document."""
    text = xxhash.xxh3_64_intdigest(document.text.encode("utf-8", "surrogatepass"))
    routing = 0 if document.routing is None else key_of(document.routing)
    bits = (text >> _TEXT_SHIFT) << _ROUTING_BITS | routing >> (64 - _ROUTING_BITS)
    return Mark(key_of(document.id), bits << _STATUS_BITS)


def require_on_conflict(value: str) -> None:
    """Reject an unknown choice of what is done with conflicts.

    Raises:
        InputError: There is no such choice.
    """
    if value not in ON_CONFLICT:
        raise InputError(
            f"Unknown on_conflict {value!r}; choose from {', '.join(ON_CONFLICT)}.",
            parameter="on_conflict",
        )


class RunDocuments:
    """What is in the index of the documents of one run, by id; safe to use from threads.

    Args:
        on_conflict: Which of two documents with one id and different texts is kept: the "last", the
            "first", or the first and the other fails ("fail").
    """

    def __init__(self, on_conflict: OnConflict = "last") -> None:
        self.on_conflict = on_conflict
        self._table = DigestTable()
        self._lock = threading.Lock()

    @property
    def keeps_last(self) -> bool:
        """True when a later document takes the place of an earlier one."""
        return self.on_conflict == "last"

    def load(self, records: bytes) -> None:
        """Take in what an earlier part of the run returned."""
        with self._lock:
            self._table.load(records)

    def standing(self, keys: Sequence[int]) -> list[Standing | None]:
        """Return what stands of documents, by the digests of their ids."""
        with self._lock:
            values = self._table.find(_words(keys)).tolist()
        return [
            None if status is None else Standing(Mark(key, value), status)
            for key, value in zip(keys, values, strict=True)
            for status in [_STATUSES[value & (1 << _STATUS_BITS) - 1]]
        ]

    def put(self, standing: Iterable[Standing], removed: Iterable[int] = ()) -> bytes:
        """Take in what stands now, and what does not any more.

        Args:
            standing: Documents that were written, or that the index has.
            removed: Digests of the ids of documents that were deleted.

        Returns:
            What `load` takes.
        """
        entries = list(standing)
        gone = list(removed)
        keys = _words([*gone, *(entry.mark.key for entry in entries)])
        values = _words([*([0] * len(gone)), *(map(_value, entries))])
        with self._lock:
            self._table.put(keys, values)
        return records_of(keys, values)


def _words(numbers: Sequence[int]) -> Words:
    return np.array(numbers, np.uint64)


def _value(standing: Standing) -> int:
    bare = standing.mark.value >> _STATUS_BITS << _STATUS_BITS
    return bare | _STATUSES.index(standing.status)
