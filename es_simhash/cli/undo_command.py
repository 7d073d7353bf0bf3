"""`es-simhash undo`: revert what `ingest` or `sweep` decided about versions."""

from dataclasses import asdict

import click

from es_simhash.cli.commands import command
from es_simhash.cli.options import TableOrJson, Target
from es_simhash.cli.output import listed, print_json
from es_simhash.cli.progress import MAX_FAILURES_SHOWN
from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.undo import UndoReport
from es_simhash.ingestion.undo import undo as undo_decisions
from es_simhash.text.counting import counted, plural
from es_simhash.text.escaping import one_line

_MAX_RUNS_SHOWN = 5


@command
def undo(
    target: Target, audit: str, *, run: str | None = None, output_format: TableOrJson = "table"
) -> None:
    """Restore what --on-version skipped or replaced.

    Also removes flags and links. AUDIT is the audit log of the run, a file or index:NAME; if it has
    several runs on INDEX, they are listed, and --run names one. An existing document is never
    overwritten, so running `undo` twice has the same effect as once.

    Later runs do not make these decisions again: `es-simhash families decisions INDEX` lists them,
    and `es-simhash families dismiss INDEX --undo A B` lifts one.

    Args:
        run: Id of the run to undo, or the beginning of it; `all` for all runs; None for the run of
            the log, if it is the only one.
    """
    with target.connected() as client:
        done = undo_decisions(client, target.index, audit, run=run, config=target.config)
    if output_format == "json":
        failed = [{"id": id, "reason": reason} for id, reason in done.failed]
        print_json({**asdict(done), "failed": failed})
    else:
        _print(done)
    if done.failed:
        raise EsSimhashError(
            f"{counted(len(done.failed), 'document')} could not be restored or unmarked, and "
            f"{audit} still has {plural(len(done.failed), 'it', 'them')}. Run the same command "
            "again."
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
