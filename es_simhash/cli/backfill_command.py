"""`es-simhash backfill`: fingerprint the documents of an index."""

import logging
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.progress import Progress

from es_simhash.cli.options import (
    client_of,
    connection_options,
    described_options,
    index_config,
    note_overrides,
    options_of,
    quiet_option,
    run_options,
    simhash_field_option,
    text_field_option,
    vocabulary_option,
)
from es_simhash.cli.output import byte_size, duration
from es_simhash.cli.progress import (
    MAX_FAILURES_SHOWN,
    documents_progress,
    print_failure,
    require_no_failures,
    update_progress,
)
from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.outcomes import Outcome
from es_simhash.maintenance.backfills.backfill import backfill as backfill_index
from es_simhash.maintenance.backfills.backfill_job import (
    BackfillReport,
    BackfillSettings,
    Selection,
)
from es_simhash.maintenance.backfills.estimate import Estimate, estimate
from es_simhash.maintenance.backfills.prune import prune, require_sidecar_of
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.text.escaping import file_name


@click.command()
@click.argument("index")
@text_field_option
@simhash_field_option
@described_options(Selection)
@click.option(
    "--sidecar",
    help="Index to write the fields to instead of INDEX; created if it does not exist.",
)
@click.option(
    "--prune",
    "prunes",
    is_flag=True,
    help="At the end, delete documents of the sidecar that are no longer in INDEX.",
)
@vocabulary_option
@run_options
@click.option(
    "--dry-run", is_flag=True, help="Estimate time and disk from a sample; write nothing."
)
@quiet_option
@connection_options
def backfill(
    index: str,
    text_field: str | None,
    simhash_field: str,
    sidecar: str | None,
    prunes: bool,
    vocabulary: str | None,
    dry_run: bool,
    quiet: bool,
    **values: Any,
) -> None:
    """Fingerprint the documents INDEX already has.

    Adds fingerprints and semantic features while the index is in use. Only the `simhash.*` fields
    are written, and never over a newer version of a document. Documents that have them are skipped,
    so that a run that was interrupted or killed resumes when it is started again, and a second run
    writes nothing. Use --check to find changed texts.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    if prunes and sidecar is None:
        raise InputError("--prune requires a sidecar index. Set sidecar.", parameter="sidecar")
    failures_file = values.pop("failures") or Path(f"{file_name(index)}.failures.jsonl")
    settings = options_of(BackfillSettings, values)
    config = index_config(text_field, simhash_field, vocabulary)
    target: dict[str, Any] = {
        "config": config,
        "selection": options_of(Selection, values),
        "sidecar": sidecar,
    }
    with client_of(**values) as client:
        note_overrides(client, sidecar or index, config)
        if prunes:
            require_sidecar_of(client, index, str(sidecar), config)
        failed = 0
        if dry_run:
            _print_estimate(estimate(client, index, **target, settings=settings), index)
        else:
            settings = replace(settings, failures=failures_file)
            failed = _run(client, index, target, settings, quiet=quiet)
        if prunes:
            _prune(client, index, str(sidecar), config, dry_run=dry_run)
    require_no_failures(failed, failures_file)


def _prune(client: Client, index: str, sidecar: str, config: IndexConfig, *, dry_run: bool) -> None:
    if dry_run and not Gateway.of(client).exists(sidecar):
        return
    report = prune(client, index, sidecar, config=config, dry_run=dry_run)
    verb = "Would delete" if dry_run else "Deleted"
    click.echo(f"{verb} {report.deleted} documents of {sidecar!r} that are no longer in {index!r}.")
    if report.changed:
        click.echo(f"Skipped {report.changed} that changed meanwhile. Prune again.")
    if report.foreign:
        click.echo(f"Left {report.foreign} that no backfill wrote.")


def _run(
    client: Client,
    index: str,
    target: dict[str, Any],
    settings: BackfillSettings,
    *,
    quiet: bool,
) -> int:
    """Backfill with progress and a summary, and return how many documents failed."""
    latest: BackfillReport | None = None
    with documents_progress("backfill", quiet=quiet) as progress:

        def update(report: BackfillReport) -> None:
            nonlocal latest
            latest = report
            update_progress(progress, report)

        outcomes = backfill_index(
            client, index, **target, settings=replace(settings, report=update)
        )
        try:
            # Closed here, so that Ctrl-C ends the threads before the client.
            with closing(outcomes):  # type: ignore[type-var]
                _print_failures(outcomes, progress)
        finally:
            progress.stop()
            if latest is not None:
                click.echo(_summary(latest))
    return latest.counts["failed"] if latest else 0


def _print_failures(outcomes: Iterable[Outcome], progress: Progress) -> None:
    failed = 0
    for outcome in outcomes:
        failed += not outcome.ok
        if not outcome.ok and failed <= MAX_FAILURES_SHOWN:
            print_failure(progress, f"{outcome.index} (id {outcome.id}): {outcome.reason}")


def _summary(report: BackfillReport) -> str:
    counts = report.to_dict()
    return (
        f"{counts['written']} written, {counts['unchanged']} unchanged, "
        f"{counts['without_text']} without text, {counts['gone']} deleted during the run, "
        f"{counts['failed']} failed in {counts['seconds']:.1f} s "
        f"({report.rate:.0f} documents/s), run {report.run}"
    )


def _print_estimate(estimated: Estimate, index: str) -> None:
    click.echo(
        f"Documents: {estimated.documents} of {index!r} to process; {estimated.with_text} of "
        f"{estimated.sampled} sampled have a text to fingerprint."
    )
    click.echo(
        f"Time: about {duration(estimated.seconds)} "
        f"({estimated.documents_per_second:.0f} documents/s)."
    )
    click.echo(
        f"Disk: about {byte_size(estimated.bytes_added)} more after the run "
        f"({byte_size(estimated.bytes_a_document)} per document with a text), on each shard copy."
    )
    if estimated.bytes_held is None:
        click.echo(
            "During the run, the replaced versions of the documents use disk as well "
            "(size unknown: the privilege `monitor` is missing)."
        )
    elif estimated.bytes_held:
        click.echo(
            f"During the run, up to {byte_size(estimated.bytes_held)} more for the replaced "
            "versions of the documents, until their segments are merged."
        )
