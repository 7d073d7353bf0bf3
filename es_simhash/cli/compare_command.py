"""`es-simhash compare`: the relation of two files, without a cluster."""

import click
from rich.console import Console
from rich.text import Text

from es_simhash.cli.files import read_text
from es_simhash.cli.showing import (
    MEANING,
    STYLE,
    format_option,
    print_json,
    printable,
    side_by_side,
)
from es_simhash.comparing import compare as compare_texts
from es_simhash.scheme import DEFAULT, Scheme


@click.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--scheme", default=DEFAULT.name, show_default=True, help="Published name of the scheme."
)
@format_option
def compare(a: str, b: str, scheme: str, form: str) -> None:
    """Tell how file A is related to file B, with the passages they share.

    A is the query and B the hit: `contains` means that A contains B.
    """
    relation = compare_texts(read_text(a), read_text(b), scheme=Scheme.parse(scheme))
    if form == "json":
        print_json(relation.to_dict())
        return
    console = Console()
    meaning = MEANING[relation.kind], STYLE[relation.kind]
    line = Text.assemble(printable(a), " ", meaning, " ", printable(b))
    console.print(line)
    console.print(
        f"{relation.kind}, score {relation.score:.2f}; {relation.coverage.of_query:.0%} of A "
        f"stands in B, {relation.coverage.of_hit:.0%} of B in A"
    )
    if relation.evidence:
        console.print(side_by_side(relation.evidence))
