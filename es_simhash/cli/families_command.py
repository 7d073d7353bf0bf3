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
from es_simhash.families.report import RULES, Choice, Found

# Families and members of one that are listed; JSON lists all.
_SHOWN_FAMILIES, _SHOWN_MEMBERS = 20, 6


@click.command()
@click.argument("index")
@click.option(
    "--representative",
    type=click.Choice(RULES),
    default="longest",
    show_default=True,
    help="Which document each of the others is checked against.",
)
@click.option("--date-field", help="Field that tells the newer of two documents.")
@click.option("--all", "everything", is_flag=True, help="Ask for all documents again.")
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
    own searches. Only what changed since the last run is asked again; the outcome is that of a run
    over everything, whatever the order in which documents came.
    """
    choice = Choice(
        rule=representative, date_field=date_field, everything=everything, dry_run=dry_run
    )
    with client_of(**connection) as client:
        found = find_families(
            client,
            index,
            choice=choice,
            text_field=text_field,
            simhash_field=simhash_field,
            progress=_tell if form == "table" and sys.stderr.isatty() else None,
        )
    if form == "json":
        print_json(found.to_dict())
    else:
        _print(found)


def _tell(asked: int, known: int) -> None:
    end = "\n" if asked == known else "\r"
    click.echo(f"{asked} of {known} texts asked for{end}", nl=False, err=True)


def _print(found: Found) -> None:
    for family in found.families[:_SHOWN_FAMILIES]:
        shown = [printable(id) for id in family.members[:_SHOWN_MEMBERS]]
        more = len(family.members) - len(shown)
        rest = f" and {more} more" if more else ""
        click.echo(f"{family.name}  {', '.join(shown)}{rest}")
    if len(found.families) > _SHOWN_FAMILIES:
        click.echo(f"... {len(found.families) - _SHOWN_FAMILIES} more; --format json lists all")
    verb = "would be written" if found.dry_run else "written"
    click.echo(
        f"{found.documents} documents looked at, {len(found.families)} families of several; "
        f"{found.written} documents {verb}."
    )
    if found.left:
        click.echo(
            f"{len(found.left)} documents left, as they changed meanwhile or their text is not the "
            f"one that was fingerprinted: {_some(found.left)}; write their fingerprints again, "
            "then run this again.",
            err=True,
        )
    if found.truncated:
        click.echo(
            f"truncated: {len(found.truncated)} texts share passages with more texts than were "
            f"examined: {_some(found.truncated)}.",
            err=True,
        )


def _some(ids: tuple[str, ...]) -> str:
    shown = ", ".join(printable(id) for id in ids[:_SHOWN_MEMBERS])
    return f"{shown} ..." if len(ids) > _SHOWN_MEMBERS else shown
