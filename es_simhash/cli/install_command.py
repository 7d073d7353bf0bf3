"""What a cluster needs: the fields of an index and the ingest pipeline."""

import json
import sys
from typing import Any

import click

from es_simhash.cli.config_command import described
from es_simhash.cli.options import (
    client_of,
    connection_options,
    index_config,
    note_overrides,
    simhash_field_option,
    text_field_option,
    vocabulary_option,
)
from es_simhash.cli.semantic_options import semantic_options, semantics_of
from es_simhash.errors import ClusterError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.store import pipeline as pipelines
from es_simhash.store.config import DocumentSettings
from es_simhash.store.elasticsearch.calls import index_path
from es_simhash.store.elasticsearch.gateway import Client
from es_simhash.store.installation.configuration import InstalledIndex
from es_simhash.store.installation.document_settings import configure, document_settings
from es_simhash.store.installation.install import Request, install_component_template
from es_simhash.store.installation.install import install as install_fields
from es_simhash.store.installation.proposal import propose_settings


@click.command()
@click.argument("index", required=False)
@click.option(
    "--scheme",
    "schemes",
    multiple=True,
    show_default=DEFAULT.name,
    help="Published name of the fingerprint scheme, or a method whose fingerprints documents get "
    "in addition, such as token-simhash; repeatable.",
)
@click.option(
    "--semantics/--no-semantics",
    "with_semantics",
    default=True,
    show_default=True,
    help="Extract semantic features, so that semantic neighbours are found.",
)
@semantic_options
@vocabulary_option
@click.option(
    "--component-template",
    is_flag=True,
    help="Also install the component template simhash@mappings, for your index templates; without "
    "INDEX, install only that.",
)
@click.option("--dry-run", is_flag=True, help="Print the requests; send none that writes.")
@simhash_field_option
@connection_options
def install(
    index: str | None,
    schemes: tuple[str, ...],
    with_semantics: bool,
    extractor: str | None,
    vectors: str,
    dims: int,
    language: str,
    entity_fields: tuple[str, ...],
    vocabulary: str | None,
    component_template: bool,
    dry_run: bool,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Add the `simhash.*` fields to INDEX.

    INDEX is created if it does not exist. No other field is changed, and a second run changes
    nothing. A created index also gets the mappings and settings of your component template
    simhash@custom, if there is one. The concepts of a vocabulary given here are weighted with the
    words of each document, not only shown in the evidence.
    """
    if index is None and not component_template:
        raise click.UsageError("Missing argument 'INDEX'.")
    semantics = semantics_of(
        extractor=extractor,
        vectors=vectors,
        dims=dims,
        language=language,
        entity_fields=entity_fields,
        vocabulary=vocabulary,
    )
    if with_semantics:
        # An invalid scheme fails before it is stored in the mapping of an index.
        semantic_profiler(semantics, vocabulary)
    options: dict[str, Any] = {
        "scheme": schemes,
        "semantics": semantics if with_semantics else None,
        "simhash_field": simhash_field,
        "dry_run": dry_run,
    }
    with client_of(**connection) as client:
        if component_template:
            _print(install_component_template(client, **options), dry_run=dry_run)
            if not dry_run:
                click.echo("Installed component template 'simhash@mappings'.")
        if index is None:
            return
        requests = install_fields(client, index, **options)
        _print(requests, dry_run=dry_run)
        if not requests:
            click.echo(f"Index {index!r} already has the fields; nothing to do.")
        elif not dry_run:
            click.echo(
                f"Installed the fingerprint fields of index {index!r} under {simhash_field!r}."
            )
        is_new = any(request.path == f"/{index}" for request in requests)
        if not is_new and not dry_run:
            _propose(client, index, simhash_field)


def _propose(client: Client, index: str, simhash_field: str) -> None:
    """Propose what an index that says nothing of its documents may say; in a terminal, ask."""
    if document_settings(client, index, simhash_field=simhash_field) != DocumentSettings():
        return
    try:
        proposed = propose_settings(client, index, simhash_field=simhash_field)
    except ClusterError as error:
        # Whoever may install fields need not have the right to read documents.
        click.echo(f"No fields are proposed: {error}", err=True)
        return
    if proposed == DocumentSettings():
        return
    question = f"The documents look like this: {described(proposed)}."
    if sys.stdin.isatty() and sys.stdout.isatty():
        if click.confirm(f"{question} Store that in the mapping", default=True):
            configure(client, index, proposed.to_meta(), simhash_field=simhash_field)
    else:
        click.echo(f"{question} Store that with `es-simhash config {index} --accept`.")


def _print(requests: list[Request], *, dry_run: bool) -> None:
    if dry_run:
        for request in requests:
            click.echo(f"{request.method} {request.path}")
            click.echo(json.dumps(request.body, indent=2, ensure_ascii=False))


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
