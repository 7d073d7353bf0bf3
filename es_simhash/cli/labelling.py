"""Keys that answer questions: one key of a terminal, or one line of a pipe."""

import io
import os
import stat
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import click
from rich.console import Console
from rich.text import Text

from es_simhash.cli.output import shortened
from es_simhash.cli.side_by_side import side_by_side
from es_simhash.differences.difference import Changes
from es_simhash.errors import OF_ONE_DOCUMENT, InputError
from es_simhash.lab.evaluation.label_file import LabelFile
from es_simhash.lab.evaluation.useful_pairs import OfferedPair, PairedDocument
from es_simhash.relation.relation import Kind
from es_simhash.text.counting import score_text
from es_simhash.text.escaping import one_line, printable

# Returns a key, or None at the end of the input.
Keys = Callable[[], str | None]

_INTERRUPT, _END = "\x03", "\x04"


def answer_keys() -> Keys:
    """Return what reads the next answer from standard input.

    Raises:
        InputError: Standard input is neither a terminal nor a pipe nor a file.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        return _terminal_key
    if sys.stdin is None or _is_device():
        raise InputError(
            "Standard input is neither a terminal nor a pipe. Run the command in a terminal, or "
            "pipe one answer a line."
        )
    return _line


def _is_device() -> bool:
    """Check whether standard input is a device, such as /dev/null."""
    try:
        return stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode)
    except (io.UnsupportedOperation, OSError):
        return False


def _terminal_key() -> str | None:
    """Return one key; what was typed after it, before the next question is shown, is dropped."""
    try:
        typed = str(click.getchar())
    except EOFError:
        return None
    if typed[:1] == _INTERRUPT:
        raise KeyboardInterrupt
    if typed[:1] in ("", _END):
        return None
    return typed if typed.startswith("\x1b") else typed[0]


def _line() -> str | None:
    line = sys.stdin.buffer.readline()
    return line.decode("utf-8", "replace").strip() if line else None


_KEYS = {
    "v": "version",
    "n": "not",
    "s": "skip",
    "u": "undo",
    "m": "more",
    "q": "quit",
}
_LABELS = {"v": True, "n": False}
_KINDS: dict[Kind, str] = {
    "exact": "the same text",
    "version": "version",
    "contains": "one contains the other",
    "excerpt_of": "one contains the other",
    "shares_passages": "shared passages, no version",
    "semantic": "semantic neighbours, no version",
    "none": "no relation",
}
# Lines of both texts: in a pipe, of a low terminal, and with `m`.
_LINES, _LEAST_LINES, _MOST_LINES = 24, 8, 2_000
# Lines around them: the heading, both documents, the note on what is cut, the question.
_OTHER_LINES = 7
_LEAST_WIDTH = 40

ReadChanges = Callable[[str, str], Changes]


@dataclass
class Labelling:
    """Offers pairs until all are answered or the input ends.

    Attributes:
        file: Where labels are written.
        read: Returns what changed from one document to another, by their ids.
        keys: Reads answers.
        console: Where pairs are shown.
        show_scores: Whether the relation is shown with the question, not only behind the answer.
        labelled: Pairs that were labelled.
    """

    file: LabelFile
    read: ReadChanges
    keys: Keys
    console: Console
    show_scores: bool = False
    labelled: dict[OfferedPair, bool] = field(default_factory=dict)
    # What was answered: the place of the pair, and the size of the file before; None if skipped.
    _answered: list[tuple[int, int | None]] = field(default_factory=list)
    # Places of pairs whose texts cannot be read any more.
    _unreadable: set[int] = field(default_factory=set)

    def run(self, pairs: Sequence[OfferedPair]) -> int:
        """Offer pairs in their order.

        Returns:
            How many are left: those that were skipped, and those that were not offered.

        Raises:
            InputError: A label cannot be written.
        """
        place: int | None = 0
        while place is not None:
            if place < len(pairs):
                place = self._offer(pairs, place)
            elif self._answered and self._asked("That was the last pair.", "uq") == "u":
                place = self._undo(pairs)
            else:
                break
        return len(pairs) - len(self.labelled) - len(self._unreadable)

    def _offer(self, pairs: Sequence[OfferedPair], place: int) -> int | None:
        """Offer one pair; return the place of the next, or None at the end."""
        pair = pairs[place]
        try:
            changes = self.read(pair.first.id, pair.second.id)
        except OF_ONE_DOCUMENT as error:
            click.echo(f"Left out: {one_line(str(error))}", err=True)
            self._unreadable.add(place)
            return place + 1
        self._show(pair, changes, f"Pair {place + 1} of {len(pairs)}")
        while (key := self._asked("Versions?", "".join(_KEYS))) is not None:
            if key == "m":
                self._print_texts(changes, _MOST_LINES)
            elif key == "u" and self._answered:
                return self._undo(pairs)
            elif key == "u":
                self._print(Text("Nothing to undo: this is the first pair."))
            elif key == "q":
                return None
            else:
                self._answer(pair, place, _LABELS.get(key))
                return place + 1
        return None

    def _answer(self, pair: OfferedPair, place: int, label: bool | None) -> None:
        size = None
        if label is not None:
            size = self.file.add(pair.ids, is_version=label)
            self.labelled[pair] = label
            if not self.show_scores:
                self._print(Text(_judgement(pair), "dim"))
        self._answered.append((place, size))

    def _undo(self, pairs: Sequence[OfferedPair]) -> int:
        """Take the last answer back; return the place of its pair."""
        place, size = self._answered.pop()
        if size is not None:
            self.file.take_back(pairs[place].ids, size)
            del self.labelled[pairs[place]]
        return place

    def _asked(self, question: str, keys: str) -> str | None:
        """Return the key of an answer, one of these; None at the end of the input."""
        choices = " · ".join(f"{key} {_KEYS[key]}" for key in keys)
        while True:
            click.echo(f"{question} {choices}: ", nl=False)
            typed = self.keys()
            click.echo("" if typed is None else shortened(typed, 20))
            if typed is None:
                return None
            if len(typed) == 1 and typed.lower() in keys:
                return typed.lower()
            click.echo(f"Unknown answer {shortened(typed, 20)!r}. Use {', '.join(keys)}.")

    def _show(self, pair: OfferedPair, changes: Changes, title: str) -> None:
        self.console.print()
        self._print(Text(title, "bold"))
        for side, document in (("left: ", pair.first), ("right:", pair.second)):
            self._print(Text(f"{side} {_described(document)}"))
        if self.show_scores:
            self._print(Text(_judgement(pair), "dim"))
        height = self.console.height - _OTHER_LINES if self.console.is_terminal else _LINES
        self._print_texts(changes, max(_LEAST_LINES, height))

    def _print_texts(self, changes: Changes, height: int) -> None:
        width = max(_LEAST_WIDTH, self.console.width)
        shown = side_by_side(changes, self.console, width=width, height=height)
        for line in shown.lines:
            self._print(line)
        if shown.is_cut:
            more = "m shows more" if height < _MOST_LINES else "`es-simhash changes` shows all"
            self._print(Text(f"… {more}", "dim"))

    def _print(self, line: Text) -> None:
        self.console.print(line, soft_wrap=True)


def _described(document: PairedDocument) -> str:
    context = document.context
    shown = [] if context is None else [context.date, context.title]
    return "  ".join([printable(document.id), *(one_line(each) for each in shown if each)])


def _judgement(pair: OfferedPair) -> str:
    return f"es-simhash: {_KINDS[pair.kind]}, score {score_text(pair.score)}"
