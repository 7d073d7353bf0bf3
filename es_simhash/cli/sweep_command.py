"""`es-simhash sweep`: bring up to date what other writers added or changed."""

import json
import logging
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from es_simhash.cli.bars import documents_bar, show_report
from es_simhash.cli.on_version_options import on_version_of, on_version_options
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
from es_simhash.cli.showing import format_option
from es_simhash.errors import ClusterError, EsSimhashError
from es_simhash.families.options import REPRESENTATIVES, FamilyOptions
from es_simhash.storage.config import IndexConfig
from es_simhash.sync.report import SweepReport
from es_simhash.sync.sweep import SweepSettings
from es_simhash.sync.sweep import sweep as sweep_index
from es_simhash.text.escaping import file_name

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def _seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Read a number and its unit."""
    if value is None:
        return None
    match = re.fullmatch(r"([0-9]+)([smhd])", value)
    if match is None or not int(match[1]):
        raise click.BadParameter(f"{value!r} is no duration such as 60s, 5m, 2h or 1d.")
    return float(int(match[1]) * _SECONDS[match[2]])


@click.command()
@click.argument("index")
@click.option(
    "--every", callback=_seconds, metavar="DURATION", help="Sweep again and again, as in 60s or 5m."
)
@on_version_options
@click.option(
    "--representative",
    type=click.Choice(REPRESENTATIVES),
    help="Document each of a family is compared with; default: as in the last run.",
)
@text_field_option
@simhash_field_option
@vocabulary_option
@max_docs_per_second_option
@processes_option
@failures_option
@format_option
@click.option("--quiet", is_flag=True, help="Show no progress, only failures and what was done.")
@connection_options
def sweep(
    index: str,
    every: float | None,
    representative: Any,
    text_field: str,
    simhash_field: str,
    vocabulary: str | None,
    max_docs_per_second: float | None,
    processes: int,
    failures: Path | None,
    form: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Process what was written to INDEX since the last sweep, whoever wrote it.

    Documents without fingerprints get them, those whose text was changed get new ones, all get
    families. With --on-version, a changed document that is a version of another of its family is
    flagged, linked, or removed (skip; or replace, which keeps the better one); each decision goes
    to the audit log, from which `es-simhash undo` reverts it.

    The first sweep processes all documents and removes none. One that is killed is repeated by
    the next.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    date_field = options["date_field"]
    rules, connection = on_version_of(options)
    families = FamilyOptions(representative, date_field) if representative else None
    config = IndexConfig(text_field=text_field, simhash_field=simhash_field, vocabulary=vocabulary)
    letters = failures or Path(f"{file_name(index)}.failures.jsonl")
    with client_of(**connection) as client:

        def once() -> SweepReport:
            with documents_bar("sweep", quiet=quiet) as bar:
                return sweep_index(
                    client,
                    index,
                    on_version=rules,
                    families=families,
                    config=config,
                    settings=SweepSettings(
                        processes=processes,
                        max_docs_per_second=max_docs_per_second,
                        failures=letters,
                        report=partial(show_report, bar),
                    ),
                )

        failed = _show(once(), form)
        if every is None and failed:
            raise EsSimhashError(
                f"{failed} documents could not be enriched; {letters} has each with its reason."
            )
        while every is not None:
            time.sleep(every)
            _again(once, form)


def _again(once: Callable[[], SweepReport], form: str) -> None:
    """Sweep once more; a cluster that is unreachable is retried by the next sweep."""
    try:
        _show(once(), form)
    except ClusterError as error:
        # What needs intervention ends the command.
        if type(error) is not ClusterError:
            raise
        click.echo(f"{_now()}  {error}", err=True)


def _show(report: SweepReport, form: str) -> int:
    """Print the report; return the number of documents that could not be enriched."""
    if form == "json":
        # One line each, as a log is read.
        click.echo(json.dumps({"time": _now(), **report.to_dict()}))
    else:
        click.echo(f"{_now()}  {_sentence(report)}")
    return report.enriched["failed"]


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S")


def _sentence(report: SweepReport) -> str:
    if report.families is None:
        return "Nothing was written since the last sweep."
    counts = report.enriched
    sentence = (
        f"{counts.total()} documents processed, {counts['written']} enriched, "
        f"{counts['failed']} failed; families of {report.families.written} written"
    )
    if report.audit is not None:
        decisions = [f"{count} {action}" for action, count in sorted(report.decisions.items())]
        logged = f"{', '.join(decisions)}, see {report.audit}" if decisions else "no versions"
        sentence = f"{sentence}; {logged}"
    skipped = len(report.conflicted) + len(report.families.skipped)
    if skipped:
        sentence = f"{sentence}; {skipped} changed meanwhile, the next sweep processes them"
    return f"{sentence}."
