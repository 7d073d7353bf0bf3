"""Alignments as a person would make them: whole sentences, and no stray word kept in a rewrite."""

import numpy as np
from numpy.typing import NDArray

from es_simhash.differences.anchors import Block, Stretch
from es_simhash.differences.sequence_alignment import Sequences
from es_simhash.differences.text_units import Units
from es_simhash.text.tokens import Ints

Flags = NDArray[np.bool_]

# An equal run is not shown between changes that each have so many times its letters.
_RATIO = 4
# Letters from which on an equal run is no chance; and the share of the letters of a stretch that
# shorter ones have in texts that have nothing to do with each other.
_LONG, _CHANCE = 24, 0.3
# Letters of both sides from which on a stretch may have been rewritten.
_LEAST_REWRITTEN = 120
# Units by which what was put in or taken out is moved to begin and end with a sentence.
_MAX_SLIDE = 400


def without_islands(blocks: list[Block], whole: Stretch, a: Units, b: Units) -> list[Block]:
    """Return the blocks without equal words that a rewritten stretch has by chance.

    "The tenant pays" and "No deposit is owed by the landlord" share a "the"; to keep it would cut
    one change into two that nobody can read.
    """
    kept: list[Block] = []
    start = Block(whole.a_start, whole.b_start, 0)
    stray: list[Block] = []
    for block in [*blocks, Block(whole.a_end, whole.b_end, 0)]:
        if block.size and _letters(a, block.a, block.a + block.size) < _LONG:
            stray.append(block)
            continue
        if _is_rewritten(stray, start, block, a, b):
            stray = []
        kept += [*_apart(stray, start, block, a, b), *([block] if block.size else [])]
        start, stray = block, []
    return kept


def _is_rewritten(stray: list[Block], start: Block, end: Block, a: Units, b: Units) -> bool:
    """Check whether short equal runs are no more than two texts share by chance."""
    sides = _changed(a, b, start, end)
    equal = sum(_letters(a, block.a, block.a + block.size) for block in stray)
    return min(sides) >= _LEAST_REWRITTEN and equal < _CHANCE * min(sides)


def _apart(stray: list[Block], start: Block, end: Block, a: Units, b: Units) -> list[Block]:
    """Return short equal runs without those that are few letters between long changes."""
    kept: list[Block] = []
    for number, block in enumerate(stray):
        after = stray[number + 1] if number + 1 < len(stray) else end
        before = _changed(a, b, kept[-1] if kept else start, block)
        if not _is_island(block, before, _changed(a, b, block, after), a):
            kept.append(block)
    return kept


def _changed(a: Units, b: Units, one: Block, other: Block) -> tuple[int, int]:
    """Return the letters of both texts between two blocks."""
    return (
        _letters(a, one.a + one.size, other.a),
        _letters(b, one.b + one.size, other.b),
    )


def _letters(units: Units, start: int, end: int) -> int:
    if start >= end:
        return 0
    return int(units.ends[end - 1] - units.starts[start])


def _is_island(block: Block, before: tuple[int, int], behind: tuple[int, int], a: Units) -> bool:
    if not (any(before) and any(behind)):
        return False
    end = block.a + block.size
    has_words = a.words(block.a, end) > 0
    if not has_words:
        # A comma between two replaced words; never the end of what was only taken out.
        return block.size == 1 and all(before) and all(behind)
    letters = _letters(a, block.a, end)
    return _RATIO * letters <= min(max(before), max(behind))


def loosened(blocks: list[Block], a: Units, b: Units) -> list[Block]:
    """Return the blocks without the parts of sentences that they begin and end with.

    "Article 5 …" and "Article 9 …" begin alike; what follows may be another sentence altogether,
    such as one that was moved, and then all of it. A block within a sentence stays when it is most
    of it.
    """
    starts = _flags(a.sentences, len(a)), _flags(b.sentences, len(b))
    loose = []
    for block in blocks:
        both = starts[0][block.a : block.a + block.size + 1]
        inside = np.flatnonzero(both & starts[1][block.b : block.b + block.size + 1])
        first, last = (int(inside[0]), int(inside[-1])) if len(inside) else (0, block.size)
        if first < last and (len(inside) or _is_most(block, a, b)):
            loose.append(Block(block.a + first, block.b + first, last - first))
    return loose


def _is_most(block: Block, a: Units, b: Units) -> bool:
    """Check whether a block within a sentence has most of it, in both texts."""
    return all(
        2 * block.size >= bounds[place] - bounds[place - 1]
        for bounds, place in (
            (a.sentences, int(a.sentences.searchsorted(block.a, "right"))),
            (b.sentences, int(b.sentences.searchsorted(block.b, "right"))),
        )
    )


def _flags(bounds: Ints, length: int) -> Flags:
    flags = np.zeros(length + 1, bool)
    flags[bounds] = True
    return flags


def slid(
    blocks: list[Block],
    sequences: Sequences,
    a: Units,
    b: Units,
    *,
    fixed: tuple[Flags, Flags] | None = None,
) -> list[Block]:
    """Return the blocks with what was only put in or taken out moved to whole sentences.

    Where "… end. The next" was put in, it reads better as "The next … end."; both are right.

    Args:
        blocks: The blocks.
        sequences: The units of both texts.
        a: The units of A, with their places.
        b: The units of B, with their places.
        fixed: Units of both texts that stay where they are.
    """
    blocks = list(blocks)
    for number in range(1, len(blocks)):
        one, other = blocks[number - 1], blocks[number]
        a_gap = other.a - one.a - one.size
        b_gap = other.b - one.b - one.size
        if (a_gap > 0) == (b_gap > 0):
            continue
        if fixed and (
            fixed[0][other.a - a_gap : other.a].any() or fixed[1][other.b - b_gap : other.b].any()
        ):
            continue
        if a_gap:
            shift = _best_shift(sequences.a, a.ranks, one.a + one.size, other.a, one, other)
        else:
            shift = _best_shift(sequences.b, b.ranks, one.b + one.size, other.b, one, other)
        blocks[number - 1] = Block(one.a, one.b, one.size + shift)
        blocks[number] = Block(other.a + shift, other.b + shift, other.size - shift)
    return [block for block in blocks if block.size]


def _best_shift(numbers: Ints, ranks: Ints, start: int, end: int, one: Block, other: Block) -> int:
    """Return by how many units a change from `start` to `end` is moved, to the left below 0."""
    if numbers[start] != numbers[end] and numbers[start - 1] != numbers[end - 1]:
        return 0
    best, rank = 0, int(ranks[start] + ranks[end])
    for step, most in ((-1, one.size), (1, other.size)):
        shift = 0
        while abs(shift) < min(most, _MAX_SLIDE):
            edge = shift if step > 0 else shift - 1
            if numbers[start + edge] != numbers[end + edge]:
                break
            shift += step
            found = int(ranks[start + shift] + ranks[end + shift])
            if found > rank:
                best, rank = shift, found
    return best
