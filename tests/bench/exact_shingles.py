"""Exact word or character shingles: the yardstick, independent of the fingerprints."""

import re

_WORDS = re.compile(r"\w+")


def shingles(text: str, size: int = 5, *, characters: bool = False) -> set[str]:
    """Return the distinct runs of `size` words, or of characters without white space."""
    lowered = text.lower()
    parts = list("".join(lowered.split())) if characters else _WORDS.findall(lowered)
    return {" ".join(parts[start : start + size]) for start in range(len(parts) - size + 1)}


def containment(one: set[str], other: set[str]) -> float:
    """Return the share of the smaller set that lies in the larger; 0 when it is empty."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0
