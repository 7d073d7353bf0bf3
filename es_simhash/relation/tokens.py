"""The tokens and chunks of a text, with their offsets in it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from es_simhash.fingerprints.features import token_numbers
from es_simhash.fingerprints.hashing import Uint64s
from es_simhash.text.offsets import original_offsets
from es_simhash.text.segmentation import Ints, Segmentation


class TokenBounds(NamedTuple):
    """Where the tokens of a text are: offset of each in the original text, and of its end."""

    starts: Ints
    ends: Ints


def token_bounds(original: str, segmentation: Segmentation) -> TokenBounds:
    """Return where the tokens of a text are that was segmented by itself."""
    codes = np.arange(len(segmentation.codes))
    positions = codes if segmentation.positions is None else segmentation.positions
    offsets = original_offsets(original)
    # The end of a token is the offset after its last character, not that of the next one.
    last = np.minimum(positions[segmentation.ends - 1] + 1, len(offsets) - 1)
    return TokenBounds(
        offsets[np.minimum(positions[segmentation.starts], len(offsets) - 1)],
        np.maximum(offsets[last], offsets[positions[segmentation.ends - 1]] + 1),
    )


@dataclass(frozen=True)
class Tokens:
    """The tokens and chunks of a text, and where they are in it.

    Attributes:
        numbers: Number of each token; equal tokens have equal numbers.
        starts: Offset of each token in the original text.
        ends: Offset of the end of each token in the original text.
        chunks: Bounds of the chunks in tokens.
    """

    numbers: Uint64s
    starts: Ints
    ends: Ints
    chunks: Ints

    @classmethod
    def of(cls, original: str, segmentation: Segmentation) -> "Tokens":
        """Return the tokens of a text that was segmented by itself."""
        bounds = token_bounds(original, segmentation)
        return cls(token_numbers(segmentation), *bounds, segmentation.chunks)
