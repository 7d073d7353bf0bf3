"""`es-simhash doctor`: problems of the fingerprints of an index, and their fixes."""

from collections.abc import Sequence
from typing import Any

import click

from es_simhash.cli.connection_options import client_of, connection_options
from es_simhash.cli.options import index_config, simhash_field_option
from es_simhash.cli.output import format_option, print_json
from es_simhash.cli.overrides import note_overrides
from es_simhash.cli.status_command import print_status
from es_simhash.maintenance.diagnostics.bit_distances import DistanceBin
from es_simhash.maintenance.diagnostics.examination import DEFAULT_SAMPLE, Examination, examine
from es_simhash.text.escaping import one_line

_BAR_LENGTH = 40


@click.command()
@click.argument("index")
@click.option(
    "--sample",
    type=click.IntRange(1, 10_000),
    default=DEFAULT_SAMPLE,
    show_default=True,
    help="Number of documents to examine, drawn at random.",
)
@format_option
@click.option(
    "--field",
    "text_field",
    show_default="the field whose texts were fingerprinted",
    help="Text field, or several as headline,body; dots separate the parts of a path.",
)
@simhash_field_option
@connection_options
def doctor(
    index: str,
    sample: int,
    output_format: str,
    text_field: str | None,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Find problems of INDEX and their fixes.

    Examines bits, blocks, distances, recall and stale texts. Read-only; needs the privileges `read`
    and `view_index_metadata`. The exit status is 1 when there is a problem.
    """
    with client_of(**connection) as client:
        config = index_config(text_field, simhash_field)
        note_overrides(client, index, config)
        examination = examine(
            client, index, config=config, sample_size=sample, find_text_field=text_field is None
        )
    if output_format == "json":
        print_json(examination.to_dict())
    else:
        _print(examination)
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
        ("sample", f"{examination.sampled} documents; texts: {texts or 'none'}"),
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
            f"{block.term} in {block.documents} documents, {block.expected:.2g} expected by "
            "chance",
        ))  # fmt: skip
    cost, recall = examination.cost, examination.recall
    lines.append((
        "cost",
        f"a search within {cost.k} bits examines {cost.median} documents (median), "
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
