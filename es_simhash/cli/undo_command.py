"""`es-simhash undo`: take back what `ingest` or `sweep` decided about versions."""

from typing import Any

import click

from es_simhash.cli.options import (
    client_of,
    connection_options,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.showing import format_option, print_json, printable
from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.undo import UndoReport
from es_simhash.ingestion.undo import undo as undo_decisions
from es_simhash.storage.config import IndexConfig

_SHOWN = 10


@click.command()
@click.argument("index")
@click.argument("audit")
@click.option("--run", help="Id of the one run to undo; default: all in the log.")
@format_option
@text_field_option
@simhash_field_option
@connection_options
def undo(
    index: str,
    audit: str,
    run: str | None,
    form: str,
    text_field: str,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Put back what --on-version skipped or replaced in INDEX, and take marks away.

    AUDIT is the audit log of the run, a file or index:NAME. Documents that are there are left as
    they are, so that it does no harm to do it twice.
    """
    config = IndexConfig(text_field=text_field, simhash_field=simhash_field)
    with client_of(**connection) as client:
        done = undo_decisions(client, index, audit, run=run, config=config)
    if form == "json":
        print_json(
            {
                "restored": done.restored,
                "present": done.present,
                "unmarked": done.unmarked,
                "unchanged": done.unchanged,
                "failed": [{"id": id, "reason": reason} for id, reason in done.failed],
            }
        )
    else:
        _print(done)
    if done.failed:
        raise EsSimhashError(
            f"{len(done.failed)} documents could not be put back; {audit} still has them."
        )


def _print(done: UndoReport) -> None:
    for id, reason in done.failed[:_SHOWN]:
        click.echo(printable(f"id {id}: {reason}"), err=True)
    click.echo(
        f"{done.restored} documents put back, {done.present} were there already; "
        f"marks taken from {done.unmarked}, {done.unchanged} had none."
    )
