"""`es-simhash dismiss`: record that two documents are not versions."""

from typing import Any

import click

from es_simhash.cli.connection_options import client_of, connection_options
from es_simhash.cli.options import simhash_field_option
from es_simhash.families.dismissals import dismiss as dismiss_pair
from es_simhash.text.escaping import one_line


@click.command()
@click.argument("index")
@click.argument("a")
@click.argument("b")
@click.option("--undo", is_flag=True, help="Remove the dismissal.")
@simhash_field_option
@connection_options
def dismiss(index: str, a: str, b: str, undo: bool, simhash_field: str, **connection: Any) -> None:
    """Record that documents A and B are not versions.

    From the next `es-simhash families` on, they are never in one family, even if their texts
    change. Dismissals are stored in the index INDEX-simhash.
    """
    with client_of(**connection) as client:
        dismiss_pair(client, index, a, b, undo=undo, simhash_field=simhash_field)
    done = "Removed the dismissal of" if undo else "Dismissed"
    click.echo(
        f"{done} {one_line(a)} and {one_line(b)}. Run `es-simhash families {index}` to apply it."
    )
