"""An evaluation as a terminal, a file or a program takes it."""

import io
import json
import re
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table as ConsoleTable
from rich.text import Text

from es_simhash.cli.output import print_json, shortened
from es_simhash.cli.page_file import write_bytes, write_page
from es_simhash.errors import InputError
from es_simhash.lab.evaluation.evaluation_figures import SetEvaluation
from es_simhash.lab.evaluation.evaluation_pages import evaluation_html, markdown
from es_simhash.lab.evaluation.evaluation_tables import (
    Table,
    headline,
    lines_of,
    tables_of,
    wrong_lines,
)
from es_simhash.lab.evaluation.pictures import curve_pictures, require_plots

FORMATS = ("table", "json", "markdown", "html")
# Characters of a line of a file.
_FILE_WIDTH = 160
_NO_FILE_NAME = re.compile(r"[^\w.-]+")


def print_evaluations(
    evaluations: Sequence[SetEvaluation], output_format: str, output: Path | None
) -> None:
    """Print evaluations, or write them to a file.

    Raises:
        InputError: The file cannot be written.
    """
    if output_format == "table" and output is None:
        _print_tables(evaluations, Console())
    elif output_format == "json" and output is None:
        print_json(_as_dict(evaluations))
    else:
        content = _content(evaluations, output_format)
        if output is None:
            click.echo(content, nl=False)
        else:
            write_page(output, content, "output")


def _content(evaluations: Sequence[SetEvaluation], output_format: str) -> str:
    if output_format == "html":
        return evaluation_html(evaluations)
    if output_format == "markdown":
        return markdown(evaluations)
    if output_format == "json":
        return json.dumps(_as_dict(evaluations), ensure_ascii=False, indent=2) + "\n"
    written = io.StringIO()
    _print_tables(evaluations, Console(file=written, width=_FILE_WIDTH))
    return written.getvalue()


def _as_dict(evaluations: Sequence[SetEvaluation]) -> dict[str, object]:
    return {"sets": [evaluation.to_dict() for evaluation in evaluations]}


def _print_tables(evaluations: Sequence[SetEvaluation], console: Console) -> None:
    for evaluation in evaluations:
        console.print(Text(headline(evaluation), "bold"), soft_wrap=True)
        for table in tables_of(evaluation, narrow=True):
            console.print(_console_table(table))
        for line in lines_of(evaluation):
            console.print(Text(line), soft_wrap=True)
        _print_wrong(evaluation, console)


def _console_table(table: Table) -> ConsoleTable:
    shown = ConsoleTable(title=table.title, title_justify="left", box=None, pad_edge=False)
    for number, name in enumerate(table.columns):
        longest = max(len(word) for word in [*name.split(), *(row[number] for row in table.rows)])
        shown.add_column(
            name, justify="right" if number else "left", min_width=longest, vertical="bottom"
        )
    for row, cells in enumerate(table.rows):
        shown.add_row(
            *(
                Text(cell, "bold green" if (row, column) in table.best else "")
                for column, cell in enumerate(cells)
            )
        )
    return shown


def _print_wrong(evaluation: SetEvaluation, console: Console) -> None:
    name, total = evaluation.methods[0].name, evaluation.wrong_total
    console.print(Text(f"\n{name} gets {total} pairs wrong", "bold"), soft_wrap=True)
    for pair in evaluation.wrong:
        for number, line in enumerate(wrong_lines(pair)):
            console.print(Text(("  " if number else "- ") + shortened(line)), soft_wrap=True)


def require_plots_folder(folder: Path) -> None:
    """Check before a run that plots can be drawn, and make their folder.

    Raises:
        MissingExtra: Matplotlib is not installed.
        InputError: The folder cannot be made.
    """
    require_plots()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"Cannot write to {folder} ({error.strerror}). Name another folder.",
            parameter="plots",
        ) from error


def write_plots(evaluations: Sequence[SetEvaluation], folder: Path) -> None:
    """Write the plots of evaluations as SVG and PNG files, named after the pairs.

    Raises:
        InputError: They cannot be written.
    """
    for evaluation in evaluations:
        stem = _NO_FILE_NAME.sub("-", str(Path(evaluation.labelled.name).with_suffix("")))
        for name, plot in curve_pictures(evaluation).items():
            path = folder / f"{stem.strip('-.')}-{name}"
            write_page(path.with_name(f"{path.name}.svg"), plot.svg, "plots")
            write_bytes(path.with_name(f"{path.name}.png"), plot.png, "plots")
