"""`es-simhash copies`: who copied whom, over a whole index."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click
from rich.console import Console
from rich.text import Text

from es_simhash.cli.commands import Chosen, command
from es_simhash.cli.files import write_file
from es_simhash.cli.options import MaxLoad, Quiet, TextTarget
from es_simhash.cli.output import shortened
from es_simhash.cli.progress import log_warnings, progress_bar
from es_simhash.cli.relation_tables import side_by_side
from es_simhash.cli.row_output import RowOutput
from es_simhash.constraints import constraints
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
from es_simhash.text.counting import counted
from es_simhash.text.escaping import one_line


@command
def copies(
    target: TextTarget,
    *,
    options: Annotated[
        CopyOptions, Chosen(journal={"show_default": "a file in the user's cache directory"})
    ],
    size: Annotated[int, constraints(1, group="Output")] = 10,
    html: Annotated[Path | None, constraints(group="Output")] = None,
    output: RowOutput,
    max_load: MaxLoad = None,
    quiet: Quiet = False,
) -> None:
    """Find which documents of INDEX share passages with those of other owners or families.

    The pair with the longest passage comes first, with which side had it first by date, and the
    passages side by side. Of two families the two documents that share most are listed. Passages
    that many have are boilerplate: they are listed once and are no reason to list a pair. Nothing
    is written to the index.
    \f

    A run that was interrupted resumes when it is started again. As jsonl, a line for each pair and
    each boilerplate passage comes first, then the counts.

    Args:
        size: Maximum pairs in the table; other formats and HTML have all.
        html: Also write a report as one HTML file.
    """
    log_warnings()
    config = target.config
    with target.connected(max_load=max_load) as client, progress_bar(quiet=quiet) as progress:
        journal = options.journal or default_journal(client, target.index, config, options)
        report = find_copies(
            client,
            target.index,
            options=replace(options, journal=journal),
            config=config,
            progress=progress,
        )
    if html is not None:
        write_file(html, copies_html(report, target.index), "html")
    is_lines = output.output_format == "jsonl"
    output.print(
        report.to_dict,
        # A line says of what it is; a sheet has the pairs.
        lambda: report.to_lines() if is_lines else report.to_dict()["copies"],
        lambda: _print(report, size),
    )


def _print(report: CopiesReport, size: int) -> None:
    print_copies(report, size, Console())
    print_left_out(report)


_MAX_BOILERPLATE = 10
_BOILERPLATE_CHARACTERS = 160


def print_copies(report: CopiesReport, size: int, console: Console) -> None:
    """Print so many pairs with the longest passages, the boilerplate, and the counts."""
    for number, copy in enumerate(report.copies[:size], 1):
        line = Text.assemble((f"{number}. ", "bold"), pair_line(copy))
        console.print(line, soft_wrap=True)
        console.print(Text(copy_line(copy), "dim"))
        console.print(side_by_side([passage.as_shared() for passage in copy.passages]))
        console.print()
    if len(report.copies) > size:
        more = counted(len(report.copies) - size, "more pair")
        console.print(f"... {more}; --format json lists all", highlight=False)
    _print_boilerplate(report, console)
    console.print(counts_line(report), highlight=False, soft_wrap=True)


def _print_boilerplate(report: CopiesReport, console: Console) -> None:
    if not report.boilerplate and not report.short_boilerplate:
        return
    what = "value" if report.between else "family"
    console.print(Text("Boilerplate, left out:", "bold"))
    for passage in report.boilerplate[:_MAX_BOILERPLATE]:
        groups = counted(passage.groups, what)
        documents = counted(passage.documents, "document")
        console.print(
            Text.assemble(
                f"  {groups}, {documents}, as in ",
                one_line(passage.id),
                ": ",
                (shortened(passage.text, _BOILERPLATE_CHARACTERS), "dim"),
            )
        )
    more = len(report.boilerplate) - _MAX_BOILERPLATE
    if more > 0:
        console.print(f"  ... {more} more; --format json lists all")
    if report.short_boilerplate:
        console.print(f"  {counted(report.short_boilerplate, 'short phrase')}")


def print_left_out(report: CopiesReport) -> None:
    """Print to standard error which documents were not compared, and why."""
    for line in left_out_lines(report):
        click.echo(line, err=True)
