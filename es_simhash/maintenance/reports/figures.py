"""Charts as inline SVG; the tables next to them say the same in numbers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

# Sizes of families of one column; of the last, that and more.
_EDGES = (2, 3, 4, 6, 11, 21, 51, 101)
_TENTHS = 10
_WIDTH, _HEIGHT, _FOOT, _HEAD = 360, 200, 34, 18
_GAP = 0.25  # of the width of a column
_MIN_HEIGHT = 1.5


@dataclass(frozen=True)
class Part:
    """A part of all documents.

    Attributes:
        style: Its class in the style sheet.
        name: What it is.
        about: What that means.
        documents: How many there are.
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
        families: How many there are.
        documents: How many documents they have.
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
        kinds: How many pairs there are of each kind.
    """

    label: str
    low: float
    high: float
    kinds: Mapping[str, int]

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
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
        end = _EDGES[number + 1] - 1 if number + 1 < len(_EDGES) else largest
        found = {size: count for size, count in counts.items() if start <= size <= end}
        label = f"{start:,}" if start == end else f"{start:,}–{end:,}"
        if number + 1 == len(_EDGES):
            label = f"{start:,}+"
        documents = sum(size * count for size, count in found.items())
        high = end if number + 1 < len(_EDGES) else None
        ranges.append(SizeRange(label, sum(found.values()), documents, start, high))
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
        kinds = Counter(kind for kind, score in scores if empty.has(score))
        if kinds or ranges:
            ranges.append(replace(empty, kinds=kinds))
    return ranges


def share_bar(parts: Sequence[Part], label: str) -> str:
    """Return one bar that is divided as all documents are.

    Args:
        parts: The parts; at least one has a document.
        label: What the bar shows, in plain ASCII and without markup.
    """
    total = sum(part.documents for part in parts)
    rects, place = [], 0.0
    for part in parts:
        width = 1000 * part.documents / total
        if width:
            rects.append(
                f'<rect class="{part.style}" x="{place:.2f}" y="0" width="{width:.2f}" '
                'height="10"/>'
            )
        place += width
    return (
        f'<svg class="share" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" '
        f'aria-label="{label}">{"".join(rects)}</svg>'
    )


def size_chart(ranges: Sequence[SizeRange], label: str) -> str:
    """Return a column for each range of sizes, as high as it has families.

    Args:
        ranges: The ranges; at least one has a family.
        label: What the chart shows, in plain ASCII and without markup.
    """
    return _chart([(each.label, each.families) for each in ranges], label, "documents in a family")


def score_chart(ranges: Sequence[ScoreRange], label: str) -> str:
    """Return a column for each range of scores, as high as it has pairs.

    Args:
        ranges: The ranges; at least one has a pair.
        label: What the chart shows, in plain ASCII and without markup.
    """
    return _chart([(each.label, each.pairs) for each in ranges], label, "score")


def _chart(columns: Sequence[tuple[str, int]], label: str, axis_name: str) -> str:
    body = "".join(_columns(columns))
    base = _HEIGHT - _FOOT
    axis = f'<line x1="0" y1="{base}" x2="{_WIDTH}" y2="{base}"/>'
    name = (
        f'<text class="dim" x="{_WIDTH / 2:.0f}" y="{_HEIGHT - 3}" text-anchor="middle">'
        f"{axis_name}</text>"
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">'
        f"{body}{axis}{name}</svg>"
    )


def _columns(columns: Sequence[tuple[str, int]]) -> Iterator[str]:
    highest = max(count for _, count in columns)
    base = _HEIGHT - _FOOT
    step = _WIDTH / max(len(columns), 4)
    for number, (name, count) in enumerate(columns):
        x = number * step
        height = (base - _HEAD) * count / highest
        if count:
            height = max(height, _MIN_HEIGHT)
        middle = x + step / 2
        yield (
            f'<rect class="first" x="{x + step * _GAP / 2:.1f}" y="{base - height:.1f}" '
            f'width="{step * (1 - _GAP):.1f}" height="{height:.1f}"/>'
            f'<text x="{middle:.1f}" y="{base - height - 5:.1f}" text-anchor="middle">'
            f"{count:,}</text>"
            f'<text class="dim" x="{middle:.1f}" y="{base + 14}" text-anchor="middle">'
            f"{name}</text>"
        )
