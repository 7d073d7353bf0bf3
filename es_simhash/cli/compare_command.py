"""`es-simhash compare`: compare two files, without a cluster."""

import click
from rich.console import Console

from es_simhash.cli.inputs import read_text
from es_simhash.cli.options import passage_order_option, scheme_option
from es_simhash.cli.output import format_option, print_json
from es_simhash.cli.semantic_options import vocabulary_option
from es_simhash.cli.tables import print_pair
from es_simhash.fingerprints.scheme import Scheme
from es_simhash.relation.compare import compare as compare_texts


@click.command()
@click.argument("a")
@click.argument("b")
@scheme_option
@vocabulary_option
@passage_order_option
@format_option
def compare(
    a: str, b: str, scheme: str, vocabulary: str | None, passage_order: str, output_format: str
) -> None:
    """Compare file A with file B and show what they share.

    A is the query and B the hit: `contains` means that A contains B.
    """
    relation = compare_texts(
        read_text(a), read_text(b), scheme=Scheme.parse(scheme), vocabulary=vocabulary
    )
    if passage_order == "place":
        relation = relation.by_place()
    if output_format == "json":
        print_json(relation.to_dict())
        return
    print_pair(a, b, relation, Console())
