"""`es-simhash compare`: compare two files, without a cluster."""

import click
from rich.console import Console

from es_simhash.cli.changes_output import changes_format_option, print_changes
from es_simhash.cli.inputs import read_text
from es_simhash.cli.options import passage_order_option, scheme_option
from es_simhash.cli.output import print_json
from es_simhash.cli.semantic_options import vocabulary_option
from es_simhash.cli.tables import print_pair
from es_simhash.differences.compare import changes
from es_simhash.fingerprints.scheme import Scheme
from es_simhash.relation.compare import compare as compare_texts

# Of what two files share.
_FORMATS = ("table", "json")


@click.command()
@click.argument("a")
@click.argument("b")
@scheme_option
@vocabulary_option
@passage_order_option
@click.option("--changes", "wants_changes", is_flag=True, help="Show what changed from A to B.")
@changes_format_option
def compare(
    a: str,
    b: str,
    scheme: str,
    vocabulary: str | None,
    passage_order: str,
    wants_changes: bool,
    output_format: str,
) -> None:
    """Compare file A with file B and show what they share, or what changed.

    A is the query and B the hit: `contains` means that A contains B. With --changes, A is the older
    text and B the newer; --format text, diff and html are for changes.
    """
    if wants_changes:
        print_changes(changes(read_text(a), read_text(b)), a, b, output_format)
        return
    if output_format not in _FORMATS:
        raise click.UsageError(f"--format {output_format} shows changes; add --changes.")
    relation = compare_texts(
        read_text(a), read_text(b), scheme=Scheme.parse(scheme), vocabulary=vocabulary
    )
    if passage_order == "place":
        relation = relation.by_place()
    if output_format == "json":
        print_json(relation.to_dict())
        return
    print_pair(a, b, relation, Console())
