"""The versions of a document in a terminal: their names, and what their order is."""

import re
import sys
from typing import Annotated, Literal

import click
from rich.console import Console
from rich.text import Text

from es_simhash.cli.output import listed, print_json, shortened
from es_simhash.cli.titles import Titles, named
from es_simhash.constraints import constraints
from es_simhash.differences.difference import Changes, KeyChange
from es_simhash.differences.history import Blame, History, Version
from es_simhash.differences.rendering.comparison_page import changes_html
from es_simhash.differences.rendering.hunks import (
    Hunk,
    Mark,
    Piece,
    counted_key_changes,
    hunks,
)
from es_simhash.differences.rendering.unified import unified_diff
from es_simhash.differences.version_timeline import Timeline
from es_simhash.relation.relation import DocumentContext, Relation
from es_simhash.text.escaping import one_line, printable

# Ids in one line; JSON lists all.
_MAX_UNDATED = 6

OrderingDate = Annotated[
    str | None,
    constraints(
        help="Date field that orders the versions; None for the date field of the index, see "
        "`es-simhash config`."
    ),
]


def version_label(version: Version, titles: Titles) -> str:
    """Return a version as one line: by its title, where it has one, its date and its id."""
    document = titles.documents.get(version.id)
    if document is None or document.title is None:
        return " ".join(filter(None, (version.date, one_line(version.id))))
    return named(version.id, DocumentContext(title=document.title, date=version.date))


def order_line(found: History | Blame) -> str:
    """Return what the order of the versions is, as the end of a sentence."""
    if found.date_field is None:
        return "in the order of their ids, as no date field is set"
    order = f"by {one_line(found.date_field)}"
    if found.undated:
        names = listed(found.undated, _MAX_UNDATED)
        order += f"; without a date, and first, by id: {names}"
    return order


# JSON, the diff and the page have all of them.
_MAX_KEY_CHANGES, _MAX_HUNKS = 20, 200
# Characters of one piece, far more than of any clause; both ends of a longer one are shown.
_MAX_CHARACTERS = 10_000
_MOVED_CHARACTERS = 80
# Characters of a text whose shared passages are looked for, which takes longer than its changes.
_MAX_COMPARED = 1_000_000
_PARAGRAPHS = re.compile(r"\n\s*\n")
_STYLES: dict[Mark, str] = {
    "equal": "",
    "delete": "red strike",
    "insert": "green underline",
    "moved_away": "blue dim",
    "moved_here": "blue",
}
MARKS: dict[Mark, tuple[str, str]] = {"delete": ("[-", "-]"), "insert": ("{+", "+}")}

ChangesFormat = Annotated[
    Literal["table", "text", "json", "diff", "html"],
    constraints(
        called="format",
        help="Output format: table is coloured where the terminal is, text never; diff is a "
        "unified diff for `patch`, html a page of its own.",
    ),
]


def print_changes(
    changes: Changes,
    name_a: str,
    name_b: str,
    output_format: str,
    relation: Relation | None = None,
    timeline: Timeline | None = None,
) -> None:
    """Print what changed from one text to another.

    Args:
        changes: From the older text to the newer one.
        name_a: Name of the older text.
        name_b: Name of the newer text.
        output_format: How it is printed.
        relation: Of the older text to the newer one; None where it is not known.
        timeline: Of two versions of one document.
    """
    if output_format == "json":
        print_json(changes.to_dict())
    elif output_format == "html":
        page = changes_html(changes, name_a, name_b, relation, timeline)
        click.echo(page, nl=False)
    elif output_format == "diff":
        _print_diff(unified_diff(changes.text_a, changes.text_b, name_a, name_b))
    else:
        console = console_of(output_format)
        console.print(Text(f"{one_line(name_a)} → {one_line(name_b)}"), soft_wrap=True)
        coverage = "" if relation is None else relation.coverage_sentence
        ChangesPrinter(console).print(changes, coverage)


def are_compared(changes: Changes) -> bool:
    """Check whether two texts are short enough to look for the passages that they share."""
    return max(len(changes.text_a), len(changes.text_b)) <= _MAX_COMPARED


def console_of(output_format: str) -> Console:
    """Return the console of a format: text has no colours."""
    return Console(highlight=False, no_color=True if output_format == "text" else None)


def _print_diff(diff: str) -> None:
    """Print a diff as it is, so that it applies; on a terminal nothing of it steers that."""
    if sys.stdout.isatty():
        click.echo("".join(f"{printable(line)}\n" for line in diff.split("\n")[:-1]), nl=False)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(diff.encode("utf-8", "surrogatepass"))
    sys.stdout.buffer.flush()


class ChangesPrinter:
    """Prints changes on a console; without colours, words have the marks of `wdiff`."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._has_colours = console.is_terminal and not console.no_color

    def print(self, changes: Changes, coverage: str) -> None:
        """Print the summary, what differs in numbers, dates and names, and the changes.

        Args:
            changes: The changes.
            coverage: How much of each text appears in the other, as a sentence; empty where that
                is not known.
        """
        self.print_summary(changes, coverage)
        found = list(hunks(changes))
        for hunk in found[:_MAX_HUNKS]:
            self._console.print()
            self._print_hunk(hunk)
        self._print_more(len(found) - _MAX_HUNKS, "changes")

    def print_summary(self, changes: Changes, coverage: str, indent: str = "") -> None:
        """Print the summary with the coverage, and what differs in numbers, dates and names."""
        line = str(changes.summary)
        if coverage and changes.summary.is_partial:
            line = f"{line}; {coverage}"
        self._console.print(Text(f"{indent}{line}", "bold"), soft_wrap=True)
        rows = counted_key_changes(changes)
        for change, count in rows[:_MAX_KEY_CHANGES]:
            self._console.print(_key_line(change, count, indent), soft_wrap=True)
        self._print_more(len(rows) - _MAX_KEY_CHANGES, "numbers, dates and names", indent)

    def _print_more(self, count: int, what: str, indent: str = "") -> None:
        if count > 0:
            self._console.print(f"{indent}... {count} more {what}; --format json and html have all")

    def _print_hunk(self, hunk: Hunk) -> None:
        self._console.print(Text(f"line {hunk.line}", "dim"))
        text = Text()
        for piece in hunk.pieces:
            self._append(text, piece)
        self._console.print(text, soft_wrap=True)

    def _append(self, text: Text, piece: Piece) -> None:
        """Append a piece; the white space around it stays outside of the marks."""
        number = piece.move.number if piece.move else 0
        if piece.mark == "moved_here":
            text.append(f"[moved block {number}:] ", _STYLES[piece.mark])
            return
        if piece.mark == "moved_away":
            words = shortened(piece.text, _MOVED_CHARACTERS)
            text.append(f"[moved away as block {number}: {words}] ", _STYLES[piece.mark])
            return
        words = shortened(_PARAGRAPHS.sub(" ¶ ", piece.text), _MAX_CHARACTERS)
        lead = " " if piece.text[:1].isspace() else ""
        tail = " " if words and piece.text[-1:].isspace() else ""
        opening, closing = ("", "") if self._has_colours else MARKS.get(piece.mark, ("", ""))
        text.append(lead)
        text.append(f"{opening}{words}{closing}", _STYLES[piece.mark])
        text.append(tail)


def _key_line(change: KeyChange, count: int, indent: str) -> Text:
    older = one_line(change.a.text) if change.a else "(none)"
    newer = one_line(change.b.text) if change.b else "(none)"
    line = Text.assemble(
        f"{indent}  {change.kind}: ",
        (older, _STYLES["delete"] if change.a else "dim"),
        " → ",
        (newer, _STYLES["insert"] if change.b else "dim"),
    )
    if count > 1:
        line.append(f" (× {count})", "dim")
    return line
