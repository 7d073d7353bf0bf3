"""The alignment of two texts: what stayed in its place, and what was moved."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.differences.align import LONG_RUNS, Sequences, aligned, anchored, between
from es_simhash.differences.anchors import Block, Stretch, diagonals, merged
from es_simhash.differences.lcs import longest_common_subsequence
from es_simhash.differences.moves import Moved, find_moves
from es_simhash.differences.readability import loosened, slid, without_islands
from es_simhash.differences.sentences import sentence_pairs
from es_simhash.differences.units import SectionKind, Units, numbered, section_kind
from es_simhash.text.segmentation import Ints

# Share of the equal words that remains when each sentence is compared with its own version.
_LEAST_KEPT = 0.97
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
    stayed = loosened(stayed, a, b)
    gaps = list(between(sequences.whole, stayed))
    moves = find_moves(sequences, (a, b), (a.sections(kind), b.sections(kind)), gaps)
    filled = list(stayed)
    left = _Left.of(a, b, moves)
    for gap in gaps:
        filled += left.filled(sequences, gap, (a.sentences, b.sentences))
    blocks = without_islands(merged(filled), sequences.whole, a, b)
    blocks = slid(blocks, sequences, a, b, fixed=left.moved)
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

    @property
    def moved(self) -> tuple[Flags, Flags]:
        """The units of both texts that are in a moved block."""
        return ~self.a_units, ~self.b_units

    def filled(self, sequences: Sequences, gap: Stretch, bounds: tuple[Ints, Ints]) -> list[Block]:
        """Return the blocks of a gap: sentence by sentence, unless that loses too many words.

        It does where a sentence was divided, or two were joined.
        """
        whole = self._words(sequences, gap)
        left = (
            _among(self.a_units, gap.a_start, gap.a_end),
            _among(self.b_units, gap.b_start, gap.b_end),
        )
        pairs = sentence_pairs(sequences, gap, bounds, left)
        if pairs:
            apart = [block for part in _parts(gap, pairs) for block in self._words(sequences, part)]
            if _total(apart) >= _LEAST_KEPT * _total(whole):
                whole = apart
        return [
            *whole,
            *(block for rest in between(gap, whole) for block in self._marks(sequences, rest)),
        ]

    def _marks(self, sequences: Sequences, rest: Stretch) -> list[Block]:
        """Return the blocks of what is between two words."""
        a, a_end, b, b_end = rest
        if a_end - a == b_end - b == 1:
            # Nearly always: the same comma.
            is_equal = self.a_units[a] and self.b_units[b] and sequences.a[a] == sequences.b[b]
            return [Block(a, b, 1)] if is_equal else []
        if rest.is_empty:
            return []
        return _aligned(sequences, _among(self.a_units, a, a_end), _among(self.b_units, b, b_end))

    def _words(self, sequences: Sequences, part: Stretch) -> list[Block]:
        """Return the blocks of the words alone, or two commas would outweigh a word."""
        return _aligned(
            sequences,
            _among(self.a_words, part.a_start, part.a_end),
            _among(self.b_words, part.b_start, part.b_end),
        )


def _parts(gap: Stretch, pairs: Sequence[Stretch]) -> Iterator[Stretch]:
    """Yield the pairs of sentences of a gap, and what is between them."""
    a, b = gap.a_start, gap.b_start
    for pair in pairs:
        yield Stretch(a, pair.a_start, b, pair.b_start)
        yield pair
        a, b = pair.a_end, pair.b_end
    yield Stretch(a, gap.a_end, b, gap.b_end)


def _total(blocks: Sequence[Block]) -> int:
    return sum(block.size for block in blocks)


def _among(flags: Flags, start: int, end: int) -> Ints:
    return np.flatnonzero(flags[start:end]) + start


def _aligned(sequences: Sequences, ours: Ints, theirs: Ints) -> list[Block]:
    """Return the blocks of an alignment of some units of either side."""
    if not len(ours) or not len(theirs):
        return []
    if len(ours) * len(theirs) <= _FEW_CELLS:
        pairs = longest_common_subsequence(sequences.a[ours], sequences.b[theirs])
        places, targets = ours.tolist(), theirs.tolist()
        return [Block(places[i], targets[j], 1) for i, j in pairs]
    found = aligned(sequences.chosen(ours, theirs))
    if not found:
        return []
    places = np.concatenate([np.arange(a, a + size) for a, _, size in found])
    targets = np.concatenate([np.arange(b, b + size) for _, b, size in found])
    return diagonals(ours[places], theirs[targets])
