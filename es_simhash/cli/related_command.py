"""`es-simhash related`: the versions and the semantic neighbours of a document."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import click

from es_simhash.cli.commands import Chosen, WholeNumbers, command
from es_simhash.cli.files import read_text
from es_simhash.cli.options import PassageOrder, Target
from es_simhash.cli.row_output import RowOutput
from es_simhash.constraints import constraints
from es_simhash.relation.answer import Grouping
from es_simhash.relation.relation import Relation
from es_simhash.store.options import MAX_NEIGHBOURS, SearchOptions


def _search_options(**values: Any) -> SearchOptions:
    if values["evidence"] and not values["passages"]:
        raise click.UsageError("--evidence needs the passages; give it without --no-passages.")
    return SearchOptions(**values)


def _require_explained(ids: tuple[str, ...], output: RowOutput) -> None:
    if len(ids) > 1:
        raise click.UsageError(
            f"--explain-query prints the searches of one document, got {len(ids)}; give one --id."
        )
    if output.output_format in ("csv", "xlsx"):
        raise click.UsageError(
            f"--explain-query prints JSON, got --format {output.output_format}; give json or jsonl."
        )


@command
def related(
    target: Target,
    *,
    ids: tuple[str, ...] = (),
    text_file: str | None = None,
    text: str | None = None,
    options: Annotated[
        SearchOptions,
        Chosen(
            omit=("context", "origin"),
            make=_search_options,
            # Passages of many hits are more than a terminal shows at once.
            evidence={"default": False},
            k={"type": WholeNumbers(0)},
            # What the engine accepts.
            candidates={"type": WholeNumbers(1, MAX_NEIGHBOURS)},
        ),
    ],
    method: Annotated[str | None, constraints(group="Ranking and limits")] = None,
    group: Annotated[Grouping | None, constraints(group="Output")] = None,
    date_field: Annotated[str | None, constraints(group="Output")] = None,
    passage_order: PassageOrder = "weight",
    explain_query: Annotated[bool, constraints(group="Output")] = False,
    output: RowOutput,
) -> None:
    """Find documents related to a document or a text.
    \f

    Shows the documents of INDEX that are related, with the evidence. The kinds of relations:

    \b
    exact            the same text, ignoring case and white space
    version          a revision or near-duplicate
    contains         the query contains the hit
    excerpt_of       the query is an excerpt of the hit
    shares_passages  the query and the hit share passages
    semantic         a semantic neighbour: shared concepts and entities, other words

    Args:
        ids: Id of a stored document.
        text_file: Text file, in UTF-8; - for standard input.
        text: The text itself.
        method: Find by another method, and by its score. INDEX must have been installed with it,
            as with token-simhash.
        group: Print a table for each kind or family.
        date_field: Date field that says what is older and newer; None for the one of
            `es-simhash config`.
        explain_query: Print the searches instead of sending them. The mapping and the document are
            read.
    """
    if bool(ids) + (text_file is not None) + (text is not None) != 1:
        raise click.UsageError("Give exactly one of --id, --text-file and --text.")
    if method is not None and (options.evidence or group is not None):
        raise click.UsageError("--method shows scores alone; omit --evidence and --group.")
    if explain_query:
        _require_explained(ids, output)
    if group == "family":
        options = replace(options, context=True)
    if text_file is not None:
        text = read_text(text_file)
    # Help and errors of usage are printed without the tables, which take long to import.
    from es_simhash.cli.opened_index import opened
    from es_simhash.cli.related_answers import (
        MethodQueries,
        print_answers,
        print_searches,
        report_other_scoring,
    )

    with opened(target, date=date_field) as searched:
        name = Path(text_file).name if text_file is not None else "the text"
        if method is not None:
            queries = MethodQueries(searched, method, options, output, explain_query)
            queries.print_answers(ids, text, name)
            return
        if explain_query:
            bodies = searched.searches(id=ids[0] if ids else None, text=text, options=options)
            print_searches(bodies, output)
            return
        if text is not None:
            answers = {name: searched.related(text=text, options=options)}
        else:
            answers = searched.related_to_each(ids, options=options)
        report_other_scoring(searched)
    if passage_order == "place":
        answers = {id: answer.map(Relation.by_place) for id, answer in answers.items()}
    print_answers(answers, output, group, options.fields)
