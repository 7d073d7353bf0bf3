"""A table of 16 bytes for each key: what a run knows of every id, in memory that is bounded."""

import threading
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
import xxhash
from numpy.typing import NDArray

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.json_documents import Document
from es_simhash.ingestion.bulk.outcomes import Status

Words = NDArray[np.uint64]

# Records read from a file at once.
_CHUNK = 1 << 16
RECORD_BYTES = 16


class DigestTable:
    """Values of 64 bits by keys of 64 bits; a value of 0 stands for none.

    It consists of sorted arrays, each at least twice as long as the next, so that a key takes 16
    bytes, and about twice that for the moment in which arrays are merged.
    """

    def __init__(self) -> None:
        self._runs: list[tuple[Words, Words]] = []

    def __len__(self) -> int:
        return sum(len(keys) for keys, _ in self._runs)

    def find(self, keys: Words) -> Words:
        """Return the value of each key; 0 for those without one."""
        found = np.zeros(len(keys), np.uint64)
        for run_keys, run_values in self._runs:
            places, hits = _places(run_keys, keys)
            found[hits] = run_values[places[hits]]
        return found

    def put(self, keys: Words, values: Words) -> None:
        """Set values; of a key that is given twice, the last."""
        keys, values = _last_of_each(keys, values)
        fresh = np.ones(len(keys), np.bool_)
        for run_keys, run_values in self._runs:
            places, hits = _places(run_keys, keys)
            run_values[places[hits]] = values[hits]
            fresh &= ~hits
        self._append(keys[fresh], values[fresh])

    def load(self, records: bytes) -> None:
        """Set what `records_of` returned, in order."""
        words = np.frombuffer(records, "<u8").astype(np.uint64)
        for start in range(0, len(words), 2 * _CHUNK):
            chunk = words[start : start + 2 * _CHUNK]
            self.put(chunk[0::2], chunk[1::2])

    def _append(self, keys: Words, values: Words) -> None:
        """Add sorted keys; merge arrays that are not much longer than what comes after them."""
        if not len(keys):
            return
        while self._runs and len(self._runs[-1][0]) < 2 * len(keys):
            older_keys, older_values = self._runs.pop()
            places = np.searchsorted(older_keys, keys)
            keys = np.insert(older_keys, places, keys)
            values = np.insert(older_values, places, values)
        self._runs.append((keys, values))


def _places(run_keys: Words, keys: Words) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return where keys are in a sorted array, and which of them are there."""
    places = np.minimum(np.searchsorted(run_keys, keys), len(run_keys) - 1)
    return places, run_keys[places] == keys


def _last_of_each(keys: Words, values: Words) -> tuple[Words, Words]:
    """Return sorted keys, each once, with the last of its values."""
    unique, first_from_end = np.unique(keys[::-1], return_index=True)
    return unique, values[::-1][first_from_end]


def records_of(keys: Words, values: Words) -> bytes:
    """Return keys and values as they are kept in a file, 16 bytes each."""
    return np.stack([keys, values], axis=1).astype("<u8").tobytes()


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

    def known(self, ids: Iterable[str]) -> set[str]:
        """Return those of some ids whose documents stand."""
        wanted = list(ids)
        found = zip(wanted, self.standing([key_of(id) for id in wanted]), strict=True)
        return {id for id, standing in found if standing is not None}

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
