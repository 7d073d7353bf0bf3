"""`es-simhash fingerprint`: what would be stored for a text, without any server."""

from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from es_simhash.cli.files import read_text
from es_simhash.cli.showing import print_json, printable
from es_simhash.fingerprints.scheme import DEFAULT, Scheme
from es_simhash.storage.conformance import describe


@click.command()
@click.argument("file")
@click.option("--scheme", "name", default=DEFAULT.name, show_default=True, help="Published name.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "table"]),
    default="json",
    show_default=True,
    help="How to print the answer.",
)
def fingerprint(file: str, name: str, form: str) -> None:
    """Print the fingerprints of FILE, a text in UTF-8; - reads the standard input.

    Shows the object that is stored under the field `simhash`, and the chunks of the text.
    """
    scheme = Scheme.parse(name)
    description = describe(read_text(file), scheme)
    if form == "json":
        shown = {member: description[member] for member in ("simhash", "chunks")}
        print_json(shown)
        return
    _print_tables(description)


def _print_tables(description: dict[str, Any]) -> None:
    console = Console()
    members = Table("member", "value", box=None)
    for member, value in description["simhash"].items():
        shown = " ".join(value) if isinstance(value, list) else value
        members.add_row(member, Text(shown))
    chunks = Table("chunk", "tokens", "fingerprint", "characters", box=None)
    for number, chunk in enumerate(description["chunks"]):
        tokens = f"{chunk['first_token']}-{chunk['end_token'] - 1}"
        chunks.add_row(
            str(number), tokens, chunk["fingerprint"], Text(printable(chunk["characters"]))
        )
    console.print(members, chunks, sep="\n\n")
