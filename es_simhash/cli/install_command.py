"""What a cluster needs: the fields of an index and the ingest pipeline."""

import json
import sys
from dataclasses import replace
from typing import Annotated, Any

import click

from es_simhash.cli.commands import Chosen, command
from es_simhash.cli.config_command import described
from es_simhash.cli.options import (
    Fields,
    Semantics,
    Target,
    Vocabulary,
    no_index,
    vocabulary_file,
)
from es_simhash.cli.output import require_yes
from es_simhash.constraints import constraints
from es_simhash.errors import ClusterError, InputError
from es_simhash.fingerprints.chosen_scheme import chosen_scheme
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.maintenance.backgrounds.count_background import renew_background
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.vocabularies.vocabulary_files import vocabulary_digest
from es_simhash.store import pipeline as pipelines
from es_simhash.store.config import DocumentSettings, IndexConfig
from es_simhash.store.elasticsearch.calls import index_path
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.index_names import index_names, mistyped_for
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.document_settings import configure, document_settings
from es_simhash.store.installation.install import (
    Request,
    install_component_template,
    install_in_template,
)
from es_simhash.store.installation.install import install as install_fields
from es_simhash.store.installation.proposal import propose_settings


@command
def install(
    index: str | None = None,
    *,
    schemes: Annotated[
        tuple[str, ...],
        constraints(
            help="Published name of the fingerprint scheme; `keyed` for the default one with a "
            "key. Or a method whose fingerprints "
            f"documents get in addition, such as token-simhash; None for {DEFAULT.name}."
        ),
    ] = (),
    with_semantics: Annotated[bool, constraints(called="semantics", group="Semantics")] = True,
    semantics: Semantics,
    vocabulary: Vocabulary = None,
    template: Annotated[str | None, constraints(metavar="NAME", group="Templates")] = None,
    component_template: Annotated[bool, constraints(group="Templates")] = False,
    create: bool = False,
    dry_run: bool = False,
    target: Annotated[Target, Chosen(omit=("index", "vocabulary", "text_field"), make=no_index)],
) -> None:
    """Add the `simhash.*` fields to INDEX.

    INDEX is created if it does not exist. If its name is one letter off that of another index, a
    terminal asks before, and elsewhere --create is needed. No other field is changed, and a second
    run changes nothing.
    \f

    A created index also gets the mappings and settings of your component
    template simhash@custom, if there is one. The concepts of a vocabulary given here are weighted
    with the words of each document, not only shown in the evidence. Of an index that has documents,
    the background is counted, as `es-simhash background` does; with `--vectors index` word vectors
    are learned from the same sample, for `es-simhash backfill` to give to the documents.

    Args:
        with_semantics: Extract semantic features, so that semantic neighbours are found.
        template: Index template that gets the fields as well, for indices that do not exist yet;
            without INDEX, do only that. None for no template: of a data stream its own is taken.
        component_template: Also install simhash@mappings: the component template for your index
            templates; without INDEX, install only that.
        create: Create INDEX, whatever other index is one letter off.
        dry_run: Print the requests; send none that writes.
    """
    if index is None and not component_template and template is None:
        raise click.UsageError("Missing argument 'INDEX'.")
    vocabulary = vocabulary_file(vocabulary, target.connection)
    if vocabulary:
        semantics = replace(semantics, vocabulary=vocabulary_digest(vocabulary))
    if with_semantics:
        # An invalid scheme fails before it is stored in the mapping of an index.
        semantic_profiler(semantics, vocabulary)
    options: dict[str, Any] = {
        "scheme": schemes,
        "semantics": semantics if with_semantics else None,
        "simhash_field": target.simhash_field,
        "dry_run": dry_run,
    }
    with target.connected() as client:
        if component_template:
            _print(install_component_template(client, **options), dry_run=dry_run)
            if not dry_run:
                click.echo("Installed component template 'simhash@mappings'.")
        if template is not None:
            requests = install_in_template(client, template, **options)
            _print(requests, dry_run=dry_run)
            if not requests:
                click.echo(f"Index template {template!r} already has the fields; nothing to do.")
            elif not dry_run:
                click.echo(f"Indices made from index template {template!r} have the fields.")
        if index is None:
            return
        if not (create or dry_run):
            _require_meant(client, index)
        requests = install_fields(client, index, **options)
        _print(requests, dry_run=dry_run)
        if not requests:
            click.echo(f"Index {index!r} already has the fields; nothing to do.")
        elif not dry_run:
            click.echo(
                f"Installed the fingerprint fields of index {index!r} under "
                f"{target.simhash_field!r}."
            )
            if any(request.path.startswith("/_component_template/") for request in requests):
                click.echo("Its index template gives them to the next backing index.")
        is_new = any(request.path == index_path(index) for request in requests)
        if not is_new and not dry_run:
            _propose(client, index, target.simhash_field)
            if with_semantics:
                _count(client, index, target.config)


def _require_meant(client: Gateway, index: str) -> None:
    """Ask before an index is created that is called nearly like another one.

    Raises:
        InputError: Nobody can be asked.
        SystemExit: It was not meant.
    """
    names = index_names(client)
    other = None if index in names else mistyped_for(index, names)
    if other is None:
        return
    if not _is_terminal():
        raise InputError(
            f"Index {index!r} does not exist, but {other!r} does. Name that, or add --create."
        )
    question = f"Index {index!r} does not exist, but {other!r} does. Create {index!r}"
    require_yes(question, "Nothing was created.")


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


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
    if _is_terminal():
        if click.confirm(f"{question} Store that in the mapping", default=True):
            configure(client, index, proposed.to_meta(), simhash_field=simhash_field)
    else:
        click.echo(f"{question} Store that with `es-simhash config {index} --accept`.")


def _count(client: Client, index: str, config: IndexConfig) -> None:
    """Count the background of an index that has documents and none yet."""
    report = renew_background(client, index, config=config)
    if report is not None:
        click.echo(report.sentence(), err=report.problem is not None)


def _print(requests: list[Request], *, dry_run: bool) -> None:
    if dry_run:
        for request in requests:
            click.echo(f"{request.method} {request.path}")
            click.echo(json.dumps(request.body, indent=2, ensure_ascii=False))


@command
def pipeline(
    *,
    install: bool = False,
    name: str = pipelines.NAME,
    index: str | None = None,
    scheme: Annotated[
        str | None,
        constraints(
            help="Published name of the fingerprint scheme; None for that of --index, else "
            f"{DEFAULT.name}."
        ),
    ] = None,
    ignore_missing: bool = False,
    target: Fields,
) -> None:
    """Print or install the ingest pipeline.

    The pipeline fingerprints the documents of any writer. Use the scheme of the index: fingerprints
    of different schemes are never compared.

    Args:
        install: Install the pipeline instead of printing it.
        name: Name of the pipeline in the cluster.
        index: Index whose scheme and text field the pipeline takes.
        ignore_missing: Leave documents without text unchanged.
    """
    target = replace(target, index=index or "")
    config = target.config
    with target.connected() as gateway:
        if index is not None:
            config = ElasticsearchStore(gateway, index, config).config
        body = pipelines.pipeline_body(
            config.scheme if scheme is None else chosen_scheme(scheme),
            text_field=str(config.text_field),
            simhash_field=target.simhash_field,
            ignore_missing=ignore_missing,
        )
        if not install:
            click.echo(json.dumps(body, ensure_ascii=False))
            return
        gateway.request("PUT", index_path("_ingest", "pipeline", name), body)
    click.echo(
        f"Installed pipeline {name!r}: it writes the fingerprints of field "
        f"{str(config.text_field)!r} to {target.simhash_field!r}."
    )
