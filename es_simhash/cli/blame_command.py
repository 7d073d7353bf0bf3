"""`es-simhash blame`: since when each sentence of a document has been there."""

from typing import Any

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from es_simhash.cli.connection_options import client_of, connection_options
from es_simhash.cli.options import index_config, simhash_field_option, text_field_option
from es_simhash.cli.output import format_option, print_json, shortened
from es_simhash.cli.overrides import note_overrides
from es_simhash.cli.version_output import date_field_option, order_line, version_label
from es_simhash.differences.history import Blame, BlamedSentence
from es_simhash.errors import InputError
from es_simhash.questions.sidecar import open_index
from es_simhash.text.escaping import one_line


@click.command()
@click.argument("index")
@click.argument("id")
@click.option("--text", help="Show only the sentences that have these words.")
@date_field_option
@format_option
@text_field_option
@simhash_field_option
@connection_options
def blame(
    index: str,
    id: str,
    text: str | None,
    date_field: str | None,
    output_format: str,
    text_field: str | None,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Show since when each sentence of document ID of INDEX has been there.

    ID is a version, or the name of a family for its newest version. The older versions are those
    of the family, as `es-simhash families` found them. Put -- before an id that begins with a dash.
    """
    with client_of(**connection) as client:
        config = index_config(text_field, simhash_field)
        note_overrides(client, index, config, date=date_field)
        searched = open_index(client, index, config)
        found = searched.blame(id, date_field=date_field)
    sentences = found.sentences if text is None else _with_words(found, text)
    if output_format == "json":
        chosen = Blame(found.family, found.date_field, found.version, found.versions, sentences)
        print_json(chosen.to_dict())
        return
    _print(found, sentences)


def _with_words(found: Blame, text: str) -> tuple[BlamedSentence, ...]:
    sentences = found.of_text(text)
    if not sentences or not text.split():
        raise InputError(
            f"No sentence of document {found.version.id!r} has the words {shortened(text)!r}. "
            "Copy them from the document.",
        )
    return sentences


def _print(found: Blame, sentences: tuple[BlamedSentence, ...]) -> None:
    console = Console(highlight=False)
    versions = "version" if len(found.versions) == 1 else "versions"
    console.print(
        Text(
            f"{version_label(found.version)}: {len(found.versions)} {versions} {order_line(found)}"
        ),
        soft_wrap=True,
    )
    last = None
    for blamed in sentences:
        since, first = version_label(blamed.since), version_label(blamed.first)
        # Of sentences that came together, the first names the version.
        if (since, first) != last:
            begun = "" if first == since else f", begun in {first}"
            console.print(Text.assemble((since, "cyan"), (begun, "dim")), soft_wrap=True)
        last = since, first
        console.print(Padding(Text(one_line(blamed.sentence.text)), (0, 0, 0, 2)))
