"""How much two texts have in common by chance, and a passage therefore more than that."""

import numpy as np
from numpy.typing import NDArray

from es_simhash.relation.thresholds import (
    PASSAGE_INFORMATION,
    PASSAGE_LETTERS,
    PASSAGE_SHARE,
    SHORT_INFORMATION,
    SHORT_LETTERS,
)


def least_information(one: float, others: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return the information that a passage has at least, of one text with each of others.

    Args:
        one: Information of a text, in nats.
        others: That of the others.
    """
    shares = PASSAGE_SHARE * np.minimum(one, others)
    return np.clip(shares, SHORT_INFORMATION, PASSAGE_INFORMATION)


def least_letters(shorter: int) -> float:
    """Return the letters in equal runs that a verbatim passage has at least.

    Args:
        shorter: Letters of the shorter text.
    """
    return float(np.clip(PASSAGE_SHARE * shorter, SHORT_LETTERS, PASSAGE_LETTERS))
