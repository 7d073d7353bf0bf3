"""`es-simhash explain`: why two stored documents are related, or are not."""

from typing import Any

import click
from rich.console import Console

from es_simhash.cli.connection_options import client_of, connection_options
from es_simhash.cli.options import (
    index_config,
    passage_order_option,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.output import format_option, print_json
from es_simhash.cli.overrides import note_overrides
from es_simhash.cli.semantic_options import vocabulary_option
from es_simhash.cli.tables import print_pair
from es_simhash.questions.sidecar import open_index


@click.command()
@click.argument("index")
@click.argument("a")
@click.argument("b")
@vocabulary_option
@passage_order_option
@format_option
@text_field_option
@simhash_field_option
@connection_options
def explain(
    index: str,
    a: str,
    b: str,
    vocabulary: str | None,
    passage_order: str,
    output_format: str,
    text_field: str | None,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Explain how documents A and B of INDEX are related.

    Shows the passages, terms and entities they share, and what each adds to the score, whatever
    the score is.
    """
    with client_of(**connection) as client:
        config = index_config(text_field, simhash_field, vocabulary)
        note_overrides(client, index, config)
        searched = open_index(client, index, config)
        relation = searched.explain(a, b)
    if passage_order == "place":
        relation = relation.by_place()
    if output_format == "json":
        print_json(relation.to_dict())
        return
    print_pair(a, b, relation, Console())
