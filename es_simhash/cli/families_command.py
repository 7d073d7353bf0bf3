"""Families of versions, and what a person decided about them."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from es_simhash.cli.columns import Column, print_columns
from es_simhash.cli.commands import command
from es_simhash.cli.files import append_changes, require_writable
from es_simhash.cli.options import ChangesFile, MaxLoad, Quiet, StoredTarget, Target, TextTarget
from es_simhash.cli.output import listed, undated_line
from es_simhash.cli.progress import progress_bar
from es_simhash.cli.row_output import Row, RowOutput
from es_simhash.cli.titles import Titles
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
from es_simhash.text.counting import counted, plural
from es_simhash.text.escaping import one_line

if TYPE_CHECKING:
    from es_simhash.store.elasticsearch.gateway import Gateway

# In a table, and ids in one line; JSON lists all.
_MAX_FAMILIES_SHOWN, _MAX_MEMBERS_SHOWN, _MAX_LISTED = 20, 4, 6


@command
def run_families(
    target: TextTarget,
    *,
    options: FamilyOptions,
    max_load: MaxLoad = None,
    changes_file: ChangesFile = None,
    quiet: Quiet = False,
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
    with (
        target.connected(max_load=max_load, **overridden) as client,
        progress_bar(quiet=quiet) as progress,
    ):
        report = find_families(
            client, target.index, options=options, config=target.config, progress=progress
        )
        titles = _titles(client, target, report.families, output)
    append_changes(changes_file, target.index, report.changes)
    output.print(report.to_dict, lambda: _rows(report.families), lambda: _print(report, titles))


@command
def list_families(target: StoredTarget, *, output: RowOutput) -> None:
    """List the families that are stored in INDEX."""
    with target.connected() as client:
        stored = stored_families(client, target.index, config=target.config)
        titles = _titles(client, target, stored, output)
    output.print(
        lambda: [family.to_dict() for family in stored],
        lambda: _rows(stored),
        lambda: _print_stored(stored, titles, target.index),
    )


def _titles(
    client: "Gateway", target: Target, families: Sequence[Family], output: RowOutput
) -> Titles:
    """Return the titles of the members that a table shows."""
    if output.output_format != "table":
        return Titles()
    # Help is printed without the client, which takes long to import.
    from es_simhash.cli.opened_index import read_titles

    return read_titles(client, target, (id for _, id in _shown_members(families) if id))


def _rows(families: Sequence[Family]) -> Iterator[Row]:
    """Yield a row for each member; the first of a family represents it."""
    for family in families:
        for number, member in enumerate(family.members):
            yield {"family": family.name, "id": member, "represents": number == 0}


def _print_stored(stored: Sequence[Family], titles: Titles, index: str) -> None:
    _print_families(stored, titles)
    if not stored:
        run = f"`es-simhash families run {one_line(index)}` finds them"
        click.echo(f"No families of two or more documents are stored; {run}.")
        return
    documents = sum(len(family.documents) for family in stored)
    families = counted(len(stored), "family")
    click.echo(f"{families} of two or more documents, {counted(documents, 'document')} in all.")


def _shown_members(families: Sequence[Family]) -> Iterator[tuple[Family, str | None]]:
    """Yield the families and members of a table's rows; no member where there are more of one."""
    for family in families[:_MAX_FAMILIES_SHOWN]:
        members = family.members
        # A row that says "1 more" could show it.
        is_whole = len(members) <= _MAX_MEMBERS_SHOWN + 1
        shown = members if is_whole else members[:_MAX_MEMBERS_SHOWN]
        yield from ((family, id) for id in shown)
        if not is_whole:
            yield family, None


def _print_families(families: Sequence[Family], titles: Titles) -> None:
    """Print families as a table of their members; the first of each represents it."""
    rows = list(_shown_members(families))
    if not rows:
        return
    names = [
        "" if number and rows[number - 1][0] is family else family.name
        for number, (family, _) in enumerate(rows)
    ]
    ids = [
        Text(f"{len(family.members) - _MAX_MEMBERS_SHOWN:,} more", "dim") if id is None else id
        for family, id in rows
    ]
    shown = [id for _, id in rows]
    columns = [Column("family", names), Column("id", ids), *titles.columns(shown)]
    print_columns(columns, Console())
    _print_more(len(families))


def _print_more(count: int) -> None:
    if count > _MAX_FAMILIES_SHOWN:
        click.echo(f"... {count - _MAX_FAMILIES_SHOWN:,} more; --format json lists all")


def _print(report: FamiliesReport, titles: Titles) -> None:
    _print_families(report.families, titles)
    verb = "to write" if report.dry_run else "written"
    click.echo(
        f"{counted(report.documents, 'document')} processed, "
        f"{counted(len(report.families), 'family')} of two or more, "
        f"{counted(report.written, 'document')} {verb}."
    )
    _print_changes(report.changes)
    if report.resumed:
        click.echo(
            "Resumed a run that was interrupted: what was written since it had read all documents "
            "is left to the next run, other fields than the text to one with --all --fresh.",
            err=True,
        )
    _print_incomplete(report)
    if report.undated:
        click.echo(undated_line(report.undated), err=True)
    if report.valueless:
        click.echo(
            f"{counted(len(report.valueless), 'document')} without a value of {report.within!r}, "
            f"in no family with one that has: {listed(report.valueless, _MAX_LISTED)}.",
            err=True,
        )
    if report.parted:
        pairs = listed(tuple(" and ".join(ids) for ids in report.parted), _MAX_LISTED)
        count = len(report.parted)
        click.echo(
            f"{counted(count, 'joined pair')} with different values of {report.within!r} "
            f"{plural(count, 'stays', 'stay')} in two families: {pairs}.",
            err=True,
        )


def _print_changes(changes: FamilyChanges) -> None:
    """Print which families were joined or split."""
    lines = [f"{', '.join(names)} joined into {name}" for name, names in changes.joined.items()]
    lines += [f"{name} split into {', '.join(names)}" for name, names in changes.split.items()]
    for line in lines[:_MAX_FAMILIES_SHOWN]:
        click.echo(line)
    _print_more(len(lines))


def _print_incomplete(report: FamiliesReport) -> None:
    if report.skipped:
        click.echo(
            f"{counted(len(report.skipped), 'document')} skipped: changed meanwhile, or with "
            f"another text than the fingerprinted one: {listed(report.skipped, _MAX_LISTED)}. "
            "Run `es-simhash backfill --check`, then this command again.",
            err=True,
        )
    if report.truncated:
        count = len(report.truncated)
        click.echo(
            f"truncated: {counted(count, 'text')} {plural(count, 'has', 'have')} more candidates "
            f"than were examined: {listed(report.truncated, _MAX_LISTED)}.",
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
            count = counted(len(lifted), "undone decision")
            click.echo(f"Lifted {count} of run {lifted[0].run}.")
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
        titles = Titles()
        if output.output_format == "table":
            from es_simhash.cli.opened_index import read_titles

            titles = read_titles(client, target, (id for pair in pairs for id in pair.ids))
    output.print(
        lambda: [asdict(pair) for pair in pairs],
        lambda: map(_decision_row, pairs),
        lambda: print_pairs(pairs, titles),
    )


def _decision_row(pair: ManualPair) -> Row:
    a, b = pair.ids
    return {"a": a, "b": b, "reason": pair.reason, "run": pair.run}


def print_pairs(pairs: Sequence[ManualPair], titles: Titles) -> None:
    """Print what was decided about pairs, as a table with two rows for each."""
    if not pairs:
        click.echo("No decisions.")
        return
    ids = [id for pair in pairs for id in pair.ids]
    columns = [
        Column("reason", [cell for pair in pairs for cell in (pair.reason, "")]),
        Column("id", ids),
        *titles.columns(ids),
        Column("run", [cell for pair in pairs for cell in (pair.run, "")], may_lack=True),
    ]
    print_columns(columns, Console(), together=2)
