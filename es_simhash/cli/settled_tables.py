"""Tables of what a person decided about pairs of documents."""

from collections.abc import Sequence
from dataclasses import asdict

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from es_simhash.cli.output import print_json
from es_simhash.families.settled import SettledPair
from es_simhash.text.escaping import one_line


def print_pairs(pairs: Sequence[SettledPair], output_format: str, nothing: str) -> None:
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
    table = Table()
    for name in ("document", "other", "run"):
        table.add_column(name, overflow="fold")
    table.add_column("reason", no_wrap=True)
    for pair in pairs:
        ids = (Text(one_line(id)) for id in pair.ids)
        table.add_row(*ids, Text(pair.run or ""), Text(pair.reason))
    Console().print(table)
