"""Moved blocks: stretches that both texts have, but not in the same order as the rest."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.differences.anchors import Block, Moved, Stretch, heaviest_chain, unique_runs
from es_simhash.differences.sequence_alignment import Sequences, aligned
from es_simhash.differences.text_units import Units
from es_simhash.fingerprints.hashing import Uint64s
from es_simhash.text.tokens import Ints

# Units in a row by which moved blocks are found.
_RUN = 5
# Units that differ between two runs of one block.
_MAX_EDIT = 24
# Share of the words of a block, of the longer side, that is equal.
_LEAST_EQUAL = 0.5
# Letters that a block of whole sections has, one of whole sentences, and any other.
_LEAST_SECTION_LETTERS, _LEAST_LETTERS, _LEAST_PART_LETTERS = 6, 24, 60


@dataclass
class _Side:
    """The units of one text that are not aligned yet.

    Attributes:
        units: All units.
        free: Whether each is in no block of the alignment, and in no moved block.
        gaps: Number of the gap of each unit, in the order of both texts.
        sections: Bounds of the sections.
    """

    units: Units
    free: NDArray[np.bool_]
    gaps: Ints
    sections: Ints

    def snapped(self, start: int, end: int) -> tuple[int, int]:
        """Return a stretch that begins and ends with a sentence, as far as units are free.

        A sentence of which most is in the stretch is taken whole, another is left out. What is
        missing of one may be no longer than an edit: in a text without sentences it would be all.
        """
        bounds = self.units.sentences
        first = int(np.searchsorted(bounds, start, side="right")) - 1
        last = int(np.searchsorted(bounds, end))
        return (
            self._edge(start, int(bounds[first]), min(end, int(bounds[first + 1]))),
            self._edge(end, int(bounds[last]), max(start, int(bounds[last - 1]))),
        )

    def _edge(self, edge: int, outside: int, inside: int) -> int:
        """Return where a stretch begins or ends: at the edge of a sentence, or where it did."""
        missing = abs(edge - outside)
        if missing > abs(edge - inside):
            return inside
        whole = self.free[min(edge, outside) : max(edge, outside)].all()
        return outside if missing <= _MAX_EDIT and whole else edge

    def letters(self, start: int, end: int) -> int:
        """Return how many letters and marks a stretch has."""
        units = self.units
        return int((units.ends[start:end] - units.starts[start:end]).sum())


def find_moves(
    sequences: Sequences,
    sides: tuple[Units, Units],
    sections: tuple[Ints, Ints],
    gaps: Sequence[Stretch],
) -> list[Moved]:
    """Return the blocks that were moved from one gap of an alignment to another.

    Args:
        sequences: The numbers of the units of both texts.
        sides: The units of both texts, with their places.
        sections: Bounds of the sections of both.
        gaps: Stretches that are not aligned, ascending.
    """
    ours, theirs = _free_sides(sides, sections, gaps)
    moves = []
    for block in sorted(_candidates(sequences, ours, theirs), key=lambda at: -_size(at)):
        for at in _forms(sequences, ours, theirs, block):
            blocks = _within(sequences, at)
            if _is_moved(ours, theirs, at, blocks):
                moves.append(Moved(at, tuple(blocks)))
                ours.free[at.a_start : at.a_end] = False
                theirs.free[at.b_start : at.b_end] = False
                break
    return _joined(sorted(moves))


def _free_sides(
    sides: tuple[Units, Units], sections: tuple[Ints, Ints], gaps: Sequence[Stretch]
) -> tuple[_Side, _Side]:
    ours, theirs = (
        _Side(units, np.zeros(len(units), bool), np.full(len(units), -1), bounds)
        for units, bounds in zip(sides, sections, strict=True)
    )
    for number, gap in enumerate(gaps):
        for side, start, end in ((ours, gap.a_start, gap.a_end), (theirs, gap.b_start, gap.b_end)):
            side.free[start:end] = True
            side.gaps[start:end] = number
    return ours, theirs


def _size(at: Stretch) -> int:
    return at.a_end - at.a_start + at.b_end - at.b_start


def _candidates(sequences: Sequences, ours: _Side, theirs: _Side) -> Iterator[Stretch]:
    """Yield stretches that may be one block: runs on one diagonal, and equal sections."""
    a, b = np.flatnonzero(ours.free), np.flatnonzero(theirs.free)
    a_hashes, b_hashes = _apart(sequences.a_hashes[a], a, 0), _apart(sequences.b_hashes[b], b, 1)
    runs = [
        Block(int(a[i]), int(b[j]), size)
        for i, j, size in unique_runs(a_hashes, b_hashes, _RUN)
        if a[i + size - 1] - a[i] == size - 1 == b[j + size - 1] - b[j]
    ]
    sections = _equal_sections(sequences, ours, theirs)
    whole = [
        *(run for run in runs if _run_letters(ours, run) >= _LEAST_LETTERS),
        *(at for at in sections if ours.letters(at.a, at.a + at.size) >= _LEAST_SECTION_LETTERS),
    ]
    yield from _clusters(_out_of_order(runs, ours, theirs), whole)
    for a_start, b_start, size in _out_of_order(sections, ours, theirs):
        yield Stretch(a_start, a_start + size, b_start, b_start + size)


def _out_of_order(runs: Sequence[Block], ours: _Side, theirs: _Side) -> list[Block]:
    """Return the runs that are in two gaps, or not in the order of most others of their gap."""
    within: dict[int, list[Block]] = {}
    for run in runs:
        if ours.gaps[run.a] == theirs.gaps[run.b]:
            within.setdefault(int(ours.gaps[run.a]), []).append(run)
    in_order = {run for gap in within.values() for run in heaviest_chain(gap)}
    return [run for run in runs if run not in in_order]


def _apart(hashes: Uint64s, places: Ints, side: int) -> Uint64s:
    """Return hashes of units in which those that follow something aligned are like no other.

    So no run begins in one gap and ends in another.
    """
    apart: Uint64s = hashes.copy()
    begins = np.flatnonzero(np.diff(places, prepend=-2) != 1)
    middle = begins[begins > 0]
    apart[middle] = (middle * 2 + side).astype(np.uint64)
    return apart


def _run_letters(ours: _Side, run: Block) -> int:
    """Return the letters of a run, of which a block has the middle."""
    return ours.letters(run.a - _RUN // 2, run.a + run.size + _RUN // 2)


def _clusters(runs: Sequence[Block], whole: Sequence[Block]) -> list[Stretch]:
    """Return runs that follow each other in both texts with few other units between as one.

    Args:
        runs: The runs, in the order of A.
        whole: What may be a block by itself. Nothing of it is between two runs of one: it would
            count as taken out there, and as put in where it is.
    """
    clusters: list[Stretch] = []
    first = 0
    from_a, from_b = sorted((b.a, b.b) for b in whole), sorted((b.b, b.a) for b in whole)
    for a, b, size in runs:
        while first < len(clusters) and a - clusters[first].a_end > _MAX_EDIT:
            first += 1
        for number in range(first, len(clusters)):
            at = clusters[number]
            between = (at.a_end, a), (at.b_end, b)
            if (
                all(0 <= end - start <= _MAX_EDIT for start, end in between)
                and not _leads_out(from_a, *between)
                and not _leads_out(from_b, *reversed(between))
            ):
                clusters[number] = Stretch(at.a_start, a + size, at.b_start, b + size)
                break
        else:
            clusters.append(Stretch(a, a + size, b, b + size))
    return clusters


def _leads_out(
    places: Sequence[tuple[int, int]], here: tuple[int, int], there: tuple[int, int]
) -> bool:
    """Check whether something of a stretch of one text is not in a stretch of the other.

    Args:
        places: Where something is in the one text, ascending, and where in the other.
        here: The stretch of the one.
        there: The stretch of the other.
    """
    first, behind = (bisect_left(places, (place,)) for place in here)
    return any(not there[0] <= place < there[1] for _, place in places[first:behind])


def _equal_sections(sequences: Sequences, ours: _Side, theirs: _Side) -> list[Block]:
    """Return whole sections that are equal, and that either side has once, in the order of A."""
    found = _free_sections(sequences.a, ours), _free_sections(sequences.b, theirs)
    blocks = []
    for key in found[0].keys() & found[1].keys():
        a, b = found[0][key], found[1][key]
        if a and b:
            blocks.append(Block(a[0], b[0], a[1] - a[0]))
    return sorted(blocks)


def _free_sections(numbers: Ints, side: _Side) -> dict[bytes, tuple[int, int] | None]:
    """Return the places of the sections that are free, by their units; None for several."""
    found: dict[bytes, tuple[int, int] | None] = {}
    free = np.concatenate([[0], np.cumsum(side.free)])
    starts, ends = side.sections[:-1], side.sections[1:]
    whole = np.flatnonzero((free[ends] - free[starts] == ends - starts) & (ends > starts))
    for section in whole.tolist():
        start, end = int(starts[section]), int(ends[section])
        key = numbers[start:end].tobytes()
        found[key] = None if key in found else (start, end)
    return found


def _forms(sequences: Sequences, ours: _Side, theirs: _Side, block: Stretch) -> Iterator[Stretch]:
    """Yield a block with the sentences it is in, and without them, as far as it is free."""
    a_start, a_end, b_start, b_end = block
    if not (ours.free[a_start:a_end].all() and theirs.free[b_start:b_end].all()):
        return
    while (
        min(a_start, b_start) > 0
        and ours.free[a_start - 1]
        and theirs.free[b_start - 1]
        and sequences.a[a_start - 1] == sequences.b[b_start - 1]
    ):
        a_start, b_start = a_start - 1, b_start - 1
    while (
        a_end < len(ours.free)
        and b_end < len(theirs.free)
        and ours.free[a_end]
        and theirs.free[b_end]
        and sequences.a[a_end] == sequences.b[b_end]
    ):
        a_end, b_end = a_end + 1, b_end + 1
    at = Stretch(*ours.snapped(a_start, a_end), *theirs.snapped(b_start, b_end))
    if at.a_start < at.a_end and at.b_start < at.b_end:
        yield at
    yield Stretch(a_start, a_end, b_start, b_end)


def _within(sequences: Sequences, at: Stretch) -> list[Block]:
    ours, theirs = np.arange(at.a_start, at.a_end), np.arange(at.b_start, at.b_end)
    return [
        Block(at.a_start + a, at.b_start + b, size)
        for a, b, size in aligned(sequences.chosen(ours, theirs))
    ]


def _is_moved(ours: _Side, theirs: _Side, at: Stretch, blocks: Sequence[Block]) -> bool:
    """Check whether enough of two stretches is equal to be one block."""
    letters = sum(ours.letters(block.a, block.a + block.size) for block in blocks)
    longer = max(ours.letters(at.a_start, at.a_end), theirs.letters(at.b_start, at.b_end))
    if _begins_and_ends(ours.sections, theirs.sections, at):
        least = _LEAST_SECTION_LETTERS
    elif _begins_and_ends(ours.units.sentences, theirs.units.sentences, at):
        least = _LEAST_LETTERS
    else:
        least = _LEAST_PART_LETTERS
    return letters >= least and letters >= _LEAST_EQUAL * longer


def _begins_and_ends(ours: Ints, theirs: Ints, at: Stretch) -> bool:
    """Check whether two stretches begin and end with a section or a sentence, by their bounds."""
    return all(
        bounds[bounds.searchsorted(place)] == place
        for bounds, places in ((ours, at[:2]), (theirs, at[2:]))
        for place in places
    )


def _joined(moves: Sequence[Moved]) -> list[Moved]:
    """Return moved blocks with those as one that follow each other in both texts."""
    joined: list[Moved] = []
    for move in moves:
        last = joined[-1] if joined else None
        if last and (last.at.a_end, last.at.b_end) == (move.at.a_start, move.at.b_start):
            at = Stretch(last.at.a_start, move.at.a_end, last.at.b_start, move.at.b_end)
            joined[-1] = Moved(at, last.blocks + move.blocks)
        else:
            joined.append(move)
    return joined
