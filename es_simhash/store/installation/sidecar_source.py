"""The index that a sidecar belongs to, as the mapping of the sidecar says."""

from es_simhash.store.elasticsearch.gateway import Gateway

# Key of `_meta` in the mapping of a sidecar: the first index, by the field of the object.
SIDECAR_META = "es_simhash_sidecar"


def sidecar_source(gateway: Gateway, name: str, simhash_field: str) -> str | None:
    """Return the index a sidecar belongs to, or None when the name is of no sidecar."""
    for mapping in gateway.mappings(name).values():
        source: str | None = mapping.get("_meta", {}).get(SIDECAR_META, {}).get(simhash_field)
        if source is not None:
            return source
    return None
