"""Sizes of all families of an index, by pages of one aggregation; the largest, and a sample."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappush, heappushpop
from random import Random
from typing import Any

from es_simhash.maintenance.reports.index_report import (
    ExactCopies,
    FamilySizes,
    ReportOptions,
    ReportProgress,
)
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.pages import PointInTime
from es_simhash.store.options import Query
from es_simhash.store.paths import get_path

# Families of one response.
_FAMILIES_PAGE = 10_000
_LARGEST = 12
# Documents whose texts are compared by their digests, and families they are chosen from.
MAX_EXAMINED = 20_000
_SAMPLED_FAMILIES = 5_000
# Families of one search; its clause takes 65,536.
_FAMILIES_SEARCHED = 500
_PAIRS = 1_000

Family = tuple[str, int]


@dataclass
class FamilyCounter:
    """Counts families by their sizes, and remembers the largest and a sample, in bounded memory.

    The sample is drawn evenly, whatever the order, and the same each time.
    """

    counts: Counter[int] = field(default_factory=Counter)
    _largest: list[tuple[int, str]] = field(default_factory=list)
    _sample: list[Family] = field(default_factory=list)
    _random: Random = field(default_factory=lambda: Random(0))
    _of_several: int = 0

    def add(self, name: str, documents: int) -> None:
        """Count a family."""
        self.counts[documents] += 1
        if documents < 2:
            return
        entry = (documents, name)
        if len(self._largest) < _LARGEST:
            heappush(self._largest, entry)
        else:
            heappushpop(self._largest, entry)
        self._of_several += 1
        if len(self._sample) < _SAMPLED_FAMILIES:
            self._sample.append((name, documents))
        elif (place := self._random.randrange(self._of_several)) < _SAMPLED_FAMILIES:
            self._sample[place] = (name, documents)

    @property
    def largest(self) -> list[Family]:
        """The largest families, the largest first."""
        return [(name, size) for size, name in sorted(self._largest, key=_by_size)]

    def sample(self, max_documents: int) -> list[Family]:
        """Return families of two and more that have so many documents at the most."""
        drawn = list(self._sample)
        self._random.shuffle(drawn)
        chosen, total = [], 0
        for name, documents in drawn:
            if total + documents <= max_documents:
                chosen.append((name, documents))
                total += documents
        return chosen


def _by_size(entry: tuple[int, str]) -> tuple[int, str]:
    return -entry[0], entry[1]


def count_families(
    point: PointInTime,
    config: IndexConfig,
    options: ReportOptions,
    progress: ReportProgress,
    total: int,
) -> tuple[FamilyCounter, FamilySizes]:
    """Return the families by their sizes.

    Args:
        point: The index at one moment.
        config: Names of its fields.
        options: Seconds, after which no further page is read, and filters.
        progress: Called after each page.
        total: Documents that have a family.
    """  # fmt: skip
    deadline = time.monotonic() + options.seconds
    counter, read, is_complete = FamilyCounter(), 0, True
    for page in pages_of_families(point, config.path(fields.FAMILY), options.filters):
        if not is_complete:
            return counter, FamilySizes(counter.counts, False)
        for name, documents in page:
            counter.add(name, documents)
            read += documents
        progress("families", read, total)
        is_complete = time.monotonic() < deadline
    return counter, FamilySizes(counter.counts, True)


def pages_of_families(
    point: PointInTime, path: str, filters: Sequence[Query]
) -> Iterator[list[Family]]:
    """Yield all families by their names, each with its number of documents, some at a time.

    Args:
        point: The index at one moment.
        path: Field of the names of families.
        filters: Queries that documents must match to be counted.
    """
    composite: dict[str, Any] = {
        "size": _FAMILIES_PAGE,
        "sources": [{"family": {"terms": {"field": path}}}],
    }
    body = {
        "size": 0,
        "query": {"bool": {"filter": [*filters]}},
        "track_total_hits": False,
        "aggs": {"families": {"composite": composite}},
    }
    while True:
        answer = point.search(body)["aggregations"]["families"]
        yield [(bucket["key"]["family"], bucket["doc_count"]) for bucket in answer["buckets"]]
        if len(answer["buckets"]) < _FAMILIES_PAGE:
            return
        composite["after"] = answer["after_key"]


def count_exact_copies(
    point: PointInTime,
    config: IndexConfig,
    filters: Sequence[Query],
    sample: list[Family],
    progress: ReportProgress,
) -> ExactCopies | None:
    """Return how many documents of some families have the same text as another of theirs.

    Args:
        point: The index at one moment.
        config: Names of its fields.
        filters: Queries that documents must match.
        sample: The families.
        progress: Called after each search.

    Returns:
        The counts; None where no document was examined, as the digests of the texts are missing.
    """  # fmt: skip
    family, digest = config.path(fields.FAMILY), config.path(fields.CONTENT_HASH)
    total = sum(documents for _, documents in sample)
    texts: dict[tuple[str, str], str] = {}
    pairs: list[tuple[str, str]] = []
    examined = 0
    for start in range(0, len(sample), _FAMILIES_SEARCHED):
        names = [name for name, _ in sample[start : start + _FAMILIES_SEARCHED]]
        query = {"bool": {"filter": [{"terms": {family: names}}, *filters]}}
        body = {"query": query, "_source": [family, digest]}
        for hit in point.hits(body):
            found = _values(hit["_source"], family, digest)
            if found is not None:
                examined += 1
                if found in texts and len(pairs) < _PAIRS:
                    pairs.append((texts[found], hit["_id"]))
                texts.setdefault(found, hit["_id"])
        progress("texts", examined, total)
    if not examined:
        return None
    return ExactCopies(examined - len(texts), examined, tuple(sorted(pairs)))


def _values(source: Mapping[str, Any], family: str, digest: str) -> tuple[str, str] | None:
    name, text = get_path(source, family), get_path(source, digest)
    return None if name is None or text is None else (str(name), str(text))
