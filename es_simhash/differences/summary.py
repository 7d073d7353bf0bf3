"""Amount of change, in sections and in words."""

import numpy as np
from numpy.typing import NDArray

from es_simhash.differences.alignment import Alignment
from es_simhash.differences.difference import Change, ChangeSummary
from es_simhash.differences.text_units import Units
from es_simhash.text.tokens import Ints

# A section of which less is left is a new one, and the other was removed.
_LEAST_KEPT = 0.25
# A section that has a larger share in a moved block was moved; another has a moved sentence.
_MOST = 0.5

Flags = NDArray[np.bool_]


def summary_of(alignment: Alignment, changes: tuple[Change, ...]) -> ChangeSummary:
    """Return how much changed.

    Args:
        alignment: Alignment of the two texts.
        changes: Its changes.
    """
    a, b, kind = alignment.a, alignment.b, alignment.kind
    bounds_a, bounds_b = a.sections(kind), b.sections(kind)
    to_b = np.full(len(a), -1)
    moved = np.zeros(len(b), bool)
    for i, j, size in alignment.blocks:
        to_b[i : i + size] = np.arange(j, j + size)
    for move in alignment.moves:
        moved[move.at.b_start : move.at.b_end] = True
    kept_a = to_b >= 0
    kept_b = np.zeros(len(b), bool)
    kept_b[to_b[kept_a]] = True
    new = _gone(kept_b, b, bounds_b)
    removed = _gone(kept_a, a, bounds_a)
    is_changed = _any(~kept_b, bounds_b)
    left = np.zeros(len(a), bool)
    for move in alignment.moves:
        left[move.at.a_start : move.at.a_end] = True
    is_changed |= _partly(moved, bounds_b)
    touched = (_any(~kept_a, bounds_a) | _partly(left, bounds_a)) & ~removed
    is_changed[_partners(alignment, to_b, touched)] = True
    kept = int((kept_a & a.is_word).sum())
    words_a, words_b = int(a.word_counts[-1]), int(b.word_counts[-1])
    return ChangeSummary(
        sections=kind,
        sections_a=len(bounds_a) - 1,
        sections_b=len(bounds_b) - 1,
        changed=int((is_changed & ~new).sum()),
        new=int(new.sum()),
        removed=int(removed.sum()),
        moved=int((_share(moved, bounds_b) > _MOST).sum()),
        words_a=words_a,
        words_b=words_b,
        kept_words=kept,
        kept=2 * kept / (words_a + words_b) if words_a + words_b else 1.0,
        identical=not any(change.is_edit or change.kind == "move" for change in changes),
    )


def _share(flags: Flags, bounds: Ints) -> NDArray[np.float64]:
    """Return the share of the units of each section that have a flag."""
    counts = np.concatenate([[0], np.cumsum(flags)])
    shares: NDArray[np.float64] = np.diff(counts[bounds]) / np.maximum(1, np.diff(bounds))
    return shares


def _partly(flags: Flags, bounds: Ints) -> Flags:
    """Return which sections have some units with a flag, but not most of them."""
    share = _share(flags, bounds)
    return (share > 0) & (share <= _MOST)


def _any(flags: Flags, bounds: Ints) -> Flags:
    return _share(flags, bounds) > 0


def _gone(kept: Flags, units: Units, bounds: Ints) -> Flags:
    """Return which sections have less than a quarter of their words, or marks, in common."""
    words = np.diff(units.word_counts[bounds])
    kept_words = np.diff(np.concatenate([[0], np.cumsum(kept & units.is_word)])[bounds])
    share = np.where(words > 0, kept_words / np.maximum(1, words), _share(kept, bounds))
    return share < _LEAST_KEPT


def _partners(alignment: Alignment, to_b: Ints, wanted: Flags) -> Ints:
    """Return the sections of B that have most of each wanted section of A."""
    bounds_a = alignment.a.sections(alignment.kind)
    bounds_b = alignment.b.sections(alignment.kind)
    owners = np.repeat(np.arange(len(wanted)), np.diff(bounds_a))
    chosen = np.flatnonzero((to_b >= 0) & wanted[owners])
    targets = np.searchsorted(bounds_b, to_b[chosen], side="right") - 1
    pairs, counts = np.unique(owners[chosen] * len(bounds_b) + targets, return_counts=True)
    ours, theirs = np.divmod(pairs, len(bounds_b))
    order = np.lexsort((-counts, ours))
    is_most = np.diff(ours[order], prepend=-1) > 0
    partners: Ints = theirs[order][is_most]
    return partners
