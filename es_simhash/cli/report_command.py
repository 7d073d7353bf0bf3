"""`es-simhash report`: how much of an index is versions, as one page to mail."""

from pathlib import Path
from typing import Annotated

import click

from es_simhash.cli.commands import Chosen, command
from es_simhash.cli.files import require_writable, write_file
from es_simhash.cli.options import Quiet, TextTarget
from es_simhash.cli.progress import progress_bar
from es_simhash.maintenance.reports.index_report import IndexReport, ReportOptions
from es_simhash.text.escaping import one_line


@command
def report(
    target: TextTarget,
    *,
    html: Path,
    options: Annotated[ReportOptions, Chosen(omit=("max_compared", "sampled"))],
    quiet: Quiet = False,
) -> None:
    """Write how much of INDEX is versions, copies and unique as one HTML file.

    The file needs no server and loads nothing, so that it can be mailed: shares, sizes of families,
    the largest families, the newest versions, and with --copies who copied whom. Families are those
    that `es-simhash families run` found. Nothing is written to the index.

    Args:
        html: HTML file to write.
    """
    require_writable(html, "html")
    # Help and errors of usage are printed without what reads an index.
    from es_simhash.maintenance.reports.page import report_html
    from es_simhash.maintenance.reports.read import read_report
    from es_simhash.questions.index import Index

    with target.connected() as client, progress_bar(quiet=quiet) as progress:
        index = Index(client, target.index, target.config)
        found = read_report(index, options=options, progress=progress)
    write_file(html, report_html(found), "html")
    click.echo(written_line(found, html))


def written_line(report: IndexReport, output: Path) -> str:
    """Return what a report says, and where it is, as one line."""
    from es_simhash.maintenance.reports.page import headline

    return one_line(f"{headline(report)}: {output}")
