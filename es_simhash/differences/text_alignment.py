"""The alignment of two texts: what stayed in its place, and what was moved."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.differences.alignment import Alignment
from es_simhash.differences.anchors import Block, Moved, Stretch, diagonals, merged
from es_simhash.differences.moves import find_moves
from es_simhash.differences.readability import loosened, slid, without_islands
from es_simhash.differences.sequence_alignment import (
    LONG_RUNS,
    Sequences,
    aligned,
    anchored,
    between,
    longest_common_subsequence,
)
from es_simhash.differences.text_units import Units, numbered, section_kind
from es_simhash.relation.interruption import require_wanted
from es_simhash.text.tokens import Ints

# Share of the equal words that remains when each sentence is compared with its own version.
_LEAST_KEPT = 0.97
# A smaller table is made at once.
_FEW_CELLS = 4096

Flags = NDArray[np.bool_]
# Share of the units of the longer of two sentences that are in both.
_LEAST_COMMON = 0.5
# Pairs of sentences that are looked at; where there are more, the texts are hardly versions.
_MOST_PAIRS = 4096


def align_texts(a: Units, b: Units) -> Alignment:
    """Return the alignment of two texts.

    Sentences and long runs that both have once come first, so that paragraphs go with paragraphs;
    then moved blocks are found in what is left; then the words of the rest are aligned.
    """
    kind = section_kind(a, b)
    sequences = Sequences.of(*numbered(a, b))
    stayed = slid(anchored(sequences, sequences.whole, LONG_RUNS), sequences, a, b)
    require_wanted()
    stayed = loosened(stayed, a, b)
    gaps = list(between(sequences.whole, stayed))
    moves = find_moves(sequences, (a, b), (a.sections(kind), b.sections(kind)), gaps)
    filled = list(stayed)
    require_wanted()
    left = _Left.of(a, b, moves)
    for gap in gaps:
        require_wanted()
        filled += left.filled(sequences, gap, (a.sentences, b.sentences))
    blocks = without_islands(merged(filled), sequences.whole, a, b)
    blocks = slid(blocks, sequences, a, b, fixed=left.moved)
    moves = [
        Moved(move.at, tuple(without_islands(list(move.blocks), move.at, a, b))) for move in moves
    ]
    return Alignment(a, b, kind, tuple(blocks), tuple(moves))


@dataclass(frozen=True)
class _Left:
    """The words and marks of both texts that are left to align after the moves, as flags."""

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
            require_wanted()
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
    blocks = aligned(sequences.chosen(ours, theirs))
    if not blocks:
        return []
    places = np.concatenate([np.arange(a, a + size) for a, _, size in blocks])
    targets = np.concatenate([np.arange(b, b + size) for _, b, size in blocks])
    return diagonals(ours[places], theirs[targets])


class _Sentence(NamedTuple):
    start: int
    end: int
    units: Counter[int]


def sentence_pairs(
    sequences: Sequences, gap: Stretch, bounds: tuple[Ints, Ints], left: tuple[Ints, Ints]
) -> list[Stretch]:
    """Return the pairs of sentences that have most in common, in the order of both texts.

    Args:
        sequences: The units of both texts.
        gap: The stretches.
        bounds: Bounds of the sentences of both texts, in units.
        left: The units of either stretch that are still to be aligned.
    """
    ours = list(_sentences(sequences.a, gap.a_start, gap.a_end, bounds[0], left[0]))
    theirs = list(_sentences(sequences.b, gap.b_start, gap.b_end, bounds[1], left[1]))
    if len(ours) + len(theirs) < 3 or len(ours) * len(theirs) > _MOST_PAIRS:
        return []
    return [
        Stretch(ours[i].start, ours[i].end, theirs[j].start, theirs[j].end)
        for i, j in _best_pairs(ours, theirs)
    ]


def _sentences(
    numbers: Ints, start: int, end: int, bounds: Ints, left: Ints
) -> Iterator[_Sentence]:
    """Yield the sentences of a stretch, those at its ends as far as they are in it."""
    inside = bounds[bounds.searchsorted(start, "right") : bounds.searchsorted(end)].tolist()
    edges = [start, *inside, end]
    places = left.searchsorted(edges).tolist()
    values = numbers[left].tolist()
    for number in range(len(edges) - 1):
        units = values[places[number] : places[number + 1]]
        if units:
            yield _Sentence(edges[number], edges[number + 1], Counter(units))


def _best_pairs(ours: Sequence[_Sentence], theirs: Sequence[_Sentence]) -> list[tuple[int, int]]:
    """Return the pairs in one order of which the weights add up to most."""
    table = [[0.0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    weights = [[_weight(one.units, other.units) for other in theirs] for one in ours]
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            paired = table[i][j] + weight if weight else 0.0
            table[i + 1][j + 1] = max(paired, table[i][j + 1], table[i + 1][j])
    pairs, i, j = [], len(ours), len(theirs)
    while i and j:
        if table[i][j] == table[i - 1][j]:
            i -= 1
        elif table[i][j] == table[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]


def _weight(one: Counter[int], other: Counter[int]) -> float:
    """Return how much two sentences have in common; 0 for less than half."""
    longer = max(one.total(), other.total())
    if min(one.total(), other.total()) < _LEAST_COMMON * longer:
        return 0.0
    common = (one & other).total()
    return common * common / longer if common >= _LEAST_COMMON * longer else 0.0
