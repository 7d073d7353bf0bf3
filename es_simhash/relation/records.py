"""Short texts: how far two records, titles or messages say the same, letters and numbers apart.

Letters are compared by runs of four, numbers as wholes: a volume, a year or a model that differs
tells two records apart whose words are the same, which no measure of letters alone sees.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import fold
from es_simhash.relation.thresholds import NUMBERS_WEIGHT
from es_simhash.text.segmentation import normalise

_RUN = 4
# Enough for the first tokens of any text that has words; longer words are cut.
_CHARACTERS_PER_TOKEN = 64
_ACCENTS = re.compile("[\u0300-\u036f]")
# Scripts without spaces between words: each character is a token.
_OWN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_TOKENS = re.compile(rf"[0-9]+|[{_OWN}]|[^\W_0-9{_OWN}]+")


@dataclass(frozen=True)
class Record:
    """What is compared of a short text.

    Attributes:
        letters: Hashes of the four-letter n-grams, ascending; repeats of an n-gram differ.
        numbers: The distinct numbers in it.
    """

    letters: NDArray[np.uint64]
    numbers: frozenset[str]


def record(text: str, tokens: int | None = None) -> Record:
    """Read a text, or its first tokens, as a record."""
    if tokens is not None:
        text = text[: tokens * _CHARACTERS_PER_TOKEN]
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", normalise(text)))
    parts = _TOKENS.findall(unicodedata.normalize("NFC", plain))[:tokens]
    words = [token for token in parts if not token[0].isdecimal()]
    numbers = frozenset(token for token in parts if token[0].isdecimal())
    return Record(_runs(words), numbers)


def _runs(words: list[str]) -> NDArray[np.uint64]:
    if not words:
        return np.zeros(0, np.uint64)
    spaced = f" {' '.join(words)} "
    codes = np.frombuffer(spaced.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)
    runs = np.sort(fold(codes, min(_RUN, len(codes))))
    positions = np.arange(len(runs))
    first = np.ones(len(runs), bool)
    first[1:] = runs[1:] != runs[:-1]
    # The second of equal runs is another run, so that sets of runs count like bags.
    occurrence = positions - np.maximum.accumulate(np.where(first, positions, 0))
    distinct: NDArray[np.uint64] = np.sort(runs + occurrence.astype(np.uint64))
    return distinct


def agreement(one: Record, other: Record, least: float = 0.0) -> float:
    """Return how far two records agree, from 0 to 1.

    0.7 of it is the share of their four-letter n-grams that are common (Dice), 0.3 the share of the
    numbers of the record that has fewer which the other has as well. Where one has no letters, or
    none has numbers, the rest decides alone.

    Args:
        one: A record.
        other: Another.
        least: Agreements that are certainly less need not be exact: 0 is given for them.
    """
    total = len(one.letters) + len(other.letters)
    fewer = min(len(one.numbers), len(other.numbers))
    numbers = len(one.numbers & other.numbers) / fewer if fewer else 0.0
    if not total:
        return numbers
    weight = NUMBERS_WEIGHT if fewer else 0.0
    most = 2 * min(len(one.letters), len(other.letters)) / total
    if (1 - weight) * most + weight * numbers < least:
        return 0.0
    common = common_count(one.letters, other.letters)
    return (1 - weight) * 2 * common / total + weight * numbers


def common_count(one: NDArray[Any], other: NDArray[Any]) -> int:
    """Count what two ascending arrays of distinct numbers have in common."""
    fewer, more = (one, other) if len(one) <= len(other) else (other, one)
    if not len(fewer):
        return 0
    places = np.minimum(more.searchsorted(fewer), len(more) - 1)
    return int(np.count_nonzero(more[places] == fewer))
