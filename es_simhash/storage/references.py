"""References to documents: where one is, and in which state it was read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DocumentRef:
    """Where a document is.

    Attributes:
        index: Index it is in; None for the one a request names.
        id: Its id.
        routing: Value it is routed by; None when that is its id.
    """

    index: str | None
    id: str
    routing: str | None = None


@dataclass(frozen=True)
class DocumentVersion:
    """A document in a state: a write names the state, and conflicts when there is a newer one.

    Attributes:
        ref: Where the document is.
        seq_no: Sequence number of its last change.
        primary_term: Primary term of its last change.
    """

    ref: DocumentRef
    seq_no: int
    primary_term: int

    @classmethod
    def of_hit(cls, hit: Mapping[str, Any]) -> "DocumentVersion":
        """Return the version of a search hit or of an entry of a multi-get."""
        ref = DocumentRef(hit["_index"], hit["_id"], hit.get("_routing"))
        return cls(ref, hit["_seq_no"], hit["_primary_term"])
