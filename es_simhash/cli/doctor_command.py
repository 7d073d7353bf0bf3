"""`es-simhash doctor`: what is wrong with an index and the way out, and what is in order."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import click

from es_simhash.cli.commands import Chosen, command
from es_simhash.cli.options import TableOrJson, Target
from es_simhash.cli.output import print_result
from es_simhash.constraints import constraints
from es_simhash.maintenance.diagnostics.bit_distances import DistanceBin
from es_simhash.maintenance.diagnostics.examination import DEFAULT_SAMPLE, Examination, examine
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

    Examines fields, texts and fingerprints of a sample, and what searches with it cost and find:
    problems first, those of most documents before others, then what is in order. Read-only; needs
    the privileges `read` and `view_index_metadata`. The exit status is 1 when there is a problem.

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
    status, findings = examination.status, examination.findings
    problems = sum(finding.level == "problem" for finding in findings)
    of = f"Index {one_line(status.index)!r} with {counted(status.documents, 'document')}"
    hints = f", {counted(len(findings) - problems, 'hint')}" if len(findings) > problems else ""
    click.echo(f"{of}: {counted(problems, 'problem') if problems else 'no problems'}{hints}.")
    for finding in findings:
        click.echo(f"\n{finding.level}: {one_line(finding.message)}")
        click.echo(f"  {one_line(finding.advice)}")
    if examination.in_order:
        click.echo("\nIn order:")
    for sentence in examination.in_order:
        click.echo(f"  {one_line(sentence)}")
    if examination.nearest:
        click.echo(f"\nMeasured on {counted(examination.sampled, 'document')}, drawn at random:")
    for sentence in _measurements(examination):
        click.echo(f"  {sentence}")
    if examination.nearest:
        click.echo("  Documents by the Hamming distance to the nearest other one:")
        _print_bars(examination.nearest)


def _measurements(examination: Examination) -> Iterator[str]:
    bits, cost = examination.bits, examination.cost
    if not bits.shares:
        return
    yield (
        f"Each bit is set in {min(bits.shares):.0%} to {max(bits.shares):.0%} of "
        f"{counted(bits.different, 'different fingerprint')}; about half is usual."
    )
    yield (
        f"A search within {cost.k} bits compares {counted(cost.median, 'document')} (median), "
        f"{cost.max:,} at most."
    )
    yield f"Suggested --k: {examination.suggested.k}."


def _print_bars(bars: Sequence[DistanceBin]) -> None:
    largest = max(bar.documents for bar in bars)
    for bar in bars:
        name = str(bar.least) if bar.least == bar.most else f"{bar.least}-{bar.most}"
        blocks = "█" * max(round(bar.documents / largest * _BAR_LENGTH), bar.documents > 0)
        click.echo(f"{name:>9}  {blocks} {bar.documents}" if blocks else f"{name:>9}")
