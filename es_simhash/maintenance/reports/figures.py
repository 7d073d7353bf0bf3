"""Figures of a report: all documents in parts, families by size, pairs by score."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from es_simhash.maintenance.reports.index_report import IndexReport
from es_simhash.relation.relation import KINDS

# Sizes of families of one column; of the last, that and more.
_EDGES = (2, 3, 4, 6, 11, 21, 51, 101)
_TENTHS = 10


@dataclass(frozen=True)
class Part:
    """A part of all documents.

    Attributes:
        style: Its class in the style sheet.
        name: Its name.
        about: An explanation of the name.
        documents: Number of its documents.
    """

    style: str
    name: str
    about: str
    documents: int


@dataclass(frozen=True)
class SizeRange:
    """Families of similar sizes.

    Attributes:
        label: Their sizes, such as `4–5`.
        families: Number of the families.
        documents: Number of their documents.
        low: Least size.
        high: Greatest size; None for any.
    """

    label: str
    families: int
    documents: int
    low: int
    high: int | None


@dataclass(frozen=True)
class ScoreRange:
    """Pairs of similar scores.

    Attributes:
        label: Their scores, such as `0.6–0.7`.
        low: Least score.
        high: The score below which they are; of the last range, it is among them.
        kinds: Number of pairs of each kind that has any, the closest kind first.
    """

    label: str
    low: float
    high: float
    kinds: Mapping[str, int]

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return sum(self.kinds.values())

    def has(self, score: float) -> bool:
        """Check whether a score is in the range."""
        return self.low <= score < self.high or score == self.high == 1


def size_ranges(counts: Mapping[int, int]) -> list[SizeRange]:
    """Return the families of two documents and more by ranges of their sizes.

    Args:
        counts: Number of families by their number of documents.
    """
    largest = max(counts, default=0)
    ranges = []
    for number, start in enumerate(_EDGES):
        if start > largest:
            break
        is_last = number + 1 == len(_EDGES)
        end = largest if is_last else _EDGES[number + 1] - 1
        within = {size: count for size, count in counts.items() if start <= size <= end}
        label = f"{start:,}" if start == end else f"{start:,}–{end:,}"
        if is_last:
            label = f"{start:,}+"
        documents = sum(size * count for size, count in within.items())
        high = None if is_last else end
        ranges.append(SizeRange(label, sum(within.values()), documents, start, high))
    return ranges


def score_ranges(scores: Sequence[tuple[str, float]]) -> list[ScoreRange]:
    """Return pairs by ranges of their scores, from the first range that has one.

    Args:
        scores: Kind and score of each pair.
    """
    ranges: list[ScoreRange] = []
    for tenth in range(_TENTHS):
        low, high = tenth / _TENTHS, (tenth + 1) / _TENTHS
        empty = ScoreRange(f"{low:.1f}–{high:.1f}", low, high, {})
        counts = Counter(kind for kind, score in scores if empty.has(score))
        kinds: dict[str, int] = {kind: counts[kind] for kind in KINDS if counts[kind]}
        if kinds or ranges:
            ranges.append(replace(empty, kinds=kinds))
    return ranges


def parts(report: IndexReport) -> list[Part]:
    """Return all documents of an index, or those that were read in time, in parts."""
    sizes, exact = report.sizes, report.exact
    if sizes is None:
        return []
    further = sizes.versions - sizes.families
    # Of a sample, the same share of all is taken.
    copies = round(exact.copies * sizes.versions / exact.examined) if exact else 0
    copies = min(copies, further)
    about = "the same text as another of the family, but for case and spaces"
    if exact is not None and exact.examined < sizes.versions:
        about += "; estimated from a sample"
    all_parts = [
        Part("unique", "Unique", "no other document is a version of them", sizes.unique),
        Part("first", "One of each family", "one document for each text that has versions",
             sizes.families),
        Part("version", "Further versions", "revised, extended, excerpted", further - copies),
        Part("copy", "Copies", about, copies),
    ]  # fmt: skip
    if sizes.is_complete:
        rest = max(0, report.status.documents - sizes.documents)
        all_parts.append(Part("none", "Not grouped", "without fingerprints, or new", rest))
    return [part for part in all_parts if part.documents or part.style in ("unique", "version")]


def percent(part: int, whole: int) -> str:
    """Return a share in percent; 0% and 100% only when it is just that."""
    if not whole:
        return "0%"
    rounded = round(100 * part / whole)
    if part and not rounded:
        return "less than 1%"
    if part < whole and rounded == 100:
        return "more than 99%"
    return f"{rounded}%"
