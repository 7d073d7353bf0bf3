"""`es-simhash explain`: why two stored documents are related, or are not."""

from typing import Any

import click
from rich.console import Console

from es_simhash.cli.options import (
    client_of,
    connection_options,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.semantic_options import vocabulary_option
from es_simhash.cli.showing import format_option, print_json, print_pair
from es_simhash.search.sidecar import open_index
from es_simhash.storage.config import IndexConfig


@click.command()
@click.argument("index")
@click.argument("a")
@click.argument("b")
@vocabulary_option
@format_option
@text_field_option
@simhash_field_option
@connection_options
def explain(
    index: str,
    a: str,
    b: str,
    vocabulary: str | None,
    form: str,
    text_field: str,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Tell how document A of INDEX is related to document B, whatever the score.

    Shows the passages they share, the concepts and entities both have, and what each of these
    adds to the score.
    """
    with client_of(**connection) as client:
        asked = open_index(
            client,
            index,
            IndexConfig(text_field=text_field, simhash_field=simhash_field, vocabulary=vocabulary),
        )
        relation = asked.explain(a, b)
    if form == "json":
        print_json(relation.to_dict())
        return
    print_pair(a, b, relation, Console())
