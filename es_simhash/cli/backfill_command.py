"""`es-simhash backfill`: add our fields to the documents an index has already."""

import json
import logging
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.progress import Progress as Bar

from es_simhash.backfills.backfill import backfill as backfill_index
from es_simhash.backfills.estimate import Estimate, estimate
from es_simhash.backfills.job import Selection
from es_simhash.backfills.prune import prune, require_sidecar_of
from es_simhash.backfills.report import BackfillReport
from es_simhash.backfills.run import BackfillSettings
from es_simhash.bulk.outcome import Outcome
from es_simhash.cli.bars import documents_bar, show_report
from es_simhash.cli.options import (
    client_of,
    connection_options,
    failures_option,
    max_docs_per_second_option,
    processes_option,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.semantic_options import vocabulary_option
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.errors import EsSimhashError, InputError
from es_simhash.storage.config import IndexConfig
from es_simhash.text.escaping import file_name, printable

# More failures are in the file only.
SHOWN_FAILURES = 10
_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


@click.command()
@click.argument("index")
@text_field_option
@simhash_field_option
@click.option("--where", help="Elasticsearch query that the documents must match, as JSON.")
@click.option(
    "--check",
    is_flag=True,
    help="Look at documents with fingerprints too; renew them where the text was changed.",
)
@click.option(
    "--sidecar", help="Index to write the fields to, in place of INDEX; made when there is none."
)
@click.option(
    "--prune",
    "prunes",
    is_flag=True,
    help="At the end, delete from the sidecar what is no longer in INDEX.",
)
@vocabulary_option
@max_docs_per_second_option
@processes_option
@failures_option
@click.option("--dry-run", is_flag=True, help="Print what it will take, from a sample; no write.")
@click.option("--quiet", is_flag=True, help="Show no progress, only failures and the summary.")
@connection_options
def backfill(
    index: str,
    text_field: str,
    simhash_field: str,
    where: str | None,
    check: bool,
    sidecar: str | None,
    prunes: bool,
    vocabulary: str | None,
    max_docs_per_second: float | None,
    processes: int,
    failures: Path | None,
    dry_run: bool,
    quiet: bool,
    **connection: Any,
) -> None:
    """Add fingerprints, and what texts are about, to documents INDEX has already, while in use.

    Only our fields are written, and never over a newer state of a document. Documents that have
    them are passed over, so that a run that was interrupted or killed goes on when it is started
    again, and a second run writes nothing. Texts that were changed since are found with --check.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    if prunes and sidecar is None:
        raise InputError("--prune deletes from a sidecar; name it with --sidecar.")
    settings = BackfillSettings(processes=processes, max_docs_per_second=max_docs_per_second)
    config = IndexConfig(text_field=text_field, simhash_field=simhash_field, vocabulary=vocabulary)
    target: dict[str, Any] = {
        "config": config,
        "selection": Selection(_query(where), check),
        "sidecar": sidecar,
    }
    with client_of(**connection) as client:
        if prunes:
            require_sidecar_of(client, index, str(sidecar), config)
        if dry_run:
            _print_estimate(estimate(client, index, **target, settings=settings), index)
        else:
            path = failures or Path(f"{file_name(index)}.failures.jsonl")
            _run(client, index, target, replace(settings, failures=path), quiet=quiet)
        if prunes:
            _prune(client, index, str(sidecar), config, dry_run=dry_run)


def _prune(client: Client, index: str, sidecar: str, config: IndexConfig, *, dry_run: bool) -> None:
    if dry_run and not Gateway.of(client).exists(sidecar):
        return
    count = prune(client, index, sidecar, config=config, dry_run=dry_run)
    done = "would be deleted" if dry_run else "deleted"
    click.echo(f"{count} documents of {sidecar!r} {done}, as they are no longer in {index!r}.")


def _query(value: str | None) -> dict[str, Any] | None:
    if value is None:
        return None
    try:
        parsed = json.loads(value)
    except ValueError as error:
        raise InputError(
            f"--where is no JSON ({error}); give an Elasticsearch query such as "
            '\'{"term": {"lang": "en"}}\'.'
        ) from error
    if not isinstance(parsed, dict):
        raise InputError(f"--where holds {type(parsed).__name__}, not an Elasticsearch query.")
    return parsed


def _run(
    client: Client,
    index: str,
    target: dict[str, Any],
    settings: BackfillSettings,
    *,
    quiet: bool,
) -> None:
    now: BackfillReport | None = None
    with documents_bar("backfill", quiet=quiet) as bar:

        def report(current: BackfillReport) -> None:
            nonlocal now
            now = current
            show_report(bar, current)

        outcomes = backfill_index(
            client, index, **target, settings=replace(settings, report=report)
        )
        try:
            # Closed here, so that Ctrl-C ends the threads before the client.
            with closing(outcomes):  # type: ignore[type-var]
                _show_failures(outcomes, bar)
        finally:
            bar.stop()
            if now is not None:
                click.echo(_summary(now))
    failed = now.counts["failed"] if now else 0
    if failed:
        raise EsSimhashError(
            f"{failed} documents could not be enriched; "
            f"{settings.failures} has each with its reason."
        )


def _show_failures(outcomes: Iterable[Outcome], bar: Bar) -> None:
    failed = 0
    for each in outcomes:
        if each.ok:
            continue
        failed += 1
        if failed <= SHOWN_FAILURES:
            line = printable(f"{each.index} (id {each.id}): {each.reason}")
            bar.console.print(line, markup=False, highlight=False, soft_wrap=True)


def _summary(report: BackfillReport) -> str:
    counts = report.to_dict()
    return (
        f"{counts['written']} written, {counts['unchanged']} unchanged, "
        f"{counts['without_text']} without text, {counts['gone']} deleted meanwhile, "
        f"{counts['failed']} failed in {counts['seconds']:.1f} s "
        f"({report.rate:.0f} documents/s), run {report.run}"
    )


def _print_estimate(found: Estimate, index: str) -> None:
    click.echo(
        f"{found.documents} documents of {index!r} would be looked at; of a sample of "
        f"{found.sampled} {found.with_text} can be fingerprinted."
    )
    click.echo(
        f"Time: about {_duration(found.seconds)} ({found.documents_per_second:.0f} documents/s)."
    )
    click.echo(
        f"Disk: about {_size(found.bytes_added)} more in the end "
        f"({_size(found.bytes_a_document)} a document of text), on each copy of a shard."
    )
    if found.bytes_held is None:
        click.echo("While it runs, the old states of the documents are held as well.")
    elif found.bytes_held:
        click.echo(
            f"While it runs, up to {_size(found.bytes_held)} more for the old states of the "
            "documents, until they are merged away."
        )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _size(count: int) -> str:
    for unit, name in _UNITS:
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count} bytes"
