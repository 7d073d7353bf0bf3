"""The index that a sidecar belongs to, as the mapping of the sidecar says."""

from collections.abc import Mapping
from typing import Any

from es_simhash.store.elasticsearch.gateway import Gateway

# Key of `_meta` in the mapping of a sidecar: the first index, by the field of the object.
SIDECAR_META = "es_simhash_sidecar"


def sidecar_source(gateway: Gateway, name: str, simhash_field: str) -> str | None:
    """Return the index a sidecar belongs to, or None when the name is of no sidecar."""
    return source_of(gateway.mappings(name), simhash_field)


def source_of(mappings: Mapping[str, Mapping[str, Any]], simhash_field: str) -> str | None:
    """Return the index that mappings say a sidecar belongs to; None for none."""
    for mapping in mappings.values():
        source: str | None = mapping.get("_meta", {}).get(SIDECAR_META, {}).get(simhash_field)
        if source is not None:
            return source
    return None
