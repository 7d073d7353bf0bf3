"""A document that may be related to a query, by what is stored of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.sketch import Sketch


@dataclass(frozen=True)
class Candidate:
    """A document that may be related to the query.

    Attributes:
        id: Id of the document.
        chunks: Its chunk fingerprints.
        sketch: Its sketch.
        shared: Queried shingles that it has, ascending.
        same_content: True when the content hashes are equal.
        index: Index of the document.
    """

    id: str | None
    chunks: ChunkFingerprints
    sketch: Sketch
    shared: NDArray[np.uint32]
    same_content: bool = False
    index: str | None = None
