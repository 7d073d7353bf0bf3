"""`es-simhash sweep`: process what other programs wrote to an index."""

import json
import logging
import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from es_simhash.cli.files import append_changes, changes_file_option, require_writable
from es_simhash.cli.on_version_options import on_version_of, on_version_options
from es_simhash.cli.options import (
    client_of,
    connection_options,
    described_options,
    format_option,
    index_config,
    note_overrides,
    options_of,
    quiet_option,
    run_options,
    simhash_field_option,
    text_field_option,
    vocabulary_option,
)
from es_simhash.cli.output import now, undated_line
from es_simhash.cli.progress import documents_progress, require_no_failures, update_progress
from es_simhash.errors import ClusterError, FileInUse
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.sweeps.sweep import SweepReport, SweepSettings
from es_simhash.maintenance.sweeps.sweep import sweep as sweep_index
from es_simhash.text.escaping import file_name

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def _seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Return the seconds of a duration such as 60s or 5m."""
    if value is None:
        return None
    duration = re.fullmatch(r"([0-9]+)([smhd])", value)
    if duration is None or not int(duration[1]):
        raise click.BadParameter(f"{value!r} is not a duration. Give one such as 60s, 5m or 2h.")
    return float(int(duration[1]) * _SECONDS[duration[2]])


@click.command()
@click.argument("index")
@click.option(
    "--every",
    callback=_seconds,
    metavar="DURATION",
    help="Repeat the sweep at this interval, such as 60s, 5m, 2h or 1d.",
)
@on_version_options
@described_options(FamilyOptions, only=("representative",))
@text_field_option
@simhash_field_option
@vocabulary_option
@run_options
@changes_file_option
@format_option
@quiet_option
@connection_options
def sweep(
    index: str,
    every: float | None,
    text_field: str | None,
    simhash_field: str,
    vocabulary: str | None,
    changes_file: Path | None,
    output_format: str,
    quiet: bool,
    **values: Any,
) -> None:
    """Process what was written since the last sweep.

    Follows what any program writes to INDEX: documents without fingerprints get them, documents
    whose text has changed get new ones, and all get families. With --on-version, a new document
    that is a version of another of its family is flagged, linked, or deleted (`skip`; `replace`
    deletes the one that --keep does not select). Each decision is recorded in the audit log, and
    `es-simhash undo` reverts it.

    The first sweep processes all documents and deletes none. A sweep that was killed is repeated
    by the next.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    date_field, representative = values["date_field"], values.pop("representative")
    rules = on_version_of(values)
    families = FamilyOptions(representative, date_field) if representative else None
    config = index_config(text_field, simhash_field, vocabulary)
    require_writable(changes_file)
    failures_file = values.pop("failures") or Path(f"{file_name(index)}.failures.jsonl")
    settings = options_of(SweepSettings, values, failures=failures_file)
    with client_of(**values) as client:
        note_overrides(client, index, config, date=date_field, representative=representative)

        def once() -> SweepReport:
            with documents_progress("sweep", quiet=quiet) as progress:
                report = sweep_index(
                    client,
                    index,
                    on_version=rules,
                    families=families,
                    config=config,
                    settings=replace(settings, report=partial(update_progress, progress)),
                )
            if report.families is not None:
                append_changes(changes_file, index, report.families.changes)
            return report

        failed = _print(once(), output_format)
        if every is None:
            require_no_failures(failed, failures_file)
        while every is not None:
            time.sleep(every)
            _repeat(once, output_format)


def _repeat(once: Callable[[], SweepReport], output_format: str) -> None:
    """Sweep once more; what passes by itself is logged, and the sweep left to the next interval.

    That is an unreachable cluster, or an audit log that another command writes at this moment.
    """
    try:
        _print(once(), output_format)
    except (ClusterError, FileInUse) as error:
        # Other subclasses are errors that need intervention.
        if type(error) not in (ClusterError, FileInUse):
            raise
        click.echo(f"{now()}  {error}", err=True)


def _print(report: SweepReport, output_format: str) -> int:
    """Print the report of a sweep; return the number of documents that failed."""
    if output_format == "json":
        # One line for each sweep, as in a log.
        click.echo(json.dumps({"time": now(), **report.to_dict()}))
    else:
        click.echo(f"{now()}  {_summary(report)}")
    return report.enriched["failed"]


def _summary(report: SweepReport) -> str:
    if report.families is None:
        return "Nothing was written since the last sweep."
    counts = report.enriched
    parts = [
        f"{counts.total()} documents processed, {counts['written']} fingerprinted, "
        f"{counts['failed']} failed, families of {report.families.written} written"
    ]
    if report.audit is not None:
        decisions = [f"{count} {action}" for action, count in sorted(report.decisions.items())]
        parts.append(
            f"{', '.join(decisions)}, decisions in {report.audit} (run {report.run})"
            if decisions
            else "no versions"
        )
    skipped = len(report.conflicted) + len(report.families.skipped)
    if skipped:
        parts.append(f"{skipped} changed during the sweep and are left for the next")
    undated = {*report.undated, *report.families.undated}
    sentences = [undated_line(tuple(sorted(undated)))] if undated else []
    return " ".join([f"{'; '.join(parts)}.", *sentences])
