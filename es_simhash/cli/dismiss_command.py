"""`es-simhash dismiss`: record that two documents are not versions."""

from typing import Any

import click

from es_simhash.cli.connection_options import client_of, connection_options
from es_simhash.cli.options import simhash_field_option
from es_simhash.cli.output import format_option
from es_simhash.cli.settled_tables import print_pairs
from es_simhash.maintenance.families.dismissals_and_joins import dismiss as dismiss_pair
from es_simhash.maintenance.families.dismissals_and_joins import lift_undone, manual_pairs
from es_simhash.text.escaping import one_line


@click.command()
@click.argument("index")
@click.argument("a", required=False)
@click.argument("b", required=False)
@click.option("--undo", is_flag=True, help="Remove the dismissal, or lift the undone decision.")
@click.option("--replace", is_flag=True, help="Remove the join that says the opposite.")
@click.option("--run", help="With --undo: lift all undone decisions of the run of this id.")
@click.option("--list", "is_list", is_flag=True, help="List dismissals and undone decisions.")
@format_option
@simhash_field_option
@connection_options
def dismiss(
    index: str,
    a: str | None,
    b: str | None,
    undo: bool,
    replace: bool,
    run: str | None,
    is_list: bool,
    output_format: str,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Record that documents A and B are not versions.

    From then on `related` does not return one as a version of the other, `ingest` and `sweep` do
    not decide that one is, and the next `es-simhash families` puts them into two families, even if
    their texts change. Dismissals are stored in the index INDEX-simhash.

    Decisions that `es-simhash undo` reverted are stored there too, and are not made again. --list
    shows both, with --format as a table or JSON; --undo removes one.
    """
    _require_one_use(a, b, undo=undo, run=run, is_list=is_list)
    if replace and (undo or is_list or run is not None):
        raise click.UsageError("--replace removes joins; give it with A and B alone.")
    with client_of(**connection) as client:
        if is_list:
            pairs = manual_pairs(client, index, simhash_field=simhash_field)
            noted = [pair for pair in pairs if pair.reason != "joined"]
            print_pairs(noted, output_format, "No dismissals and no undone decisions.")
        elif run is not None:
            lifted = lift_undone(client, index, run, simhash_field=simhash_field)
            click.echo(f"Lifted {len(lifted)} undone decisions of run {lifted[0].run}.")
        else:
            assert a is not None
            assert b is not None
            dismiss_pair(
                client, index, a, b, undo=undo, replace=replace, simhash_field=simhash_field
            )
            click.echo(_done(index, (a, b), undo=undo))


def _require_one_use(
    a: str | None, b: str | None, *, undo: bool, run: str | None, is_list: bool
) -> None:
    if is_list and (a is not None or undo or run is not None):
        raise click.UsageError("--list takes no documents, no --undo and no --run.")
    if run is not None and (a is not None or not undo):
        raise click.UsageError("--run takes no documents and needs --undo.")
    if not is_list and run is None and b is None:
        raise click.UsageError("Give the ids A and B of two documents, or --list.")


def _done(index: str, ids: tuple[str, str], *, undo: bool) -> str:
    done = "Removed the dismissal of" if undo else "Dismissed"
    return (
        f"{done} {one_line(ids[0])} and {one_line(ids[1])}. "
        f"Run `es-simhash families {index}` to apply it to families."
    )
