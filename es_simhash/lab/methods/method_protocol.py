"""What a method is: it reads texts, scores pairs of them, and says how it finds candidates.

One that makes fingerprints also says how they are stored, and by which block keys they are found
(`method_scheme`).
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import MissingExtra
from es_simhash.store.indexed_methods import NO_WORDS, MethodFingerprints, ScoredTexts

Ints = NDArray[np.int64]
Scores = NDArray[np.float64]
# Shape (n, 2): the numbers of two texts, the smaller first; ascending, each pair once.
Pairs = NDArray[np.int64]

_PACKAGES = {"sklearn": "scikit-learn", "rapidfuzz": "RapidFuzz"}


class Features(ScoredTexts, Protocol):
    """Features of a batch of texts."""

    @property
    def nbytes(self) -> int:
        """Bytes that have to be stored of all texts to score them."""

    def candidates(self) -> Pairs:
        """Return the pairs that the method would score if every text were compared with all."""


class FingerprintFeatures(MethodFingerprints, Features, Protocol):
    """Features that are fingerprints, so that an index can hold them."""


@dataclass(frozen=True)
class Method:
    """A way to separate versions from other texts.

    Attributes:
        name: Name by which it is chosen.
        threshold: Score from which on two texts are versions, unless a better one is known.
        read: Returns what the method needs of texts, computed in whole batches.
        note: Remark for readers of its figures, as one line; empty for none.
    """

    name: str
    threshold: float
    read: Callable[[Sequence[str]], Features]
    note: str = ""


def ordered_pairs(first: Ints, second: Ints) -> Pairs:
    """Return pairs in canonical order: the smaller number first, ascending, each once."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    different = low != high
    keys = np.unique(low[different] << np.int64(32) | high[different])
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1)


def by_first(first: Ints) -> Iterator[tuple[int, Ints]]:
    """Yield each text that is the first of some pairs, and the positions of these pairs."""
    order = np.argsort(first, kind="stable")
    starts = np.flatnonzero(np.diff(first[order], prepend=-1))
    for positions in np.split(order, starts[1:]) if len(order) else []:
        yield int(first[positions[0]]), positions


def empty_texts(bounds: Ints) -> dict[int, str]:
    """Return the texts without any feature, each with the reason.

    Args:
        bounds: Bounds of the texts in features, one more than there are texts.
    """
    return dict.fromkeys(np.flatnonzero(np.diff(bounds) == 0).tolist(), NO_WORDS)


def require_baseline(module: str, method: str) -> Any:
    """Return a module of the extra.

    Args:
        module: Its name.
        method: Name of the method that needs it.

    Raises:
        MissingExtra: It is not installed.
    """
    package = module.partition(".")[0]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(module)
    except ImportError as error:
        need = f"Method {method!r} needs {_PACKAGES.get(package, package)}"
        raise MissingExtra.of("baselines", need) from error
