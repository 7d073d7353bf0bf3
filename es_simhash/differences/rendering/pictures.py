"""Pictures of a comparison: versions as dots on an axis of dates, and where common parts lie."""

from bisect import bisect, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from es_simhash.differences.difference import Changes
from es_simhash.differences.rendering.paired_rows import RowGroup
from es_simhash.differences.version_timeline import DatedVersion, Timeline
from es_simhash.relation.relation import SharedPassage
from es_simhash.relation.version_weights import EVIDENCE_TITLES

# Pixels that windows of 320 and of 768 pixels leave to the axis, which is as wide as the page.
_NARROW, _WIDE = 240, 680
_HEAD, _LINE = 8, 16
# Share of the axis below which two letters, or two numbers, would touch.
_LETTERS, _NUMBERS = 0.08, 0.2
# Stretches that are nearer than this share of the longer text are drawn as one.
_GAP = 0.003

Places = Mapping[DatedVersion, float]


@dataclass(frozen=True)
class Dot:
    """A version in a picture.

    Attributes:
        x: Its place on the axis, from 0 to 1.
        y: Its distance from the top, in pixels.
        radius: Its radius in pixels.
        style: `a` or `b` for the two that are compared; empty for others.
        title: Its date and id.
    """

    x: float
    y: float
    radius: float
    style: str
    title: str


@dataclass(frozen=True)
class Words:
    """Words in a picture.

    Attributes:
        x: Their place on the axis, from 0 to 1.
        y: The distance of their base line from the top, in pixels.
        anchor: The part of them that is at that place: `start`, `middle` or `end`.
        words: The words.
        title: A tooltip; empty if they need none.
        style: Class as of a dot.
    """

    x: float
    y: float
    anchor: str
    words: str
    title: str = ""
    style: str = ""


@dataclass(frozen=True)
class DotPicture:
    """Versions as dots above an axis of dates, in which no dot hides another.

    Attributes:
        height: Height of the picture in pixels; it is as wide as the page.
        axis: The distance of the axis from the top, in pixels.
        dots: The versions.
        texts: Numbers for versions without room, the letters of the two, and dates.
    """

    height: float
    axis: float
    dots: tuple[Dot, ...]
    texts: tuple[Words, ...]


class EvidenceBar(NamedTuple):
    """A step of a sum of evidence, drawn from where the sum stood before to where it stands after.

    Attributes:
        title: What speaks.
        added: What it adds, in log-odds; of the first and the last bar where the sum stands.
        left: Where the bar begins, from 0 to 1.
        width: Its width on the same scale.
        zero: Where neither side is more likely, on the same scale.
        style: `for` or `against` versions, `sum` for the first and the last bar.
    """

    title: str
    added: float
    left: float
    width: float
    zero: float
    style: str


def evidence_bars(log_odds: Mapping[str, float]) -> list[EvidenceBar]:
    """Return what speaks for and against two texts being versions as a waterfall.

    Args:
        log_odds: Where the log-odds `start`, and what each piece of evidence adds.
    """
    total, spans = 0.0, []
    ordered = sorted(log_odds.items(), key=lambda item: (item[0] != "start", -abs(item[1])))
    for name, added in ordered:
        if not round(added, 1):
            total += added
            continue
        begin = total if name != "start" else 0.0
        total = begin + added
        style = "sum" if name == "start" else "against" if added < 0 else "for"
        spans.append((EVIDENCE_TITLES[name], added, begin, total, style))
    spans.append(("sum", total, 0.0, total, "sum"))
    ends = [place for span in spans for place in span[2:4]]
    low, high = min(0.0, *ends), max(0.0, *ends)
    scale = (high - low) or 1.0
    return [
        EvidenceBar(
            title,
            added,
            (min(begin, end) - low) / scale,
            abs(end - begin) / scale,
            -low / scale,
            style,
        )
        for title, added, begin, end, style in spans
    ]


class ChangeMark(NamedTuple):
    """A change on the bar above two texts, which stands for their rows from the first to the last.

    Attributes:
        number: Number of the change, from 1; of changes that touch, the first.
        left: Where it begins, from 0 to 1.
        width: Its width on the same scale.
    """

    number: int
    left: float
    width: float


def change_marks(groups: Sequence[RowGroup]) -> list[ChangeMark]:
    """Return the places of the changes among the rows of two texts.

    Changes that are too near each other to be told apart on a bar are one mark.
    """
    total = sum(group.size for group in groups) or 1
    marks: list[ChangeMark] = []
    place = 0.0
    for group in groups:
        width = group.size / total
        if group.change:
            last = marks[-1] if marks else None
            if last is not None and place - (last.left + last.width) < _GAP:
                marks[-1] = last._replace(width=place + width - last.left)
            else:
                marks.append(ChangeMark(group.change, place, width))
        place += width
    return marks


class Band(NamedTuple):
    """A part that both texts have, or a passage that was reworded: its offsets in both."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    style: Literal["kept", "moved", "reworded"]


@dataclass(frozen=True)
class Strip:
    """Two texts as bars, A above B, with their common parts joined by bands.

    Attributes:
        length_a: Characters of A.
        length_b: Characters of B.
        bands: The common parts.
    """

    length_a: int
    length_b: int
    bands: tuple[Band, ...]

    @property
    def styles(self) -> set[str]:
        """The styles of the common parts."""
        return {band.style for band in self.bands}


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
# A version, its level from 0, its radius and its style.
_Stacked = tuple[DatedVersion, int, float, str]


def dot_pictures(timeline: Timeline) -> list[DotPicture]:
    """Return pictures of the versions with a date: one for all windows, or a wide and a narrow one.

    The place of a dot is that of its date, whatever the width of the window; dots near it are above
    it, up to sixty, and a number counts the rest. In a wide window fewer dots are near each other,
    so it has a picture of its own. Without any date, there is no picture.
    """
    places = _places(timeline.dated)
    if not places:
        return []
    wide, narrow = (_picture(timeline, places, width) for width in (_WIDE, _NARROW))
    return [wide] if wide == narrow else [wide, narrow]


def _picture(timeline: Timeline, places: Places, width: int) -> DotPicture:
    """Return the picture for windows that leave the axis a width or more."""
    size = _LARGE
    stacked, rest = _stacked(timeline, places, size, width)
    if rest:
        size = _SMALL
        stacked, rest = _stacked(timeline, places, size, width)
    top = _HEAD + size.marked + (_LINE if rest else 0)
    base = top + size.pitch * max(level for _, level, *_ in stacked)
    axis = base + size.marked + 4
    ends = list(_ends(timeline.dated, axis + 2 * _LINE))
    return DotPicture(
        height=axis + (len(ends) + 1) // 2 * _LINE + _LINE + 4,
        axis=axis,
        dots=tuple(
            Dot(
                places[version],
                base - size.pitch * level,
                radius,
                style,
                f"{version.date or 'no date'}: {version.name}",
            )
            for version, level, radius, style in stacked
        ),
        texts=(*_numbers(rest, places), *_letters(timeline, places, axis + _LINE), *ends),
    )


def _places(dated: Sequence[DatedVersion]) -> Places:
    """Return the place of each version on the axis, from 0 to 1."""
    known = [version.place for version in dated if version.place is not None]
    length = known[-1] - known[0] if known else 0
    return {
        version: (place - known[0]) / length if length else 0.5
        for version, place in zip(dated, known, strict=True)
    }


def _stacked(
    timeline: Timeline, places: Places, size: _Size, width: int
) -> tuple[list[_Stacked], list[DatedVersion]]:
    """Return versions, each on the lowest level that has room for it, and those without room."""
    styles = {timeline.b: "b", timeline.a: "a"}
    levels: list[list[tuple[float, float]]] = [[] for _ in range(size.levels)]
    stacked: list[_Stacked] = []
    rest = []
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
        stacked.append((version, level, radius, styles.get(version.id, "")))
    return stacked, rest


def _has_room(level: Sequence[tuple[float, float]], x: float, half: float) -> bool:
    place = bisect(level, (x, half))
    return all(
        abs(x - neighbour) >= half + neighbour_half
        for neighbour, neighbour_half in level[max(place - 1, 0) : place + 1]
    )


def _numbers(rest: Sequence[DatedVersion], places: Places) -> Iterator[Words]:
    """Yield the number of versions without room, at the top, near their places."""
    groups: list[list[DatedVersion]] = []
    for version in rest:
        if not groups or places[version] - places[groups[-1][0]] >= _NUMBERS:
            groups.append([])
        groups[-1].append(version)
    for group in groups:
        title = f"{len(group):,} more, {group[0].date} to {group[-1].date}"
        yield Words(places[group[0]], _LINE, "middle", f"+{len(group):,}", title)


def _letters(timeline: Timeline, places: Places, y: float) -> Iterator[Words]:
    """Yield the names of the two below the axis, side by side where they would touch."""
    marked = {timeline.a: "A", timeline.b: "B"} if timeline.a != timeline.b else {timeline.a: "A B"}
    letters = [(places[version], marked[version.id]) for version in places if version.id in marked]
    is_near = len(letters) > 1 and letters[-1][0] - letters[0][0] < _LETTERS
    for number, (x, letter) in enumerate(letters):
        anchor = ("end" if not number else "start") if is_near else "middle"
        yield Words(x, y, anchor, letter, style=letter[0].lower())


def _ends(dated: Sequence[DatedVersion], y: float) -> Iterator[Words]:
    """Yield the first and the last date; of one day the times, and the day below them."""
    first, last = (version.date or "" for version in (dated[0], dated[-1]))
    days = [date.partition("T")[0] for date in (first, last)]
    if first == last:
        yield Words(0.5, y, "middle", first)
    elif days[0] != days[1]:
        yield Words(0, y, "start", days[0])
        yield Words(1, y, "end", days[1])
    else:
        # A date at midnight has no time.
        yield Words(0, y, "start", first.partition("T")[2] or "00:00:00Z")
        yield Words(1, y, "end", last.partition("T")[2])
        yield Words(0.5, y + _LINE, "middle", days[0])


def strip(changes: Changes, evidence: Iterable[SharedPassage] = ()) -> Strip | None:
    """Return the places of the common parts of two texts; None if both are empty.

    Args:
        changes: From A to B.
        evidence: Passages that they share; those that were reworded are drawn, too.
    """
    length_a, length_b = len(changes.text_a), len(changes.text_b)
    longest = max(length_a, length_b)
    if not longest:
        return None
    reworded = [
        Band(passage.query.start, passage.query.end, passage.hit.start, passage.hit.end, "reworded")
        for passage in evidence
        if passage.kind in ("edited", "paraphrased")
    ]
    return Strip(length_a, length_b, (*reworded, *_merged(_kept(changes), _GAP * longest)))


def _kept(changes: Changes) -> Iterator[Band]:
    """Yield the stretches that both texts have."""
    for change in changes.changes:
        if change.kind == "equal" or change.white_space:
            yield Band(change.a.start, change.a.end, change.b.start, change.b.end, "kept")
    for move in changes.moves:
        yield Band(move.a.start, move.a.end, move.b.start, move.b.end, "moved")


def _merged(bands: Iterable[Band], gap: float) -> Iterator[Band]:
    """Yield bands; those of one style that are near each other in both texts are one."""
    last: Band | None = None
    for band in bands:
        if (
            last is not None
            and last.style == band.style
            and 0 <= band.a_start - last.a_end <= gap
            and 0 <= band.b_start - last.b_end <= gap
        ):
            last = last._replace(a_end=band.a_end, b_end=band.b_end)
            continue
        if last is not None:
            yield last
        last = band
    if last is not None:
        yield last
