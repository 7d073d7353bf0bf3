"""`es-simhash config`: what an index says of its documents."""

from dataclasses import asdict
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from es_simhash.cli.options import (
    client_of,
    connection_options,
    described_options,
    format_option,
    options_of,
    simhash_field_option,
)
from es_simhash.cli.output import print_json
from es_simhash.described import parameters
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.store.config import SETTINGS, DocumentSettings
from es_simhash.store.elasticsearch.gateway import Client
from es_simhash.store.installation.document_settings import (
    configure,
    document_settings,
)
from es_simhash.store.installation.proposal import propose_settings
from es_simhash.text.escaping import one_line

_MEANINGS = {
    "text": "the text",
    "title": "the title",
    "date": "the date, which says what is older and newer",
    "owner": "the owner or section",
    "language": "the language",
    "link": "the address of a document",
    "representative": "which document represents a family",
    "min_score": "minimum score of relations",
    "version_threshold": f"where versions begin, {VERSION_SCORE} by default",
}


@click.command()
@click.argument("index")
@described_options(DocumentSettings)
@click.option(
    "--unset", multiple=True, type=click.Choice(SETTINGS), help="Setting to remove; repeatable."
)
@click.option(
    "--propose", is_flag=True, help="Show what mapping and documents suggest; store nothing."
)
@click.option(
    "--accept", is_flag=True, help="Store what mapping and documents suggest, where nothing is set."
)
@format_option
@simhash_field_option
@connection_options
def config(
    index: str,
    unset: tuple[str, ...],
    propose: bool,
    accept: bool,
    output_format: str,
    simhash_field: str,
    **options: Any,
) -> None:
    """Show or set how the documents of INDEX look.

    Without options, shows which fields are the text, the title, the date and so on. They are stored
    in `_meta` of the mapping, and every command, the Python API and a sweep read them there; an
    option of a command overrides them for that run.
    """
    changes = options_of(DocumentSettings, options).to_meta()
    if conflicting := sorted(changes.keys() & set(unset)):
        flag = f"--{parameters(DocumentSettings)[conflicting[0]].called.replace('_', '-')}"
        raise click.UsageError(f"--unset {conflicting[0]} contradicts {flag}.")
    if propose and (accept or changes or unset):
        raise click.UsageError("--propose stores nothing; give it without other settings.")
    changes |= dict.fromkeys(unset)
    with client_of(**options) as client:
        if propose:
            settings = propose_settings(client, index, simhash_field=simhash_field)
        else:
            if accept:
                changes = _proposed(client, index, simhash_field) | changes
            if changes:
                configure(client, index, changes, simhash_field=simhash_field)
            settings = document_settings(client, index, simhash_field=simhash_field)
    if output_format == "json":
        print_json(asdict(settings))
    else:
        _print(settings, index, is_proposal=propose)


def _proposed(client: Client, index: str, simhash_field: str) -> dict[str, Any]:
    """Return what is proposed of all that is not set."""
    present = document_settings(client, index, simhash_field=simhash_field)
    proposed = propose_settings(client, index, simhash_field=simhash_field)
    return {
        name: value for name, value in proposed.to_meta().items() if getattr(present, name) is None
    }


def _print(settings: DocumentSettings, index: str, *, is_proposal: bool) -> None:
    values = settings.to_meta()
    if is_proposal and not values:
        click.echo("No field is clear enough to be proposed; name them, as in --text-field FIELD.")
        return
    table = Table()
    # A value is copied: where the terminal is narrow, the meaning gives way to it.
    for name in ("setting", "value"):
        table.add_column(name, no_wrap=True, overflow="fold")
    table.add_column("meaning")
    for name, meaning in _MEANINGS.items():
        value = values.get(name)
        shown = Text("not set", "dim") if value is None else Text(one_line(str(value)))
        table.add_row(name, shown, meaning)
    Console().print(table)
    if is_proposal:
        click.echo(f"Nothing is stored. Store these with `es-simhash config {index} --accept`.")


def described(settings: DocumentSettings) -> str:
    """Return settings in one line, as a question states them."""
    return ", ".join(
        f"{name}: {one_line(str(value))}" for name, value in settings.to_meta().items()
    )
