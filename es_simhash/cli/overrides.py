"""Notes on options that override what an index says of its documents."""

import click

from es_simhash.errors import EsSimhashError
from es_simhash.store.config import IndexConfig
from es_simhash.store.document_fields import SETTINGS
from es_simhash.store.elasticsearch.gateway import Client
from es_simhash.store.installation.document_settings import document_settings

# How the settings are called that an option may override.
_CALLED = {"text": "Text field", "date": "Date field", "representative": "Representative"}


def note_overrides(client: Client, index: str, config: IndexConfig, **named: str | None) -> None:
    """Say, on standard error, which named values are not those that the index is configured with.

    Args:
        client: Of the cluster.
        index: Index, alias or data stream.
        config: With the text field, where one was named.
        named: Further values by the name of the setting; None for one that was not named.
    """
    if config.names_text_field:
        named["text"] = config.text_field
    given = {name: named[name] for name in SETTINGS if named.get(name) is not None}
    if not given:
        return
    try:
        stored = document_settings(client, index, simhash_field=config.simhash_field)
    except EsSimhashError:
        return  # The command itself says what is wrong with the index.
    for name, value in given.items():
        configured = getattr(stored, name)
        if configured not in (None, value):
            click.echo(
                f"{_CALLED[name]} {str(value)!r} is used in place of {configured!r}, which index "
                f"{index!r} is configured with.",
                err=True,
            )
