"""`es-simhash copies`: who copied whom, over a whole index."""

import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from es_simhash.cli.files import write_page
from es_simhash.cli.options import (
    client_of,
    connection_options,
    described_options,
    index_config,
    options_of,
    quiet_option,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.output import print_json, shortened
from es_simhash.cli.progress import pairs_progress
from es_simhash.cli.relation_tables import side_by_side
from es_simhash.maintenance.copies.copy_options import CopyOptions
from es_simhash.maintenance.copies.find_copies import default_journal, find_copies
from es_simhash.maintenance.copies.page import copies_html
from es_simhash.maintenance.copies.sentences import (
    copy_line,
    counts_line,
    left_out_lines,
    pair_line,
)
from es_simhash.pairs.copies import CopiesReport
from es_simhash.text.escaping import one_line


@click.command()
@click.argument("index")
@described_options(CopyOptions, journal={"show_default": "a file in the user's cache directory"})
@click.option(
    "--size",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Maximum number of pairs in the table; JSON and HTML have all.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write a report as one HTML file.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json", "jsonl"]),
    default="table",
    show_default=True,
    help="Output format; jsonl: a line for each pair and each boilerplate passage, then the "
    "counts.",
)
@quiet_option
@text_field_option
@simhash_field_option
@connection_options
def copies(
    index: str,
    size: int,
    html: Path | None,
    output_format: str,
    quiet: bool,
    text_field: str | None,
    simhash_field: str,
    **values: Any,
) -> None:
    """Find which documents of INDEX share passages with those of other owners or families.

    The pair with the longest passage comes first, with which side had it first by date, and the
    passages side by side. Of two families the two documents that share most are listed. Passages
    that many have are boilerplate: they are listed once and are no reason to list a pair. Nothing
    is written to the index. A run that was interrupted resumes when it is started again.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    config = index_config(text_field, simhash_field)
    options = options_of(CopyOptions, values)
    with client_of(**values) as client, pairs_progress("copies", quiet=quiet) as progress:
        journal = options.journal or default_journal(client, index, config)
        options = replace(options, journal=journal)
        report = find_copies(client, index, options=options, config=config, progress=progress)
    if html is not None:
        write_page(html, copies_html(report, index), "html")
    _print(report, output_format, size)


def _print(report: CopiesReport, output_format: str, size: int) -> None:
    if output_format == "json":
        print_json(report.to_dict())
    elif output_format == "jsonl":
        for line in report.to_lines():
            # ASCII: what would steer a terminal is escaped.
            click.echo(json.dumps(line))
    else:
        print_copies(report, size, Console())
        print_left_out(report)


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
