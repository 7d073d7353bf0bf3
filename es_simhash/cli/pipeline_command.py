"""`es-simhash pipeline`: the ingest pipeline, printed or installed."""

import json
from typing import Any

import click

from es_simhash.cli.options import (
    client_of,
    connection_options,
    simhash_field_option,
    text_field_option,
)
from es_simhash.engine.requests import index_path
from es_simhash.fingerprints.scheme import DEFAULT, Scheme
from es_simhash.storage import pipeline as pipelines


@click.command()
@click.option("--install", is_flag=True, help="Put it into the cluster rather than print it.")
@click.option(
    "--name", default=pipelines.NAME, show_default=True, help="Name it gets in the cluster."
)
@click.option(
    "--scheme", default=DEFAULT.name, show_default=True, help="Published name of the scheme."
)
@click.option("--ignore-missing", is_flag=True, help="Leave documents without text as they are.")
@text_field_option
@simhash_field_option
@connection_options
def pipeline(
    install: bool,
    name: str,
    scheme: str,
    ignore_missing: bool,
    text_field: str,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Print the ingest pipeline that fingerprints documents of any writer, or install it.

    Take the scheme of the index: fingerprints of two schemes are never compared.
    """
    body = pipelines.pipeline_body(
        Scheme.parse(scheme),
        text_field=text_field,
        simhash_field=simhash_field,
        ignore_missing=ignore_missing,
    )
    if not install:
        click.echo(json.dumps(body, ensure_ascii=False))
        return
    with client_of(**connection) as gateway:
        gateway.request("PUT", index_path("_ingest", "pipeline", name), body)
    click.echo(f"Pipeline {name!r} writes fingerprints of {text_field!r} under {simhash_field!r}.")
