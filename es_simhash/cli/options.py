"""Options that several commands have: the cluster, and the names of fields."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from es_simhash.bulk.processes import available_processors
from es_simhash.engine.connection import connect
from es_simhash.engine.gateway import Gateway
from es_simhash.storage.fields import DEFAULT_FIELD

DEFAULT_URL = "http://localhost:9200"

Command = TypeVar("Command", bound=Callable[..., Any])

_CONNECTION = (
    click.option(
        "--url",
        envvar="ELASTICSEARCH_URL",
        default=DEFAULT_URL,
        show_default=True,
        help="Address of the cluster; also ELASTICSEARCH_URL.",
    ),
    click.option(
        "--api-key",
        envvar="ES_SIMHASH_API_KEY",
        help="API key, encoded; better given as ES_SIMHASH_API_KEY, which no process list shows.",
    ),
    click.option("--user", envvar="ES_SIMHASH_USER", help="User; also ES_SIMHASH_USER."),
    click.option(
        "--password",
        envvar="ES_SIMHASH_PASSWORD",
        help="Password; better given as ES_SIMHASH_PASSWORD.",
    ),
    click.option(
        "--ca-certs",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        envvar="ES_SIMHASH_CA_CERTS",
        help="Certificates of the authority to trust, as a PEM file; also ES_SIMHASH_CA_CERTS.",
    ),
)

simhash_field_option = click.option(
    "--simhash-field",
    default=DEFAULT_FIELD,
    show_default=True,
    help="Field of the fingerprints.",
)

text_field_option = click.option(
    "--field",
    "text_field",
    default="text",
    show_default=True,
    help="Field of the text; dots lead into objects.",
)

processes_option = click.option(
    "--processes",
    type=click.IntRange(1),
    default=available_processors,
    help="Processes that fingerprint; default: the number of processors.",
)

max_docs_per_second_option = click.option(
    "--max-docs-per-second",
    type=click.FloatRange(0, min_open=True),
    help="Bound on the speed; default: none.",
)

failures_option = click.option(
    "--failures",
    type=click.Path(dir_okay=False, path_type=Path),
    help="JSONL file for ids that fail, with the reason; default: INDEX.failures.jsonl here.",
)


def connection_options(command: Command) -> Command:
    """Add the options of the connection; `client_of` takes what they give."""
    for option in reversed(_CONNECTION):
        command = option(command)
    return command


def client_of(
    *,
    url: str,
    api_key: str | None,
    user: str | None,
    password: str | None,
    ca_certs: Path | None,
) -> Gateway:
    """Return a gateway for what the options say; nothing is sent yet.

    Raises:
        ClusterError: The URL cannot be one of a cluster.
    """
    client = connect(
        url,
        api_key=api_key,
        user=user,
        password=password,
        ca_certs=str(ca_certs) if ca_certs else None,
    )
    return Gateway(client)
