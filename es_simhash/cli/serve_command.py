"""`es-simhash serve`: the HTTP API for related documents, and the explorer."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click

from es_simhash.cli.commands import command
from es_simhash.cli.options import ClusterConnection, named_indices
from es_simhash.constraints import constraints
from es_simhash.service.service_extra import require_extra


@command
def serve(
    index: str,
    *,
    config: Path | None = None,
    labels: Path | None = None,
    host: str = "127.0.0.1",
    port: Annotated[int, constraints(0, 65_535)] = 8000,
    workers: Annotated[int, constraints(1, 64)] = 1,
    check: bool = False,
    connection: ClusterConnection,
) -> None:
    """Serve the documents related to those of INDEX over HTTP.

    A web site asks it for the versions and neighbours of a document, and why they are related:
    GET /v1/related/ID, /v1/compare/A/B, /v1/families/ID and /v1/documents/ID, POST /v1/related. The
    address /v1/openapi.json describes them. Only the fields that the configuration allows leave it;
    without a file those that INDEX is configured with as title, date, owner, language and link.

    The pages under /explorer/ show the index in a browser; where the file has keys or tokens, only
    with `explorer = true`. With --labels, one of them offers pairs of documents to label, as
    `es-simhash lab label` does, and both can go on with the same file.

    It prints its address; logs go to standard error, one JSON object a line. SIGTERM or Ctrl-C
    stops it once the requests that run are answered.

    Args:
        config: TOML file: fields that may leave, filters, keys, origins, limits; None for no file.
        labels: File of labelled pairs that the explorer writes: TSV, .csv or .jsonl; None for no
            labelling.
        host: Address to listen on.
        port: Port.
        workers: Processes.
        check: Check the configuration and the index, serve nothing, and exit.
    """
    require_extra()
    # An optional extra.
    from es_simhash.service.application import Service
    from es_simhash.service.config_file import read_configuration
    from es_simhash.service.requested_hosts import is_loopback, with_hosts
    from es_simhash.service.server import serve as serve_index
    from es_simhash.service.service_config import ServiceConfig

    settings = ServiceConfig() if config is None else read_configuration(config)
    if labels is not None:
        settings = replace(settings, labels=labels)
    settings = with_hosts(settings, host)
    service = Service(index, connection, settings)
    with named_indices(connection):
        service.check()
    if check:
        click.echo(f"{index} can be served.")
        return

    def announce(address: str) -> None:
        page = f"; its explorer is {address}/explorer/" if settings.has_explorer else ""
        # Who reads it from a pipe waits for it.
        click.echo(f"{index} is served at {address}{page}. Ctrl-C ends it.")
        sys.stdout.flush()
        if settings.is_open and not is_loopback(host):
            click.echo(
                f"Whoever reaches {address} can read {index}: the configuration has neither keys "
                "nor tokens.",
                err=True,
            )

    serve_index(service, settings, host=host, port=port, workers=workers, listening=announce)
