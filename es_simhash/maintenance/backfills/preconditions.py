"""What an index must be before its documents are fingerprinted; each failure is one sentence."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from es_simhash.errors import IndexMissing, InputError, MappingConflict
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.maintenance.backfills.backfill_job import BackfillJob
from es_simhash.maintenance.backfills.document_pages import DocumentReader
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.added_schemes import added_schemes
from es_simhash.store.config import DocumentSettings, IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.vector_table_search import with_table
from es_simhash.store.indexed_methods import method_of_scheme
from es_simhash.store.installation.sidecar_source import require_usable_as_sidecar
from es_simhash.store.intents import RequireTextField, Where
from es_simhash.store.mapped_fields import require_no_nested_text
from es_simhash.store.mapping_meta import (
    InstalledSchemes,
    common_settings,
    meta_entry,
    require_no_sidecar,
    require_one_scheme,
    schemes_of,
)
from es_simhash.store.protocol import Store
from es_simhash.store.rows import Row
from es_simhash.store.source import text_of

# Documents of which one must have the field of the text.
_SAMPLE = 100


def open_job(
    gateway: Gateway,
    index: str,
    config: IndexConfig,
    sidecar: str | None = None,
    mappings: Mapping[str, Mapping[str, Any]] | None = None,
) -> BackfillJob:
    """Return the job of a backfill from the mappings behind a name; nothing is written.

    Args:
        gateway: Sends the requests.
        index: Index, alias or data stream.
        config: Names of the fields; its schemes are read from the mappings.
        sidecar: Index to write to; None for the index itself.
        mappings: The mapping of each index behind the name; None to read them.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no `simhash` fields or is a sidecar, the documents could not be
            kept whole, or the sidecar to write to has documents of its own.
        InputError: The text is in nested documents, the sidecar is the index itself, or the
            vocabulary is not the one of the index.
        MissingExtra: What the index was installed with needs a package that is not installed.
    """
    if mappings is None:
        mappings = gateway.mappings(index)
    settings = gateway.settings(index)
    require_no_sidecar(mappings)
    for name, mapping in mappings.items():
        _require_source(name, mapping, settings.get(name, {}))
        if sidecar is None:
            _require_whole_source(name, mapping)
    if sidecar is None:
        schemes = schemes_of(index, mappings, config.simhash_field)
        require_one_scheme(index, schemes.left_out)
        _require_same_schemes(mappings, schemes)
    elif sidecar in mappings or sidecar == index:
        raise InputError(
            f"Index {sidecar!r} cannot be its own sidecar; name another index.",
            parameter="sidecar",
        )
    else:
        require_usable_as_sidecar(gateway, sidecar)
        schemes = _installed_in_sidecar(gateway, sidecar, config.simhash_field)
        if schemes.documents == DocumentSettings():
            schemes = replace(schemes, documents=_settings_of(mappings, index, config))
    config = gateway.run(with_table(index, schemes.applied(config)))
    for name, mapping in mappings.items():
        for text_field in config.text_fields:
            require_no_nested_text(text_field, {name: mapping}, parameter="text_field")
    if schemes.semantics is not None:
        # What it lacks is reported before anything is read, not by the first process that needs it.
        semantic_profiler(schemes.semantics, config.vocabulary, config.table)
    for scheme in config.schemes:
        method_of_scheme(scheme.method, scheme.name)
    return BackfillJob(index, config, sidecar, frozenset(mappings))


def _settings_of(
    mappings: Mapping[str, Mapping[str, Any]], index: str, config: IndexConfig
) -> DocumentSettings:
    """Return what the first index says of its documents; nothing where it was not installed."""
    entries = {
        name: meta_entry(mapping, config.simhash_field) for name, mapping in mappings.items()
    }
    said = {name: DocumentSettings.from_meta(entry or {}) for name, entry in entries.items()}
    return common_settings(index, said)


def _installed_in_sidecar(gateway: Gateway, name: str, simhash_field: str) -> InstalledSchemes:
    try:
        return schemes_of(name, gateway.mappings(name), simhash_field)
    except IndexMissing:
        return InstalledSchemes(DEFAULT, DEFAULT_SEMANTICS)


def _require_same_schemes(
    mappings: Mapping[str, Mapping[str, Any]], schemes: InstalledSchemes
) -> None:
    """Reject indices of which only some have fields of a scheme: the others would never be done.

    Raises:
        MappingConflict: One has none.
    """
    without_fields = {each.index for each in schemes.left_out}
    for name, mapping in mappings.items():
        if name in without_fields:
            continue  # A run that writes completes them first.
        entry = meta_entry(mapping, schemes.field) or {}
        if schemes.semantics is not None and not entry.get("semantics"):
            raise MappingConflict(
                f"Index {name!r} has no semantic fields, others of the same name have; "
                f"run `es-simhash install {name}` first."
            )
        for scheme in set(schemes.added) - set(added_schemes(entry)):
            raise MappingConflict(
                f"Index {name!r} has no fields of scheme {scheme.name!r}, others of the same name "
                f"have; run `es-simhash install {name} --scheme {scheme.method}` first."
            )


def require_text(store: Store, job: BackfillJob, where: Where) -> None:
    """Reject a text field that neither the mappings have nor a sample of the documents.

    Args:
        store: The index.
        job: Names the field.
        where: Which documents are read.

    Raises:
        InputError: There is no such field.
    """
    try:
        store.ask([RequireTextField()])
    except InputError:
        reader = DocumentReader(store, job)
        # Where nothing is left to process, a misspelt name would be taken for one that is done.
        documents = reader.sample(where, _SAMPLE) or reader.sample(Where(), _SAMPLE)
        lacking = tuple(
            name
            for name in job.config.text_fields
            if not any(_has_text(document, name) for document in documents)
        )
        if documents and lacking:
            store.ask([RequireTextField(lacking)])


def _has_text(document: Row, text_field: str) -> bool:
    try:
        return text_of(document.source, text_field) is not None
    except InputError:
        return True


def _require_source(index: str, mapping: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    source = mapping.get("_source", {})
    is_disabled = source.get("enabled") is False or source.get("mode") == "disabled"
    if is_disabled or settings.get("index.mapping.source.mode") == "disabled":
        raise MappingConflict(
            f"Index {index!r} keeps no `_source`, so its texts cannot be read; write its "
            "documents again with `es-simhash ingest`."
        )


def _require_whole_source(index: str, mapping: Mapping[str, Any]) -> None:
    source = mapping.get("_source", {})
    if source.get("excludes") or source.get("includes"):
        raise MappingConflict(
            f"Index {index!r} leaves fields out of `_source`, which a partial update would lose; "
            "write the fingerprints to a sidecar.",
            parameter="sidecar",
        )
