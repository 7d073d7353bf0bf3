"""`es-simhash uninstall`: remove what was put into an index."""

import json
import sys
from typing import Any

import click

from es_simhash.cli.commands import command
from es_simhash.cli.options import StoredTarget
from es_simhash.cli.output import require_yes
from es_simhash.errors import InputError
from es_simhash.store.installation.uninstall import UninstallReport
from es_simhash.store.installation.uninstall import uninstall as uninstall_fields
from es_simhash.text.counting import counted


@command
def uninstall(
    target: StoredTarget, *, shared: bool = False, yes: bool = False, dry_run: bool = False
) -> None:
    """Remove what was put into INDEX and say what cannot be removed.

    The `simhash.*` fields are taken from all documents, with families and flags; INDEX-simhash with
    manual decisions is deleted, and so are the entries of the mapping, of index templates and of
    pipeline settings. A sidecar is deleted. Documents that --on-version skipped or replaced are
    only in the audit log: run `es-simhash undo` first.

    Args:
        shared: Also delete the component template simhash@mappings and the pipeline
            simhash@pipeline, which all indices share.
        yes: Do not ask.
        dry_run: Print what would be removed; remove nothing.
    """
    index = target.index
    with target.connected() as client:
        options: dict[str, Any] = {"simhash_field": target.simhash_field, "shared": shared}
        planned = uninstall_fields(client, index, **options, dry_run=True)
        if dry_run:
            _print_plan(planned, index)
            return
        if not yes:
            _ask(planned, index)
        done = uninstall_fields(client, index, **options)
    click.echo(f"Took the fields from {counted(done.documents, 'document')} of index {index!r}.")
    for request in done.requests:
        click.echo(f"{request.method} {request.path}")
    for sentence in done.left:
        click.echo(sentence)


def _ask(planned: UninstallReport, index: str) -> None:
    documents = counted(planned.documents, "document")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(
            f"uninstall removes the fields of {documents} of {index!r}. "
            "Give --yes, or --dry-run to see the requests."
        )
    require_yes(
        f"Remove the fields of {documents} of {index!r}, with families and manual decisions",
        "Nothing was removed.",
    )


def _print_plan(planned: UninstallReport, index: str) -> None:
    click.echo(f"Documents of index {index!r} whose fields would be removed: {planned.documents}.")
    for request in planned.requests:
        click.echo(f"{request.method} {request.path}")
        if request.body:
            click.echo(json.dumps(request.body, indent=2, ensure_ascii=False))
    for sentence in planned.left:
        click.echo(sentence)
