"""`es-simhash report`: how much of an index is versions, as one page to mail."""

from pathlib import Path
from typing import Any

import click

from es_simhash.cli.files import require_page_file, write_page
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
from es_simhash.cli.progress import steps_progress
from es_simhash.maintenance.reports.index_report import IndexReport, ReportOptions
from es_simhash.maintenance.reports.page import headline, report_html
from es_simhash.maintenance.reports.read import read_report
from es_simhash.text.escaping import one_line


@click.command()
@click.argument("index")
@click.option(
    "--html",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="HTML file to write.",
)
@described_options(ReportOptions, omit=("max_compared", "sampled"))
@quiet_option
@text_field_option
@simhash_field_option
@connection_options
def report(
    index: str,
    html: Path,
    quiet: bool,
    text_field: str | None,
    simhash_field: str,
    **values: Any,
) -> None:
    """Write how much of INDEX is versions, copies and unique as one HTML file.

    The file needs no server and loads nothing, so that it can be mailed: shares, sizes of families,
    the largest families, the newest versions, and with --copies who copied whom. Families are those
    that `es-simhash families run` found. Nothing is written to the index.
    """
    require_page_file(html, "html")
    options = options_of(ReportOptions, values)
    config = index_config(text_field, simhash_field)
    with client_of(**values) as client, steps_progress(quiet=quiet) as progress:
        found = read_report(client, index, options=options, config=config, progress=progress)
    write_page(html, report_html(found), "html")
    click.echo(written_line(found, html))


def written_line(report: IndexReport, output: Path) -> str:
    """Return what a report says, and where it is, as one line."""
    return one_line(f"{headline(report)}: {output}")
