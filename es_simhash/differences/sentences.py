"""Sentences of two stretches that go together, so that each is compared with its own version."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from es_simhash.differences.align import Sequences
from es_simhash.differences.anchors import Stretch
from es_simhash.text.segmentation import Ints

# Share of the units of the longer of two sentences that are in both.
_LEAST_COMMON = 0.5
# Pairs of sentences that are looked at; where there are more, the texts are hardly versions.
_MOST_PAIRS = 4096


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
