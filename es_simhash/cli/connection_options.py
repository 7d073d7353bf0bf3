"""Options of the connection to a cluster."""

from pathlib import Path

import click

from es_simhash.cli.options import Command
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.gateway import Gateway

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
) -> Gateway:
    """Return a gateway to the cluster of these options; nothing is sent yet.

    Raises:
        ClusterError: The URL is invalid.
    """
    client = connect(
        url,
        api_key=api_key,
        user=user,
        password=password,
        ca_certs=str(ca_certs) if ca_certs else None,
    )
    return Gateway(client)
