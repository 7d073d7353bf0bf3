"""`es-simhash related`: the versions and the semantic neighbours of a document."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from es_simhash.cli.files import read_text
from es_simhash.cli.options import (
    client_of,
    connection_options,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.semantic_options import vocabulary_option
from es_simhash.cli.showing import format_option, print_json, print_table, printable
from es_simhash.errors import InputError
from es_simhash.query.options import Limits, Recency, SearchOptions
from es_simhash.relation.model import KINDS, Answer
from es_simhash.relation.thresholds import SHOWN_SCORE
from es_simhash.search.index import Index
from es_simhash.search.sidecar import SidecarIndex, open_index
from es_simhash.semantics.scheme import DEFAULT_SEMANTICS
from es_simhash.storage.config import IndexConfig


def _filter(value: str | None) -> tuple[dict[str, Any], ...]:
    if value is None:
        return ()
    try:
        parsed = json.loads(value)
    except ValueError as error:
        raise InputError(
            f"--filter is no JSON ({error}); give an Elasticsearch query such as "
            '\'{"term": {"lang": "en"}}\'.'
        ) from error
    if not isinstance(parsed, dict):
        raise InputError(f"--filter holds {type(parsed).__name__}, not an Elasticsearch query.")
    return (parsed,)


@click.command()
@click.argument("index")
@click.option("--id", "ids", multiple=True, help="Of a stored document; give it again for more.")
@click.option("--text-file", help="File with the text, UTF-8; - for standard input.")
@click.option("--text", help="The text itself.")
@click.option("--filter", "filter_", help="Elasticsearch query that every hit must match, as JSON.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind.")
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    default=SHOWN_SCORE,
    show_default=True,
    help="Least score; versions start at 0.6.",
)
@click.option(
    "--size", type=click.IntRange(1), default=10, show_default=True, help="Relations at the most."
)
@click.option(
    "--candidates",
    type=click.IntRange(1, 10_000),
    default=Limits.candidates,
    show_default=True,
    help="Candidates examined; more are reported as truncated.",
)
@click.option("--k", type=click.IntRange(0), help="Promised Hamming distance of whole documents.")
@click.option("--all-copies", is_flag=True, help="Show neighbours that are versions of another.")
@click.option("--recency", metavar="FIELD", help="Date field; newer neighbours come first.")
@click.option(
    "--half-life",
    type=click.FloatRange(0, min_open=True),
    default=Recency.half_life,
    show_default=True,
    help="Days after which a date counts half.",
)
@click.option(
    "--recency-weight",
    type=click.FloatRange(0, 1),
    default=Recency.weight,
    show_default=True,
    help="How much of a neighbour's score depends on its date.",
)
@vocabulary_option
@click.option("--evidence/--no-evidence", default=True, help="Show the shared passages.")
@click.option(
    "--explain-query",
    is_flag=True,
    help="Print the request bodies, search nothing; with --text nothing at all is sent.",
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
    filter_: str | None,
    kinds: tuple[Any, ...],
    min_score: float,
    size: int,
    candidates: int,
    k: int | None,
    all_copies: bool,
    recency: str | None,
    half_life: float,
    recency_weight: float,
    vocabulary: str | None,
    evidence: bool,
    explain_query: bool,
    form: str,
    text_field: str,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Show which documents of INDEX are related to a document or text, and why.

    \b
    exact            the same text but for case and white space
    version          a revision or near-duplicate
    contains         the query contains the hit
    excerpt_of       the query is an excerpt of the hit
    shares_passages  some passages are the same
    semantic         about the same people, places, things and ideas
    """
    if bool(ids) + (text_file is not None) + (text is not None) != 1:
        raise click.UsageError("Give one of --id, --text-file and --text.")
    options = SearchOptions(
        size=size,
        kinds=kinds,
        min_score=min_score,
        filters=_filter(filter_),
        evidence=evidence,
        k=k,
        limits=Limits(candidates=candidates),
        collapse=not all_copies,
        recency=Recency(recency, half_life, recency_weight) if recency else None,
    )
    if text_file is not None:
        text = read_text(text_file)
    with client_of(**connection) as client:
        # A text is explained without any request; its schemes are then the default ones.
        config = IndexConfig(
            text_field=text_field, simhash_field=simhash_field, vocabulary=vocabulary
        )
        asked: Index | SidecarIndex
        if explain_query and text is not None:
            config = replace(config, semantics=DEFAULT_SEMANTICS)
            asked = Index(client, index, config=config, read_schemes=False)
        else:
            asked = open_index(client, index, config)
        if explain_query:
            bodies = asked.searches(id=ids[0] if ids else None, text=text, options=options)
            print_json(bodies)
            return
        if text is not None:
            name = Path(text_file).name if text_file is not None else "the text"
            answers = {name: asked.related(text=text, options=options)}
        else:
            answers = asked.related_to_each(ids, options=options)
    _print(answers, form)


def _print(answers: dict[str, Answer], form: str) -> None:
    if form == "json":
        lists = {id: [each.to_dict() for each in found] for id, found in answers.items()}
        print_json(next(iter(lists.values())) if len(lists) == 1 else lists)
    else:
        for query, relations in answers.items():
            print_table(relations, query)
    cut = [printable(query) for query, answer in answers.items() if answer.truncated]
    if cut:
        click.echo(
            f"truncated: more candidates than were examined for {', '.join(cut)}; "
            "raise --candidates to see all.",
            err=True,
        )
