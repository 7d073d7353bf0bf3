"""`es-simhash related`: the versions and the semantic neighbours of a document."""

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click

from es_simhash.cli.files import read_text
from es_simhash.cli.options import (
    client_of,
    connection_options,
    described_options,
    format_option,
    index_config,
    note_overrides,
    options_of,
    passage_order_option,
    simhash_field_option,
    text_field_option,
    vocabulary_option,
)
from es_simhash.cli.output import print_json
from es_simhash.relation.answer import Grouping
from es_simhash.relation.relation import Relation
from es_simhash.store.config import DocumentFields
from es_simhash.store.options import MAX_NEIGHBOURS, Limits, Recency, SearchOptions


@click.command()
@click.argument("index")
@click.option("--id", "ids", multiple=True, help="Id of a stored document; repeatable.")
@click.option("--text-file", help="Text file, in UTF-8; - for standard input.")
@click.option("--text", help="The text itself.")
@click.option(
    "--method",
    help="Find by the fingerprints of a method that INDEX was installed with, such as "
    "token-simhash, and by its own score.",
)
# Passages of many hits are more than a terminal shows at once.
@described_options(
    SearchOptions,
    omit=("context",),
    evidence={"default": False},
    k={"type": click.IntRange(0)},
)
# What the engine accepts.
@described_options(Limits, candidates={"type": click.IntRange(1, MAX_NEIGHBOURS)})
@described_options(Recency, omit=("origin",))
@click.option(
    "--group", type=click.Choice(get_args(Grouping)), help="Print a table for each kind or family."
)
@click.option(
    "--date-field",
    metavar="FIELD",
    show_default="the one of `es-simhash config`",
    help="Date field that says what is older and newer.",
)
@vocabulary_option
@passage_order_option
@click.option(
    "--explain-query",
    is_flag=True,
    help="Print the bodies of the searches of INDEX instead of sending them; the mapping and the "
    "document are read.",
)
@format_option
@text_field_option
@simhash_field_option
@connection_options
def related(
    index: str,
    ids: tuple[str, ...],
    text_file: str | None,
    text: str | None,
    method: str | None,
    group: Grouping | None,
    date_field: str | None,
    vocabulary: str | None,
    passage_order: str,
    explain_query: bool,
    output_format: str,
    text_field: str | None,
    simhash_field: str,
    **values: Any,
) -> None:
    """Find documents related to a document or a text.

    Shows the documents of INDEX that are related, with the evidence. The kinds of relations:

    \b
    exact            the same text, ignoring case and white space
    version          a revision or near-duplicate
    contains         the query contains the hit
    excerpt_of       the query is an excerpt of the hit
    shares_passages  the query and the hit share passages
    semantic         a semantic neighbour: shared concepts and entities, other words
    """
    if bool(ids) + (text_file is not None) + (text is not None) != 1:
        raise click.UsageError("Give exactly one of --id, --text-file and --text.")
    options = _options(values, group)
    if method is not None and (options.evidence or group is not None):
        raise click.UsageError("--method shows scores alone; omit --evidence and --group.")
    if text_file is not None:
        text = read_text(text_file)
    # Help and errors of usage are printed without the tables, which take long to import.
    from es_simhash.cli.related_answers import MethodQueries, print_answers
    from es_simhash.questions.index import open_index

    with client_of(**values) as client:
        config = index_config(text_field, simhash_field, vocabulary)
        config = replace(config, documents=DocumentFields(date=date_field))
        note_overrides(client, index, config, date=date_field)
        searched = open_index(client, index, config)
        name = Path(text_file).name if text_file is not None else "the text"
        if method is not None:
            queries = MethodQueries(searched, method, options, output_format, explain_query)
            queries.print_answers(ids, text, name)
            return
        if explain_query:
            bodies = searched.searches(id=ids[0] if ids else None, text=text, options=options)
            print_json(bodies)
            return
        if text is not None:
            answers = {name: searched.related(text=text, options=options)}
        else:
            answers = searched.related_to_each(ids, options=options)
    if passage_order == "place":
        answers = {id: answer.map(Relation.by_place) for id, answer in answers.items()}
    print_answers(answers, output_format, group, options.fields)


def _options(values: dict[str, Any], group: Grouping | None) -> SearchOptions:
    """Take the search options out of the values of the command."""
    if values["evidence"] and not values["passages"]:
        raise click.UsageError("--evidence needs the passages; give it without --no-passages.")
    limits = options_of(Limits, values)
    has_recency = values["recency"] is not None
    recency = options_of(Recency, values)
    return options_of(
        SearchOptions,
        values,
        limits=limits,
        recency=recency if has_recency else None,
        context=True if group == "family" else None,
    )
