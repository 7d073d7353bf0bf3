"""Hamming distances and blocks: what searches by them cost and find, and which to use."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.blocks import block_terms
from es_simhash.fingerprints.hashing import Fingerprints
from es_simhash.lab.evaluation.pair_measures import Ints
from es_simhash.lab.tuning.tuning_figures import BlockFigures, KFigures
from es_simhash.lab.tuning.tuning_sample import Neighbours
from es_simhash.maintenance.diagnostics.bit_distances import chance_within
from es_simhash.maintenance.diagnostics.block_searches import BlockSearches
from es_simhash.maintenance.diagnostics.document_sample import SampledDocument, fingerprint_rows
from es_simhash.maintenance.diagnostics.findings import MAX_EXAMINED, MAX_UNRELATED

# Numbers of blocks that are compared with that of the scheme.
_BLOCKS = (4, 8, 12, 16)
# Documents whose blocks are compared with those of all others of the sample.
_COUNTED_ROWS = 256


@dataclass(frozen=True)
class SharedBlocks:
    """How many blocks documents of a sample share with others.

    Attributes:
        counts: Shared blocks of some documents, a row each, with every other one.
        blocks: How many blocks there are.
        documents: Documents of the index that have fingerprints.
    """

    counts: Ints
    blocks: int
    documents: int

    @classmethod
    def of(cls, prints: Fingerprints, blocks: int, documents: int) -> "SharedBlocks":
        """Count the equal blocks of fingerprints, copies among them."""
        terms = np.array(block_terms(prints, blocks), object)
        values = np.stack([np.unique(column, return_inverse=True)[1] for column in terms.T], axis=1)
        rows = values[:_COUNTED_ROWS]
        counts = np.zeros((len(rows), len(values)), np.int64)
        for block in range(blocks):
            counts += rows[:, block, None] == values[None, :, block]
        others = ~np.eye(len(rows), len(values), dtype=bool)
        return cls(counts[others].reshape(len(rows), -1), blocks, documents)

    def expected(self, k: int) -> float:
        """Return the documents that share enough blocks for k with one, itself among them."""
        return 1 + self._extrapolated(self.counts >= self.blocks - k)

    @property
    def postings(self) -> float:
        """Postings of all blocks of a document, on average, its own among them."""
        return self.blocks + self._extrapolated(self.counts)

    def _extrapolated(self, values: NDArray[Any]) -> float:
        if not values.size:
            return 0.0
        share = float(values.mean())
        return share * (self.documents - 1)


def distance_figures(
    searches: BlockSearches,
    sample: Sequence[SampledDocument],
    neighbours: Neighbours,
    shared: SharedBlocks,
    threshold: float,
) -> tuple[KFigures, ...]:
    """Return the figures of each k that the blocks guarantee.

    Args:
        searches: Searches the index.
        sample: The documents that are searched with.
        neighbours: Documents that share shingles with them.
        shared: Their blocks.
        threshold: Where versions begin.
    """
    prints = fingerprint_rows(sample)
    figures = []
    for k in range(shared.blocks):
        cost = searches.cost(sample, k)
        figures.append(
            KFigures(
                k,
                cost.median,
                cost.p90,
                shared.expected(k),
                shared.documents * chance_within(prints, k),
                neighbours.within(k, threshold),
                searches.took(sample, k),
            )
        )
    return tuple(figures)


def suggested_k(figures: Sequence[KFigures]) -> int:
    """Return the largest k that is cheap and finds nothing by chance, as `doctor` does."""
    suitable = [
        distance.k
        for distance in figures
        if distance.candidates_p90 <= MAX_EXAMINED and distance.unrelated <= MAX_UNRELATED
    ]
    return max(suitable, default=0)


def block_figures(
    sample: Sequence[SampledDocument],
    neighbours: Neighbours,
    shared: SharedBlocks,
    threshold: float,
) -> tuple[BlockFigures, ...]:
    """Return the figures of some numbers of blocks, that of the scheme among them.

    Args:
        sample: The documents.
        neighbours: Documents that share shingles with them.
        shared: Their blocks, as the scheme has them.
        threshold: Where versions begin.
    """
    prints = fingerprint_rows(sample)
    figures = []
    for blocks in sorted({*_BLOCKS, shared.blocks}):
        counted = SharedBlocks.of(prints, blocks, shared.documents)
        figures.append(
            BlockFigures(
                blocks,
                blocks - 1,
                counted.expected(blocks - 1),
                counted.postings,
                neighbours.within(blocks - 1, threshold),
            )
        )
    return tuple(figures)
