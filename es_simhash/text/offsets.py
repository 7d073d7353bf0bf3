"""From positions in normalised text back to the original."""

import re

import numpy as np
from numpy.typing import NDArray

from es_simhash.text.segmentation import normalise

_PIECE = re.compile(r"\s+|\S+")


def original_offsets(original: str) -> NDArray[np.int64]:
    """Give, for each character of `normalise(original)` and its end, the offset in the original.

    Normalising never crosses ASCII white space, so each word is mapped by itself: character by
    character where that gives the same result, else to the start of the word.
    """
    if original.isascii():
        return np.arange(len(original) + 1)
    offsets: list[int] = []
    for piece in _PIECE.finditer(original):
        offsets.extend(_piece_offsets(piece.group(), piece.start()))
    offsets.append(len(original))
    return np.array(offsets)


def _piece_offsets(piece: str, start: int) -> list[int]:
    whole = normalise(piece)
    if len(whole) == len(piece):
        return list(range(start, start + len(piece)))
    parts = [normalise(character) for character in piece]
    if "".join(parts) == whole:
        return [start + place for place, part in enumerate(parts) for _ in part]
    return [start + min(place, len(piece) - 1) for place in range(len(whole))]
