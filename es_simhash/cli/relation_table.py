"""The relations of one query as a table, one line each, and the evidence below it."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from es_simhash.cli.columns import Column, print_columns
from es_simhash.cli.output import shortened
from es_simhash.cli.tables import (
    KIND_STYLES,
    coverages,
    heading,
    print_evidence,
    relation_kind,
)
from es_simhash.relation.answer import Answer, Grouping
from es_simhash.relation.relation import DocumentContext, Relation
from es_simhash.store.paths import get_path
from es_simhash.text.escaping import one_line

# Characters of a title or another field.
_MAX_TITLE = 60


def print_answer(
    answer: Answer,
    query: str,
    *,
    fields: Sequence[str] = (),
    group: Grouping | None = None,
    console: Console | None = None,
) -> None:
    """Print the relations of a query, then the evidence of each that has any.

    Args:
        answer: The relations.
        query: Id of the query, or what it is called.
        fields: Fields of the hits to show.
        group: What a table of its own is printed for; None for one table.
        console: Where to.
    """
    console = console or Console()
    if not answer:
        found = "No more relations" if answer.extent.offset else "No relations found"
        console.print(Text(f"{found} for {one_line(query)}."), highlight=False, soft_wrap=True)
        return
    title = Text(f"Related to {_named(query, answer.document)}", "italic")
    console.print(title, soft_wrap=True)
    groups: Mapping[str, Answer] = answer.groups(group) if group else {"": answer}
    for name, relations in groups.items():
        _print_table(relations, name, fields, console)
    console.print(Text(_count(answer), "dim"), highlight=False)
    for relation in answer:
        if relation.evidence or (relation.semantics and relation.semantics.shared):
            console.print()
            console.print(heading(query, relation), soft_wrap=True)
            print_evidence(relation, console)


def _named(query: str, document: DocumentContext | None) -> str:
    if document is None or not document.title:
        return one_line(query)
    parts = [one_line(query), shortened(document.title, _MAX_TITLE), document.date]
    return ", ".join(part for part in parts if part)


def _count(answer: Answer) -> str:
    """Return how many of all relations are shown, and how to see the next."""
    extent = answer.extent
    first = f" from {extent.offset + 1}" if extent.offset else ""
    about = "about " if extent.is_estimate else ""
    line = f"{len(answer)} of {about}{extent.total}{first}"
    if extent.next_offset is not None:
        line += f"; --from {extent.next_offset} shows the next"
    return f"{line}."


def _print_table(
    relations: Sequence[Relation], group: str, fields: Sequence[str], console: Console
) -> None:
    if group:
        console.print(Text(one_line(group), "bold"))
    print_columns(_columns(relations, fields), console)


def _columns(relations: Sequence[Relation], fields: Sequence[str]) -> list[Column]:
    covered = [coverages(relation) for relation in relations]
    columns = [
        Column("id", [Text(one_line(relation.id or "")) for relation in relations]),
        Column(
            "kind",
            [Text(relation_kind(relation), KIND_STYLES[relation.kind]) for relation in relations],
        ),
        Column("score", [Text(f"{relation.score:.2f}") for relation in relations], is_number=True),
        Column("of query", [Text(of_query) for of_query, _ in covered], is_number=True),
        Column("of hit", [Text(of_hit) for _, of_hit in covered], is_number=True),
        Column("date", [Text(_date(relation)) for relation in relations]).if_any(),
        Column("title", [Text(_title(relation)) for relation in relations], shrinks=True).if_any(),
    ]
    columns += [
        Column(
            one_line(name), [Text(_field(relation, name)) for relation in relations], shrinks=True
        )
        for name in fields
    ]
    return [column for column in columns if column is not None]


def _date(relation: Relation) -> str:
    if relation.document is None or relation.document.date is None:
        return ""
    return " ".join(filter(None, [relation.document.date, relation.direction]))


def _title(relation: Relation) -> str:
    document = relation.document
    return shortened(document.title or "", _MAX_TITLE) if document else ""


def _field(relation: Relation, name: str) -> str:
    value = get_path(relation.source, name)
    return "" if value is None else shortened(str(value), _MAX_TITLE)
