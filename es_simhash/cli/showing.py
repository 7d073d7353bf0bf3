"""Relations as tables and as JSON."""

import json
from collections.abc import Sequence
from typing import Any

import click
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from es_simhash.relation.model import Relation, SharedPassage
from es_simhash.relation.passages import marked_words
from es_simhash.semantics.similarity import SemanticSimilarity

# What each kind says of the query and the hit, in a reader's words.
MEANING = {
    "exact": "is the same text as",
    "version": "is a version of",
    "contains": "contains",
    "excerpt_of": "is an excerpt of",
    "shares_passages": "shares passages with",
    "semantic": "is about the same as",
    "none": "is not related to",
}
STYLE = {
    "exact": "bold green",
    "version": "green",
    "contains": "cyan",
    "excerpt_of": "cyan",
    "shares_passages": "yellow",
    "semantic": "blue",
    "none": "dim",
}
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to print the answer.",
)
# Smaller parts of the similarity would be told as 0.00.
_LEAST_PART = 0.005
# Longer passages are cut in tables, never in JSON.
_SHOWN_CHARACTERS = 240


def printable(text: str) -> str:
    """Return one line without control characters, as a document must not steer the terminal."""
    flowing = " ".join(text.split())
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in flowing)


def shortened(text: str, most: int = _SHOWN_CHARACTERS) -> str:
    """Return one printable line of at most so many characters, cut in the middle."""
    line = printable(text)
    if len(line) <= most:
        return line
    half = (most - 3) // 2
    return f"{line[:half]} … {line[-half:]}"


def print_json(value: Any) -> None:
    """Print JSON that leaves letters of every script as they are, and escapes what is unseen.

    JSON itself escapes the first 32 characters only; U+009B steers a terminal as well.
    """
    shown = json.dumps(value, ensure_ascii=False, indent=2)
    click.echo("".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in shown))


def print_table(relations: Sequence[Relation], query: str, console: Console | None = None) -> None:
    """Print a table of relations, and below it the evidence of each."""
    console = console or Console()
    if not relations:
        console.print(f"Nothing is related to {escape(printable(query))}.")
        return
    table = Table(title=f"Related to {escape(printable(query))}", title_justify="left")
    table.add_column("id", overflow="fold")
    table.add_column("kind", no_wrap=True)
    for name in ("score", "of query", "of hit"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in relations:
        table.add_row(
            Text(printable(each.id or "")),
            Text(each.kind, STYLE[each.kind]),
            f"{each.score:.2f}",
            *_shares(each),
        )
    console.print(table)
    for each in relations:
        if each.evidence or (each.semantics and each.semantics.shared):
            console.print()
            console.print(_heading(query, each))
            print_evidence(each, console)


def print_pair(a: str, b: str, relation: Relation, console: Console) -> None:
    """Print how one document or file is related to another, with the evidence."""
    kind = MEANING[relation.kind], STYLE[relation.kind]
    console.print(Text.assemble(printable(a), " ", kind, " ", printable(b)))
    line = f"{relation.kind}, score {relation.score:.2f}"
    if relation.kind != "semantic":
        line += (
            f"; {relation.coverage.of_query:.0%} of A stands in B, "
            f"{relation.coverage.of_hit:.0%} of B in A"
        )
    console.print(line)
    print_evidence(relation, console)


def _shares(relation: Relation) -> tuple[str, str]:
    """How much of each text stands in the other; nothing for what is told in other words."""
    if relation.kind == "semantic":
        return "", ""
    return f"{relation.coverage.of_query:.0%}", f"{relation.coverage.of_hit:.0%}"


def _heading(query: str, relation: Relation) -> Text:
    heading = Text.assemble(
        (printable(query), "bold"), " (left) ", (MEANING[relation.kind], STYLE[relation.kind]),
        " ", (printable(relation.id or ""), "bold"), " (right)",
    )  # fmt: skip
    if relation.copies:
        heading.append(f", and {relation.copies} more versions of it", "dim")
    return heading


def print_evidence(relation: Relation, console: Console) -> None:
    """Print what both texts are about, and their passages side by side."""
    if relation.semantics is not None:
        for line in semantic_lines(relation.semantics):
            console.print(line)
    if relation.evidence:
        console.print(side_by_side(relation.evidence, semantic=relation.kind == "semantic"))


def semantic_lines(semantics: SemanticSimilarity) -> list[Text]:
    """Tell what both texts are about, and what each of it adds to the similarity."""
    lines = [Text(printable(sentence)) for sentence in semantics.shared_vocabulary]
    for name, entities in (("both name", True), ("both speak of", False)):
        shared = [
            each
            for each in semantics.shared
            if each.is_entity is entities and each.contribution >= _LEAST_PART
        ]
        if shared:
            told = ", ".join(f"{printable(each.text)} {each.contribution:.2f}" for each in shared)
            lines.append(Text.assemble((f"{name} ", "dim"), told))
    parts = f"similarity {semantics.similarity:.2f}: concepts {semantics.concepts:.2f}"
    if semantics.entities:
        parts += f", entities {semantics.entities:.2f}"
    if semantics.vector:
        parts += f", vectors {semantics.vector:.2f}"
    lines.append(Text(parts, "dim"))
    return lines


def side_by_side(evidence: Sequence[SharedPassage], *, semantic: bool = False) -> RenderableType:
    """Lay the passages beside each other, each with its offsets; differing words stand out."""
    rows: list[RenderableType] = []
    for passage in evidence[:3]:
        closeness = "" if semantic else _closeness(passage)
        grid = Table.grid(padding=(0, 2), expand=True)
        grid.add_column(ratio=1)
        grid.add_column(ratio=1)
        grid.add_row(
            Text(f"{passage.query.start}–{passage.query.end}", "dim"),
            Text(f"{passage.hit.start}–{passage.hit.end}  {closeness}", "dim"),
        )
        grid.add_row(*(_plain_sides(passage) if semantic else _marked_sides(passage)))
        rows.append(grid)
    more = len(evidence) - 3
    if more > 0:
        rows.append(Text(f"and {more} more", "dim"))
    return Group(*rows)


def _closeness(passage: SharedPassage) -> str:
    return "word for word" if passage.distance == 0 else f"{passage.distance} of 128 bits differ"


def _plain_sides(passage: SharedPassage) -> tuple[Text, Text]:
    return Text(shortened(passage.query.text)), Text(shortened(passage.hit.text))


def _marked_sides(passage: SharedPassage) -> tuple[Text, Text]:
    if passage.distance == 0:
        return _plain_sides(passage)
    sides = []
    for words in marked_words(passage):
        text = Text()
        for word, is_shared in words:
            text.append(printable(word) + " ", "" if is_shared else "bold magenta")
        sides.append(text)
    return sides[0], sides[1]
