"""`es-simhash dismiss`: remember that two documents are not versions."""

from typing import Any

import click

from es_simhash.cli.options import client_of, connection_options, simhash_field_option
from es_simhash.cli.showing import printable
from es_simhash.families.dismissals import dismiss as dismiss_pair


@click.command()
@click.argument("index")
@click.argument("one")
@click.argument("other")
@click.option("--undo", is_flag=True, help="Take the dismissal back.")
@simhash_field_option
@connection_options
def dismiss(
    index: str, one: str, other: str, undo: bool, simhash_field: str, **connection: Any
) -> None:
    """Remember that documents ONE and OTHER of INDEX are not versions of each other.

    From the next `es-simhash families` on they are never of one family, whatever is written to
    them. It is kept in the index INDEX-simhash, beside yours.
    """
    with client_of(**connection) as client:
        dismiss_pair(client, index, one, other, undo=undo, simhash_field=simhash_field)
    what = "may be of one family again" if undo else "are not versions of each other"
    click.echo(
        f"{printable(one)} and {printable(other)} {what}; `es-simhash families {index}` applies it."
    )
