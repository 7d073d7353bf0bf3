"""Texts by what is stored of them: those that are scored, and candidates for a query."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.chunks import ChunkFingerprints, WindowCounts
from es_simhash.fingerprints.hashing import Fingerprints
from es_simhash.fingerprints.sketch import JoinedSketches, Sketch


class ScoredText(Protocol):
    """The parts a text is scored by: no more than an index stores."""

    @property
    def chunks(self) -> ChunkFingerprints:
        """Chunk fingerprints, and how many shingles each window picks."""

    @property
    def windows(self) -> WindowCounts:
        """The counts of these alone."""

    @property
    def sketch(self) -> Sketch:
        """Head, words and numbers."""


class StoredText(ScoredText, Protocol):
    """All parts that an index stores of a text; an `AnalysedText` has them too."""

    @property
    def content_hash(self) -> str:
        """Hash of the normalised text."""

    @property
    def shingles(self) -> NDArray[np.uint32]:
        """Shingles, ascending."""

    @property
    def queried_shingles(self) -> NDArray[np.uint32]:
        """Shingles by which it is found in a search over a whole index: those below a bound."""

    @property
    def characters(self) -> int:
        """Characters of its chunks."""


@dataclass(frozen=True)
class TextColumns:
    """What texts are scored by, in arrays over all of them.

    Attributes:
        sketches: Sketches of the texts.
        windows: How many shingles each window picks of each text, (texts, 4).
        chunk_counts: Chunks of each text.
        fingerprints: Fingerprints of all chunks, those of one text after the other.
        characters: Characters of the same chunks.
    """

    sketches: JoinedSketches
    windows: NDArray[np.int64]
    chunk_counts: NDArray[np.int64]
    fingerprints: Fingerprints
    characters: NDArray[np.int64]


@dataclass(frozen=True)
class Candidate:
    """A document that may be related to the query.

    Attributes:
        id: Id of the document.
        text: What it is scored by; of most neighbours the chunks are never read.
        shared: Queried shingles that it has, ascending.
        same_content: True when the content hashes are equal.
        index: Index of the document.
    """

    id: str | None
    text: ScoredText
    shared: NDArray[np.uint32]
    same_content: bool = False
    index: str | None = None

    @property
    def chunks(self) -> ChunkFingerprints:
        """Its chunk fingerprints."""
        return self.text.chunks

    @property
    def sketch(self) -> Sketch:
        """Its sketch."""
        return self.text.sketch

    @property
    def windows(self) -> WindowCounts:
        """How many shingles each window picks."""
        return self.text.windows

    @classmethod
    def of(
        cls, query: StoredText, hit: StoredText, id: str | None = None, index: str | None = None
    ) -> "Candidate":
        """Return a text as a candidate for another, all of whose shingles are queried.

        Args:
            query: The other text.
            hit: The text.
            id: Id of its document.
            index: Index of its document.
        """
        shared = _intersection(query.shingles, hit.shingles)
        same = query.content_hash == hit.content_hash
        return cls(id, hit, shared, same, index)


def _intersection(fewer: NDArray[np.uint32], more: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the shingles of both, ascending; `np.intersect1d` sorts what is sorted already."""
    if len(fewer) > len(more):
        fewer, more = more, fewer
    if not len(fewer):
        return fewer
    places = np.minimum(more.searchsorted(fewer), len(more) - 1)
    shared: NDArray[np.uint32] = fewer[more[places] == fewer]
    return shared
