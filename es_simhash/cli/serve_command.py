"""`es-simhash serve`: the HTTP API for related documents, and the explorer."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from es_simhash.cli.options import connection_options
from es_simhash.service.service_extra import require_extra


@click.command()
@click.argument("index")
@click.option(
    "--config",
    "config",
    type=click.Path(dir_okay=False, path_type=Path),
    show_default="no file",
    help="TOML file: fields that may leave, filters, keys, origins, limits.",
)
@click.option(
    "--labels",
    type=click.Path(dir_okay=False, path_type=Path),
    show_default="no labelling",
    help="File of labelled pairs that the explorer writes: TSV, .csv or .jsonl.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8000, show_default=True, help="Port."
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes."
)
@click.option(
    "--check",
    is_flag=True,
    help="Check the configuration and the index, serve nothing, and exit.",
)
@connection_options
def serve(
    index: str,
    config: Path | None,
    labels: Path | None,
    host: str,
    port: int,
    workers: int,
    check: bool,
    **connection: Any,
) -> None:
    """Serve the documents related to those of INDEX over HTTP.

    A web site asks it for the versions and neighbours of a document, and why they are related:
    GET /related/ID, /compare/A/B, /families/ID and /documents/ID, POST /related. The address
    /openapi.json describes them. Only the fields that the configuration allows leave it; without a
    file those that INDEX is configured with as title, date, owner, language and link.

    The pages under /explorer/ show the index in a browser; where the file has keys or tokens, only
    with `explorer = true`. With --labels, one of them offers pairs of documents to label, as
    `es-simhash lab label` does, and both can go on with the same file.

    Logs go to standard error, one JSON object a line. SIGTERM or Ctrl-C stops it once the requests
    that run are answered.
    """
    require_extra()
    # An optional extra.
    from es_simhash.service.application import Service
    from es_simhash.service.config_file import read_configuration
    from es_simhash.service.server import serve as serve_index
    from es_simhash.service.service_config import ServiceConfig

    settings = ServiceConfig() if config is None else read_configuration(config)
    if labels is not None:
        settings = replace(settings, labels=labels)
    ca_certs = connection.pop("ca_certs")
    connection["ca_certs"] = str(ca_certs) if ca_certs else None
    service = Service(index, connection, settings)
    if check:
        service.check()
        click.echo(f"{index} can be served.")
        return
    serve_index(service, host=host, port=port, workers=workers)
