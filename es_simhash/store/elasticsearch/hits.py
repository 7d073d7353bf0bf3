"""Where search hits and entries of multi-gets are, and in which version they were read."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.relation.references import DocumentRef, DocumentVersion, Key

Hit = Mapping[str, Any]


def ref_of(hit: Hit) -> DocumentRef:
    """Return where a search hit or an entry of a multi-get is."""
    return DocumentRef(hit["_index"], hit["_id"], hit.get("_routing"))


def places_of(hits: Sequence[Hit]) -> dict[Key, DocumentRef]:
    """Return where those hits are that are not routed by their ids, by index and id."""
    return {ref.key: ref for ref in map(ref_of, (hit for hit in hits if "_routing" in hit))}


def best_of(hits: Sequence[Hit], count: int) -> list[Hit]:
    """Return the hits of the greatest scores, of equal ones the first by index and id.

    The engine takes whichever of equal ones it meets first, which depends on shards and segments.
    So searches ask for more hits than are wanted.

    Args:
        hits: Those of a search.
        count: How many to return at most.
    """
    return sorted(hits, key=lambda hit: (-hit["_score"], hit["_index"], hit["_id"]))[:count]


def version_of(hit: Hit, ref: DocumentRef | None = None) -> DocumentVersion:
    """Return in which version a search hit or an entry of a multi-get was read.

    Args:
        hit: The hit.
        ref: Where it is, where that was read already.
    """
    return DocumentVersion(ref or ref_of(hit), hit["_seq_no"], hit["_primary_term"])


def conditions_of(version: DocumentVersion) -> dict[str, Any]:
    """Return routing and conditions of a bulk action that must not fall on a newer version."""
    ref = version.ref
    routing = {} if ref.routing is None else {"routing": ref.routing}
    return {"if_seq_no": version.seq_no, "if_primary_term": version.primary_term, **routing}
