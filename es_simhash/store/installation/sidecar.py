"""Sidecars: indices that have the fingerprints of another index, and say of which."""

from dataclasses import asdict
from typing import Any

from es_simhash.store import resources
from es_simhash.store.config import DocumentSettings, IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.fields import SOURCE
from es_simhash.store.installation.document_settings import configure, document_settings
from es_simhash.store.installation.install import install
from es_simhash.store.mapping_meta import SIDECAR_META
from es_simhash.store.paths import adapted_properties, mapped_field

_SIDECAR_TEMPLATE = "simhash-sidecar@mappings"


def install_sidecar(gateway: Gateway, sidecar: str, index: str, config: IndexConfig) -> None:
    """Create the sidecar of an index, or add what it lacks.

    Args:
        gateway: Sends the requests.
        sidecar: Name of the sidecar.
        index: The index it belongs to from now on.
        config: Schemes, and name of the `simhash` object.

    Raises:
        MappingConflict: There is an index of that name that cannot serve.
    """
    field = config.simhash_field
    install(
        gateway,
        sidecar,
        scheme=[config.scheme.name, *(each.method for each in config.schemes)],
        semantics=config.semantics,
        simhash_field=field,
    )
    source = resources.template(_SIDECAR_TEMPLATE)["mappings"]["properties"]
    for name, mapping in gateway.mappings(sidecar).items():
        meta = mapping.get("_meta", {})
        sources = {**meta.get(SIDECAR_META, {}), field: index}
        if mapped_field(mapping, SOURCE) is None or meta.get(SIDECAR_META) != sources:
            properties = adapted_properties(source, mapping)
            meta = {**meta, SIDECAR_META: sources}
            gateway.put_mapping(name, {"properties": properties, "_meta": meta})
    _remember_documents(gateway, sidecar, config)


def _remember_documents(gateway: Gateway, sidecar: str, config: IndexConfig) -> None:
    """Store how the documents look, so that whoever queries the sidecar need not repeat it."""
    field = config.simhash_field
    changes: dict[str, Any] = {"text": str(config.text_field)}
    if document_settings(gateway, sidecar, simhash_field=field) == DocumentSettings():
        changes |= asdict(config.documents)
        defaults = ("representative", "within", "min_score")
        changes |= {name: getattr(config, name) for name in defaults}
        # It would be stored as one of today's score.
        changes["version_threshold"] = None if config.other_scoring else config.version_threshold
    if config.names_text_field:
        configure(gateway, sidecar, changes, simhash_field=field)
