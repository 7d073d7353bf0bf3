"""`es-simhash status`: the coverage of an index."""

from collections.abc import Iterator

import click

from es_simhash.cli.commands import command
from es_simhash.cli.options import StoredTarget, TableOrJson
from es_simhash.cli.output import byte_size, print_result
from es_simhash.maintenance.diagnostics.index_state import count_documents
from es_simhash.semantics.background import MIN_DOCUMENTS
from es_simhash.store.index_counts import (
    BackgroundStatus,
    SchemeCoverage,
    Status,
    VectorsStatus,
    other_threshold,
)
from es_simhash.text.counting import counted
from es_simhash.text.escaping import one_line

# How many texts are of which language is known only after they were read.
_NEEDED = f"which needs {MIN_DOCUMENTS} different texts of one language"


@command
def status(
    target: StoredTarget, *, size: bool = True, output_format: TableOrJson = "table"
) -> None:
    """Report the coverage of INDEX by scheme.

    Counts documents by scheme, families and duplicates. Read-only. The disk usage needs the
    privilege `manage` and is unknown without it.

    Args:
        size: Measure the disk usage of the `simhash.*` fields, for which the cluster reads the
            index.
    """
    with target.connected() as client:
        report = count_documents(client, target.index, config=target.config, with_size=size)
    print_result(report, output_format, print_status)
    if size and output_format == "table":
        click.echo(f"{'size':<14}{_sizes(report)}")


def print_status(report: Status) -> None:
    """Print the coverage of an index, one line for each count."""
    for name, value in _lines(report):
        click.echo(f"{name:<14}{value}")


def _lines(report: Status) -> Iterator[tuple[str, str]]:
    sidecar = "" if report.source is None else f", the sidecar of {one_line(report.source)}"
    yield "index", f"{one_line(report.index)}, {counted(report.documents, 'document')}{sidecar}"
    for each in report.left_out:
        yield "left out", f"index {one_line(each.index)} has {each.reason}"
    yield from _coverage("fingerprints", report.fingerprints)
    yield "empty", f"{counted(report.empty, 'text')} without tokens"
    yield "failed", f"{report.failed} rejected by the ingest pipeline"
    if report.profiles is None:
        yield "neighbours", "off: the index finds versions only"
    else:
        yield from _coverage("neighbours", report.profiles)
        yield "background", one_line(_background(report))
        if report.vectors is not None:
            yield "vectors", one_line(_vectors(report, report.vectors))
    for method in report.methods:
        yield from _coverage("method", method)
        if method.unreadable:
            yield "", f"{method.unreadable} in languages that it does not read"
    if report.other_scoring is not None:
        yield (
            "threshold",
            " ".join(other_threshold(one_line(report.other_scoring), one_line(report.index))),
        )
    yield "families", _families(report)
    yield "duplicates", f"{report.duplicates} flagged"


def _families(report: Status) -> str:
    """Return how many families there are; a document without other versions is one as well."""
    if report.source is not None:
        return "none: a sidecar has no families"
    if not report.in_families:
        return f"none: run `es-simhash families run {one_line(report.index)}`"
    further = report.in_families - report.families
    documents = counted(report.in_families, "document")
    return f"{report.families:,}, of {documents}: {further:,} are further versions"


def _background(report: Status) -> str:
    background = report.background or BackgroundStatus()
    if background.problem is not None:
        return background.problem
    if background.name is None:
        advice = f"; run `es-simhash background {report.index}`, {_NEEDED}"
        is_enough = report.documents >= MIN_DOCUMENTS
        return f"none: general word frequencies count{advice if is_enough else ''}"
    texts = counted(background.documents, "text")
    return f"{background.name}, counted in {texts} at {background.date}"


def _vectors(report: Status, vectors: VectorsStatus) -> str:
    if vectors.problem is not None:
        return vectors.problem
    coverage = vectors.coverage
    if vectors.date is None:
        shipped = "none learned: those of English that are shipped count"
        if report.documents < MIN_DOCUMENTS:
            return shipped
        learn = f"es-simhash background {report.index} --vectors"
        return f"{shipped}; run `{learn}`, {_NEEDED}, then `{_backfill(report)}`"
    lacking = coverage.another + coverage.none
    advice = f", {lacking} do not; run `{_backfill(report)}`" if lacking else ""
    return (
        f"{coverage.scheme} of {vectors.words} words, learned from {vectors.documents} texts at "
        f"{vectors.date}; {counted(coverage.current, 'document has', 'documents have')} "
        f"them{advice}"
    )


def _backfill(report: Status) -> str:
    """Return the command that writes the fields anew."""
    index = one_line(report.index)
    target = index if report.source is None else f"{one_line(report.source)} --sidecar {index}"
    return f"es-simhash backfill {target}"


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
    shown = f": {one_line(shown)}" if shown else ""
    return f"{byte_size(sum(report.bytes.values()))} in addition to _source{shown}"
