"""Charts as inline SVG; the tables beside them say the same in numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

# Sizes of families of one column; of the last, that and more.
_EDGES = (2, 3, 4, 6, 11, 21, 51, 101)
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
    """

    label: str
    families: int
    documents: int


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
        ranges.append(SizeRange(label, sum(found.values()), documents))
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
    body = "".join(_columns(ranges))
    base = _HEIGHT - _FOOT
    axis = f'<line x1="0" y1="{base}" x2="{_WIDTH}" y2="{base}"/>'
    name = (
        f'<text class="dim" x="{_WIDTH / 2:.0f}" y="{_HEIGHT - 3}" text-anchor="middle">'
        "documents in a family</text>"
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">'
        f"{body}{axis}{name}</svg>"
    )


def _columns(ranges: Sequence[SizeRange]) -> Iterator[str]:
    highest = max(each.families for each in ranges)
    base = _HEIGHT - _FOOT
    step = _WIDTH / max(len(ranges), 4)
    for number, each in enumerate(ranges):
        x = number * step
        height = (base - _HEAD) * each.families / highest
        if each.families:
            height = max(height, _MIN_HEIGHT)
        middle = x + step / 2
        yield (
            f'<rect class="first" x="{x + step * _GAP / 2:.1f}" y="{base - height:.1f}" '
            f'width="{step * (1 - _GAP):.1f}" height="{height:.1f}"/>'
            f'<text x="{middle:.1f}" y="{base - height - 5:.1f}" text-anchor="middle">'
            f"{each.families:,}</text>"
            f'<text class="dim" x="{middle:.1f}" y="{base + 14}" text-anchor="middle">'
            f"{each.label}</text>"
        )
