"""`es-simhash install`: add the fingerprint fields to an index."""

import json
from typing import Any

import click

from es_simhash.cli.options import client_of, connection_options, simhash_field_option
from es_simhash.installing import install as install_fields
from es_simhash.scheme import DEFAULT, Scheme


@click.command()
@click.argument("index")
@click.option(
    "--scheme", default=DEFAULT.name, show_default=True, help="Published name of the scheme."
)
@click.option("--dry-run", is_flag=True, help="Print the requests and send none that writes.")
@simhash_field_option
@connection_options
def install(index: str, scheme: str, dry_run: bool, simhash_field: str, **connection: Any) -> None:
    """Add the fingerprint fields to INDEX, which is created when there is none.

    Only fields are added, none of yours is touched; a second run changes nothing.
    """
    with client_of(**connection) as client:
        requests = install_fields(
            client, index, scheme=Scheme.parse(scheme), field=simhash_field, dry_run=dry_run
        )
    if dry_run:
        for request in requests:
            click.echo(f"{request.method} {request.path}")
            click.echo(json.dumps(request.body, indent=2, ensure_ascii=False))
    if not requests:
        click.echo(f"Index {index!r} has everything already; nothing to do.")
    elif not dry_run:
        click.echo(f"Index {index!r} has the fingerprint fields under {simhash_field!r}.")
