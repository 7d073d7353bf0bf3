"""What an index has to be before its documents are enriched, each refusal in one sentence."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.backfills.documents import Hit, Task
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.errors import IndexMissing, InputError, MappingConflict
from es_simhash.fingerprints.scheme import DEFAULT
from es_simhash.indices import install
from es_simhash.indices.install import Installed
from es_simhash.indices.sidecar import SIDECAR_META
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.scheme import DEFAULT_SEMANTICS
from es_simhash.storage import resources
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.fields import SOURCE
from es_simhash.storage.source import text_of


def open_task(
    client: Client,
    index: str,
    *,
    text_field: str,
    simhash_field: str,
    sidecar: str | None = None,
    vocabulary: str | None = None,
) -> Task:
    """Look at the mapping of the indices behind a name and give what is to be done; no write.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fields of ours, or the documents could not be kept whole.
        InputError: The text is in nested documents, the sidecar is the index itself, or the
            vocabulary is not the one of the index.
        MissingExtra: What the index was installed with needs a package that is not here.
    """
    indices = _indices(client, index)
    for name, (mapping, settings) in indices.items():
        _require_text(name, mapping, text_field)
        _require_source(name, mapping, settings, in_place=sidecar is None)
    if sidecar is None:
        made = install.installed(client, index, simhash_field)
        _require_same_semantics(indices, simhash_field, made)
    elif sidecar in indices or sidecar == index:
        raise InputError(f"Index {sidecar!r} cannot be its own sidecar; name another.")
    else:
        made = _installed_in_sidecar(client, sidecar, simhash_field)
    if made.semantics is not None:
        # What it lacks is told before anything is read, not by the first process that needs it.
        semantic_profiler(made.semantics, vocabulary)
    config = IndexConfig(
        made.scheme, text_field, simhash_field, semantics=made.semantics, vocabulary=vocabulary
    )
    return Task(config, sidecar, frozenset(indices))


def _installed_in_sidecar(client: Client, name: str, field: str) -> Installed:
    try:
        return install.installed(client, name, field)
    except IndexMissing:
        return Installed(DEFAULT, DEFAULT_SEMANTICS)


def _require_same_semantics(
    indices: Mapping[str, tuple[Mapping[str, Any], Any]], field: str, made: Installed
) -> None:
    """Refuse indices of which only some have fields for meanings: the others would never be done.

    Raises:
        MappingConflict: One has none.
    """
    for name, (mapping, _) in indices.items():
        entry = mapping.get("_meta", {}).get(resources.META, {}).get(field, {})
        if made.semantics is not None and not entry.get("semantics"):
            raise MappingConflict(
                f"Index {name!r} has no fields for what texts are about, others of the same name "
                f"have; run `es-simhash install {name}` first."
            )


def install_sidecar(client: Client, index: str, task: Task) -> None:
    """Make the sidecar, or add what it lacks.

    Raises:
        MappingConflict: There is an index of that name that cannot serve.
    """
    assert task.sidecar is not None
    install.install(
        client,
        task.sidecar,
        scheme=task.scheme,
        semantics=task.semantics,
        simhash_field=task.simhash_field,
    )
    source = resources.template("simhash-sidecar@mappings")["mappings"]["properties"]
    gateway = Gateway.of(client)
    for name, mapping in gateway.mappings(task.sidecar).items():
        meta = mapping.get("_meta", {})
        named = {**meta.get(SIDECAR_META, {}), task.simhash_field: index}
        if SOURCE not in mapping["properties"] or meta.get(SIDECAR_META) != named:
            body = {"properties": source, "_meta": {**meta, SIDECAR_META: named}}
            gateway.put_mapping(name, body)


def is_mapped(client: Client, task: Task) -> bool:
    """Check whether the mapping of an index of the task has the field of the text."""
    indices = _indices(client, ",".join(sorted(task.indices)))
    return any(_field(mapping, task.text_field) for mapping, _ in indices.values())


def require_some_text(hits: Sequence[Hit], task: Task) -> None:
    """Refuse a field that the mapping has not and no document of a sample either.

    Raises:
        InputError: There is none.
    """
    if hits and not any(_has_text(hit, task.text_field) for hit in hits):
        names = ", ".join(sorted(task.indices))
        raise InputError(
            f"Neither the mapping nor a document of {names} has a field {task.text_field!r}; "
            "name the field of the text with --field."
        )


def _has_text(hit: Hit, text_field: str) -> bool:
    try:
        return text_of(hit.source, text_field) is not None
    except InputError:
        return True


def _indices(client: Client, index: str) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return mapping and settings of each index behind a name."""
    gateway = Gateway.of(client)
    mappings, settings = gateway.mappings(index), gateway.settings(index)
    return {name: (mapping, settings.get(name, {})) for name, mapping in mappings.items()}


def _require_source(
    index: str,
    mapping: Mapping[str, Any],
    settings: Mapping[str, Any],
    *,
    in_place: bool,
) -> None:
    source = mapping.get("_source", {})
    disabled = source.get("enabled") is False or source.get("mode") == "disabled"
    if disabled or settings.get("index.mapping.source.mode") == "disabled":
        raise MappingConflict(
            f"Index {index!r} keeps no `_source`, so that its texts cannot be read; write its "
            "documents again with `es-simhash ingest`."
        )
    if in_place and (source.get("excludes") or source.get("includes")):
        raise MappingConflict(
            f"Index {index!r} leaves fields out of `_source`, which a partial update would lose; "
            "write the fingerprints to another index with --sidecar."
        )


def _require_text(index: str, mapping: Mapping[str, Any], text_field: str) -> None:
    """Refuse texts of nested documents, of which a document has many."""
    names = text_field.split(".")
    for count in range(1, len(names)):
        above = ".".join(names[:count])
        if (_field(mapping, above) or {}).get("type") == "nested":
            raise InputError(
                f"Field {text_field!r} of index {index!r} lies in nested documents ({above!r}); "
                "copy its text to a field of the document and name that with --field."
            )


def _field(mapping: Mapping[str, Any], path: str) -> Mapping[str, Any] | None:
    """Return the mapping of a field."""
    found: Mapping[str, Any] | None = mapping
    for name in path.split("."):
        found = (found or {}).get("properties", {}).get(name)
    return found
