"""Families of versions, and what a person decided about them."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from es_simhash.cli.columns import Column, print_columns
from es_simhash.cli.files import append_changes, changes_file_option, require_writable
from es_simhash.cli.options import (
    client_of,
    connection_options,
    described_options,
    format_option,
    index_config,
    note_overrides,
    options_of,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.output import listed, print_json, undated_line
from es_simhash.maintenance.families.dismissals_and_joins import (
    ManualPair,
    join,
    lift_undone,
    manual_pairs,
)
from es_simhash.maintenance.families.dismissals_and_joins import dismiss as dismiss_pair
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_report import FamiliesReport
from es_simhash.maintenance.families.find_families import find_families, stored_families
from es_simhash.pairs.family_changes import Family, FamilyChanges
from es_simhash.relation.decided_pairs import JoinedGroups
from es_simhash.text.escaping import one_line

# JSON lists all.
_MAX_FAMILIES_SHOWN, _MAX_MEMBERS_SHOWN = 20, 6


@click.command("run")
@click.argument("index")
@described_options(FamilyOptions)
@changes_file_option
@format_option
@text_field_option
@simhash_field_option
@connection_options
def run_families(
    index: str,
    changes_file: Path | None,
    output_format: str,
    text_field: str | None,
    simhash_field: str,
    **values: Any,
) -> None:
    """Group the documents of INDEX that are versions.

    Versions of each other get one family: its name is written to `simhash.family`, for `collapse`
    in your own searches. Only what changed since the last run is processed; the result equals that
    of a run over all documents, whatever the order in which they were written.
    """
    options = options_of(FamilyOptions, values)
    if options.dry_run and changes_file:
        raise click.UsageError("--dry-run changes nothing; give it without --changes-file.")
    config = index_config(text_field, simhash_field)
    require_writable(changes_file)
    with client_of(**values) as client:
        note_overrides(
            client, index, config, date=options.date_field, representative=options.representative
        )
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


@click.command("list")
@click.argument("index")
@format_option
@simhash_field_option
@connection_options
def list_families(index: str, output_format: str, simhash_field: str, **connection: Any) -> None:
    """List the families that are stored in INDEX."""
    with client_of(**connection) as client:
        stored = stored_families(client, index, config=index_config(None, simhash_field))
    _print_stored(stored, output_format)


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


@click.command()
@click.argument("index")
@click.argument("ids", nargs=-1)
@click.option("--undo", is_flag=True, help="Remove the joins among these documents.")
@click.option("--replace", is_flag=True, help="Remove dismissals that say the opposite.")
@simhash_field_option
@connection_options
def same(
    index: str,
    ids: tuple[str, ...],
    undo: bool,
    replace: bool,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Record that the documents IDS are versions.

    From then on `related` returns each as a version of the others, `ingest` and `sweep` decide that
    it is one, and the next `es-simhash families run` puts them into one family, with the families
    they are from, even if their texts change. Joins are stored in the index INDEX-simhash, as what
    `es-simhash families dismiss` stores; `es-simhash families decisions` lists them.
    """
    if undo and replace:
        raise click.UsageError("--undo removes joins and --replace dismissals; give one of them.")
    if len(ids) < 2:
        raise click.UsageError("Give the ids of two documents or more.")
    with client_of(**connection) as client:
        changed = join(client, index, ids, undo=undo, replace=replace, simhash_field=simhash_field)
        left = manual_pairs(client, index, simhash_field=simhash_field) if undo else []
    _print_changed(changed, index, undo=undo)
    _print_still_joined(changed, left)


def _print_changed(changed: list[ManualPair], index: str, *, undo: bool) -> None:
    pairs = ", ".join(" and ".join(map(one_line, pair.ids)) for pair in changed)
    done = "Removed the join of" if undo else "Joined"
    click.echo(f"{done} {pairs}. Run `es-simhash families run {index}` to apply it to families.")


def _print_still_joined(removed: list[ManualPair], left: list[ManualPair]) -> None:
    """Print which documents are joined over others all the same."""
    groups = JoinedGroups(pair.ids for pair in left if pair.reason == "joined")
    for pair in removed:
        if path := groups.path(*pair.ids):
            between = ", ".join(map(one_line, path[1:-1]))
            names = " and ".join(map(one_line, pair.ids))
            click.echo(f"{names} are still joined over {between}.", err=True)


@click.command()
@click.argument("index")
@click.argument("a", required=False)
@click.argument("b", required=False)
@click.option("--undo", is_flag=True, help="Remove the dismissal, or lift the undone decision.")
@click.option("--replace", is_flag=True, help="Remove the join that says the opposite.")
@click.option("--run", help="With --undo: lift all undone decisions of the run of this id.")
@simhash_field_option
@connection_options
def dismiss(
    index: str,
    a: str | None,
    b: str | None,
    undo: bool,
    replace: bool,
    run: str | None,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Record that documents A and B are not versions.

    From then on `related` does not return one as a version of the other, `ingest` and `sweep` do
    not decide that one is, and the next `es-simhash families run` puts them into two families, even
    if their texts change. Dismissals are stored in the index INDEX-simhash.

    Decisions that `es-simhash undo` reverted are stored there too, and are not made again.
    `es-simhash families decisions` lists both; --undo removes one.
    """
    _require_one_use(a, b, undo=undo, run=run)
    if replace and (undo or run is not None):
        raise click.UsageError("--replace removes joins; give it with A and B alone.")
    with client_of(**connection) as client:
        if run is not None:
            lifted = lift_undone(client, index, run, simhash_field=simhash_field)
            click.echo(f"Lifted {len(lifted)} undone decisions of run {lifted[0].run}.")
        else:
            assert a is not None
            assert b is not None
            dismiss_pair(
                client, index, a, b, undo=undo, replace=replace, simhash_field=simhash_field
            )
            click.echo(_done(index, (a, b), undo=undo))


def _require_one_use(a: str | None, b: str | None, *, undo: bool, run: str | None) -> None:
    if run is not None and (a is not None or not undo):
        raise click.UsageError("--run takes no documents and needs --undo.")
    if run is None and b is None:
        raise click.UsageError("Give the ids A and B of two documents.")


def _done(index: str, ids: tuple[str, str], *, undo: bool) -> str:
    done = "Removed the dismissal of" if undo else "Dismissed"
    return (
        f"{done} {one_line(ids[0])} and {one_line(ids[1])}. "
        f"Run `es-simhash families run {index}` to apply it to families."
    )


@click.command()
@click.argument("index")
@format_option
@simhash_field_option
@connection_options
def decisions(index: str, output_format: str, simhash_field: str, **connection: Any) -> None:
    """List what was decided about pairs of documents of INDEX.

    These are the joins of `es-simhash families same`, the dismissals of `es-simhash families
    dismiss`, and the decisions that `es-simhash undo` reverted. They are stored in the index
    INDEX-simhash.
    """
    with client_of(**connection) as client:
        print_pairs(manual_pairs(client, index, simhash_field=simhash_field), output_format)


def print_pairs(pairs: Sequence[ManualPair], output_format: str) -> None:
    """Print what was decided about pairs, as a table or as JSON."""
    if output_format == "json":
        print_json([asdict(pair) for pair in pairs])
        return
    if not pairs:
        click.echo("No decisions.")
        return
    columns = [
        Column("document", [Text(one_line(pair.ids[0])) for pair in pairs]),
        Column("other", [Text(one_line(pair.ids[1])) for pair in pairs]),
        Column("run", [Text(pair.run or "") for pair in pairs]).if_any(),
        Column("reason", [Text(pair.reason) for pair in pairs]),
    ]
    print_columns([column for column in columns if column is not None], Console())
