"""`es-simhash status`: coverage of an index by scheme."""

from collections.abc import Iterator
from typing import Any

import click

from es_simhash.cli.connection_options import client_of, connection_options
from es_simhash.cli.options import simhash_field_option
from es_simhash.cli.output import byte_size, format_option, print_json
from es_simhash.maintenance.diagnostics.index_counts import SchemeCoverage, Status
from es_simhash.maintenance.diagnostics.index_state import count_documents
from es_simhash.store.config import IndexConfig
from es_simhash.text.escaping import one_line


@click.command()
@click.argument("index")
@click.option(
    "--size/--no-size",
    default=True,
    show_default=True,
    help="Measure the disk usage of the `simhash.*` fields, for which the cluster reads the index.",
)
@format_option
@simhash_field_option
@connection_options
def status(
    index: str, size: bool, output_format: str, simhash_field: str, **connection: Any
) -> None:
    """Report the coverage of INDEX by scheme.

    Counts documents by scheme, families and duplicates. Read-only. The disk usage needs the
    privilege `manage` and is unknown without it.
    """
    with client_of(**connection) as client:
        report = count_documents(
            client, index, config=IndexConfig(simhash_field=simhash_field), with_size=size
        )
    if output_format == "json":
        print_json(report.to_dict())
        return
    print_status(report)
    if size:
        click.echo(f"{'size':<14}{_sizes(report)}")


def print_status(report: Status) -> None:
    """Print the coverage of an index, one line for each count."""
    for name, value in _lines(report):
        click.echo(f"{name:<14}{value}")


def _lines(report: Status) -> Iterator[tuple[str, str]]:
    yield "index", f"{one_line(report.index)}, {report.documents} documents"
    yield from _coverage("fingerprints", report.fingerprints)
    yield "empty", f"{report.empty} texts without tokens"
    yield "failed", f"{report.failed} rejected by the ingest pipeline"
    if report.profiles is None:
        yield "neighbours", "off: the index finds versions only"
    else:
        yield from _coverage("neighbours", report.profiles)
    for method in report.methods:
        yield from _coverage("method", method)
        if method.unreadable:
            yield "", f"{method.unreadable} in languages that it does not read"
    yield "families", f"{report.families} of {report.in_families} documents"
    yield "duplicates", f"{report.duplicates} flagged"


def _coverage(name: str, coverage: SchemeCoverage) -> Iterator[tuple[str, str]]:
    yield (
        name,
        f"{coverage.current} with scheme {one_line(coverage.scheme)}, "
        f"{coverage.another} with another, {coverage.none} with none",
    )
    for scheme, count in coverage.others.items():
        yield "", f"{count} with {one_line(scheme)}"


def _sizes(report: Status) -> str:
    if report.bytes is None:
        return "unknown: the cluster has no disk usage API, or the privilege `manage` is missing"
    shown = ", ".join(f"{name} {byte_size(count)}" for name, count in report.bytes.items() if count)
    return f"{byte_size(sum(report.bytes.values()))} in addition to _source: {one_line(shown)}"
