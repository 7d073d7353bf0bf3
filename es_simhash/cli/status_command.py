"""The state of an index: `status` and `doctor`."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import click

from es_simhash.cli.commands import Chosen, command
from es_simhash.cli.options import StoredTarget, TableOrJson, Target
from es_simhash.cli.output import byte_size, print_result
from es_simhash.constraints import constraints
from es_simhash.maintenance.diagnostics.bit_distances import DistanceBin
from es_simhash.maintenance.diagnostics.examination import DEFAULT_SAMPLE, Examination, examine
from es_simhash.maintenance.diagnostics.index_state import count_documents
from es_simhash.semantics.background import MIN_DOCUMENTS
from es_simhash.store.index_counts import BackgroundStatus, SchemeCoverage, Status, VectorsStatus
from es_simhash.text.counting import counted
from es_simhash.text.escaping import one_line

_BAR_LENGTH = 40


@command
def doctor(
    target: Annotated[
        Target,
        Chosen(
            omit=("vocabulary",),
            text_field={"show_default": "the field whose texts were fingerprinted"},
        ),
    ],
    *,
    sample: Annotated[int, constraints(1, 10_000)] = DEFAULT_SAMPLE,
    output_format: TableOrJson = "table",
) -> None:
    """Find problems of INDEX and their fixes.

    Examines bits, blocks, distances, recall and stale texts. Read-only; needs the privileges `read`
    and `view_index_metadata`. The exit status is 1 when there is a problem.

    Args:
        sample: Number of documents to examine, drawn at random.
    """
    with target.connected() as client:
        examination = examine(
            client,
            target.index,
            config=target.config,
            sample_size=sample,
            find_text_field=target.text_field is None,
        )
    print_result(examination, output_format, _print)
    if not examination.healthy:
        raise SystemExit(1)


def _print(examination: Examination) -> None:
    print_status(examination.status)
    for name, value in _measurements(examination):
        click.echo(f"{name:<14}{value}")
    if examination.nearest:
        click.echo("\nHamming distance to the nearest other document of the sample")
        _print_bars(examination.nearest)
    click.echo()
    for finding in examination.findings:
        click.echo(f"{finding.level}: {one_line(finding.message)}")
        click.echo(f"  {one_line(finding.advice)}")
    if examination.healthy:
        click.echo("No problems found.")


def _measurements(examination: Examination) -> list[tuple[str, str]]:
    texts = ", ".join(
        f"{count} {state}" for state, count in sorted(examination.fingerprinted.items())
    )
    lines = [
        ("text field", one_line(examination.text_field)),
        ("sample", f"{counted(examination.sampled, 'document')}; texts: {texts or 'none'}"),
    ]
    bits = examination.bits
    if bits.shares:
        lines.append((
            "bits",
            f"{len(bits.shares)}, {len(bits.dead)} dead; the rarest is set in "
            f"{min(bits.shares):.0%} of {bits.different} different fingerprints, the most "
            f"frequent in {max(bits.shares):.0%}",
        ))  # fmt: skip
    for block in examination.hottest:
        lines.append((
            "block",
            f"{block.term} in {counted(block.documents, 'document')}, {block.expected:.2g} "
            "expected by chance",
        ))  # fmt: skip
    cost, recall = examination.cost, examination.recall
    lines.append((
        "cost",
        f"a search within {cost.k} bits examines {counted(cost.median, 'document')} (median), "
        f"{cost.p90} (90th percentile), {cost.max} (maximum)",
    ))  # fmt: skip
    lines.append((
        "recall",
        f"{recall.share:.3f}: {recall.found} of {recall.within} documents within {recall.k} bits "
        f"of {recall.queries} queries; {recall.with_others} queries have one other than themselves",
    ))  # fmt: skip
    lines.append(("suggested k", str(examination.suggested.k)))
    return lines


def _print_bars(bars: Sequence[DistanceBin]) -> None:
    largest = max(bar.documents for bar in bars)
    for bar in bars:
        name = str(bar.least) if bar.least == bar.most else f"{bar.least}-{bar.most}"
        blocks = "█" * max(round(bar.documents / largest * _BAR_LENGTH), bar.documents > 0)
        click.echo(f"{name:>9}  {blocks} {bar.documents}" if blocks else f"{name:>9}")


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
    yield "index", f"{one_line(report.index)}, {counted(report.documents, 'document')}"
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
    yield "families", _families(report)
    yield "duplicates", f"{report.duplicates} flagged"


def _families(report: Status) -> str:
    """Return how many families there are; a document without other versions is one as well."""
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
        advice = f"; run `es-simhash background {report.index}`"
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
        return f"{shipped}; run `{learn}`, then `es-simhash backfill {report.index}`"
    lacking = coverage.another + coverage.none
    advice = f", {lacking} do not; run `es-simhash backfill {report.index}`" if lacking else ""
    return (
        f"{coverage.scheme} of {vectors.words} words, learned from {vectors.documents} texts at "
        f"{vectors.date}; {coverage.current} documents have them{advice}"
    )


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
