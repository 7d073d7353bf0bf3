"""`es-simhash upgrade`: bring an index to the fields and the scheme of this version."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click

from es_simhash.cli.commands import command
from es_simhash.cli.options import RUN, MaxLoad, Quiet, Target
from es_simhash.cli.progress import log_warnings, progress_bar, require_no_failures
from es_simhash.constraints import constraints
from es_simhash.maintenance.backfills.backfill_job import BackfillReport, BackfillSettings
from es_simhash.maintenance.upgrades.upgrade import UpgradeOptions, UpgradeReport
from es_simhash.maintenance.upgrades.upgrade import upgrade as upgrade_index
from es_simhash.text.counting import counted
from es_simhash.text.escaping import file_name


@command
def upgrade(
    target: Target,
    *,
    options: UpgradeOptions,
    settings: Annotated[BackfillSettings, constraints(group="Run"), RUN],
    max_load: MaxLoad = None,
    quiet: Quiet = False,
) -> None:
    """Bring INDEX to the fields and the scheme of this version while it is in use.

    Installs the fields that INDEX lacks and fingerprints its documents, as install and backfill do.
    \f

    Where its scheme differs, the documents get a second object `simhash_2`, with their families and
    flags; when each of them has it, one request to the mapping makes it the one that counts, also
    for running services. A run that was interrupted or killed resumes when it is started again;
    --revert leads back to the earlier scheme, until --finish removes its fields.
    """
    log_warnings()
    index = target.index
    settings = replace(
        settings, failures=settings.failures or Path(f"{file_name(index)}.failures.jsonl")
    )
    with target.connected(max_load=max_load) as client, progress_bar(quiet=quiet) as bar:

        def update(report: BackfillReport) -> None:
            bar("documents", report.done, report.total)

        done = upgrade_index(
            client,
            index,
            options=options,
            config=target.config,
            settings=replace(settings, report=update),
        )
    click.echo(_planned(done, index) if options.dry_run else _summary(done, index))
    require_no_failures(done.failed, settings.failures)


def _planned(report: UpgradeReport, index: str) -> str:
    sentence = f"{counted(report.written, 'document')} of index {index!r} would be fingerprinted"
    if report.field == report.field_before:
        return f"{sentence}. Its scheme is {report.after} already."
    return (
        f"{sentence} under {report.field!r} with scheme {report.after}; then that would count in "
        f"place of {report.field_before!r} with scheme {report.before}."
    )


def _summary(report: UpgradeReport, index: str) -> str:
    counts = (
        f"{report.written} written, {report.carried} with their family or flag carried over, "
        f"{report.emptied} emptied, {report.failed} failed"
    )
    if report.field == report.field_before:
        if not (report.written or report.emptied or report.failed):
            return f"Index {index!r} has scheme {report.after} already; nothing to do."
        return f"Index {index!r} has scheme {report.after}: {counts}."
    return (
        f"Index {index!r} has scheme {report.after} under {report.field!r} in place of "
        f"{report.before} under {report.field_before!r}: {counts}."
    )
