"""The index that a sidecar belongs to, as its mapping says, and what can be a sidecar."""

from collections.abc import Mapping
from typing import Any

from es_simhash.errors import IndexMissing, MappingConflict
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.searches import count
from es_simhash.store.mapping_meta import SIDECAR_META, source_of
from es_simhash.text.counting import counted


def sidecar_source(gateway: Gateway, name: str, simhash_field: str) -> str | None:
    """Return the index a sidecar belongs to, or None when the name is of no sidecar."""
    return source_of(gateway.mappings(name), simhash_field)


def require_own_fields(
    mapped: Mapping[str, Mapping[str, Any]],
    index: str,
    simhash_field: str,
    *,
    why: str,
    command: str,
) -> None:
    """Reject a sidecar where the fields of the documents themselves are needed.

    Args:
        mapped: The mapping of each index behind the name; see `Gateway.mappings`.
        index: The name.
        simhash_field: Field of the `simhash` object.
        why: What the first index has that is needed.
        command: Command that is to be run on the first index.

    Raises:
        MappingConflict: The index is a sidecar.
    """
    source = source_of(mapped, simhash_field)
    if source is not None:
        raise MappingConflict(
            f"Index {index!r} is the sidecar of {source!r}, {why}. Run "
            f"`es-simhash install {source}`, `es-simhash backfill {source}` and "
            f"`es-simhash {command} {source}`."
        )


def require_usable_as_sidecar(gateway: Gateway, name: str) -> None:
    """Reject an index with documents of its own; one that is missing or empty will be a sidecar.

    Raises:
        MappingConflict: An index behind the name has documents and is no sidecar.
    """
    try:
        mappings = gateway.mappings(name)
    except IndexMissing:
        return
    for index, mapping in mappings.items():
        if SIDECAR_META in mapping.get("_meta", {}):
            continue
        gateway.refresh_if_allowed(index)
        if documents := gateway.run(count(index)):
            raise MappingConflict(
                f"Index {index!r} has {counted(documents, 'document')} of its own and is no "
                "sidecar. Name an index that does not exist yet.",
                parameter="sidecar",
            )
