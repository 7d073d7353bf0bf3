"""`es-simhash families`: version families over a whole index."""

import sys
from typing import Any

import click

from es_simhash.cli.options import (
    client_of,
    connection_options,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.showing import format_option, print_json, printable
from es_simhash.families.find import find_families
from es_simhash.families.options import REPRESENTATIVES, FamilyOptions
from es_simhash.families.report import FamiliesReport
from es_simhash.storage.config import IndexConfig

# Families and members of one that are listed; JSON lists all.
_SHOWN_FAMILIES, _SHOWN_MEMBERS = 20, 6


@click.command()
@click.argument("index")
@click.option(
    "--representative",
    type=click.Choice(REPRESENTATIVES),
    default="longest",
    show_default=True,
    help="Document each of the others is compared with.",
)
@click.option("--date-field", help="Field of the date, for the newest and the oldest.")
@click.option("--all", "everything", is_flag=True, help="Process all documents, not only changes.")
@click.option("--dry-run", is_flag=True, help="Show the families and write nothing.")
@format_option
@text_field_option
@simhash_field_option
@connection_options
def families(
    index: str,
    representative: Any,
    date_field: str | None,
    everything: bool,
    dry_run: bool,
    form: str,
    text_field: str,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Find which documents of INDEX are versions of each other; give them one family.

    The name of the family is written to `simhash.family` of each document, for `collapse` in your
    own searches. Only what changed since the last run is processed; the families are those of a
    run over all documents, whatever the order in which they were written.
    """
    options = FamilyOptions(representative, date_field, everything, dry_run)
    with client_of(**connection) as client:
        report = find_families(
            client,
            index,
            options=options,
            config=IndexConfig(text_field=text_field, simhash_field=simhash_field),
            progress=_show_progress if form == "table" and sys.stderr.isatty() else None,
        )
    if form == "json":
        print_json(report.to_dict())
    else:
        _print(report)


def _show_progress(queried: int, known: int) -> None:
    end = "\n" if queried == known else "\r"
    click.echo(f"{queried} of {known} texts queried{end}", nl=False, err=True)


def _print(report: FamiliesReport) -> None:
    for family in report.families[:_SHOWN_FAMILIES]:
        shown = [printable(id) for id in family.members[:_SHOWN_MEMBERS]]
        more = len(family.members) - len(shown)
        rest = f" and {more} more" if more else ""
        click.echo(f"{family.name}  {', '.join(shown)}{rest}")
    if len(report.families) > _SHOWN_FAMILIES:
        click.echo(f"... {len(report.families) - _SHOWN_FAMILIES} more; --format json lists all")
    verb = "would be written" if report.dry_run else "written"
    click.echo(
        f"{report.documents} documents processed, {len(report.families)} families of several; "
        f"{report.written} documents {verb}."
    )
    if report.skipped:
        click.echo(
            f"{len(report.skipped)} documents skipped, as they changed meanwhile or their text is "
            f"not the fingerprinted one: {_some(report.skipped)}; run `es-simhash backfill "
            "--check`, then this again.",
            err=True,
        )
    if report.truncated:
        click.echo(
            f"truncated: {len(report.truncated)} texts share shingles with more texts than were "
            f"compared: {_some(report.truncated)}.",
            err=True,
        )


def _some(ids: tuple[str, ...]) -> str:
    shown = ", ".join(printable(id) for id in ids[:_SHOWN_MEMBERS])
    return f"{shown} ..." if len(ids) > _SHOWN_MEMBERS else shown
