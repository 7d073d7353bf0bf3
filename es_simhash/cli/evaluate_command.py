"""`es-simhash evaluate`: methods measured on labelled pairs of your own."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from es_simhash.cli.connection_options import client_of, connection_options
from es_simhash.cli.evaluate_output import (
    FORMATS,
    print_evaluations,
    require_plots_folder,
    write_plots,
)
from es_simhash.cli.options import (
    index_config,
    quiet_option,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.page_file import require_page_file
from es_simhash.cli.problems import print_problems
from es_simhash.lab.evaluation.evaluate import evaluate_sets, labelled_set
from es_simhash.lab.evaluation.evaluation_figures import SetEvaluation
from es_simhash.lab.evaluation.labelled_pairs import LabelledPairs, read_pairs
from es_simhash.lab.evaluation.pair_texts import (
    index_texts,
    known_pairs,
    read_texts,
    shared_documents,
)
from es_simhash.lab.methods.method_protocol import Method
from es_simhash.lab.methods.method_registry import DEFAULT_METHOD, method_named, method_names
from es_simhash.lab.methods.project_method import ProjectMethod
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.configuration import InstalledIndex


@click.command()
@click.argument("pairs", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--texts",
    "text_files",
    multiple=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="JSONL file of the texts, with id and text. Repeatable.",
)
@click.option("--index", help="Index of the texts, in place of --texts.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    show_default=DEFAULT_METHOD,
    help=f"Method to measure. Repeatable. One of {', '.join(method_names())}.",
)
@click.option(
    "--wrong",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Number of wrong pairs of the first method to list, the worst first.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="Output format.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    show_default="standard output",
    help="File to write.",
)
@click.option(
    "--plots",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the plots as SVG and PNG files.",
)
@quiet_option
@text_field_option
@simhash_field_option
@connection_options
def evaluate(
    pairs: tuple[Path, ...],
    text_files: tuple[Path, ...],
    index: str | None,
    methods: tuple[str, ...],
    wrong: int,
    output_format: str,
    output: Path | None,
    plots: Path | None,
    quiet: bool,
    text_field: str | None,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Measure how well methods separate the versions in PAIRS from other pairs.

    PAIRS are files of two ids and a label (1 for versions, 0 for others): TSV, CSV or JSONL. Cuts
    are never chosen on the pairs they are applied to: with one file they are cross-fitted by
    families of documents, with several each file gets the cut of the others. The exit status is 1
    when lines or documents were left out.
    """
    if bool(text_files) == (index is not None):
        raise click.UsageError("Give either --texts or --index.")
    if output is not None:
        require_page_file(output, "output")
    if plots is not None:
        require_plots_folder(plots)
    chosen = [method_named(name) for name in dict.fromkeys(methods or (DEFAULT_METHOD,))]
    read = [read_pairs(path) for path in pairs]
    problems: list[str] = []
    if index is None:
        texts, found = read_texts(text_files)
        problems.extend(found)
        where = ", ".join(map(str, text_files))
    else:
        with client_of(**connection) as client:
            given = index_config(text_field, simhash_field)
            config = InstalledIndex(Gateway.of(client), index, given).config
            texts = index_texts(client, index, _ids(read), config)
        chosen = [_of_index(method, config) for method in chosen]
        where = f"index {index}"
    known = [known_pairs(each, texts.__contains__, where) for each in read]
    problems.extend(problem for each in known for problem in each.problems)
    print_problems([*problems, *shared_documents(known)])
    evaluations = evaluate_sets(
        [labelled_set(each, texts) for each in known],
        chosen,
        wrong=wrong,
        progress=lambda name: None if quiet else click.echo(f"Reading with {name}", err=True),
    )
    if plots is not None:
        write_plots(evaluations, plots)
    print_evaluations(evaluations, output_format, output)
    unreadable = _unreadable(evaluations)
    print_problems(unreadable)
    if problems or unreadable:
        raise SystemExit(1)


def _of_index(method: Method, config: IndexConfig) -> Method:
    """Return a method as an index is configured: its own threshold is that of `related`."""
    if isinstance(method, ProjectMethod):
        return replace(method, version_threshold=config.versions_from)
    return method


def _ids(pairs: Sequence[LabelledPairs]) -> list[str]:
    return sorted({id for each in pairs for pair in each.labels for id in pair})


def _unreadable(evaluations: Sequence[SetEvaluation]) -> list[str]:
    """Return one sentence for each method and reason why it cannot read documents."""
    return [
        f"Method {figures.name!r} cannot read {len(ids)} documents of {evaluation.labelled.name}, "
        f"which score 0 in every pair: {reason} (such as {ids[0]!r})."
        for evaluation in evaluations
        for figures in evaluation.methods
        for reason, ids in _by_reason(figures.scored.unreadable).items()
    ]


def _by_reason(unreadable: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for id, reason in unreadable.items():
        found.setdefault(reason, []).append(id)
    return found
