"""Changes as pieces of running text, each with how it is marked, and hunks of them."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from es_simhash.differences.difference import Change, Changes, KeyChange, MovedBlock

# `moved_away` is where a block was, `moved_here` where it is; what was edited in it follows there.
Mark = Literal["equal", "delete", "insert", "moved_away", "moved_here"]
# Words around a change in a hunk. Two characters are one where there are no spaces between words;
# of a longer word, such as an address, each part counts.
_CONTEXT = 12
_WORDS = re.compile(r"[^\s\u2e80-\U0010ffff]{1,40}|[\u2e80-\U0010ffff]{1,2}")


@dataclass(frozen=True)
class Piece:
    """A piece of text.

    Attributes:
        mark: Its mark.
        text: Its text; empty for `moved_here`.
        place: Offset in B at which it is, or would be.
        move: The moved block it belongs to; None for none.
    """

    mark: Mark
    text: str
    place: int
    move: MovedBlock | None = None


def pieces(changes: Changes) -> Iterator[Piece]:
    """Yield both texts as one: what is equal, taken out and put in, in the order of B."""
    moves = {move.number: move for move in changes.moves}
    yield from _pieces(changes.changes, moves)


def _pieces(
    changes: Iterable[Change], moves: Mapping[int, MovedBlock], inside: MovedBlock | None = None
) -> Iterator[Piece]:
    for change in changes:
        place = change.b.start
        if change.kind == "move":
            move = moves[change.move or 0]
            if change.a.text:
                yield Piece("moved_away", change.a.text, place, move)
            else:
                yield Piece("moved_here", "", place, move)
                yield from _pieces(move.edits, moves, move)
        elif change.kind == "equal" or change.white_space:
            yield Piece("equal", change.b.text, place, inside)
        else:
            if change.a.text:
                yield Piece("delete", change.a.text, place, inside)
            if change.b.text:
                yield Piece("insert", change.b.text, place, inside)


@dataclass(frozen=True)
class Hunk:
    """Changes that are near each other, with some words around them.

    Attributes:
        line: Line of B of the first change, from 1.
        pieces: The pieces, in order.
    """

    line: int
    pieces: tuple[Piece, ...]


def hunks(changes: Changes) -> Iterator[Hunk]:
    """Yield the changes with their context; what is far from all of them is left out."""
    lines = _LineNumbers(changes)
    gathered: list[Piece] = []
    for piece in _joined(pieces(changes)):
        if piece.mark != "equal":
            gathered.append(piece)
            continue
        words = [match.span() for match in _WORDS.finditer(piece.text)]
        if len(words) > 2 * _CONTEXT + 1:
            if _has_change(gathered):
                yield lines.hunk([*gathered, _head(piece, words[_CONTEXT - 1][1])])
            gathered = [_tail(piece, words[-_CONTEXT][0])]
        elif words or gathered:
            gathered.append(piece)
    if _has_change(gathered):
        yield lines.hunk(gathered)


def _joined(found: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces, equal ones between which only white space differs as one."""
    for (is_equal, _), group in groupby(
        found, key=lambda piece: (piece.mark == "equal", piece.move)
    ):
        if is_equal:
            parts = list(group)
            yield replace(parts[0], text="".join(part.text for part in parts))
        else:
            yield from group


def _has_change(gathered: Sequence[Piece]) -> bool:
    return any(piece.mark != "equal" for piece in gathered)


def _head(piece: Piece, end: int) -> Piece:
    lead = " " if piece.text[:1].isspace() else ""
    return replace(piece, text=f"{lead}{' '.join(piece.text[:end].split())} …")


def _tail(piece: Piece, start: int) -> Piece:
    end = " " if piece.text[-1:].isspace() else ""
    return replace(piece, text=f"… {' '.join(piece.text[start:].split())}{end}")


class _LineNumbers:
    """Lines of B by offset."""

    def __init__(self, changes: Changes) -> None:
        text = changes.text_b
        self._breaks = [place for place, character in enumerate(text) if character == "\n"]

    def hunk(self, gathered: Sequence[Piece]) -> Hunk:
        first = next(piece for piece in gathered if piece.mark != "equal")
        # What was put in may begin with the line breaks before it.
        lead = len(first.text) - len(first.text.lstrip()) if first.mark == "insert" else 0
        return Hunk(bisect_left(self._breaks, first.place + lead) + 1, tuple(gathered))


def counted_key_changes(changes: Changes) -> list[tuple[KeyChange, int]]:
    """Return each key change once, whatever its places, with how often it is there."""
    first: dict[tuple[str, str, str], KeyChange] = {}
    counts: Counter[tuple[str, str, str]] = Counter()
    for change in changes.key_changes:
        key = (
            change.kind,
            change.a.text if change.a else "",
            change.b.text if change.b else "",
        )
        first.setdefault(key, change)
        counts[key] += 1
    return [(change, counts[key]) for key, change in first.items()]
