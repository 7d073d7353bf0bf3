"""The alignment of two texts: what stayed in its place, and what was moved."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.differences.align import LONG_RUNS, Sequences, aligned, anchored, between
from es_simhash.differences.anchors import Block, Stretch, diagonals
from es_simhash.differences.lcs import longest_common_subsequence
from es_simhash.differences.moves import Moved, find_moves
from es_simhash.differences.readability import loosened, slid, without_islands
from es_simhash.differences.units import SectionKind, Units, numbered, section_kind
from es_simhash.text.segmentation import Ints

# A smaller table is made at once.
_FEW_CELLS = 4096

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Alignment:
    """The alignment of two texts, in units.

    Attributes:
        a: Units of the older text.
        b: Units of the newer text.
        kind: What their sections are.
        stayed: Blocks in the same order in both, ascending.
        moves: Blocks that were moved, by their place in A.
    """

    a: Units
    b: Units
    kind: SectionKind
    stayed: tuple[Block, ...]
    moves: tuple[Moved, ...]

    @property
    def blocks(self) -> Iterator[Block]:
        """All blocks: those that stayed, and those of the moved ones."""
        yield from self.stayed
        for move in self.moves:
            yield from move.blocks


def align_texts(a: Units, b: Units) -> Alignment:
    """Return the alignment of two texts.

    Sentences and long runs that both have once come first, so that paragraphs go with paragraphs;
    then moved blocks are found in what is left; then the words of the rest are aligned.
    """
    kind = section_kind(a, b)
    sequences = Sequences.of(*numbered(a, b))
    stayed = slid(anchored(sequences, sequences.whole, LONG_RUNS), sequences, a, b)
    gaps = list(between(sequences.whole, loosened(stayed, a, b)))
    moves = find_moves(sequences, (a, b), (a.sections(kind), b.sections(kind)), gaps)
    filled = loosened(stayed, a, b)
    left = _Left.of(a, b, moves)
    for gap in gaps:
        filled += left.filled(sequences, gap)
    blocks = slid(without_islands(_merged(filled), sequences.whole, a, b), sequences, a, b)
    moves = [
        Moved(move.at, tuple(without_islands(list(move.blocks), move.at, a, b))) for move in moves
    ]
    return Alignment(a, b, kind, tuple(blocks), tuple(moves))


@dataclass(frozen=True)
class _Left:
    """What is left to align after the moves: the words and the marks of both texts, as flags."""

    a_words: Flags
    a_units: Flags
    b_words: Flags
    b_units: Flags

    @classmethod
    def of(cls, a: Units, b: Units, moves: Sequence[Moved]) -> "_Left":
        """Return all units that are in no moved block."""
        a_units, b_units = np.ones(len(a), bool), np.ones(len(b), bool)
        for at, _ in moves:
            a_units[at.a_start : at.a_end] = b_units[at.b_start : at.b_end] = False
        return cls(a_units & a.is_word, a_units, b_units & b.is_word, b_units)

    def filled(self, sequences: Sequences, gap: Stretch) -> list[Block]:
        """Return the blocks of a gap.

        Words are aligned first and the marks between them after that, or two commas would outweigh
        a word.
        """
        words = _aligned(
            sequences,
            _among(self.a_words, gap.a_start, gap.a_end),
            _among(self.b_words, gap.b_start, gap.b_end),
        )
        found = list(words)
        for marks in between(gap, words):
            found += _aligned(
                sequences,
                _among(self.a_units, marks.a_start, marks.a_end),
                _among(self.b_units, marks.b_start, marks.b_end),
            )
        return found


def _among(flags: Flags, start: int, end: int) -> Ints:
    return np.flatnonzero(flags[start:end]) + start


def _aligned(sequences: Sequences, ours: Ints, theirs: Ints) -> list[Block]:
    """Return the blocks of an alignment of some units of either side."""
    if not len(ours) or not len(theirs):
        return []
    if len(ours) * len(theirs) <= _FEW_CELLS:
        pairs = longest_common_subsequence(sequences.a[ours], sequences.b[theirs])
        return [Block(int(ours[i]), int(theirs[j]), 1) for i, j in pairs]
    found = aligned(sequences.chosen(ours, theirs))
    if not found:
        return []
    places = np.concatenate([np.arange(a, a + size) for a, _, size in found])
    targets = np.concatenate([np.arange(b, b + size) for _, b, size in found])
    return diagonals(ours[places], theirs[targets])


def _merged(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks, ascending, with those as one that follow each other in both texts."""
    merged: list[Block] = []
    for block in sorted(blocks):
        last = merged[-1] if merged else None
        if last and (last.a + last.size, last.b + last.size) == block[:2]:
            merged[-1] = Block(last.a, last.b, last.size + block.size)
        else:
            merged.append(block)
    return merged
