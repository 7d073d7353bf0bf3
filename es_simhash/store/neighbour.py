"""A document near in meaning to a query."""

from dataclasses import dataclass

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.sketch import Sketch
from es_simhash.semantics.semantic_profile import SemanticSimilarity


@dataclass(frozen=True)
class Neighbour:
    """A document near in meaning.

    Attributes:
        id: Of the document.
        index: Index of the document; None in memory.
        semantics: How near, without evidence.
        chunks: Its chunk fingerprints; None when it has none.
        sketch: Its sketch; None when it has none.
        family: Its version family; empty when it is in none.
        date: Milliseconds since 1970 of the requested date field; None without one.
    """

    id: str | None
    index: str | None
    semantics: SemanticSimilarity
    chunks: ChunkFingerprints | None = None
    sketch: Sketch | None = None
    family: str = ""
    date: float | None = None
