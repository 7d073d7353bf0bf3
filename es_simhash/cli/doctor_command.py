"""`es-simhash doctor`: whether the fingerprints of an index do their work."""

from collections.abc import Sequence
from typing import Any

import click

from es_simhash.cli.options import (
    client_of,
    connection_options,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.showing import format_option, print_json, printable
from es_simhash.cli.status_command import print_status
from es_simhash.diagnostics.distances import DistanceBin
from es_simhash.diagnostics.examination import DEFAULT_SAMPLE, Examination, examine
from es_simhash.storage.config import IndexConfig

# Length of the longest bar.
_BAR = 40


@click.command()
@click.argument("index")
@click.option(
    "--sample",
    type=click.IntRange(1, 10_000),
    default=DEFAULT_SAMPLE,
    show_default=True,
    help="Documents to look at, drawn at random.",
)
@format_option
@text_field_option
@simhash_field_option
@connection_options
def doctor(
    index: str, sample: int, form: str, text_field: str, simhash_field: str, **connection: Any
) -> None:
    """Examine INDEX: bits, blocks, distances, recall, stale texts; say what to do.

    Reads only; the privileges `read` and `view_index_metadata` are enough. The exit status is 1
    when something must be done.
    """
    with client_of(**connection) as client:
        config = IndexConfig(text_field=text_field, simhash_field=simhash_field)
        found = examine(client, index, config=config, sample_size=sample)
    if form == "json":
        print_json(found.to_dict())
    else:
        _print(found)
    if not found.healthy:
        raise SystemExit(1)


def _print(found: Examination) -> None:
    print_status(found.status)
    for name, told in _measured(found):
        click.echo(f"{name:<14}{told}")
    if found.nearest:
        click.echo("\nNearest other document of the sample, in bits that differ")
        _print_bars(found.nearest)
    click.echo()
    for each in found.findings:
        click.echo(f"{each.level}: {printable(each.message)}")
        click.echo(f"  {printable(each.advice)}")
    if found.healthy:
        click.echo("Nothing must be done.")


def _measured(found: Examination) -> list[tuple[str, str]]:
    texts = ", ".join(f"{count} {state}" for state, count in sorted(found.fingerprinted.items()))
    lines = [("sample", f"{found.sampled} documents; texts: {texts or 'none'}")]
    bits = found.bits
    if bits.shares:
        lines.append((
            "bits",
            f"{len(bits.shares)}, {len(bits.dead)} dead; the rarest is set in "
            f"{min(bits.shares):.0%} of {bits.different} different fingerprints, the most "
            f"frequent in {max(bits.shares):.0%}",
        ))  # fmt: skip
    for each in found.hottest:
        lines.append((
            "block",
            f"{each.term} in {each.documents} documents, by chance in {each.expected:.2g}",
        ))  # fmt: skip
    cost, recall = found.cost, found.recall
    lines.append((
        "cost",
        f"a search within {cost.k} bits looks at {cost.median} documents in the middle, "
        f"one in ten at {cost.p90} or more, none at more than {cost.max}",
    ))  # fmt: skip
    lines.append((
        "recall",
        f"{recall.share:.3f}: {recall.found} of {recall.within} documents within {recall.k} bits "
        f"of {recall.queries}; {recall.with_others} have others so near",
    ))  # fmt: skip
    lines.append(("suggested k", str(found.suggested.k)))
    return lines


def _print_bars(bars: Sequence[DistanceBin]) -> None:
    most = max(each.documents for each in bars)
    for each in bars:
        name = str(each.least) if each.least == each.most else f"{each.least}-{each.most}"
        bar = "█" * max(round(each.documents / most * _BAR), each.documents > 0)
        click.echo(f"{name:>9}  {bar} {each.documents}" if bar else f"{name:>9}")
