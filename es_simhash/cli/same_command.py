"""`es-simhash same`: record that documents are versions."""

from typing import Any

import click

from es_simhash.cli.connection_options import client_of, connection_options
from es_simhash.cli.options import simhash_field_option
from es_simhash.cli.output import format_option
from es_simhash.cli.settled_tables import print_pairs
from es_simhash.maintenance.families.dismissals_and_joins import ManualPair, join, manual_pairs
from es_simhash.relation.manual_pairs import JoinedGroups
from es_simhash.text.escaping import one_line


@click.command()
@click.argument("index")
@click.argument("ids", nargs=-1)
@click.option("--undo", is_flag=True, help="Remove the joins among these documents.")
@click.option("--replace", is_flag=True, help="Remove dismissals that say the opposite.")
@click.option("--list", "is_list", is_flag=True, help="List what was joined.")
@format_option
@simhash_field_option
@connection_options
def same(
    index: str,
    ids: tuple[str, ...],
    undo: bool,
    replace: bool,
    is_list: bool,
    output_format: str,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Record that the documents IDS are versions.

    From then on `related` returns each as a version of the others, `ingest` and `sweep` decide that
    it is one, and the next `es-simhash families` puts them into one family, with the families they
    are from, even if their texts change. Joins are stored in the index INDEX-simhash, as what
    `es-simhash dismiss` stores; --list shows them, with --format as a table or JSON.
    """
    if is_list and (ids or undo or replace):
        raise click.UsageError("--list takes no documents, no --undo and no --replace.")
    if undo and replace:
        raise click.UsageError("--undo removes joins and --replace dismissals; give one of them.")
    if not is_list and len(ids) < 2:
        raise click.UsageError("Give the ids of two documents or more, or --list.")
    with client_of(**connection) as client:
        if is_list:
            pairs = manual_pairs(client, index, simhash_field=simhash_field)
            joined = [pair for pair in pairs if pair.reason == "joined"]
            print_pairs(joined, output_format, "No joins.")
            return
        changed = join(client, index, ids, undo=undo, replace=replace, simhash_field=simhash_field)
        left = manual_pairs(client, index, simhash_field=simhash_field) if undo else []
    _print_changed(changed, index, undo=undo)
    _print_still_joined(changed, left)


def _print_changed(changed: list[ManualPair], index: str, *, undo: bool) -> None:
    pairs = ", ".join(" and ".join(map(one_line, pair.ids)) for pair in changed)
    done = "Removed the join of" if undo else "Joined"
    click.echo(f"{done} {pairs}. Run `es-simhash families {index}` to apply it to families.")


def _print_still_joined(removed: list[ManualPair], left: list[ManualPair]) -> None:
    """Print which documents are joined over others all the same."""
    groups = JoinedGroups(pair.ids for pair in left if pair.reason == "joined")
    for pair in removed:
        if path := groups.path(*pair.ids):
            between = ", ".join(map(one_line, path[1:-1]))
            names = " and ".join(map(one_line, pair.ids))
            click.echo(f"{names} are still joined over {between}.", err=True)
