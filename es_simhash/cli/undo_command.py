"""`es-simhash undo`: revert what `ingest` or `sweep` decided about versions."""

from typing import Any

import click

from es_simhash.cli.options import (
    client_of,
    connection_options,
    format_option,
    index_config,
    note_overrides,
    simhash_field_option,
    text_field_option,
    vocabulary_option,
)
from es_simhash.cli.output import listed, print_json
from es_simhash.cli.progress import MAX_FAILURES_SHOWN
from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.undo import UndoReport
from es_simhash.ingestion.undo import undo as undo_decisions
from es_simhash.text.escaping import one_line

_MAX_RUNS_SHOWN = 5


@click.command()
@click.argument("index")
@click.argument("audit")
@click.option(
    "--run",
    show_default="the run of the log, if it is the only one",
    help="Id of the run to undo, or the beginning of it; `all` for all runs.",
)
@format_option
@text_field_option
@simhash_field_option
@vocabulary_option
@connection_options
def undo(
    index: str,
    audit: str,
    run: str | None,
    output_format: str,
    text_field: str | None,
    simhash_field: str,
    vocabulary: str | None,
    **connection: Any,
) -> None:
    """Restore what --on-version skipped or replaced.

    Also removes flags and links. AUDIT is the audit log of the run, a file or index:NAME; if it has
    several runs on INDEX, they are listed, and --run names one. An existing document is never
    overwritten, so running `undo` twice has the same effect as once.

    Later runs do not make these decisions again: `es-simhash families decisions INDEX` lists them,
    and `es-simhash families dismiss INDEX --undo A B` lifts one.
    """
    config = index_config(text_field, simhash_field, vocabulary)
    with client_of(**connection) as client:
        note_overrides(client, index, config)
        done = undo_decisions(client, index, audit, run=run, config=config)
    if output_format == "json":
        print_json(
            {
                "runs": list(done.runs),
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
            f"{len(done.failed)} documents could not be restored; {audit} still has them. "
            "Run the same command again."
        )


def _print(done: UndoReport) -> None:
    for id, reason in done.failed[:MAX_FAILURES_SHOWN]:
        click.echo(one_line(f"id {id}: {reason}"), err=True)
    unchanged = f", not marked {done.unchanged}" if done.unchanged else ""
    click.echo(
        f"Restored {done.restored}, already present {done.present}, "
        f"unmarked {done.unmarked}{unchanged}."
    )
    click.echo(f"Undone: run {listed(done.runs, _MAX_RUNS_SHOWN)}. No run decides the same again.")
