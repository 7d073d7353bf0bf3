"""`es-simhash backfill`: fingerprint the documents of an index."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import click

from es_simhash.cli.commands import command
from es_simhash.cli.options import RUN, MaxLoad, MetricsFile, Quiet, Target
from es_simhash.cli.output import byte_size, duration
from es_simhash.cli.progress import log_warnings, progress_bar, require_no_failures
from es_simhash.cli.run_metrics import RunCounts, RunMetrics
from es_simhash.constraints import constraints
from es_simhash.errors import InputError
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
from es_simhash.text.counting import counted
from es_simhash.text.escaping import file_name


@command
def backfill(
    target: Target,
    *,
    selection: Selection,
    sidecar: str | None = None,
    prunes: Annotated[bool, constraints(called="prune")] = False,
    settings: Annotated[BackfillSettings, RUN],
    dry_run: bool = False,
    max_load: MaxLoad = None,
    metrics: MetricsFile = None,
    quiet: Quiet = False,
) -> None:
    """Fingerprint the documents INDEX already has.

    Adds fingerprints and semantic features while the index is in use. Only the `simhash.*` fields
    are written, and never over a newer version of a document. Documents that have them are skipped,
    so that a run that was interrupted or killed resumes when it is started again, and a second run
    writes nothing. Use --check to find changed texts.

    Args:
        sidecar: Index to write the fields to instead of INDEX; created if it does not exist.
        prunes: At the end, delete documents of the sidecar that are no longer in INDEX.
        dry_run: Estimate time and disk from a sample; write nothing.
    """
    log_warnings()
    if prunes and sidecar is None:
        raise InputError("--prune requires a sidecar index. Set sidecar.", parameter="sidecar")
    index, config = target.index, target.config
    settings = replace(
        settings, failures=settings.failures or Path(f"{file_name(index)}.failures.jsonl")
    )
    runs = RunMetrics(metrics, "backfill", index)
    job: dict[str, Any] = {"config": config, "selection": selection, "sidecar": sidecar}
    with replace(target, index=sidecar or index).connected(max_load=max_load) as client:
        if prunes:
            require_sidecar_of(client, index, str(sidecar), config)
        failed = 0
        if dry_run:
            unlogged = replace(settings, failures=None)
            _print_estimate(estimate(client, index, **job, settings=unlogged), index)
        else:
            failed = _run(client, index, job, settings, runs=runs, quiet=quiet)
        if prunes:
            _prune(client, index, str(sidecar), config, dry_run=dry_run)
    require_no_failures(failed, settings.failures)


def _prune(client: Client, index: str, sidecar: str, config: IndexConfig, *, dry_run: bool) -> None:
    if dry_run and not Gateway.of(client).exists(sidecar):
        return
    report = prune(client, index, sidecar, config=config, dry_run=dry_run)
    verb = "Would delete" if dry_run else "Deleted"
    deleted = counted(report.deleted, "document")
    click.echo(f"{verb} {deleted} of {sidecar!r} no longer in {index!r}.")
    if report.changed:
        click.echo(f"Skipped {report.changed} that changed meanwhile. Prune again.")
    if report.foreign:
        click.echo(f"Left {report.foreign} that no backfill wrote.")


def _run(
    client: Client,
    index: str,
    job: dict[str, Any],
    settings: BackfillSettings,
    *,
    runs: RunMetrics,
    quiet: bool,
) -> int:
    """Backfill with progress and a summary, and return how many documents failed."""
    latest: BackfillReport | None = None

    def counts() -> RunCounts:
        return RunCounts({} if latest is None else latest.counts)

    with runs.run(counts), progress_bar(quiet=quiet) as bar:

        def update(report: BackfillReport) -> None:
            nonlocal latest
            latest = report
            bar("documents", report.done, report.total)

        outcomes = backfill_index(client, index, **job, settings=replace(settings, report=update))
        try:
            # Closed here, so that Ctrl-C ends the threads before the client.
            with closing(outcomes):  # type: ignore[type-var]
                for outcome in outcomes:
                    if not outcome.ok:
                        bar.print_failure(f"{outcome.index} (id {outcome.id}): {outcome.reason}")
        finally:
            bar.close()
            if latest is not None:
                click.echo(_summary(latest))
    return latest.counts["failed"] if latest else 0


def _summary(report: BackfillReport) -> str:
    counts = report.to_dict()
    return (
        f"{counts['written']} written, {counts['unchanged']} unchanged, "
        f"{counts['without_text']} without text, {counts['gone']} deleted during the run, "
        f"{counts['failed']} failed in {counts['seconds']:.1f} s "
        f"({counted(round(report.rate), 'document')}/s), run {report.run}"
    )


def _print_estimate(estimated: Estimate, index: str) -> None:
    click.echo(
        f"Documents: {estimated.documents} of {index!r} to process; {estimated.with_text} of "
        f"{estimated.sampled} sampled have a text to fingerprint."
    )
    click.echo(
        f"Time: about {duration(estimated.seconds)} "
        f"({counted(round(estimated.documents_per_second), 'document')}/s)."
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
