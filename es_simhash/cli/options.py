"""Options that several commands have: the connection, fields, scheme, speed, files."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from es_simhash.errors import EsSimhashError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.store.config import IndexConfig
from es_simhash.store.document_fields import SETTINGS
from es_simhash.store.fields import DEFAULT_FIELD

if TYPE_CHECKING:
    from es_simhash.store.elasticsearch.gateway import Client, Gateway

Command = TypeVar("Command", bound=Callable[..., Any])

scheme_option = click.option(
    "--scheme",
    default=DEFAULT.name,
    show_default=True,
    help="Published name of the fingerprint scheme.",
)

simhash_field_option = click.option(
    "--simhash-field",
    default=DEFAULT_FIELD,
    show_default=True,
    help="Object field of the fingerprints.",
)

text_field_option = click.option(
    "--field",
    "text_field",
    show_default="the one of `es-simhash config`, else text",
    help="Text field, or several as headline,body; dots separate the parts of a path.",
)


def index_config(
    text_field: str | None, simhash_field: str, vocabulary: str | None = None
) -> IndexConfig:
    """Return the configuration that options name; the rest is what the index says."""
    config = IndexConfig(simhash_field=simhash_field, vocabulary=vocabulary)
    return config if text_field is None else replace(config, text_field=text_field)


passage_order_option = click.option(
    "--passage-order",
    type=click.Choice(["weight", "place"]),
    default="weight",
    show_default=True,
    help="Order of the shared passages: by how much they share, or by their place in the query.",
)


def _processors() -> int:
    from es_simhash.ingestion.bulk.processes import available_processors

    return available_processors()


processes_option = click.option(
    "--processes",
    type=click.IntRange(1),
    default=_processors,
    show_default="number of processors",
    help="Number of fingerprinting processes.",
)

max_docs_per_second_option = click.option(
    "--max-docs-per-second",
    type=click.FloatRange(0, min_open=True),
    show_default="unlimited",
    help="Maximum number of documents per second.",
)

failures_option = click.option(
    "--failures",
    type=click.Path(dir_okay=False, path_type=Path),
    show_default="INDEX.failures.jsonl in the working directory",
    help="JSONL file for the ids of failed documents, with the reasons.",
)

quiet_option = click.option(
    "--quiet", is_flag=True, help="Show no progress, only failures and the summary."
)


DEFAULT_URL = "http://localhost:9200"

_OPTIONS = (
    click.option(
        "--url",
        envvar="ELASTICSEARCH_URL",
        default=DEFAULT_URL,
        show_default=True,
        show_envvar=True,
        help="URL of the cluster.",
    ),
    click.option(
        "--api-key",
        envvar="ES_SIMHASH_API_KEY",
        show_envvar=True,
        help="Encoded API key. Prefer the environment variable, which no process list shows.",
    ),
    click.option("--user", envvar="ES_SIMHASH_USER", show_envvar=True, help="User name."),
    click.option(
        "--password",
        envvar="ES_SIMHASH_PASSWORD",
        show_envvar=True,
        help="Password. Prefer the environment variable, which no process list shows.",
    ),
    click.option(
        "--ca-certs",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        envvar="ES_SIMHASH_CA_CERTS",
        show_envvar=True,
        help="PEM file of the certificate authority.",
    ),
)


def connection_options(command: Command) -> Command:
    """Add the options of the connection; `client_of` takes their values."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def client_of(
    *,
    url: str,
    api_key: str | None,
    user: str | None,
    password: str | None,
    ca_certs: Path | None,
) -> "Gateway":
    """Return a gateway to the cluster of these options; nothing is sent yet.

    Raises:
        ClusterError: The URL is invalid.
    """
    # The client takes longer to import than help takes to print.
    from es_simhash.store.elasticsearch.connection import connect
    from es_simhash.store.elasticsearch.gateway import Gateway

    client = connect(
        url,
        api_key=api_key,
        user=user,
        password=password,
        ca_certs=str(ca_certs) if ca_certs else None,
    )
    return Gateway(client)


# How the settings are called that an option may override.
_CALLED = {"text": "Text field", "date": "Date field", "representative": "Representative"}


def note_overrides(client: "Client", index: str, config: IndexConfig, **named: str | None) -> None:
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
    from es_simhash.store.installation.document_settings import document_settings

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
