"""Offsets in the original text for positions in the normalised one."""

import re

import numpy as np
from numpy.typing import NDArray

from es_simhash.text.segmentation import normalise

_RUN = re.compile(r"\s+|\S+")


def original_offsets(original: str) -> NDArray[np.int64]:
    """Return the offset in the original of each character of `normalise(original)` and of its end.

    Normalising never crosses ASCII white space, so each word is mapped by itself: character by
    character where that gives the same result, else to the start of the word.
    """
    if original.isascii():
        return np.arange(len(original) + 1)
    offsets: list[int] = []
    for run in _RUN.finditer(original):
        offsets.extend(_run_offsets(run.group(), run.start()))
    offsets.append(len(original))
    return np.array(offsets)


def _run_offsets(run: str, start: int) -> list[int]:
    normalised = normalise(run)
    if len(normalised) == len(run):
        return list(range(start, start + len(run)))
    parts = [normalise(character) for character in run]
    if "".join(parts) == normalised:
        return [start + index for index, part in enumerate(parts) for _ in part]
    return [start + min(index, len(run) - 1) for index in range(len(normalised))]
