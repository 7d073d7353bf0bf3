"""What a document is queried by at ingest: few of its shingles, in the index and in memory."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.fingerprints.hashing import ranks_within
from es_simhash.relation.candidate import StoredText
from es_simhash.relation.thresholds import INGEST_SHINGLES, LEAST_SHARED
from es_simhash.store.intents import Sharing
from es_simhash.text.tokens import Ints

_HIGHEST_LEVEL = 3


@dataclass(frozen=True)
class ShingleQuery:
    """What a document is queried by, in the index and in memory.

    Attributes:
        content_hash: Hash of its text.
        shingles: Some of its shingles, ascending.
        min_shared: How many of them a candidate must have, when its text is not the same.
    """

    content_hash: str
    shingles: NDArray[np.uint32]
    min_shared: int

    @classmethod
    def of(cls, fingerprints: TextFingerprints) -> "ShingleQuery":
        """Choose the shingles: those that a text of twice the length has picked as well.

        Among these the ones with the smallest numbers, so that versions choose alike.
        """
        levels = fingerprints.levels
        own = int(levels.min(initial=_HIGHEST_LEVEL))
        wide = np.minimum(levels, min(own + 1, _HIGHEST_LEVEL)).astype(np.int64)
        order = np.lexsort((fingerprints.shingles, -wide))[:INGEST_SHINGLES]
        chosen = np.sort(fingerprints.shingles[order])
        min_shared = LEAST_SHARED if len(chosen) > LEAST_SHARED else 1
        return cls(fingerprints.content_hash, chosen, min_shared)

    @property
    def sharing(self) -> Sharing:
        """The search for it; each shingle counts the same."""
        return Sharing(self.shingles, self.min_shared, self.content_hash, by_rarity=False)


def shared_counts(
    queries: Sequence[ShingleQuery], texts: Sequence[StoredText]
) -> NDArray[np.int64]:
    """Return how many of the shingles of each query each text has: shape (queries, texts)."""
    asked, of_query = _joined([query.shingles for query in queries])
    stored, of_text = _joined([text.shingles for text in texts])
    order = np.argsort(asked)
    asked, of_query = asked[order], of_query[order]
    first, behind = (asked.searchsorted(stored, side) for side in ("left", "right"))
    times = behind - first
    places = np.repeat(first, times) + ranks_within(times)
    pairs = of_query[places] * len(texts) + np.repeat(of_text, times)
    counts: NDArray[np.int64] = np.bincount(pairs, minlength=len(queries) * len(texts))
    return counts.reshape(len(queries), len(texts))


def _joined(shingles: Sequence[NDArray[np.uint32]]) -> tuple[NDArray[np.uint32], Ints]:
    """Return shingles of several texts one after the other, and the number of the text of each."""
    sizes = [len(each) for each in shingles]
    return np.concatenate([*shingles, np.zeros(0, np.uint32)]), np.repeat(
        np.arange(len(shingles)), sizes
    )


def are_found(queries: Sequence[ShingleQuery], texts: Sequence[StoredText]) -> NDArray[np.bool_]:
    """Return whether a search for each query finds each text: shape (queries, texts)."""
    least = np.array([query.min_shared for query in queries], np.int64)[:, None]
    asked, stored = (np.array([each.content_hash for each in some]) for some in (queries, texts))
    is_same: NDArray[np.bool_] = asked[:, None] == stored
    return is_same | (shared_counts(queries, texts) >= least)
