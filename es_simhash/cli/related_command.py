"""`es-simhash related`: the versions and the semantic neighbours of a document."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from es_simhash.cli.files import parse_query, read_text
from es_simhash.cli.options import (
    client_of,
    connection_options,
    index_config,
    note_overrides,
    passage_order_option,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.output import format_option, print_json
from es_simhash.cli.related_answers import MethodQueries, print_answers
from es_simhash.cli.semantic_options import vocabulary_option
from es_simhash.questions.index import open_index
from es_simhash.relation.answer import Grouping
from es_simhash.relation.relation import KINDS, Relation
from es_simhash.relation.thresholds import SHOWN_SCORE, VERSION_SCORE
from es_simhash.store.document_fields import DocumentFields
from es_simhash.store.options import FamilyFilter, Limits, Recency, SearchOptions
from es_simhash.store.order import SORTS, Sort


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
@click.option("--filter", "filter_", help="Elasticsearch query that every hit must match, as JSON.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(KINDS),
    show_default="all kinds",
    help="Kind of relations to return; repeatable.",
)
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    show_default=f"the one of `es-simhash config`, else {SHOWN_SCORE}",
    help=f"Minimum score, whatever the date; versions start at {VERSION_SCORE}.",
)
@click.option(
    "--size",
    type=click.IntRange(1),
    default=SearchOptions.size,
    show_default=True,
    help="Maximum number of relations.",
)
@click.option(
    "--from",
    "offset",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Relations to pass over: the next page of the same --size.",
)
@click.option(
    "--sort",
    type=click.Choice(SORTS),
    default="score",
    show_default=True,
    help="Order: best first, oldest first (date), or newest first (-date).",
)
@click.option(
    "--group", type=click.Choice(["kind", "family"]), help="Print a table for each kind or family."
)
@click.option("--exclude", multiple=True, help="Id of a document to leave out; repeatable.")
@click.option(
    "--same-family", "family", flag_value="same", help="Return documents of its family alone."
)
@click.option(
    "--other-families",
    "family",
    flag_value="other",
    help="Return no documents of its family.",
)
@click.option(
    "--fields", multiple=True, help="Field of the hits to show; repeatable. JSON: `source`."
)
@click.option(
    "--date-field",
    show_default="the one of `es-simhash config`",
    help="Date field that says what is older and newer.",
)
@click.option(
    "--candidates",
    type=click.IntRange(1, 10_000),
    default=Limits.candidates,
    show_default=True,
    help="Maximum number of candidates of each search; if there are more, `truncated` is reported.",
)
@click.option(
    "--k",
    type=click.IntRange(0),
    show_default="blocks - 1",
    help="Maximum Hamming distance between document fingerprints.",
)
@click.option(
    "--all-copies",
    is_flag=True,
    help="Also show neighbours that are versions of another neighbour.",
)
@click.option(
    "--recency",
    metavar="FIELD",
    help="Date field; newer neighbours come first. Scores, and what is shown, stay the same.",
)
@click.option("--dismissed", is_flag=True, help="Also show versions that were dismissed.")
@click.option(
    "--distinctive",
    is_flag=True,
    help="Leave out documents that share nothing but passages many others have too.",
)
@click.option(
    "--half-life",
    type=click.FloatRange(0, min_open=True),
    default=Recency.half_life,
    show_default=True,
    help="Age in days at which the weight of the date is halved.",
)
@click.option(
    "--recency-weight",
    type=click.FloatRange(0, 1),
    default=Recency.weight,
    show_default=True,
    help="Share of the rank of a neighbour that depends on its date.",
)
@vocabulary_option
@click.option(
    "--evidence/--no-evidence", default=False, show_default=True, help="Show the shared passages."
)
@click.option(
    "--passages/--no-passages",
    default=True,
    show_default=True,
    help="Align the texts of candidates. Without: faster, from fingerprints alone; reworded "
    "passages are not found, and none is shown.",
)
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
    filter_: str | None,
    kinds: tuple[Any, ...],
    min_score: float | None,
    size: int,
    offset: int,
    sort: Sort,
    group: Grouping | None,
    exclude: tuple[str, ...],
    family: FamilyFilter | None,
    fields: tuple[str, ...],
    date_field: str | None,
    candidates: int,
    k: int | None,
    all_copies: bool,
    dismissed: bool,
    distinctive: bool,
    recency: str | None,
    half_life: float,
    recency_weight: float,
    vocabulary: str | None,
    evidence: bool,
    passages: bool,
    passage_order: str,
    explain_query: bool,
    output_format: str,
    text_field: str | None,
    simhash_field: str,
    **connection: Any,
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
    if evidence and not passages:
        raise click.UsageError("--evidence needs the passages; give it without --no-passages.")
    if method is not None and (evidence or group is not None):
        raise click.UsageError("--method shows scores alone; omit --evidence and --group.")
    query = parse_query(filter_, "--filter")
    options = SearchOptions(
        size=size,
        kinds=kinds,
        min_score=min_score,
        filters=() if query is None else (query,),
        evidence=evidence,
        passages=passages,
        k=k,
        limits=Limits(candidates=candidates),
        collapse=not all_copies,
        dismissed=dismissed,
        distinctive=distinctive,
        recency=Recency(recency, half_life, recency_weight) if recency else None,
        sort=sort,
        offset=offset,
        exclude=exclude,
        family=family or "any",
        fields=fields,
        context=True if group == "family" else None,
    )
    if text_file is not None:
        text = read_text(text_file)
    with client_of(**connection) as client:
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
    print_answers(answers, output_format, group, fields)
