"""Two texts side by side in a terminal, what differs first."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.console import Console
from rich.text import Text

from es_simhash.cli.changes_output import MARKS
from es_simhash.differences.difference import Changes
from es_simhash.differences.rendering.paired_rows import Row, Segment, rows
from es_simhash.text.escaping import printable

_SPACE = re.compile(r"\s+")
_BETWEEN = " │ "
_LEAST_COLUMN = 12
# Lines that a row gets at least, where several rows share a screen.
_LEAST_LINES = 8
_STYLES = ("red", "green")
_EQUAL = "dim"


@dataclass(frozen=True)
class SideBySide:
    """Lines of two texts, and how much of them is not shown.

    Attributes:
        lines: The lines.
        is_cut: Whether there is more.
    """

    lines: tuple[Text, ...]
    is_cut: bool


@dataclass(frozen=True)
class _Cells:
    """The two sides of a row, wrapped."""

    left: Sequence[Text]
    right: Sequence[Text]
    is_cut: bool

    @property
    def height(self) -> int:
        return max(len(self.left), len(self.right))


def side_by_side(changes: Changes, console: Console, *, width: int, height: int) -> SideBySide:
    """Return two texts in two columns: first the rows that differ, then those that both have.

    Args:
        changes: From the text of the left column to that of the right one.
        console: Says whether there are colours; without, words that differ are in brackets.
        width: Of both columns together, in cells of the terminal.
        height: Maximum number of lines.
    """
    column = max(_LEAST_COLUMN, (width - len(_BETWEEN)) // 2)
    found = _joined(rows(changes))
    differing = [row for row in found if row.kind == "changed"]
    equal = [row for row in found if row.kind != "changed"]
    lines: list[Text] = []
    is_cut = False
    for heading, group in (("", differing), ("the same on both sides", equal)):
        for number, row in enumerate(group):
            room = height - len(lines)
            if room < 1 + bool(heading):
                return SideBySide(tuple(lines), is_cut=True)
            room -= bool(heading)
            cells = _cells(row, console, column, _share(room, len(group) - number))
            if not cells.height:
                continue
            is_cut |= cells.is_cut
            if heading:
                lines.append(Text(heading, _EQUAL))
                heading = ""
            lines += _lines(cells, column)
    return SideBySide(tuple(lines), is_cut)


def _share(room: int, left: int) -> int:
    return min(room, max(_LEAST_LINES, room // left))


def _joined(found: Iterator[Row]) -> list[Row]:
    """Return the rows; a moved block, which has two, has one with both sides."""
    joined = []
    for row in found:
        if row.kind == "moved_here":
            continue
        if row.kind == "moved_away" and row.move is not None:
            both = Row(row.a_start, row.b_start)
            for edit in row.move.edits:
                both.add(edit)
            joined.append(both)
        else:
            joined.append(row)
    return joined


def _cells(row: Row, console: Console, column: int, height: int) -> _Cells:
    # Where all of a row differs, marks would say nothing.
    is_marked = not all(segment.is_edit for segment in (*row.a, *row.b))
    limits = column, height, is_marked
    texts = [_side(row, side, console, limits) for side in (0, 1)]
    (left, cut_left), (right, cut_right) = (
        _wrapped(text, console, column, height) for text, _ in texts
    )
    return _Cells(left, right, cut_left or cut_right or any(is_cut for _, is_cut in texts))


def _side(
    row: Row, side: int, console: Console, limits: tuple[int, int, bool]
) -> tuple[Text, bool]:
    """Return the text of a side, and whether it is only the start of a long one."""
    column, height, is_marked = limits
    segments: Sequence[Segment] = row.b if side else row.a
    has_colours = console.color_system is not None and not console.no_color
    opening, closing = ("", "") if has_colours else MARKS["insert" if side else "delete"]
    text = Text(style=_EQUAL if row.kind == "equal" else "")
    # More than can be shown, so that a long text is not wrapped as a whole.
    room = column * (height + 1)
    for segment in segments:
        words = printable(_SPACE.sub(" ", segment.text[:room]))
        if not text:
            words = words.lstrip()
        marked = words.strip() if segment.is_edit and is_marked else ""
        if marked:
            # The white space around it stays outside of the marks.
            before, _, after = words.partition(marked)
            text.append(before).append(f"{opening}{marked}{closing}", _STYLES[side]).append(after)
        else:
            text.append(words)
        room -= len(segment.text)
        if room < 0:
            break
    text.rstrip()
    return text, room < 0


def _wrapped(text: Text, console: Console, column: int, height: int) -> tuple[Sequence[Text], bool]:
    if not text:
        return (), False
    lines = list(text.wrap(console, column, overflow="fold"))
    is_cut = len(lines) > height
    shown = lines[:height]
    if is_cut:
        shown[-1].truncate(column - 2)
        shown[-1].append(" …")
    return shown, is_cut


def _lines(cells: _Cells, column: int) -> Iterator[Text]:
    for left, right in zip_longest(cells.left, cells.right):
        line = Text()
        if left is not None:
            line.append_text(left)
        line.append(" " * max(0, column - line.cell_len))
        line.append(_BETWEEN, _EQUAL)
        if right is not None:
            line.append_text(right)
        line.rstrip()
        yield line
