"""`es-simhash sweep`: process what other programs wrote to an index."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click

from es_simhash.cli.commands import Chosen, command
from es_simhash.cli.files import append_changes, require_writable
from es_simhash.cli.options import (
    RUN,
    ChangesFile,
    MaxLoad,
    MetricsFile,
    Quiet,
    TableOrJson,
    Target,
    Versions,
)
from es_simhash.cli.output import now, undated_line
from es_simhash.cli.progress import log_warnings, progress_bar, require_no_failures
from es_simhash.cli.run_metrics import RunCounts, RunMetrics
from es_simhash.constraints import constraints
from es_simhash.errors import ClusterError, FileInUse
from es_simhash.heaps import keep_heaps_small
from es_simhash.ingestion.deduplication.version_rules import DONE
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.sweeps.sweep import SweepReport, SweepSettings
from es_simhash.maintenance.sweeps.sweep import sweep as sweep_index
from es_simhash.text.counting import counted
from es_simhash.text.escaping import file_name

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class _Duration(click.ParamType):  # type: ignore[type-arg]
    """A duration such as 60s or 5m, in seconds."""

    name = "duration"

    def convert(
        self, value: str | float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds.

        Raises:
            BadParameter: It is no duration.
        """
        if isinstance(value, float):
            return value
        duration = re.fullmatch(r"([0-9]+)([smhd])", value)
        if duration is None or not int(duration[1]):
            self.fail(f"{value!r} is not a duration. Give one such as 60s, 5m or 2h.", param, ctx)
        return float(int(duration[1]) * _SECONDS[duration[2]])


@command
def sweep(
    target: Target,
    *,
    every: Annotated[float | None, _Duration()] = None,
    versions: Versions,
    families: Annotated[
        FamilyOptions, constraints(group="Families"), Chosen(only=("representative", "within"))
    ],
    settings: Annotated[SweepSettings, constraints(group="Run"), RUN],
    changes_file: ChangesFile = None,
    max_load: MaxLoad = None,
    metrics: MetricsFile = None,
    output_format: TableOrJson = "table",
    quiet: Quiet = False,
) -> None:
    """Process what was written since the last sweep.

    Follows what any program writes to INDEX: documents without fingerprints get them, documents
    whose text has changed get new ones, and all get families.
    \f

    With --on-version, a new document
    that is a version of another of its family is flagged, linked, or deleted (`skip`; `replace`
    deletes the one that --keep does not select). What would lose text (--lose) is flagged instead
    and counted as `retain`. Each decision is recorded in the audit log, and `es-simhash undo`
    reverts it.

    Where the background of INDEX has drifted, it is counted again, as `es-simhash background` does.

    The first sweep processes all documents and deletes none. A sweep that was killed is repeated
    by the next.

    Args:
        every: Repeat the sweep at this interval, such as 60s, 5m, 2h or 1d.
    """
    log_warnings()
    if every is not None:
        keep_heaps_small()
    date, representative = versions.date_field, families.representative
    rules = replace(families, date_field=date if representative else None)
    require_writable(changes_file, "changes_file")
    runs = RunMetrics(metrics, "sweep", target.index)
    failures_file = settings.failures or Path(f"{file_name(target.index)}.failures.jsonl")
    with target.connected(
        max_load=max_load, date=date, representative=representative, within=families.within
    ) as client:

        def once() -> SweepReport:
            report = SweepReport()
            with (
                runs.run(lambda: RunCounts(report.enriched, report.decisions)),
                progress_bar(quiet=quiet) as bar,
            ):
                report = sweep_index(
                    client,
                    target.index,
                    on_version=versions.rules,
                    families=rules,
                    config=target.config,
                    settings=replace(
                        settings,
                        failures=failures_file,
                        report=lambda report: bar("documents", report.done, report.total),
                    ),
                )
            if report.families is not None:
                append_changes(changes_file, target.index, report.families.changes)
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
        f"{counted(counts.total(), 'document')} processed, {counts['written']} fingerprinted, "
        f"{counts['failed']} failed, families of {report.families.written} written"
    ]
    if report.audit is not None:
        decisions = [
            f"{count} {DONE.get(action, action)}"
            for action, count in sorted(report.decisions.items())
        ]
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
    if report.background is not None:
        sentences.append(report.background.sentence())
    return " ".join([f"{'; '.join(parts)}.", *sentences])
