"""`es-simhash pipeline`: the ingest pipeline, printed or installed."""

import json
from typing import Any

import click

from es_simhash.cli.connection_options import client_of, connection_options
from es_simhash.cli.options import index_config, simhash_field_option, text_field_option
from es_simhash.cli.overrides import note_overrides
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.store import pipeline as pipelines
from es_simhash.store.elasticsearch.requests import index_path
from es_simhash.store.installation.configuration import InstalledIndex


@click.command()
@click.option("--install", is_flag=True, help="Install the pipeline instead of printing it.")
@click.option(
    "--name", default=pipelines.NAME, show_default=True, help="Name of the pipeline in the cluster."
)
@click.option("--index", help="Index whose scheme and text field the pipeline takes.")
@click.option(
    "--scheme",
    show_default=f"that of --index, else {DEFAULT.name}",
    help="Published name of the fingerprint scheme.",
)
@click.option("--ignore-missing", is_flag=True, help="Leave documents without text unchanged.")
@text_field_option
@simhash_field_option
@connection_options
def pipeline(
    install: bool,
    name: str,
    index: str | None,
    scheme: str | None,
    ignore_missing: bool,
    text_field: str | None,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Print or install the ingest pipeline.

    The pipeline fingerprints the documents of any writer. Use the scheme of the index: fingerprints
    of different schemes are never compared.
    """
    config = index_config(text_field, simhash_field)
    with client_of(**connection) as gateway:
        if index is not None:
            note_overrides(gateway, index, config)
            config = InstalledIndex(gateway, index, config).config
        body = pipelines.pipeline_body(
            config.scheme if scheme is None else Scheme.parse(scheme),
            text_field=str(config.text_field),
            simhash_field=simhash_field,
            ignore_missing=ignore_missing,
        )
        if not install:
            click.echo(json.dumps(body, ensure_ascii=False))
            return
        gateway.request("PUT", index_path("_ingest", "pipeline", name), body)
    click.echo(
        f"Installed pipeline {name!r}: it writes the fingerprints of field "
        f"{str(config.text_field)!r} to {simhash_field!r}."
    )
