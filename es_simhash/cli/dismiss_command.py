"""`es-simhash dismiss`: mark two documents as no versions of each other."""

from typing import Any

import click

from es_simhash.cli.options import client_of, connection_options, simhash_field_option
from es_simhash.cli.showing import printable
from es_simhash.families.dismissals import dismiss as dismiss_pair


@click.command()
@click.argument("index")
@click.argument("id_a")
@click.argument("id_b")
@click.option("--undo", is_flag=True, help="Withdraw the dismissal.")
@simhash_field_option
@connection_options
def dismiss(
    index: str, id_a: str, id_b: str, undo: bool, simhash_field: str, **connection: Any
) -> None:
    """Mark documents ID_A and ID_B of INDEX as no versions of each other.

    From the next `es-simhash families` on they are never of one family, whatever is written to
    them. The dismissal is stored in the state index INDEX-simhash.
    """
    with client_of(**connection) as client:
        dismiss_pair(client, index, id_a, id_b, undo=undo, simhash_field=simhash_field)
    what = "may be of one family again" if undo else "are not versions of each other"
    click.echo(
        f"{printable(id_a)} and {printable(id_b)} {what}; `es-simhash families {index}` applies it."
    )
