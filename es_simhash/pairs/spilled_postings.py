"""Posting lists of shingles on disk: the texts that share enough, in the memory that is allowed.

Shingles are appended text by text. When all are there, they are sorted some at a time into posting
lists, of which only those of several texts are written; the texts of a block are then looked up
together, with the lists read from the beginning of the file to its end. What `Postings` finds for a
text, this finds as well, in two passes over files in place of memory for all.

Where there are too many texts to compare each with each, the first ones count. Which these are, an
order of the texts says, not their numbers: what was written together is read and compared together.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import equal_runs, ranks_within

# An odd factor spreads shingles evenly: those of long texts are all small numbers. By its inverse
# they are known again.
_SPREAD = np.uint64(2_654_435_761)
_GATHERED = np.uint64(pow(2_654_435_761, -1, 1 << 32))
_LOW, _SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32)
# Bytes that an entry takes while it is sorted, and a pair while it is counted.
_ENTRY_BYTES, _PAIR_BYTES = 32, 48
# Numbers that are read at a time.
_CHUNK = 1 << 20
# Lists of more texts are those of a template. By one of them the first texts are found, so that
# each text of a template is compared with as many as any other; what is closer to it shares rarer
# shingles as well.
MAX_LIST, FIRST_OF_LIST = 2_000, 32
# Bits of the length in a pointer to a list; the lengths beyond `MAX_LIST` are this one.
_LENGTH_BITS = np.uint64(12)
_LONG = np.uint64((1 << 12) - 1)

Numbers = NDArray[np.int64]
Words = NDArray[np.uint64]
Texts = NDArray[np.uint32]
# Returns of shingles, the texts that have each, one list after the other, and their numbers, for
# which shingles posting lists are written.
ChooseShingles = Callable[[Texts, Texts, Numbers], NDArray[np.bool_]]


def _of_several(shingles: Texts, texts: Texts, lengths: Numbers) -> NDArray[np.bool_]:
    """Return which shingles several texts have."""
    is_shared: NDArray[np.bool_] = lengths > 1
    return is_shared


@dataclass(frozen=True)
class SharingPairs:
    """Texts of a block with others that share enough shingles with them.

    Attributes:
        stop: First text after the block.
        one: Number of a text of the block, for each pair.
        other: Number of the other text.
        shared: Shingles that they share, at the least: of long lists not all are counted.
        most_shared: And at the most.
        by_template: Which pairs have a long list in common, and are of two texts that share enough
            by long lists alone. Those of one text are side by side, what shares most first.
        truncated: Texts of the block that may share as much with more.
    """

    stop: int
    one: Numbers
    other: Numbers
    shared: Numbers
    most_shared: Numbers
    by_template: NDArray[np.bool_]
    truncated: Numbers

    def only(self, kept: NDArray[np.bool_]) -> "SharingPairs":
        """Return some of the pairs."""
        members = ("one", "other", "shared", "most_shared", "by_template")
        return replace(self, **{name: getattr(self, name)[kept] for name in members})


class SpilledPostings:
    """Posting lists of the shingles of texts, in files.

    Args:
        shingles: File of the shingles of all texts, one text after the other.
        ends: Where those of each text end, in numbers.
        folder: Where the lists are written.
        memory: Bytes that may be used.
        order: Numbers of all texts in their order; as they are numbered by default.
        parts: In how many parts the lists were written; by default, as many as the memory asks for.

    Attributes:
        parts: In how many parts they are.
    """

    def __init__(
        self,
        shingles: Path,
        ends: Numbers,
        folder: Path,
        memory: int,
        order: Texts | None = None,
        parts: int | None = None,
    ) -> None:
        self._shingles = shingles
        self._ends = ends
        self._folder = folder
        self._memory = memory
        self._order = np.arange(len(ends), dtype=np.uint32) if order is None else order
        self._places = np.empty(len(ends), np.uint32)
        self._places[self._order] = np.arange(len(ends), dtype=np.uint32)
        total = int(ends[-1]) if len(ends) else 0
        self.parts = parts or max(1, -(-total * _ENTRY_BYTES // memory))

    @property
    def _lists(self) -> Path:
        return self._folder / "lists"

    def _part(self, number: int, name: str) -> Path:
        return self._folder / f"{name}-{number}"

    def build(self, choose: ChooseShingles = _of_several) -> Iterator[tuple[int, int]]:
        """Write the lists, and yield how many of how many parts are done.

        Args:
            choose: Returns for which shingles lists are written; of those, several texts have each.
        """
        self._lists.write_bytes(b"")
        for number in range(self.parts):
            self._build(number, choose)
            yield number + 1, self.parts

    def _build(self, number: int, choose: ChooseShingles) -> None:
        """Write the lists of one part of the shingles, and which texts are in which."""
        entries = self._entries(number)
        entries.sort()
        starts, lengths = equal_runs((entries >> _SHIFT).astype(np.uint32))
        texts = self._order[entries & _LOW]
        shingles = ((entries[starts] >> _SHIFT) * _GATHERED & _LOW).astype(np.uint32)
        del entries
        is_shared = choose(shingles, texts, lengths)
        texts = texts[np.repeat(is_shared, lengths)]
        lengths = lengths[is_shared]
        stored = np.where(lengths > MAX_LIST, _first_of_list(), lengths)
        first = self._lists.stat().st_size // texts.itemsize
        pointers = (first + np.cumsum(stored) - stored).astype(np.uint64) << _LENGTH_BITS
        pointers |= np.where(lengths > MAX_LIST, _LONG, lengths.astype(np.uint64))
        with self._lists.open("ab") as file:
            texts[ranks_within(lengths) < np.repeat(stored, lengths)].tofile(file)
        order = np.argsort(texts, kind="stable")
        texts[order].tofile(self._part(number, "texts"))
        np.repeat(pointers, lengths)[order].tofile(self._part(number, "pointers"))

    def _entries(self, number: int) -> Words:
        """Return the shingles of one part, each with the place of its text, both in one."""
        chosen = []
        total = int(self._ends[-1]) if len(self._ends) else 0
        for start in range(0, total, _CHUNK):
            shingles = np.fromfile(self._shingles, np.uint32, _CHUNK, offset=4 * start)
            shingles = shingles[: total - start]
            spread = shingles.astype(np.uint64) * _SPREAD & _LOW
            owners = self._owners(start, start + len(shingles))
            entries = spread << _SHIFT | owners
            if self.parts > 1:
                entries = entries[(spread * np.uint64(self.parts)) >> _SHIFT == number]
            chosen.append(entries)
        return np.concatenate(chosen) if chosen else np.zeros(0, np.uint64)

    def _owners(self, start: int, stop: int) -> Words:
        """Return the places of the texts of a stretch of the file, one for each shingle."""
        first = int(np.searchsorted(self._ends, start, "right"))
        last = int(np.searchsorted(self._ends, stop, "left")) + 1
        bounds = np.concatenate(([start], np.clip(self._ends[first:last], start, stop)))
        places = self._places[first : first + len(bounds) - 1].astype(np.uint64)
        return np.repeat(places, np.diff(bounds))

    def pairs(
        self,
        least: NDArray[np.uint8],
        max_others: int,
        first: int = 0,
        truncated_before: Sequence[int] = (),
    ) -> Iterator[SharingPairs]:
        """Yield the pairs of texts that share enough shingles, block by block.

        Each pair is found from the text that comes first, and from the other where the first has
        too many. Of a list of more than `MAX_LIST` texts, only the first `FIRST_OF_LIST` count as
        found by it: so the texts of one template are linked through the first of them.

        Args:
            least: Of each text, how many shingles another must share.
            max_others: Others of one text at the most, those that share most.
            first: Text to begin with.
            truncated_before: Those of the texts before it that had too many.
        """
        work, signatures, long_lists = self._weights(len(least))
        is_of_template = long_lists >= least
        is_truncated = is_of_template.copy()
        is_truncated[list(truncated_before)] = True
        total = np.cumsum(work)
        room = max(1, self._memory // _PAIR_BYTES)
        while first < len(least):
            done = int(total[first - 1]) if first else 0
            stop = max(first + 1, int(np.searchsorted(total, done + room, "right")))
            one, other, shared = self._shared(first, stop)
            is_enough = shared >= least[one]
            # Of a long list not all texts were looked up.
            by_template = (signatures[one] & signatures[other]) != 0
            is_enough |= by_template
            one, other, shared = one[is_enough], other[is_enough], shared[is_enough]
            by_template = by_template[is_enough]
            is_kept = _most(one, shared, self._places[other], max_others)
            is_truncated[one[~is_kept]] = True
            is_kept &= (other > one) | is_truncated[other]
            truncated = first + np.flatnonzero(is_truncated[first:stop])
            one, other, shared = one[is_kept], other[is_kept], shared[is_kept]
            by_template = by_template[is_kept]
            if by_template.any():
                order = np.lexsort((self._places[other], -shared, one))
                one, other, shared = one[order], other[order], shared[order]
                by_template = by_template[order]
            in_long_lists = np.minimum(long_lists[one], long_lists[other]) * by_template
            # All pairs of such texts are found from both, whichever has the smaller number.
            by_template &= is_of_template[one] & is_of_template[other]
            yield SharingPairs(
                stop, one, other, shared, shared + in_long_lists, by_template, truncated
            )
            first = stop

    def _weights(self, texts: int) -> tuple[Numbers, Words, Numbers]:
        """Return what looking up each text costs, signatures of its long lists, and how many."""
        work = np.zeros(texts, np.int64)
        signatures = np.zeros(texts, np.uint64)
        long_lists = np.zeros(texts, np.int64)
        for number in range(self.parts):
            size = self._part(number, "texts").stat().st_size // 4
            for start in range(0, size, _CHUNK):
                owners, pointers = self._members(number, start, min(size, start + _CHUNK))
                np.add.at(work, owners, _lengths(pointers))
                is_long = pointers & _LONG == _LONG
                owners, lists = owners[is_long], pointers[is_long] >> _LENGTH_BITS
                bits = np.uint64(1) << (lists * _SPREAD >> np.uint64(20) & np.uint64(63))
                np.bitwise_or.at(signatures, owners, bits)
                np.add.at(long_lists, owners, 1)
        return work, signatures, long_lists

    def _members(self, number: int, start: int, stop: int) -> tuple[Texts, Words]:
        """Return texts of a part and pointers to the lists that they are in, from start to stop."""
        owners = np.fromfile(self._part(number, "texts"), np.uint32, stop - start, offset=4 * start)
        pointers = self._part(number, "pointers")
        return owners, np.fromfile(pointers, np.uint64, stop - start, offset=8 * start)

    def _shared(self, first: int, stop: int) -> tuple[Numbers, Numbers, Numbers]:
        """Return the texts that share shingles with those of a block, and how many they share."""
        owners, pointers = self._memberships(first, stop)
        order = np.argsort(pointers, kind="stable")
        owners, pointers = owners[order], pointers[order]
        lengths = _lengths(pointers)
        others = self._read_lists((pointers >> _LENGTH_BITS).astype(np.int64), lengths)
        pairs = np.repeat(owners.astype(np.uint64) << _SHIFT, lengths) | others
        pairs = pairs[pairs >> _SHIFT != pairs & _LOW]
        pairs.sort()
        starts, shared = equal_runs(pairs)
        pairs = pairs[starts]
        return (pairs >> _SHIFT).astype(np.int64), (pairs & _LOW).astype(np.int64), shared

    def _memberships(self, first: int, stop: int) -> tuple[Texts, Words]:
        parts = []
        for number in range(self.parts):
            path = self._part(number, "texts")
            if not path.stat().st_size:
                continue
            owners = np.memmap(path, np.uint32, "r")
            low, high = np.searchsorted(owners, np.array([first, stop], np.uint32))
            parts.append(self._members(number, int(low), int(high)))
        if not parts:
            return np.zeros(0, np.uint32), np.zeros(0, np.uint64)
        return np.concatenate([part[0] for part in parts]), np.concatenate([p[1] for p in parts])

    def _read_lists(self, starts: Numbers, lengths: Numbers) -> Words:
        """Return the texts of lists, which are in the order of the file, one after the other."""
        found = np.zeros(int(lengths.sum()), np.uint64)
        ends, place, number = starts + lengths, 0, 0
        while number < len(starts):
            begin = int(starts[number])
            last = max(number + 1, int(np.searchsorted(ends, begin + _CHUNK, "right")))
            count = int(ends[last - 1]) - begin
            window = np.fromfile(self._lists, np.uint32, count, offset=4 * begin)
            sizes = lengths[number:last]
            positions = np.repeat(starts[number:last] - begin, sizes) + ranks_within(sizes)
            found[place : place + len(positions)] = window[positions]
            place += len(positions)
            number = last
        return found


def _first_of_list() -> int:
    """Return how many texts a list of too many has; no more than one that is not."""
    return min(FIRST_OF_LIST, MAX_LIST)


def _lengths(pointers: Words) -> Numbers:
    lengths = pointers & _LONG
    return np.where(lengths == _LONG, _first_of_list(), lengths).astype(np.int64)


def _most(one: Numbers, shared: Numbers, places: Texts, most: int) -> NDArray[np.bool_]:
    """Return which pairs are among those of their text that share most, the first of equals."""
    counts = np.unique(one, return_counts=True)[1]
    is_kept = np.ones(len(one), np.bool_)
    ends = np.cumsum(counts)
    for number in np.flatnonzero(counts > most):
        start, end = int(ends[number] - counts[number]), int(ends[number])
        order = np.lexsort((places[start:end], -shared[start:end]))
        is_kept[start + order[most:]] = False
    return is_kept
