"""Tables of what a person decided about pairs of documents."""

from collections.abc import Sequence
from dataclasses import asdict

import click
from rich.console import Console
from rich.text import Text

from es_simhash.cli.columns import Column, print_columns
from es_simhash.cli.output import print_json
from es_simhash.maintenance.families.dismissals_and_joins import ManualPair
from es_simhash.text.escaping import one_line


def print_pairs(pairs: Sequence[ManualPair], output_format: str, nothing: str) -> None:
    """Print pairs as a table or as JSON.

    Args:
        pairs: The pairs.
        output_format: `table` or `json`.
        nothing: What a table says where there are none.
    """
    if output_format == "json":
        print_json([asdict(pair) for pair in pairs])
        return
    if not pairs:
        click.echo(nothing)
        return
    columns = [
        Column("document", [Text(one_line(pair.ids[0])) for pair in pairs]),
        Column("other", [Text(one_line(pair.ids[1])) for pair in pairs]),
        Column("run", [Text(pair.run or "") for pair in pairs]).if_any(),
        Column("reason", [Text(pair.reason) for pair in pairs]),
    ]
    print_columns([column for column in columns if column is not None], Console())
