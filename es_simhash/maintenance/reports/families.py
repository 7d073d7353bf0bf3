"""Sizes of all families of an index; the largest of them, and a sample."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappush, heappushpop
from random import Random

from es_simhash.maintenance.reports.index_report import (
    ExactCopies,
    FamilySizes,
    ReportOptions,
)
from es_simhash.store.intents import FindAll, ListFamilies, Parts, Where
from es_simhash.store.protocol import Progress, Steps, ask

# Families of one request.
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
    where: Where, options: ReportOptions, progress: Progress, total: int
) -> Steps[tuple[FamilyCounter, FamilySizes]]:
    """Return the families by their sizes.

    Args:
        where: Conditions that documents must match to be counted.
        options: Seconds, after which no further page is read.
        progress: Called after each page.
        total: Documents that have a family.
    """
    deadline = time.monotonic() + options.seconds
    counter, read = FamilyCounter(), 0

    def count(families: Sequence[Family]) -> bool:
        nonlocal read
        for name, documents in families:
            counter.add(name, documents)
            read += documents
        progress("families", read, total)
        return time.monotonic() < deadline

    is_complete = yield from all_families(where, count)
    return counter, FamilySizes(counter.counts, is_complete)


def all_families(where: Where, take: Callable[[Sequence[Family]], bool]) -> Steps[bool]:
    """Hand over all families by their names, each with its number of documents, some at a time.

    Args:
        where: Conditions that documents must match to be counted.
        take: Called with each page; returns whether it takes another one.

    Returns:
        Whether all families were taken.
    """
    after = None
    while True:
        page = yield from ask(ListFamilies(where, after, _FAMILIES_PAGE))
        wants_more, after = take(page.sizes), page.after
        if after is None or not wants_more:
            return after is None


def count_exact_copies(
    where: Where, sample: Sequence[Family], progress: Progress
) -> Steps[ExactCopies | None]:
    """Return how many documents of some families have the same text as another of theirs.

    Args:
        where: Conditions that documents must match.
        sample: The families.
        progress: Called after each search.

    Returns:
        The counts; None where no document was examined, as the digests of the texts are missing.
    """
    total = sum(documents for _, documents in sample)
    texts: dict[tuple[str, str], str] = {}
    pairs: list[tuple[str, str]] = []
    examined = 0
    for start in range(0, len(sample), _FAMILIES_SEARCHED):
        names = tuple(name for name, _ in sample[start : start + _FAMILIES_SEARCHED])
        members = yield from ask(FindAll(replace(where, families=names), Parts(members=True)))
        for row in members.rows:
            if row.family is None or row.content_hash is None:
                continue
            examined += 1
            text = row.family, row.content_hash
            if text in texts and len(pairs) < _PAIRS:
                pairs.append((texts[text], row.id))
            texts.setdefault(text, row.id)
        progress("texts", examined, total)
    if not examined:
        return None
    return ExactCopies(examined - len(texts), examined, tuple(sorted(pairs)))
