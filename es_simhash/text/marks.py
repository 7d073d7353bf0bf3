"""Form NFC, and long runs of marks, for which Python takes the square of their number."""

import unicodedata
from itertools import groupby
from typing import Literal

import numpy as np

# So many on one letter are put in order fast enough.
_MOST_MARKS = 1000


def composed(text: str) -> str:
    """Return the text in Unicode form NFC, in linear time however many marks a letter has."""
    return unicodedata.normalize("NFC", in_order(text, "NFD"))


def is_composed(text: str) -> bool:
    """Check whether `composed` leaves a text as it is."""
    return in_order(text, "NFD") == text and unicodedata.is_normalized("NFC", text)


def in_order(text: str, form: Literal["NFD", "NFKD"]) -> str:
    """Return a text with long runs of marks in the order that normal forms have them.

    Args:
        text: The text.
        form: How these marks are decomposed, as in the normal form that is to follow.
    """
    if len(text) <= _MOST_MARKS or not _may_have_run(text):
        return text
    decomposed = {character: unicodedata.normalize(form, character) for character in set(text)}
    marks = {mark for mark, parts in decomposed.items() if all(map(unicodedata.combining, parts))}
    if not marks:
        return text
    pieces = []
    for is_mark, group in groupby(text, marks.__contains__):
        run = "".join(group)
        if is_mark and len(run) > _MOST_MARKS:
            parts = "".join(map(decomposed.__getitem__, run))
            run = "".join(sorted(parts, key=unicodedata.combining))
        pieces.append(run)
    return "".join(pieces)


def _may_have_run(text: str) -> bool:
    """Check whether so many characters follow each other without one of ASCII, such as a space."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    gaps = np.diff(np.flatnonzero(codes < 0x80), prepend=-1, append=len(text))
    return bool(gaps.max() > _MOST_MARKS + 1)
