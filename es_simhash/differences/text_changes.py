"""Changes between two texts: from their alignment to everything that is shown of it."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from es_simhash.differences.alignment import Alignment
from es_simhash.differences.anchors import Block, Stretch
from es_simhash.differences.difference import Change, ChangeKind, Changes, MovedBlock
from es_simhash.differences.key_changes import Fact, Facts, is_short, key_changes, names_of
from es_simhash.differences.sequence_alignment import between
from es_simhash.differences.summary import summary_of
from es_simhash.differences.text_alignment import align_texts
from es_simhash.differences.text_units import Units, Vocabulary
from es_simhash.relation.relation import Span
from es_simhash.text.limits import require_text_size


class _Piece(NamedTuple):
    """Units of one text that are not aligned, or a moved block."""

    start: int
    end: int
    move: int | None = None


_start = attrgetter("start")


class _Writer:
    """Writes changes one after the other; each begins where the one before it ends.

    Args:
        a: Units of the older text.
        b: Units of the newer text.
        at: The stretches that are written, in units.
        is_whole: Whether the white space around it belongs to it.
    """

    def __init__(self, a: Units, b: Units, at: Stretch, *, is_whole: bool) -> None:
        self._a, self._b = a, b
        self._at = at
        self._a_place, self._a_limit = _limits(a, at.a_start, at.a_end, is_whole)
        self._b_place, self._b_limit = _limits(b, at.b_start, at.b_end, is_whole)
        self._steps: list[tuple[ChangeKind, int, int, int, int, bool, int | None]] = []

    def _a_start(self, unit: int) -> int:
        return self._a_limit if unit == self._at.a_end else int(self._a.starts[unit])

    def _b_start(self, unit: int) -> int:
        return self._b_limit if unit == self._at.b_end else int(self._b.starts[unit])

    def _add(
        self,
        kind: ChangeKind,
        a: int,
        b: int,
        *,
        white_space: bool = False,
        move: int | None = None,
    ) -> None:
        """Add a change up to these offsets; equal ones that follow each other are one."""
        a_from, b_from = self._a_place, self._b_place
        if (a, b) == (a_from, b_from):
            return
        if kind == "equal" and self._steps and self._steps[-1][0] == "equal":
            _, a_from, _, b_from, *_ = self._steps.pop()
        self._steps.append((kind, a_from, a, b_from, b, white_space, move))
        self._a_place, self._b_place = a, b

    def _unseen(self, a: int, b: int) -> None:
        """Add what is equal to the eye, up to these offsets."""
        ours, theirs = self._a.text[self._a_place : a], self._b.text[self._b_place : b]
        if ours == theirs:
            self._add("equal", a, b)
        else:
            kind: ChangeKind = "replace" if ours and theirs else "delete" if ours else "insert"
            self._add(kind, a, b, white_space=True)

    def equal(self, block: Block) -> None:
        """Add units that are aligned, and the white space before them."""
        a, b = self._a, self._b
        self._unseen(int(a.starts[block.a]), int(b.starts[block.b]))
        a_end, b_end = int(a.ends[block.a + block.size - 1]), int(b.ends[block.b + block.size - 1])
        if a.text[self._a_place : a_end] == b.text[self._b_place : b_end]:
            self._add("equal", a_end, b_end)
            return
        for i, j in zip(
            range(block.a, block.a + block.size),
            range(block.b, block.b + block.size),
            strict=True,
        ):
            self._unseen(int(a.starts[i]), int(b.starts[j]))
            self._unseen(int(a.ends[i]), int(b.ends[j]))

    def different(self, a_pieces: Iterable[_Piece], b_pieces: Iterable[_Piece]) -> None:
        """Add units that are not aligned; a piece of A goes with one of B, moved blocks alone."""
        ours, theirs = list(a_pieces), list(b_pieces)
        while ours or theirs:
            if ours and ours[0].move is not None:
                piece = ours.pop(0)
                self._unseen(int(self._a.starts[piece.start]), self._b_place)
                self._add("move", int(self._a.ends[piece.end - 1]), self._b_place, move=piece.move)
            elif theirs and theirs[0].move is not None:
                piece = theirs.pop(0)
                self._unseen(self._a_place, int(self._b.starts[piece.start]))
                self._add("move", self._a_place, int(self._b.ends[piece.end - 1]), move=piece.move)
            elif ours and theirs:
                self._replace(ours.pop(0), theirs.pop(0))
            elif ours:
                self._delete(ours.pop(0))
            else:
                self._insert(theirs.pop(0))

    def _replace(self, one: _Piece, other: _Piece) -> None:
        self._unseen(int(self._a.starts[one.start]), int(self._b.starts[other.start]))
        self._add("replace", int(self._a.ends[one.end - 1]), int(self._b.ends[other.end - 1]))

    def _delete(self, piece: _Piece) -> None:
        """Add what was taken out, with the white space that went with it."""
        a_start, a_end = int(self._a.starts[piece.start]), int(self._a.ends[piece.end - 1])
        left = self._b.text[self._b_place : self._b_start(self._unit_of_b())]
        if left == self._a.text[self._a_place : a_start]:
            self._unseen(a_start, self._b_place + len(left))
            a_end = self._a_start(piece.end)
        self._add("delete", a_end, self._b_place)

    def _insert(self, piece: _Piece) -> None:
        """Add what was put in, with the white space that came with it."""
        b_start, b_end = int(self._b.starts[piece.start]), int(self._b.ends[piece.end - 1])
        left = self._a.text[self._a_place : self._a_start(self._unit_of_a())]
        if left == self._b.text[self._b_place : b_start]:
            self._unseen(self._a_place + len(left), b_start)
            b_end = self._b_start(piece.end)
        self._add("insert", self._a_place, b_end)

    def _unit_of_a(self) -> int:
        return int(self._a.starts.searchsorted(self._a_place))

    def _unit_of_b(self) -> int:
        return int(self._b.starts.searchsorted(self._b_place))

    def finished(self) -> tuple[Change, ...]:
        """Return all changes, with the white space at the end."""
        self._unseen(self._a_start(self._at.a_end), self._b_start(self._at.b_end))
        a, b = self._a.text, self._b.text
        return tuple(
            Change(kind, Span(i, j, a[i:j]), Span(k, m, b[k:m]), white_space, move)
            for kind, i, j, k, m, white_space, move in self._steps
        )


def _limits(units: Units, start: int, end: int, is_whole: bool) -> tuple[int, int]:
    """Return the first offset and the end of units, or of the whole text."""
    if is_whole:
        return 0, len(units.text)
    return int(units.starts[start]), int(units.ends[end - 1])


def all_changes(alignment: Alignment) -> tuple[Change, ...]:
    """Return the changes of two texts, in which every character of both is, in order."""
    a, b = alignment.a, alignment.b
    whole = Stretch(0, len(a), 0, len(b))
    a_moves = [_Piece(*move.at[:2], number) for number, move in enumerate(alignment.moves, 1)]
    b_moves = sorted(_Piece(*move.at[2:], number) for number, move in enumerate(alignment.moves, 1))
    writer = _Writer(a, b, whole, is_whole=True)
    return _written(writer, whole, alignment.stayed, (a_moves, b_moves))


def moved_blocks(alignment: Alignment) -> tuple[MovedBlock, ...]:
    """Return the moved blocks with their edits."""
    a, b = alignment.a, alignment.b
    return tuple(
        MovedBlock(
            number,
            a.span(move.at.a_start, move.at.a_end),
            b.span(move.at.b_start, move.at.b_end),
            _written(_Writer(a, b, move.at, is_whole=False), move.at, move.blocks, ((), ())),
        )
        for number, move in enumerate(alignment.moves, 1)
    )


def _written(
    writer: _Writer,
    at: Stretch,
    blocks: Sequence[Block],
    moves: tuple[Sequence[_Piece], Sequence[_Piece]],
) -> tuple[Change, ...]:
    """Return the changes of two stretches, by the blocks of their alignment."""
    for block, gap in _in_turn(blocks, at):
        if block:
            writer.equal(block)
        if gap:
            writer.different(
                _pieces(gap.a_start, gap.a_end, moves[0]), _pieces(gap.b_start, gap.b_end, moves[1])
            )
    return writer.finished()


def _in_turn(
    blocks: Sequence[Block], whole: Stretch
) -> Iterator[tuple[Block | None, Stretch | None]]:
    """Yield the blocks and what is between them, in order."""
    gaps = list(between(whole, blocks))
    gaps.reverse()
    for block in blocks:
        if gaps and gaps[-1].a_end <= block.a and gaps[-1].b_end <= block.b:
            yield None, gaps.pop()
        yield block, None
    for gap in reversed(gaps):
        yield None, gap


def _pieces(start: int, end: int, moves: Sequence[_Piece]) -> Iterator[_Piece]:
    """Yield the units of a gap of one text as pieces: moved blocks, and what is between them.

    Args:
        start: First unit of the gap.
        end: First unit after it.
        moves: All moved blocks of the text, ascending.
    """
    first = bisect_left(moves, start, key=_start)
    for move in moves[first : bisect_left(moves, end, first, key=_start)]:
        if move.end <= end:
            if start < move.start:
                yield _Piece(start, move.start)
            yield move
            start = move.end
    if start < end:
        yield _Piece(start, end)


@dataclass(frozen=True)
class ReadText:
    """A text that is compared with others; each part is computed when it is first needed.

    Attributes:
        text: The text.
        vocabulary: Numbers of its units, which it may share with other texts; the comparison of two
            that share it takes less time.
    """

    text: str
    vocabulary: Vocabulary = field(default_factory=Vocabulary, repr=False, compare=False)

    @cached_property
    def units(self) -> Units:
        """Words and marks of the text.

        Raises:
            InputError: It has more than 16 MiB.
        """
        return Units.of(require_text_size(self.text), self.vocabulary)

    @cached_property
    def names(self) -> list[Fact]:
        """Names in the text."""
        return names_of(self.text)

    def facts(self, near: Iterable[Span]) -> Facts:
        """Return its names, and its numbers and dates near some stretches."""
        return Facts.of(self.text, self.names, sorted((span.start, span.end) for span in near))


def changes(a: str, b: str) -> Changes:
    """Return what changed from text A to text B.

    >>> changes("Pay within 16 days.", "Pay within 18 days.").key_changes[0].b.text
    '18'

    Args:
        a: The older text.
        b: The newer text.

    Raises:
        InputError: A text has more than 16 MiB.
    """
    vocabulary = Vocabulary()
    return changes_of(ReadText(a, vocabulary), ReadText(b, vocabulary))


def changes_of(a: ReadText, b: ReadText) -> Changes:
    """Return what changed between two texts, of which parts may be known already."""
    alignment = align_texts(a.units, b.units)
    steps = all_changes(alignment)
    without_facts = Changes(steps, moved_blocks(alignment), (), summary_of(alignment, steps))
    short = [edit for edit in without_facts.edits if is_short(edit)]
    if not short:
        return without_facts
    ours, theirs = a.facts(edit.a for edit in short), b.facts(edit.b for edit in short)
    return replace(without_facts, key_changes=key_changes(short, ours, theirs))
