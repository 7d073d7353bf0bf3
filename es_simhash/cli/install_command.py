"""`es-simhash install`: add the fingerprint fields to an index."""

import json
from typing import Any

import click

from es_simhash.cli.options import client_of, connection_options, simhash_field_option
from es_simhash.cli.semantic_options import semantic_options, semantics_of, vocabulary_option
from es_simhash.fingerprints.scheme import DEFAULT, Scheme
from es_simhash.indices.install import Request, install_component_template
from es_simhash.indices.install import install as install_fields
from es_simhash.semantics.profiler import semantic_profiler


@click.command()
@click.argument("index", required=False)
@click.option(
    "--scheme", default=DEFAULT.name, show_default=True, help="Published name of the scheme."
)
@click.option(
    "--semantics/--no-semantics",
    "with_semantics",
    default=True,
    show_default=True,
    help="Whether to read what texts are about, to find semantic neighbours too.",
)
@semantic_options
@vocabulary_option
@click.option(
    "--component-template",
    is_flag=True,
    help="Put the component template simhash@mappings too, for index templates of yours; without "
    "INDEX only that.",
)
@click.option("--dry-run", is_flag=True, help="Print the requests and send none that writes.")
@simhash_field_option
@connection_options
def install(
    index: str | None,
    scheme: str,
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
    """Add the fingerprint fields to INDEX, which is created when it does not exist.

    Only fields are added, none of yours is touched; a second run changes nothing. An index that
    is created also gets the mappings and settings of your component template simhash@custom, if
    there is one. A vocabulary named here is weighed with the words of each document, not only
    shown as evidence.
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
        # What cannot be read here is refused before an index is bound to it.
        semantic_profiler(semantics, vocabulary)
    options: dict[str, Any] = {
        "scheme": Scheme.parse(scheme),
        "semantics": semantics if with_semantics else None,
        "simhash_field": simhash_field,
        "dry_run": dry_run,
    }
    with client_of(**connection) as client:
        if component_template:
            _show(install_component_template(client, **options), dry_run=dry_run)
            if not dry_run:
                click.echo("Component template 'simhash@mappings' is in place.")
        if index is None:
            return
        requests = install_fields(client, index, **options)
    _show(requests, dry_run=dry_run)
    if not requests:
        click.echo(f"Index {index!r} has everything already; nothing to do.")
    elif not dry_run:
        click.echo(f"Index {index!r} has the fingerprint fields under {simhash_field!r}.")


def _show(requests: list[Request], *, dry_run: bool) -> None:
    if dry_run:
        for request in requests:
            click.echo(f"{request.method} {request.path}")
            click.echo(json.dumps(request.body, indent=2, ensure_ascii=False))
