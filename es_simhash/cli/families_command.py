"""`es-simhash families`: version families of a whole index."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from es_simhash.cli.changes_file import append_changes, changes_file_option, require_writable
from es_simhash.cli.connection_options import client_of, connection_options
from es_simhash.cli.options import index_config, simhash_field_option, text_field_option
from es_simhash.cli.output import format_option, listed, print_json, undated_line
from es_simhash.cli.overrides import note_overrides
from es_simhash.maintenance.families.family_options import REPRESENTATIVES, FamilyOptions
from es_simhash.maintenance.families.family_report import FamiliesReport
from es_simhash.maintenance.families.find_families import find_families, stored_families
from es_simhash.pairs.family_changes import Family, FamilyChanges
from es_simhash.text.escaping import one_line

# JSON lists all.
_MAX_FAMILIES_SHOWN, _MAX_MEMBERS_SHOWN = 20, 6


@click.command()
@click.argument("index")
@click.option(
    "--representative",
    type=click.Choice(REPRESENTATIVES),
    show_default="as in the last run, at first longest",
    help="Document of a family that the others are compared with.",
)
@click.option("--date-field", help="Date field; needed by `newest` and `oldest`.")
@click.option("--all", "everything", is_flag=True, help="Process all documents again.")
@click.option("--dry-run", is_flag=True, help="Show the families; write nothing.")
@changes_file_option
@click.option("--list", "list_", is_flag=True, help="List the stored families; compute nothing.")
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
    changes_file: Path | None,
    list_: bool,
    output_format: str,
    text_field: str | None,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Group the documents of INDEX that are versions.

    Versions of each other get one family: its name is written to `simhash.family`, for `collapse`
    in your own searches. Only what changed since the last run is processed; the result equals that
    of a run over all documents, whatever the order in which they were written.
    """
    config = index_config(text_field, simhash_field)
    if list_:
        if representative or date_field or everything or dry_run or changes_file:
            raise click.UsageError("--list computes nothing; give it without options of a run.")
        with client_of(**connection) as client:
            _print_stored(stored_families(client, index, config=config), output_format)
        return
    if dry_run and changes_file:
        raise click.UsageError("--dry-run changes nothing; give it without --changes-file.")
    require_writable(changes_file)
    options = FamilyOptions(representative, date_field, everything, dry_run)
    with client_of(**connection) as client:
        note_overrides(client, index, config, date=date_field, representative=representative)
        report = find_families(
            client,
            index,
            options=options,
            config=config,
            progress=_print_progress if output_format == "table" and sys.stderr.isatty() else None,
        )
    append_changes(changes_file, index, report.changes)
    if output_format == "json":
        print_json(report.to_dict())
    else:
        _print(report)
        if report.undated:
            click.echo(undated_line(report.undated), err=True)


def _print_stored(stored: Sequence[Family], output_format: str) -> None:
    if output_format == "json":
        print_json([{"family": family.name, "members": list(family.members)} for family in stored])
        return
    _print_families(stored)
    documents = sum(len(family.documents) for family in stored)
    click.echo(f"{len(stored)} families of two or more stored, {documents} documents in them.")


def _print_progress(done: int, total: int) -> None:
    end = "\n" if done == total else "\r"
    click.echo(f"{done} of {total} texts processed{end}", nl=False, err=True)


def _print_families(found: Sequence[Family]) -> None:
    for family in found[:_MAX_FAMILIES_SHOWN]:
        more = len(family.members) - _MAX_MEMBERS_SHOWN
        rest = f" and {more} more" if more > 0 else ""
        members = ", ".join(one_line(id) for id in family.members[:_MAX_MEMBERS_SHOWN])
        click.echo(f"{family.name}  {members}{rest}")
    if len(found) > _MAX_FAMILIES_SHOWN:
        more = len(found) - _MAX_FAMILIES_SHOWN
        click.echo(f"... {more} more; --format json lists all")


def _print(report: FamiliesReport) -> None:
    _print_families(report.families)
    verb = "to write" if report.dry_run else "written"
    click.echo(
        f"{report.documents} documents processed, {len(report.families)} families of two or more, "
        f"{report.written} documents {verb}."
    )
    _print_changes(report.changes)
    _print_incomplete(report)


def _print_changes(changes: FamilyChanges) -> None:
    """Print which families were joined or split."""
    lines = [f"{', '.join(names)} joined into {name}" for name, names in changes.joined.items()]
    lines += [f"{name} split into {', '.join(names)}" for name, names in changes.split.items()]
    for line in lines[:_MAX_FAMILIES_SHOWN]:
        click.echo(line)
    if len(lines) > _MAX_FAMILIES_SHOWN:
        click.echo(f"... {len(lines) - _MAX_FAMILIES_SHOWN} more; --format json lists all")


def _print_incomplete(report: FamiliesReport) -> None:
    if report.skipped:
        click.echo(
            f"{len(report.skipped)} documents skipped, because they changed meanwhile or their "
            f"text is not the fingerprinted one: {listed(report.skipped, _MAX_MEMBERS_SHOWN)}. "
            "Run `es-simhash backfill --check`, then this command again.",
            err=True,
        )
    if report.truncated:
        click.echo(
            f"truncated: {len(report.truncated)} texts have more candidates than were examined: "
            f"{listed(report.truncated, _MAX_MEMBERS_SHOWN)}.",
            err=True,
        )
