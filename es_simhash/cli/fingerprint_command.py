"""`es-simhash files fingerprint`: what is stored for a text, without a cluster."""

from typing import Annotated, Any, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from es_simhash.cli.commands import command
from es_simhash.cli.files import read_text
from es_simhash.cli.output import print_json
from es_simhash.constraints import constraints
from es_simhash.fingerprints.chosen_scheme import chosen_scheme
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.store.conformance import describe
from es_simhash.store.indexed_methods import require_lab
from es_simhash.store.installation.scheme_choice import is_published
from es_simhash.text.escaping import one_line


@command
def fingerprint(
    file: str,
    *,
    scheme: str = DEFAULT.name,
    output_format: Annotated[Literal["json", "table"], constraints(called="format")] = "json",
) -> None:
    """Print the fingerprints of FILE.

    FILE is a text in UTF-8; - reads standard input. Shows the object that is stored in the field
    `simhash`, and the chunks of the text; with --scheme METHOD one string.

    Args:
        scheme: Published name of the fingerprint scheme; or a method whose fingerprints can be
            stored, such as token-simhash, for one string that `es-simhash files compare --method`
            compares.
        output_format: Output format.
    """
    if not is_published(scheme):
        require_lab()
        from es_simhash.cli.method_comparison import print_fingerprint

        print_fingerprint(scheme, file, output_format)
        return
    description = describe(read_text(file), chosen_scheme(scheme))
    if output_format == "json":
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
            str(number), tokens, chunk["fingerprint"], Text(one_line(chunk["characters"]))
        )
    console.print(members, chunks, sep="\n\n")
