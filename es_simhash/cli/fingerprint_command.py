"""`es-simhash fingerprint`: what is stored for a text, without a cluster."""

from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from es_simhash.cli.inputs import read_text
from es_simhash.cli.output import print_json
from es_simhash.errors import InputError
from es_simhash.fingerprints.scheme import DEFAULT, Scheme
from es_simhash.methods.token_simhash import TOKEN_SCHEME, TokenSimhash, token_fingerprint
from es_simhash.storage.conformance import describe
from es_simhash.text.escaping import one_line


@click.command()
@click.argument("file")
@click.option(
    "--scheme",
    default=DEFAULT.name,
    show_default=True,
    help="Published name of the fingerprint scheme, or token-simhash for the interoperable scheme "
    "of tokens: one string, which `es-simhash compare --method token-simhash` compares.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["json", "table"]),
    default="json",
    show_default=True,
    help="Output format.",
)
def fingerprint(file: str, scheme: str, output_format: str) -> None:
    """Print the fingerprints of FILE.

    FILE is a text in UTF-8; - reads standard input. Shows the object that is stored in the field
    `simhash`, and the chunks of the text; with --scheme token-simhash one string.
    """
    if scheme in (TokenSimhash.name, TOKEN_SCHEME):
        _print_token_fingerprint(file, output_format)
        return
    description = describe(read_text(file), Scheme.parse(scheme))
    if output_format == "json":
        shown = {member: description[member] for member in ("simhash", "chunks")}
        print_json(shown)
        return
    _print_tables(description)


def _print_token_fingerprint(file: str, output_format: str) -> None:
    found = token_fingerprint(read_text(file))
    if found is None:
        raise InputError(f"File {file!r} has no token to fingerprint. Give another text.")
    if output_format == "table":
        click.echo(str(found))
    else:
        print_json({"scheme": TOKEN_SCHEME, "fingerprint": str(found)})


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
            str(number), tokens, chunk["fingerprint"], Text(one_line(chunk["characters"]))
        )
    console.print(members, chunks, sep="\n\n")
