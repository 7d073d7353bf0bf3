"""Two texts side by side: rows that go together, cut at paragraphs or sentences both have."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby
from typing import Literal

from es_simhash.differences.difference import Change, Changes, MovedBlock
from es_simhash.relation.relation import Span

RowKind = Literal["equal", "changed", "moved_away", "moved_here"]
# Where a row may end: behind line breaks, and behind a sentence once the row is long.
_ENDS = re.compile(r"\n+|(?<=[.!?؟।])\s+|(?<=[。！？])")
_LONG_ROW = 300
# Characters of equal rows that are shown; those between the first and the last are folded.
_SHOWN = 700


@dataclass(frozen=True)
class Segment:
    """A stretch of one side.

    Attributes:
        text: The stretch.
        is_edit: Whether the other side has something else, or nothing, in its place.
    """

    text: str
    is_edit: bool = False

    @property
    def marked(self) -> tuple[str, str, str]:
        """The text before the edit, the edit, and the text behind it; white space is not marked."""
        words = self.text.strip() if self.is_edit else ""
        if not words:
            return self.text, "", ""
        start = self.text.index(words)
        return self.text[:start], words, self.text[start + len(words) :]


@dataclass
class Row:
    """Two stretches of text, side by side.

    Attributes:
        a_start: Offset in A at which it begins.
        b_start: Offset in B at which it begins.
        kind: Whether the sides are equal, differ, or are a moved block.
        move: The moved block; None otherwise.
        a: The side of A.
        b: The side of B.
    """

    a_start: int
    b_start: int
    kind: RowKind = "equal"
    move: MovedBlock | None = None
    a: list[Segment] = field(default_factory=list)
    b: list[Segment] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """True when neither side has anything."""
        return not self.a and not self.b

    @property
    def is_paragraph_of_edits(self) -> bool:
        """True when all of it differs, and what follows begins on a new line on both sides."""
        sides = [side for side in (self.a, self.b) if side]
        return all(
            all(segment.is_edit for segment in side) and side[-1].text.endswith("\n")
            for side in sides
        )

    def add(self, change: Change) -> None:
        """Append both sides of a change."""
        if change.is_edit:
            self.kind = "changed"
        if change.a.text:
            self.a.append(Segment(change.a.text, change.is_edit))
        if change.b.text:
            self.b.append(Segment(change.b.text, change.is_edit))


def rows(changes: Changes) -> Iterator[Row]:
    """Yield both texts in rows: the sides `a` of all make up A, and the sides `b` make up B.

    Args:
        changes: From A to B.
    """
    moves = {move.number: move for move in changes.moves}
    row = Row(0, 0)
    for change in changes.changes:
        if change.kind == "move":
            if not row.is_empty:
                yield row
            yield _moved(change, moves[change.move or 0])
            row = Row(change.a.end, change.b.end)
        elif change.kind == "equal" and change.a.text == change.b.text:
            *whole, last = _parts(change, sum(len(segment.text) for segment in row.b))
            for part in whole:
                row.add(part)
                yield row
                row = Row(part.a.end, part.b.end)
            row.add(last)
        else:
            row.add(change)
            if row.is_paragraph_of_edits:
                yield row
                row = Row(change.a.end, change.b.end)
    if not row.is_empty:
        yield row


def _moved(change: Change, move: MovedBlock) -> Row:
    """Return the row of a moved block, with the side that stands here."""
    row = Row(change.a.start, change.b.start, move=move)
    for edit in move.edits:
        row.add(edit)
    if change.a.text:
        row.kind, row.b = "moved_away", []
    else:
        row.kind, row.a = "moved_here", []
    return row


def _parts(change: Change, before: int) -> Iterator[Change]:
    """Yield an equal change in parts, each but the last the end of a row.

    Args:
        change: The change.
        before: Characters of the row that it is added to.
    """
    text, start = change.b.text, 0
    for end in _ENDS.finditer(text):
        is_paragraph = "\n" in end.group()
        if is_paragraph or before + end.end() - start >= _LONG_ROW:
            yield _part(change, start, end.end())
            start, before = end.end(), 0
    yield _part(change, start, len(text))


def _part(change: Change, start: int, end: int) -> Change:
    from_a, from_b = change.a.start, change.b.start
    text = change.b.text[start:end]
    return Change(
        "equal",
        Span(from_a + start, from_a + end, text),
        Span(from_b + start, from_b + end, text),
    )


@dataclass(frozen=True)
class RowGroup:
    """Rows that follow each other.

    Attributes:
        rows: The rows, each with its number among all.
        folded: A summary of them, if they are folded; empty otherwise.
        change: Number of the change that they are, from 1; 0 for rows that are equal.
    """

    rows: Sequence[tuple[int, Row]]
    folded: str = ""
    change: int = 0

    @property
    def size(self) -> int:
        """Characters that are shown of them, which is about how high they are."""
        if self.folded:
            return len(self.folded)
        return sum(
            max(sum(len(each.text) for each in side) for side in (row.a, row.b))
            for _, row in self.rows
        )


def row_groups(all_rows: Iterable[Row]) -> Iterator[RowGroup]:
    """Yield rows; of many equal ones, those between the first and the last are folded."""
    changes = count(1)
    for is_equal, group in groupby(enumerate(all_rows), key=lambda item: item[1].kind == "equal"):
        numbered = list(group)
        folded = _unchanged(row for _, row in numbered[1:-1]) if is_equal else ""
        if folded:
            yield RowGroup(numbered[:1])
            yield RowGroup(numbered[1:-1], folded)
            yield RowGroup(numbered[-1:])
        else:
            yield RowGroup(numbered, change=0 if is_equal else next(changes))


def _unchanged(equal_rows: Iterable[Row]) -> str:
    """Return how much rows hold; nothing where they are short enough to be shown."""
    text = "".join(segment.text for row in equal_rows for segment in row.b)
    if len(text) <= _SHOWN:
        return ""
    words = len(text.split())
    return f"{words:,} unchanged words" if words > 1 else f"{len(text):,} unchanged characters"


def row_of(all_rows: Sequence[Row], place: int, side: Literal["a", "b"]) -> int:
    """Return the number of the row in which an offset of a text stands.

    Args:
        all_rows: All rows.
        place: Offset in the text of that side.
        side: The side of that text.
    """
    last = 0
    for number, row in enumerate(all_rows):
        if not getattr(row, side):
            continue
        if (row.a_start if side == "a" else row.b_start) > place:
            break
        last = number
    return last
