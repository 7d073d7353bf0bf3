"""`es-simhash lab evaluate`: how well methods separate labelled pairs."""

import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import click
from rich.console import Console
from rich.table import Table as ConsoleTable
from rich.text import Text

from es_simhash.cli.commands import command
from es_simhash.cli.files import require_writable, write_file
from es_simhash.cli.options import Fields, Quiet
from es_simhash.cli.output import print_json, print_problems, shortened
from es_simhash.cli.progress import progress_bar
from es_simhash.constraints import constraints
from es_simhash.errors import InputError
from es_simhash.lab.evaluation.curve_pictures import curve_pictures, require_plots
from es_simhash.lab.evaluation.evaluate import evaluate_sets, labelled_set
from es_simhash.lab.evaluation.evaluation_figures import SetEvaluation
from es_simhash.lab.evaluation.evaluation_pages import evaluation_html, markdown
from es_simhash.lab.evaluation.evaluation_tables import (
    Table,
    headline,
    lines_of,
    tables_of,
    verdict,
    wrong_lines,
)
from es_simhash.lab.evaluation.labelled_pairs import LabelledPairs, read_pairs
from es_simhash.lab.evaluation.pair_texts import (
    Reasons,
    index_texts,
    known_pairs,
    read_texts,
    shared_documents,
)
from es_simhash.lab.methods.method_protocol import Method
from es_simhash.lab.methods.method_registry import method_named, method_names
from es_simhash.lab.methods.project_method import DEFAULT_METHOD, project_method
from es_simhash.questions.index import open_index
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.text.counting import counted

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
            write_file(output, content, "output")


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
        for line in verdict(evaluation):
            console.print(Text(line), soft_wrap=True)
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
    console.print(Text(f"\n{name} gets {counted(total, 'pair')} wrong", "bold"), soft_wrap=True)
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
            write_file(path.with_name(f"{path.name}.svg"), plot.svg, "plots")
            write_file(path.with_name(f"{path.name}.png"), plot.png, "plots")


@command
def evaluate(
    pairs: tuple[Path, ...],
    *,
    texts: Annotated[tuple[Path, ...], constraints(called="texts")] = (),
    index: str | None = None,
    methods: Annotated[
        tuple[str, ...],
        constraints(
            help=f"Method to measure, one of {', '.join(method_names())}; None for "
            f"{DEFAULT_METHOD}."
        ),
    ] = (),
    wrong: Annotated[int, constraints(0)] = 10,
    output_format: Annotated[
        Literal["table", "json", "markdown", "html"] | None, constraints(called="format")
    ] = None,
    output: Path | None = None,
    plots: Annotated[Path | None, click.Path(file_okay=False, path_type=Path)] = None,
    quiet: Quiet = False,
    target: Fields,
) -> None:
    """Measure how well methods separate the versions in PAIRS from other pairs.

    PAIRS are files of two ids and a label (1 for versions, 0 for others): TSV, CSV or JSONL. Cuts
    are never chosen on the pairs they are applied to: with one file they are cross-fitted by
    families of documents, with several each file gets the cut of the others. The exit status is 1
    when lines or documents were left out.

    Args:
        texts: JSONL file of the texts, with id and text.
        index: Index of the texts, in place of --texts.
        wrong: Number of wrong pairs of the first method to list, the worst first.
        output_format: Output format; None for what the name of --output says, else table.
        output: File to write; None for standard output.
        plots: Folder for the plots as SVG and PNG files.
    """
    if bool(texts) == (index is not None):
        raise click.UsageError("Give either --texts or --index.")
    require_writable(output, "output")
    if plots is not None:
        require_plots_folder(plots)
    chosen = [method_named(name) for name in dict.fromkeys(methods or (DEFAULT_METHOD,))]
    read = [read_pairs(path) for path in pairs]
    problems: list[str] = []
    reasons: Reasons = {}
    if index is None:
        by_id, found = read_texts(texts)
        problems.extend(found)
        where = ", ".join(map(str, texts))
    else:
        with target.connected() as client:
            config = ElasticsearchStore(client, index, target.config).config
            by_id, reasons = index_texts(open_index(client, index, config).store, _ids(read))
        chosen = [_of_index(method, config) for method in chosen]
        where = f"index {index}"
    known = [known_pairs(each, by_id.__contains__, where, reasons) for each in read]
    problems.extend(problem for each in known for problem in each.problems)
    print_problems([*problems, *shared_documents(known)])
    with progress_bar(quiet=quiet) as progress:
        evaluations = evaluate_sets(
            [labelled_set(each, by_id) for each in known], chosen, wrong=wrong, progress=progress
        )
    if plots is not None:
        write_plots(evaluations, plots)
    print_evaluations(evaluations, output_format or _format_of(output), output)
    unreadable = _unreadable(evaluations)
    print_problems(unreadable)
    if problems or unreadable:
        raise SystemExit(1)


def _format_of(output: Path | None) -> str:
    """Return the format that the name of a file says."""
    suffix = "" if output is None else output.suffix.lower()
    return {".html": "html", ".md": "markdown", ".json": "json"}.get(suffix, "table")


def _of_index(method: Method, config: IndexConfig) -> Method:
    """Return a method as an index is configured: its own threshold is that of `related`."""
    return project_method(config.versions_from) if method.name == DEFAULT_METHOD else method


def _ids(pairs: Sequence[LabelledPairs]) -> list[str]:
    return sorted({id for each in pairs for pair in each.labels for id in pair})


def _unreadable(evaluations: Sequence[SetEvaluation]) -> list[str]:
    """Return one sentence for each method and reason why it cannot read documents."""
    return [
        f"Method {figures.name!r} cannot read {counted(len(ids), 'document')} of "
        f"{evaluation.labelled.name}, which score 0 in every pair: {reason} (such as {ids[0]!r})."
        for evaluation in evaluations
        for figures in evaluation.methods
        for reason, ids in _by_reason(figures.scored.unreadable).items()
    ]


def _by_reason(unreadable: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for id, reason in unreadable.items():
        found.setdefault(reason, []).append(id)
    return found
