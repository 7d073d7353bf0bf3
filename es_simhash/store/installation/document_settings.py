"""What an index says of its documents: read from its mapping, and stored there."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from es_simhash.described import require_valid
from es_simhash.errors import InputError
from es_simhash.store.config import (
    DOCUMENT_SETTINGS,
    DocumentSettings,
    link_fields,
    require_threshold,
)
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.installation.sidecar_source import sidecar_source
from es_simhash.store.mapped_fields import (
    TEXT_TYPES,
    fields_named,
    find_date_field,
    find_keyword_field,
    is_made,
    require_no_nested_text,
    unknown_field,
)
from es_simhash.store.mapping_meta import current_field, meta_entry, schemes_of, with_entries
from es_simhash.store.paths import get_values
from es_simhash.store.source import field_names

# Documents that are looked at: one must have a field that no mapping has.
SAMPLED = 100


def document_settings(
    client: Client, index: str, *, simhash_field: str = DEFAULT_FIELD
) -> DocumentSettings:
    """Return what an index says of its documents; see `Index.settings`."""
    mappings = Gateway.of(client).mappings(index)
    return schemes_of(index, mappings, simhash_field).documents


def configure(
    client: Client,
    index: str,
    changes: Mapping[str, Any],
    *,
    simhash_field: str = DEFAULT_FIELD,
    dry_run: bool = False,
) -> dict[str, DocumentSettings]:
    """Store what an index says of its documents; see `Index.configure`.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream with fingerprint fields; a sidecar keeps its own, on
            the documents of the first index.
        changes: By name as in `DocumentSettings`; None removes one, the others stay.
        simhash_field: Field of the `simhash` object.
        dry_run: Check them and write nothing.
    """
    gateway = Gateway.of(client)
    mappings = gateway.mappings(index)
    simhash_field = current_field(mappings, simhash_field)
    stored = {name: _stored(mapping, simhash_field) for name, mapping in mappings.items()}
    if None in stored.values():
        schemes_of(index, mappings, simhash_field)  # names what is missing
    settings = {name: (one or DocumentSettings()).changed(changes) for name, one in stored.items()}
    source = sidecar_source(gateway, index, simhash_field) or index
    for one in {repr(one): one for one in settings.values()}.values():
        _require_valid(gateway, source, one, changes)
    for name, mapping in mappings.items():
        if not dry_run and settings[name] != stored[name]:
            _store(gateway, name, mapping, settings[name], simhash_field)
    return settings


def store_text_fields(
    client: Client, index: str, text: str, *, simhash_field: str = DEFAULT_FIELD
) -> None:
    """Store which fields are the text of documents that are still to be written.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream with fingerprint fields, which names no text yet.
        text: Its fields, separated by commas; neither the mapping nor a document need have them.
        simhash_field: Field of the `simhash` object.
    """
    gateway = Gateway.of(client)
    mappings = gateway.mappings(index)
    simhash_field = current_field(mappings, simhash_field)
    for name, mapping in mappings.items():
        stored = _stored(mapping, simhash_field)
        if stored is not None and stored.text is None:
            settings = stored.changed({"text": text})
            _store(gateway, name, mapping, settings, simhash_field)


def _store(
    gateway: Gateway,
    index: str,
    mapping: Mapping[str, Any],
    settings: DocumentSettings,
    simhash_field: str,
) -> None:
    entry = meta_entry(mapping, simhash_field) or {}
    entry = {**entry, DOCUMENT_SETTINGS: settings.to_meta()}
    gateway.put_mapping(index, {"_meta": with_entries(mapping, {simhash_field: entry})})


def _stored(mapping: Mapping[str, Any], simhash_field: str) -> DocumentSettings | None:
    entry = meta_entry(mapping, simhash_field)
    return None if entry is None else DocumentSettings.from_meta(entry)


def _require_valid(
    gateway: Gateway, index: str, settings: DocumentSettings, changes: Mapping[str, Any]
) -> None:
    """Reject values that cannot serve; those that do not change were checked before."""
    if settings.version_threshold is not None:
        require_threshold(settings.version_threshold)
    require_valid(settings)
    rule = settings.representative
    if rule in ("newest", "oldest") and settings.date is None:
        raise InputError(f"Representative {rule!r} needs a date. Set date.", parameter="date")
    named = {
        name: field for name, field in settings.field_names.items() if changes.get(name) is not None
    }
    if changes.get("link") is not None:
        _require_link(changes["link"])
        named |= {
            f"link ({field})": field for field in link_fields(changes["link"]) if field != "id"
        }
    for several in ("text", "identifiers"):
        names = field_names(named.pop(several)) if several in named else ()
        named |= {f"{several} {place}": name for place, name in enumerate(names)}
    if not named:
        return
    mappings = gateway.mappings(index)
    if "date" in named:
        find_date_field(mappings, named.pop("date"), parameter="date")
    if "within" in named:
        find_keyword_field(mappings, named.pop("within"), parameter="within")
    absent = set(absent_fields(gateway, index, mappings, named.values()))
    for name, field in named.items():
        is_text = name.startswith("text ")
        if is_text:
            require_no_nested_text(field, mappings, parameter="text")
        if field in absent or (is_text and is_made(field, mappings)):
            raise unknown_field(
                field, mappings, TEXT_TYPES, parameter=name.partition(" ")[0], documents=True
            )


def _require_link(link: str) -> None:
    if not link_fields(link) or not re.match(r"(https?://|/|\{)", link):
        raise InputError(
            f"link must be an address with what changes in braces, as in "
            f"https://example.org/{{id}}, got {link!r}.",
            parameter="link",
        )


def absent_fields(
    gateway: Gateway, index: str, mappings: Mapping[str, Mapping[str, Any]], names: Iterable[str]
) -> Iterator[str]:
    """Yield the fields that neither a mapping has nor one of some documents."""
    unmapped = [name for name in names if not fields_named(name, mappings)]
    sources = sample_sources(gateway, index) if unmapped else []
    for name in unmapped:
        if not any(value is not None for source in sources for value in get_values(source, name)):
            yield name


def sample_sources(gateway: Gateway, index: str) -> list[Mapping[str, Any]]:
    """Return the `_source` of some documents of an index, without what es-simhash wrote."""
    body = {"size": SAMPLED, "track_total_hits": False, "sort": ["_doc"]}
    (response,) = gateway.search_all(index, [body])
    return [hit.get("_source", {}) for hit in response["hits"]["hits"]]
