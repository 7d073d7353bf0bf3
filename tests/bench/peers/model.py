"""What a peer is: it takes in texts, says which of them are versions, and answers about one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np

from es_simhash.lab.methods.method_protocol import Ints, Pairs, Scores

Kind = Literal["Elasticsearch", "OpenSearch"]


@dataclass(frozen=True)
class Scored:
    """Pairs of texts with their scores.

    Attributes:
        pairs: Shape (n, 2): the positions of two texts, the smaller first, each pair once.
        scores: Of the pairs, the higher the more alike; the scale is the peer's own.
    """

    pairs: Pairs = field(repr=False)
    scores: Scores = field(repr=False)

    @classmethod
    def of(cls, first: Ints, second: Ints, scores: Scores) -> "Scored":
        """Return pairs said from either side, each once with the higher of its scores."""
        different = first != second
        low = np.minimum(first, second)[different]
        high = np.maximum(first, second)[different]
        keys = low.astype(np.int64) << 32 | high
        order = np.lexsort((-scores[different], keys))
        ordered = keys[order]
        kept = order[np.flatnonzero(np.diff(ordered, prepend=-1))]
        pairs = np.stack([low[kept], high[kept]], axis=1).astype(np.int64)
        return cls(pairs, scores[different][kept])

    def from_score(self, least: float) -> Pairs:
        """Return the pairs with a score or more."""
        return self.pairs[self.scores >= least]


class Collection(Protocol):
    """Texts that a peer has taken in; they are named by their positions."""

    @property
    def failures(self) -> Mapping[str, int]:
        """How many texts the peer fails on, by the reason."""

    def called(self) -> Pairs:
        """Return the pairs that the peer brings with its defaults."""

    def scored(self) -> Scored:
        """Return pairs with their scores, far below any sensible cut."""

    def query(self, number: int) -> object:
        """Answer about one of the texts, with the peer's defaults."""

    def nbytes(self) -> int:
        """Return the bytes that are kept of all texts, beyond the texts themselves."""

    def close(self) -> None:
        """Delete what was made outside of this process."""


class Peer(Protocol):
    """A tool that finds versions."""

    @property
    def name(self) -> str:
        """Name in tables and on the command line, without spaces."""

    @property
    def tool(self) -> str:
        """What it is, as one line: library or engine, features, what its default is."""

    @property
    def engine(self) -> Kind | None:
        """The engine that it runs on; None if it runs in this process."""

    def build(self, texts: Sequence[str]) -> Collection:
        """Take in texts, until they can be queried.

        Raises:
            MissingExtra: Its library is not installed.
            NodeError: Its engine does not run.
        """
