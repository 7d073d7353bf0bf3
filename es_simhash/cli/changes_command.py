"""`es-simhash changes`: what changed between two documents, or in the history of one."""

from typing import Any

import click
from rich.text import Text

from es_simhash.cli.changes_output import (
    ChangesPrinter,
    changes_format_option,
    console_of,
    print_changes,
)
from es_simhash.cli.connection_options import client_of, connection_options
from es_simhash.cli.options import index_config, simhash_field_option, text_field_option
from es_simhash.cli.output import print_json
from es_simhash.cli.overrides import note_overrides
from es_simhash.cli.version_output import date_field_option, order_line, version_label
from es_simhash.differences.history import History
from es_simhash.questions.sidecar import open_index

_FORMATS_OF_HISTORY = ("table", "text", "json")


@click.command()
@click.argument("index")
@click.argument("ids", nargs=-1, metavar="[A B]")
@click.option(
    "--family", metavar="ID", help="History of a family: its name, or the id of any member."
)
@date_field_option
@changes_format_option
@text_field_option
@simhash_field_option
@connection_options
def changes(
    index: str,
    ids: tuple[str, ...],
    family: str | None,
    date_field: str | None,
    output_format: str,
    text_field: str | None,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Show what changed from document A to document B of INDEX.

    Numbers, dates and names that differ come first, then the changed words with those around them;
    moved blocks are shown as moved. With --family, the versions of a document are compared one
    after the other, as `es-simhash families` found them. The page of --format html has the timeline
    of the family of A and B, where the index has dates. Put -- before ids that begin with a dash.
    """
    _require_usage(ids, family, date_field, output_format)
    with client_of(**connection) as client:
        config = index_config(text_field, simhash_field)
        note_overrides(client, index, config, date=date_field)
        searched = open_index(client, index, config)
        if family is not None:
            _print_history(searched.history(family, date_field=date_field), output_format)
            return
        a, b = ids
        found, timeline = searched.changes(a, b), None
        if output_format == "html":
            timeline = searched.timeline(a, b, date_field=date_field)
    print_changes(found, a, b, output_format, timeline)


def _require_usage(
    ids: tuple[str, ...], family: str | None, date_field: str | None, output_format: str
) -> None:
    if family is None and len(ids) != 2:
        raise click.UsageError(f"Give two ids, or --family; got {len(ids)} ids.")
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


def _print_history(history: History, output_format: str) -> None:
    if output_format == "json":
        print_json(history.to_dict())
        return
    console = console_of(output_format)
    printer = ChangesPrinter(console)
    console.print(Text(f"{len(history.versions)} versions {order_line(history)}"), soft_wrap=True)
    console.print(Text(version_label(history.versions[0]), "bold"), soft_wrap=True)
    for step in history.steps:
        console.print(Text(version_label(step.newer), "bold"), soft_wrap=True)
        printer.print_summary(step.changes, "  ")
