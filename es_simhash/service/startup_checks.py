"""Checks before the service starts: the fields, filters and label file of its configuration."""

from collections.abc import Iterator, Mapping
from typing import Any

from es_simhash.errors import InputError
from es_simhash.service.service_config import Query, ServiceConfig
from es_simhash.store.config import DocumentFields, link_fields
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.indexed_methods import require_lab
from es_simhash.store.installation.document_settings import absent_fields
from es_simhash.store.intents import Configuration, RequireFilter
from es_simhash.store.mapped_fields import fields_named, nearest_hint
from es_simhash.store.protocol import Store

Mappings = Mapping[str, Mapping[str, Any]]


def allowed_fields(store: Store, gateway: Gateway, config: ServiceConfig) -> tuple[str, ...]:
    """Return the fields that may leave, when all that the configuration names is there.

    Args:
        store: The index.
        gateway: To its cluster.
        config: Configuration of the service.

    Raises:
        InputError: A field is not there, or the engine rejects a filter.
    """
    (installed,) = store.ask([Configuration()])
    settings = installed.config
    mappings = gateway.mappings(store.name)
    _require_filters(store, config)
    _require_claims(mappings, config)
    if config.fields is None:
        return tuple(dict.fromkeys(context_fields(settings.documents)))
    own = settings.simhash_field
    for field in config.fields:
        if field == own or field.startswith(f"{own}."):
            raise InputError(f"fields must be those of your documents, got {field!r}.")
    for field in absent_fields(gateway, store.name, mappings, config.fields):
        hint = nearest_hint(field, mappings, documents=True)
        raise InputError(
            f"fields: neither the mapping nor a document of {store.name!r} has a field "
            f"{field!r}{hint}."
        )
    return config.fields


def context_fields(documents: DocumentFields) -> Iterator[str]:
    """Yield the fields that an index is configured with, but for that of the text."""
    named = (documents.title, documents.date, documents.owner, documents.language)
    for name in (*named, *documents.identifier_fields):
        if name is not None:
            yield name
    if documents.link is not None:
        yield from (name for name in link_fields(documents.link) if name != "id")


def _filters(config: ServiceConfig) -> Iterator[tuple[str, Query]]:
    if config.filter is not None:
        yield "filter", config.filter
    for key in config.keys:
        if key.filter is not None:
            yield f"the filter of key {key.name!r}", key.filter


def _require_filters(store: Store, config: ServiceConfig) -> None:
    for where, query in _filters(config):
        try:
            store.ask([RequireFilter(query)])
        except RequestRejected as error:
            # Another status is no fault of the query.
            if error.status != 400:
                raise
            reason = str(error).partition("): ")[2]
            raise InputError(f"Elasticsearch rejects {where}: {reason}") from error


def _require_claims(mappings: Mappings, config: ServiceConfig) -> None:
    """Check that the fields of claims are there and hold whole values, not words of them."""
    if config.tokens is None:
        return
    for claim, field in config.tokens.claims.items():
        mapped = fields_named(field, mappings)
        if not mapped:
            hint = nearest_hint(field, mappings)
            raise InputError(f"tokens.claims.{claim}: no mapping has a field {field!r}{hint}.")
        if any(field_type.type in ("text", "match_only_text") for field_type in mapped.values()):
            raise InputError(
                f"tokens.claims.{claim}: field {field!r} holds words of a text; name a field of "
                "type keyword."
            )


def require_labels(config: ServiceConfig) -> None:
    """Check that pairs can be labelled, where the configuration names a label file.

    Raises:
        MissingExtra: This installation has no evaluation.
        InputError: The file cannot be written or has a wrong line, or the pages are not served, or
            may not show texts.
    """
    if config.labels is None:
        return
    if not config.has_explorer:
        raise InputError("labels requires the explorer. Set explorer = true in the configuration.")
    if not config.evidence:
        raise InputError(
            "labels requires the texts of both documents. Set evidence = true in the configuration."
        )
    require_lab()
    from es_simhash.lab.evaluation.label_file import SharedLabels

    SharedLabels(config.labels).require_usable()
