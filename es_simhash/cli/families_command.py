"""Families of versions, and what a person decided about them."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import click
from rich.console import Console

from es_simhash.cli.columns import Column, print_columns
from es_simhash.cli.commands import command
from es_simhash.cli.files import append_changes, require_writable
from es_simhash.cli.options import ChangesFile, StoredTarget, TextTarget
from es_simhash.cli.output import listed, undated_line
from es_simhash.cli.progress import progress_bar
from es_simhash.cli.row_output import Row, RowOutput
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


@command
def run_families(
    target: TextTarget,
    *,
    options: FamilyOptions,
    changes_file: ChangesFile = None,
    output: RowOutput,
) -> None:
    """Group the documents of INDEX that are versions.

    Versions of each other get one family: its name is written to `simhash.family`, for `collapse`
    in your own searches. Only what changed since the last run is processed; the result equals that
    of a run over all documents, whatever the order in which they were written.
    """
    if options.dry_run and changes_file:
        raise click.UsageError("--dry-run changes nothing; give it without --changes-file.")
    require_writable(changes_file, "changes_file")
    overridden = {
        "date": options.date_field,
        "representative": options.representative,
        "within": options.within,
    }
    with target.connected(**overridden) as client, progress_bar() as progress:
        report = find_families(
            client, target.index, options=options, config=target.config, progress=progress
        )
    append_changes(changes_file, target.index, report.changes)
    output.print(report.to_dict, lambda: _rows(report.families), lambda: _print(report))


@command
def list_families(target: StoredTarget, *, output: RowOutput) -> None:
    """List the families that are stored in INDEX."""
    with target.connected() as client:
        stored = stored_families(client, target.index, config=target.config)
    output.print(
        lambda: [{"family": each.name, "members": list(each.members)} for each in stored],
        lambda: _rows(stored),
        lambda: _print_stored(stored),
    )


def _rows(families: Sequence[Family]) -> Iterator[Row]:
    """Yield a row for each member; the first of a family represents it."""
    for family in families:
        for number, member in enumerate(family.members):
            yield {"family": family.name, "id": member, "represents": number == 0}


def _print_stored(stored: Sequence[Family]) -> None:
    _print_families(stored)
    documents = sum(len(family.documents) for family in stored)
    click.echo(f"{len(stored)} families of two or more stored, {documents} documents in them.")


def _print_families(found: Sequence[Family]) -> None:
    _print_first([f"{family.name}  {_members(family)}" for family in found])


def _members(family: Family) -> str:
    more = len(family.members) - _MAX_MEMBERS_SHOWN
    members = ", ".join(one_line(id) for id in family.members[:_MAX_MEMBERS_SHOWN])
    return f"{members} and {more} more" if more > 0 else members


def _print_first(lines: Sequence[str]) -> None:
    for line in lines[:_MAX_FAMILIES_SHOWN]:
        click.echo(line)
    if len(lines) > _MAX_FAMILIES_SHOWN:
        click.echo(f"... {len(lines) - _MAX_FAMILIES_SHOWN} more; --format json lists all")


def _print(report: FamiliesReport) -> None:
    _print_families(report.families)
    verb = "to write" if report.dry_run else "written"
    click.echo(
        f"{report.documents} documents processed, {len(report.families)} families of two or more, "
        f"{report.written} documents {verb}."
    )
    _print_changes(report.changes)
    _print_incomplete(report)
    if report.undated:
        click.echo(undated_line(report.undated), err=True)
    if report.valueless:
        click.echo(
            f"{len(report.valueless)} documents without a value of {report.within!r}, in no family "
            f"with one that has: {listed(report.valueless, _MAX_MEMBERS_SHOWN)}.",
            err=True,
        )
    if report.parted:
        pairs = listed(tuple(" and ".join(ids) for ids in report.parted), _MAX_MEMBERS_SHOWN)
        click.echo(
            f"{len(report.parted)} joined pairs with different values of {report.within!r} stay in "
            f"two families: {pairs}.",
            err=True,
        )


def _print_changes(changes: FamilyChanges) -> None:
    """Print which families were joined or split."""
    lines = [f"{', '.join(names)} joined into {name}" for name, names in changes.joined.items()]
    lines += [f"{name} split into {', '.join(names)}" for name, names in changes.split.items()]
    _print_first(lines)


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


@command
def same(
    target: StoredTarget, ids: tuple[str, ...] = (), *, undo: bool = False, replace: bool = False
) -> None:
    """Record that the documents IDS are versions.

    From then on `related` returns each as a version of the others, `ingest` and `sweep` decide that
    it is one, and the next `es-simhash families run` puts them into one family, with the families
    they are from, even if their texts change. Joins are stored in the index INDEX-simhash, as what
    `es-simhash families dismiss` stores; `es-simhash families decisions` lists them.

    Args:
        undo: Remove the joins among these documents.
        replace: Remove dismissals that say the opposite.
    """
    if undo and replace:
        raise click.UsageError("--undo removes joins and --replace dismissals; give one of them.")
    if len(ids) < 2:
        raise click.UsageError("Give the ids of two documents or more.")
    index, field = target.index, target.simhash_field
    with target.connected() as client:
        changed = join(client, index, ids, undo=undo, replace=replace, simhash_field=field)
        left = manual_pairs(client, index, simhash_field=field) if undo else []
    pairs = ", ".join(" and ".join(map(one_line, pair.ids)) for pair in changed)
    _print_done(f"{'Removed the join of' if undo else 'Joined'} {pairs}", index)
    _print_still_joined(changed, left)


def _print_done(done: str, index: str) -> None:
    click.echo(f"{done}. Run `es-simhash families run {index}` to apply it to families.")


def _print_still_joined(removed: list[ManualPair], left: list[ManualPair]) -> None:
    """Print which documents are joined over others all the same."""
    groups = JoinedGroups(pair.ids for pair in left if pair.reason == "joined")
    for pair in removed:
        if path := groups.path(*pair.ids):
            between = ", ".join(map(one_line, path[1:-1]))
            names = " and ".join(map(one_line, pair.ids))
            click.echo(f"{names} are still joined over {between}.", err=True)


@command
def dismiss(
    target: StoredTarget,
    a: str | None = None,
    b: str | None = None,
    *,
    undo: bool = False,
    replace: bool = False,
    run: str | None = None,
) -> None:
    """Record that documents A and B are not versions.

    From then on `related` does not return one as a version of the other, `ingest` and `sweep` do
    not decide that one is, and the next `es-simhash families run` puts them into two families, even
    if their texts change. Dismissals are stored in the index INDEX-simhash.

    Decisions that `es-simhash undo` reverted are stored there too, and are not made again.
    `es-simhash families decisions` lists both; --undo removes one.

    Args:
        undo: Remove the dismissal, or lift the undone decision.
        replace: Remove the join that says the opposite.
        run: With --undo: lift all undone decisions of the run of this id.
    """
    if run is not None and (a is not None or not undo):
        raise click.UsageError("--run takes no documents and needs --undo.")
    if replace and (undo or run is not None):
        raise click.UsageError("--replace removes joins; give it with A and B alone.")
    index, field = target.index, target.simhash_field
    with target.connected() as client:
        if run is not None:
            lifted = lift_undone(client, index, run, simhash_field=field)
            click.echo(f"Lifted {len(lifted)} undone decisions of run {lifted[0].run}.")
            return
        if a is None or b is None:
            raise click.UsageError("Give the ids A and B of two documents.")
        dismiss_pair(client, index, a, b, undo=undo, replace=replace, simhash_field=field)
    done = "Removed the dismissal of" if undo else "Dismissed"
    _print_done(f"{done} {one_line(a)} and {one_line(b)}", index)


@command
def decisions(target: StoredTarget, *, output: RowOutput) -> None:
    """List what was decided about pairs of documents of INDEX.

    These are the joins of `es-simhash families same`, the dismissals of `es-simhash families
    dismiss`, and the decisions that `es-simhash undo` reverted. They are stored in the index
    INDEX-simhash.
    """
    with target.connected() as client:
        # The decisions are in an index of their own, which not every index has.
        client.mappings(target.index)
        pairs = manual_pairs(client, target.index, simhash_field=target.simhash_field)
    output.print(
        lambda: [asdict(pair) for pair in pairs],
        lambda: map(_decision_row, pairs),
        lambda: print_pairs(pairs),
    )


def _decision_row(pair: ManualPair) -> Row:
    a, b = pair.ids
    return {"a": a, "b": b, "reason": pair.reason, "run": pair.run}


def print_pairs(pairs: Sequence[ManualPair]) -> None:
    """Print what was decided about pairs, as a table."""
    if not pairs:
        click.echo("No decisions.")
        return
    columns = [
        Column("document", [pair.ids[0] for pair in pairs]),
        Column("other", [pair.ids[1] for pair in pairs]),
        Column("run", [pair.run for pair in pairs], may_lack=True),
        Column("reason", [pair.reason for pair in pairs]),
    ]
    print_columns(columns, Console())
