"""Notes on options that override what an index says of its documents."""

import click

from es_simhash.engine.gateway import Client
from es_simhash.errors import EsSimhashError
from es_simhash.indices.document_settings import document_settings
from es_simhash.storage.config import IndexConfig


def note_text_field(client: Client, index: str, config: IndexConfig) -> None:
    """Say, on standard error, that a text field was named which is not the one of the index."""
    if not config.names_text_field:
        return
    try:
        stored = document_settings(client, index, simhash_field=config.simhash_field).text
    except EsSimhashError:
        return  # The command itself says what is wrong with the index.
    if stored not in (None, config.text_field):
        click.echo(
            f"Text field {config.text_field!r} is used in place of {stored!r}, which index "
            f"{index!r} is configured with.",
            err=True,
        )
