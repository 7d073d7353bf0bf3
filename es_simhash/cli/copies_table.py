"""Copied passages in the terminal: pairs, passages side by side, boilerplate, what was left out."""

import click
from rich.console import Console
from rich.text import Text

from es_simhash.cli.output import shortened
from es_simhash.cli.tables import side_by_side
from es_simhash.maintenance.copies.copies_report import CopiesReport
from es_simhash.maintenance.copies.sentences import (
    copy_line,
    counts_line,
    left_out_lines,
    pair_line,
)
from es_simhash.text.escaping import one_line

_MAX_BOILERPLATE = 10
_BOILERPLATE_CHARACTERS = 160


def print_copies(report: CopiesReport, size: int, console: Console) -> None:
    """Print the pairs with the longest passages, the boilerplate, and the counts.

    Args:
        report: Of the search.
        size: Pairs to print at the most.
        console: Where to.
    """
    for number, copy in enumerate(report.copies[:size], 1):
        line = Text.assemble((f"{number}. ", "bold"), pair_line(copy))
        console.print(line, soft_wrap=True)
        console.print(Text(copy_line(copy), "dim"))
        console.print(side_by_side([passage.as_shared() for passage in copy.passages]))
        console.print()
    if len(report.copies) > size:
        console.print(f"... {len(report.copies) - size} more pairs; --format json lists all")
    _print_boilerplate(report, console)
    console.print(counts_line(report), highlight=False, soft_wrap=True)


def _print_boilerplate(report: CopiesReport, console: Console) -> None:
    if not report.boilerplate and not report.short_boilerplate:
        return
    what = "values" if report.between else "families"
    console.print(Text("Boilerplate, left out:", "bold"))
    for passage in report.boilerplate[:_MAX_BOILERPLATE]:
        console.print(
            Text.assemble(
                f"  {passage.groups} {what}, {passage.documents} documents, as in ",
                one_line(passage.id),
                ": ",
                (shortened(passage.text, _BOILERPLATE_CHARACTERS), "dim"),
            )
        )
    more = len(report.boilerplate) - _MAX_BOILERPLATE
    if more > 0:
        console.print(f"  ... {more} more; --format json lists all")
    if report.short_boilerplate:
        console.print(f"  {report.short_boilerplate} short phrases")


def print_left_out(report: CopiesReport) -> None:
    """Print to standard error which documents were not compared, and why."""
    for line in left_out_lines(report):
        click.echo(line, err=True)
