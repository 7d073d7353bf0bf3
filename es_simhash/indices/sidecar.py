"""Sidecars: indices that have the fingerprints of another index, and say of which."""

from es_simhash.engine.gateway import Gateway
from es_simhash.indices.install import install
from es_simhash.storage import resources
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.fields import SOURCE

# Key of `_meta` in the mapping of a sidecar: the first index, by the field of the object.
SIDECAR_META = "es_simhash_sidecar"
_SIDECAR_TEMPLATE = "simhash-sidecar@mappings"


def sidecar_source(gateway: Gateway, name: str, simhash_field: str) -> str | None:
    """Return the index a sidecar belongs to, or None when the name is of no sidecar."""
    for mapping in gateway.mappings(name).values():
        source: str | None = mapping.get("_meta", {}).get(SIDECAR_META, {}).get(simhash_field)
        if source is not None:
            return source
    return None


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
        scheme=config.scheme,
        semantics=config.semantics,
        simhash_field=field,
    )
    source = resources.template(_SIDECAR_TEMPLATE)["mappings"]["properties"]
    for name, mapping in gateway.mappings(sidecar).items():
        meta = mapping.get("_meta", {})
        sources = {**meta.get(SIDECAR_META, {}), field: index}
        if SOURCE not in mapping["properties"] or meta.get(SIDECAR_META) != sources:
            body = {"properties": source, "_meta": {**meta, SIDECAR_META: sources}}
            gateway.put_mapping(name, body)
