"""Versions as dots on an axis of dates: a picture in which no dot hides another."""

from bisect import bisect, insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from es_simhash.differences.version_timeline import DatedVersion, Timeline
from es_simhash.pages.rendering import html_text

# Pixels that windows of 320 and of 768 pixels leave to the axis, which is as wide as the page.
_NARROW, _WIDE = 240, 680
_HEAD, _LINE = 8, 16
# Share of the axis below which two letters, or two numbers, would touch.
_LETTERS, _NUMBERS = 0.08, 0.2

Places = Mapping[DatedVersion, float]


@dataclass(frozen=True)
class _Size:
    """Radius of dots, distance of those above each other, and how many may be, in pixels."""

    radius: float
    pitch: float
    levels: int

    @property
    def marked(self) -> float:
        """Radius of the two that are compared: they touch the dots above them."""
        return self.pitch - self.radius


_LARGE, _SMALL = _Size(4.5, 11, 12), _Size(3, 7, 60)


@dataclass(frozen=True)
class _Dot:
    """A dot: its version, where it is from 0 to 1, its level from 0, and its radius."""

    version: DatedVersion
    x: float
    level: int
    radius: float
    style: str


def dots(timeline: Timeline) -> str:
    """Return the versions with a date as SVG; nothing where none has one.

    A dot is where its date is, whatever the width of the window; others near it stand above it.
    Where more than sixty would, a number is said for the rest. Wide windows have a picture of their
    own, where fewer have to stand above others.
    """
    places = _places(timeline.dated)
    if not places:
        return ""
    wide = _picture(timeline, places, _WIDE)
    narrow = _picture(timeline, places, _NARROW)
    if wide == narrow:
        return f'<svg class="dots" {narrow}'
    return f'<svg class="dots wide" {wide}<svg class="dots narrow" {narrow}'


def _picture(timeline: Timeline, places: Places, width: int) -> str:
    """Return the picture for windows that leave the axis a width or more, behind its class."""
    size = _LARGE
    drawn, rest = _stacked(timeline, places, size, width)
    if rest:
        size = _SMALL
        drawn, rest = _stacked(timeline, places, size, width)
    top = _HEAD + size.marked + (_LINE if rest else 0)
    base = top + size.pitch * max(dot.level for dot in drawn)
    axis = base + size.marked + 4
    ends = list(_ends(timeline.dated, axis + 2 * _LINE))
    height = axis + (len(ends) + 1) // 2 * _LINE + _LINE + 4
    parts = [
        *(_circle(dot, base - size.pitch * dot.level) for dot in drawn),
        *_numbers(rest, places),
        f'<line x1="0" x2="100%" y1="{axis:g}" y2="{axis:g}"/>',
        *_letters(timeline, places, axis + _LINE),
        *ends,
    ]
    return (
        f'width="100%" height="{height:g}" role="img" '
        f'aria-label="Versions by date, the oldest at the left">{"".join(parts)}</svg>\n'
    )


def _places(dated: Sequence[DatedVersion]) -> Places:
    """Return where each version is on the axis, from 0 to 1."""
    known = [version.place for version in dated if version.place is not None]
    length = known[-1] - known[0] if known else 0
    return {
        version: (place - known[0]) / length if length else 0.5
        for version, place in zip(dated, known, strict=True)
    }


def _stacked(
    timeline: Timeline, places: Places, size: _Size, width: int
) -> tuple[list[_Dot], list[DatedVersion]]:
    """Return dots, each on the lowest level that has room for it, and versions without room."""
    styles = {timeline.b: "b", timeline.a: "a"}
    levels: list[list[tuple[float, float]]] = [[] for _ in range(size.levels)]
    drawn, rest = [], []
    # The two come first: they have room in any case, and are low.
    for version in sorted(places, key=lambda version: version.id not in styles):
        is_marked = version.id in styles
        radius, x = (size.marked if is_marked else size.radius), places[version]
        half = (radius + 1) / width
        # Two that are marked are too large to be on levels that follow each other.
        possible = range(0, size.levels, 2 if is_marked else 1)
        level = next((n for n in possible if _has_room(levels[n], x, half)), None)
        if level is None:
            rest.append(version)
            continue
        insort(levels[level], (x, half))
        drawn.append(_Dot(version, x, level, radius, styles.get(version.id, "")))
    return drawn, rest


def _has_room(level: Sequence[tuple[float, float]], x: float, half: float) -> bool:
    place = bisect(level, (x, half))
    return all(
        abs(x - other) >= half + other_half
        for other, other_half in level[max(place - 1, 0) : place + 1]
    )


def _circle(dot: _Dot, y: float) -> str:
    style = f' class="{dot.style}"' if dot.style else ""
    return (
        f'<circle{style} cx="{_percent(dot.x)}" cy="{y:g}" r="{dot.radius:g}">'
        f"<title>{html_text(label(dot.version))}</title></circle>"
    )


def label(version: DatedVersion) -> str:
    """Return the date and the id of a version."""
    return f"{version.date or 'no date'}: {version.id}"


def _percent(x: float) -> str:
    return f"{100 * x:.4g}%"


def _text(x: float, y: float, anchor: str, words: str, title: str = "", style: str = "") -> str:
    of_style = style and f' class="{style}"'
    in_title = title and f"<title>{html_text(title)}</title>"
    return (
        f'<text{of_style} x="{_percent(x)}" y="{y:g}" text-anchor="{anchor}">{html_text(words)}'
        f"{in_title}</text>"
    )


def _numbers(rest: Sequence[DatedVersion], places: Places) -> Iterator[str]:
    """Yield how many versions have no room, at the top, near where they would be."""
    groups: list[list[DatedVersion]] = []
    for version in rest:
        if not groups or places[version] - places[groups[-1][0]] >= _NUMBERS:
            groups.append([])
        groups[-1].append(version)
    for group in groups:
        title = f"{len(group):,} more, {group[0].date} to {group[-1].date}"
        yield _text(places[group[0]], _LINE, "middle", f"+{len(group):,}", title)


def _letters(timeline: Timeline, places: Places, y: float) -> Iterator[str]:
    """Yield the names of the two below the axis, side by side where they would touch."""
    marked = {timeline.a: "A", timeline.b: "B"} if timeline.a != timeline.b else {timeline.a: "A B"}
    found = [(places[version], marked[version.id]) for version in places if version.id in marked]
    is_near = len(found) > 1 and found[-1][0] - found[0][0] < _LETTERS
    for number, (x, letter) in enumerate(found):
        anchor = ("end" if not number else "start") if is_near else "middle"
        yield _text(x, y, anchor, letter, style=letter[0].lower())


def _ends(dated: Sequence[DatedVersion], y: float) -> Iterator[str]:
    """Yield the first and the last date; of one day the times, and the day below them."""
    first, last = (version.date or "" for version in (dated[0], dated[-1]))
    days = [date.partition("T")[0] for date in (first, last)]
    if first == last:
        yield _text(0.5, y, "middle", first)
    elif days[0] != days[1]:
        yield _text(0, y, "start", days[0])
        yield _text(1, y, "end", days[1])
    else:
        # A date at midnight has no time.
        yield _text(0, y, "start", first.partition("T")[2] or "00:00:00Z")
        yield _text(1, y, "end", last.partition("T")[2])
        yield _text(0.5, y + _LINE, "middle", days[0])
