"""What searches by blocks cost, and whether they find all that an exact scan finds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from es_simhash.fingerprints.blocks import block_sizes, min_shared_blocks
from es_simhash.maintenance.diagnostics.document_sample import SampledDocument, common_blocks
from es_simhash.store.elasticsearch.block_scans import BlockScans

# Documents of the sample that are searched with; hottest blocks that are reported.
MAX_QUERIES = 100
_MAX_REPORTED = 5
# A query that has more documents within k than this is not compared.
_MAX_WITHIN = 1_000
# Searches whose time is taken.
_TIMED = 10


@dataclass(frozen=True)
class HotBlock:
    """A block that many documents have.

    Attributes:
        term: The block, number and value.
        documents: Documents of the index that have it.
        expected: Documents that would have it by chance, if fingerprints were spread evenly.
        texts: Different texts among the documents of the sample that have it.
    """

    term: str
    documents: int
    expected: float
    texts: int


@dataclass(frozen=True)
class SearchCost:
    """Documents that a search within k examines, over the queries of the sample.

    Attributes:
        k: Hamming distance.
        median: The median.
        p90: 90th percentile.
        max: The maximum.
    """

    k: int
    median: int
    p90: int
    max: int


@dataclass(frozen=True)
class Recall:
    """What a search by blocks finds of all that is within k.

    Attributes:
        k: Hamming distance.
        queries: Documents that were searched with.
        within: Documents within k of these, by an exact scan of the index.
        found: How many of these the search by blocks finds.
        missed: Some ids of documents it misses.
        with_others: Queries that have another document within k.
    """

    k: int
    queries: int
    within: int
    found: int
    missed: tuple[str, ...]
    with_others: int

    @property
    def share(self) -> float:
        """Share that is found; 1 when there is nothing to find."""
        return self.found / self.within if self.within else 1.0


class BlockSearches:
    """Searches an index with the fingerprints of a sample.

    Args:
        scans: Searches the index.
    """

    def __init__(self, scans: BlockScans) -> None:
        self._scans = scans
        self._scheme = scans.scheme

    def hottest(self, sample: Sequence[SampledDocument], documents: int) -> list[HotBlock]:
        """Return the blocks that most documents of the sample have, counted in the whole index.

        Args:
            sample: The sample.
            documents: Documents of the index that have fingerprints.
        """
        # What other code wrote may be no block: what is missed by it is counted by `recall`.
        common = [
            (term, texts, size)
            for term, count, texts in common_blocks(sample, _MAX_REPORTED)
            if count > 1 and (size := self._size(term))
        ]
        counts = self._scans.count_sharing([[term] for term, _, _ in common], 1)
        blocks = [
            HotBlock(term, count, documents / 2**size, texts)
            for (term, texts, size), count in zip(common, counts, strict=True)
        ]
        return sorted(blocks, key=lambda block: (-block.documents, block.term))

    def _size(self, term: str) -> int:
        """Return the bits of a block; 0 of what is none of the scheme."""
        sizes = block_sizes(self._scheme.bits, self._scheme.blocks)
        try:
            return sizes[int(term.partition(":")[0], 16)]
        except (IndexError, ValueError):
            return 0

    def cost(self, sample: Sequence[SampledDocument], k: int) -> SearchCost:
        """Count the documents that share enough blocks with documents of the sample."""
        min_shared = min_shared_blocks(self._scheme.blocks, k)
        queries = [document for document in sample if document.blocks][:MAX_QUERIES]
        counts = self._scans.count_sharing([query.blocks for query in queries], min_shared)
        if not counts:
            return SearchCost(k, 0, 0, 0)
        median, p90 = np.percentile(counts, (50, 90), method="higher").tolist()
        return SearchCost(k, median, p90, max(counts))

    def took(self, sample: Sequence[SampledDocument], k: int) -> float:
        """Return the milliseconds of a search within k, the median of ten; nan without any."""
        took = self._scans.took(_fingerprints(sample)[:_TIMED], k, _MAX_WITHIN)
        return float(np.median(took)) if took else float("nan")

    def recall(self, sample: Sequence[SampledDocument], k: int) -> Recall:
        """Compare what a search by blocks finds within k with an exact scan of all documents."""
        queries = _fingerprints(sample)[:MAX_QUERIES]
        scanned = self._scans.scan(queries, k, _MAX_WITHIN)
        searched = self._scans.search(queries, k, _MAX_WITHIN)
        compared = [
            (within, within & matches)
            for within, matches in zip(scanned, searched, strict=True)
            if len(within) < _MAX_WITHIN
        ]
        missed = sorted({ref.id for within, found in compared for ref in within - found})
        return Recall(
            k,
            len(compared),
            sum(len(within) for within, _ in compared),
            sum(len(found) for _, found in compared),
            tuple(missed[:_MAX_REPORTED]),
            sum(len(within) > 1 for within in scanned),
        )


def _fingerprints(sample: Sequence[SampledDocument]) -> list[bytes]:
    return [document.fingerprint for document in sample if document.fingerprint is not None]
