"""`es-simhash compare`: the relation of two files, without a cluster."""

import click
from rich.console import Console

from es_simhash.cli.files import read_text
from es_simhash.cli.semantic_options import vocabulary_option
from es_simhash.cli.showing import format_option, print_json, print_pair
from es_simhash.fingerprints.scheme import DEFAULT, Scheme
from es_simhash.relation.compare import compare as compare_texts


@click.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--scheme", default=DEFAULT.name, show_default=True, help="Published name of the scheme."
)
@vocabulary_option
@format_option
def compare(a: str, b: str, scheme: str, vocabulary: str | None, form: str) -> None:
    """Tell how file A is related to file B, with what they share.

    A is the query and B the hit: `contains` means that A contains B.
    """
    relation = compare_texts(
        read_text(a), read_text(b), scheme=Scheme.parse(scheme), vocabulary=vocabulary
    )
    if form == "json":
        print_json(relation.to_dict())
        return
    print_pair(a, b, relation, Console())
