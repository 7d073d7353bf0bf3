"""The tokens and chunks of texts, as `segmentation` makes them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class NumberingKey(Protocol):
    """Numbers tokens and characters so that nobody else can."""

    def token_numbers(self, tokens: Sequence[str]) -> NDArray[np.uint64]:
        """Return the number of each token."""

    def character_numbers(self, codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the number of each code point."""


@dataclass(frozen=True)
class Segmentation:
    """Tokens and chunks of a batch of texts.

    Attributes:
        codes: Code points of all normalised texts, ignored characters left out.
        starts: First code point of each token.
        ends: One past the last code point of each token.
        classes: Class of each code point (see data/characters.txt); marks have that of their base.
        texts: Bounds of the texts in tokens, one more than there are texts.
        code_bounds: Bounds of the texts in code points, one more than there are texts.
        chunks: Bounds of the chunks in tokens, one more than there are chunks.
        text_chunks: Bounds of the texts in chunks, one more than there are texts.
        positions: Positions of `codes` in the joined normalised texts; None when no character is
            ignored.
        boundaries: Tokens before which a sentence or a paragraph ends, ascending.
        key: Key by which tokens and characters are numbered; None without one.
    """

    codes: NDArray[np.uint32]
    starts: Ints
    ends: Ints
    classes: NDArray[np.uint8]
    texts: Ints
    code_bounds: Ints
    chunks: Ints
    text_chunks: Ints
    positions: Ints | None
    boundaries: Ints
    key: NumberingKey | None = field(default=None, repr=False)

    def of_text(self, text: int) -> "Segmentation":
        """Return one text of the batch, as if it had been segmented by itself."""
        first, last = self.texts[text : text + 2].tolist()
        start, end = self.code_bounds[text : text + 2].tolist()
        first_chunk, last_chunk = self.text_chunks[text : text + 2].tolist()
        positions = self.positions
        if positions is not None:
            # The separator before a text is never ignored.
            positions = positions[start:end] - (positions[start - 1] + 1 if start else 0)
        boundaries = self.boundaries
        here = boundaries[boundaries.searchsorted(first) : boundaries.searchsorted(last, "right")]
        return Segmentation(
            self.codes[start:end],
            self.starts[first:last] - start,
            self.ends[first:last] - start,
            self.classes[start:end],
            np.array([0, last - first]),
            np.array([0, end - start]),
            self.chunks[first_chunk : last_chunk + 1] - first,
            np.array([0, last_chunk - first_chunk]),
            positions,
            here - first,
            self.key,
        )
