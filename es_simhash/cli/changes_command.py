"""Two documents of an index, or the versions of one: `explain`, `changes` and `blame`."""

from dataclasses import replace
from typing import Annotated

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from es_simhash.cli.changes_output import (
    ChangesFormat,
    ChangesPrinter,
    OrderingDate,
    are_compared,
    console_of,
    order_line,
    print_changes,
    version_label,
)
from es_simhash.cli.commands import command
from es_simhash.cli.options import PassageOrder, TableOrJson, Target, TextTarget
from es_simhash.cli.output import print_json, shortened
from es_simhash.cli.relation_tables import print_relation
from es_simhash.cli.row_output import RowOutput
from es_simhash.cli.titles import Titles
from es_simhash.constraints import constraints
from es_simhash.differences.difference import Changes
from es_simhash.differences.history import Blame, BlamedSentence, History
from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.relation.text_comparison import coverage_of
from es_simhash.text.counting import counted
from es_simhash.text.escaping import one_line


@command
def explain(
    target: Target,
    a: str,
    b: str,
    *,
    passage_order: PassageOrder = "weight",
    output_format: TableOrJson = "table",
) -> None:
    """Explain how documents A and B of INDEX are related.

    Shows the passages, terms and entities they share, and what each adds to the score, whatever
    the score is.
    """
    # Help is printed without the client, which takes long to import.
    from es_simhash.cli.opened_index import opened, titles_of

    with opened(target) as searched:
        relation = searched.explain(a, b)
        titles = titles_of(searched, (a, b)) if output_format == "table" else Titles()
    print_relation(titles.named(a), titles.named(b), relation, passage_order, output_format)


_FORMATS_OF_HISTORY = ("table", "text", "json")
# A patch names its files by ids.
_FORMATS_WITH_TITLES = ("table", "text", "html")


@command
def changes(
    target: TextTarget,
    ids: Annotated[tuple[str, ...], constraints(metavar="[A B]")] = (),
    *,
    family: Annotated[str | None, constraints(metavar="ID")] = None,
    date_field: OrderingDate = None,
    output_format: ChangesFormat = "table",
) -> None:
    """Show what changed from document A to document B of INDEX.

    Numbers, dates and names that differ come first, then the changed words with those around them;
    moved blocks are shown as moved. With --family, the versions of a document are compared one
    after the other, as `es-simhash families run` found them. The page of --format html has
    the timeline of the family of A and B, where the index has dates. Put -- before
    ids that begin with a dash.

    Args:
        family: History of a family: its name, or the id of any member.
    """
    _require_usage(ids, family, date_field, output_format)
    # Help is printed without the client, which takes long to import.
    from es_simhash.cli.opened_index import opened, titles_of

    with opened(target, date=date_field) as searched:
        if family is not None:
            history = searched.history(family, date_field=date_field)
            if output_format == "json":
                print_json(history.to_dict())
                return
            titles = titles_of(searched, (version.id for version in history.versions))
            _print_history(history, titles, searched.config.scheme, output_format)
            return
        a, b = ids
        found, relation, timeline = searched.changes(a, b), None, None
        if output_format in _FORMATS_WITH_TITLES and are_compared(found):
            # Its coverage is the one that `related` returns.
            relation = searched.explain(a, b)
        if output_format == "html":
            timeline = searched.timeline(a, b, date_field=date_field)
        if output_format in _FORMATS_WITH_TITLES:
            versions = () if timeline is None else timeline.versions
            titles = titles_of(searched, (*ids, *(version.id for version in versions)))
            a, b = titles.named(a), titles.named(b)
            timeline = None if timeline is None else timeline.with_titles(titles.by_id())
    print_changes(found, a, b, output_format, relation, timeline)


def _require_usage(
    ids: tuple[str, ...], family: str | None, date_field: str | None, output_format: str
) -> None:
    if family is None and len(ids) != 2:
        raise click.UsageError(f"Give two ids, or --family; got {counted(len(ids), 'id')}.")
    if family is not None and ids:
        raise click.UsageError("--family compares all versions of a document; give no ids with it.")
    if family is None and date_field is not None and output_format != "html":
        raise click.UsageError(
            "--date-field orders the versions of --family, and those in the page of --format html; "
            "give one of these with it."
        )
    if family is not None and output_format not in _FORMATS_OF_HISTORY:
        raise click.UsageError(
            f"--family has no --format {output_format}; choose {', '.join(_FORMATS_OF_HISTORY)}."
        )


def _print_history(history: History, titles: Titles, scheme: Scheme, output_format: str) -> None:
    console = console_of(output_format)
    printer = ChangesPrinter(console)
    count = counted(len(history.versions), "version")
    console.print(Text(f"{count} {order_line(history)}"), soft_wrap=True)
    console.print(Text(version_label(history.versions[0], titles), "bold"), soft_wrap=True)
    for step in history.steps:
        console.print(Text(version_label(step.newer, titles), "bold"), soft_wrap=True)
        printer.print_summary(step.changes, _coverage(step.changes, scheme), "  ")


def _coverage(found: Changes, scheme: Scheme) -> str:
    """Return the coverage of two versions as `families show` has it; empty of texts too long."""
    try:
        return str(coverage_of(found.text_a, found.text_b, scheme))
    except InputError:
        return ""


@command
def blame(
    target: TextTarget,
    id: str,
    *,
    words: str | None = None,
    date_field: OrderingDate = None,
    output: RowOutput,
) -> None:
    """Show since when each sentence of document ID of INDEX has been there.

    ID is a version, or the name of a family for its newest version. The older versions are those
    of the family, as `es-simhash families run` found them. Put -- before an id that begins
    with a dash.

    Args:
        words: Show only the sentences that have these words.
    """
    # Help is printed without the client, which takes long to import.
    from es_simhash.cli.opened_index import opened, titles_of

    with opened(target, date=date_field) as searched:
        found = searched.blame(id, date_field=date_field)
        titles = Titles()
        if output.output_format == "table":
            titles = titles_of(searched, (version.id for version in found.versions))
    sentences = found.sentences if words is None else _with_words(found, words)
    whole = replace(found, sentences=sentences).to_dict()
    output.print(
        lambda: whole, lambda: whole["sentences"], lambda: _print(found, sentences, titles)
    )


def _with_words(found: Blame, text: str) -> tuple[BlamedSentence, ...]:
    sentences = found.of_text(text)
    if not sentences or not text.split():
        raise InputError(
            f"No sentence of document {found.version.id!r} has the words {shortened(text)!r}. "
            "Copy them from the document.",
        )
    return sentences


def _print(found: Blame, sentences: tuple[BlamedSentence, ...], titles: Titles) -> None:
    console = Console(highlight=False)
    count = counted(len(found.versions), "version")
    console.print(
        Text(f"{version_label(found.version, titles)}: {count} {order_line(found)}"),
        soft_wrap=True,
    )
    last = None
    for blamed in sentences:
        since, first = (version_label(each, titles) for each in (blamed.since, blamed.first))
        # Of sentences that came together, the first names the version.
        if (since, first) != last:
            begun = "" if first == since else f", first written in {first}"
            console.print(Text.assemble((since, "cyan"), (begun, "dim")), soft_wrap=True)
        last = since, first
        console.print(Padding(Text(one_line(blamed.sentence.text)), (0, 0, 0, 2)))
