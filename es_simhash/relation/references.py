"""Where a document is, and in which version it was read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, order=False)
class DocumentRef:
    """Where a document is.

    Attributes:
        index: Its index; None for the one a request is about.
        id: Its id.
        routing: What it is routed by; None for its id.
    """

    index: str | None
    id: str
    routing: str | None = None

    @property
    def key(self) -> tuple[str | None, str | None]:
        """Its index and id, by which answers name it."""
        return self.index, self.id

    def __lt__(self, other: "DocumentRef") -> bool:
        """Order by index and id."""
        return (self.index or "", self.id) < (other.index or "", other.id)

    @classmethod
    def of_hit(cls, hit: Mapping[str, Any]) -> "DocumentRef":
        """Return where a search hit or an entry of a multi-get is."""
        return cls(hit["_index"], hit["_id"], hit.get("_routing"))


@dataclass(frozen=True)
class DocumentVersion:
    """A document in the version that was read: a write that names it fails when there is a newer.

    Attributes:
        ref: Where it is.
        seq_no: Sequence number of the write that made this version.
        primary_term: Primary term of that write.
    """

    ref: DocumentRef
    seq_no: int
    primary_term: int

    @classmethod
    def of_hit(cls, hit: Mapping[str, Any]) -> "DocumentVersion":
        """Return the version of a search hit or of an entry of a multi-get."""
        return cls(DocumentRef.of_hit(hit), hit["_seq_no"], hit["_primary_term"])

    @property
    def conditions(self) -> dict[str, Any]:
        """Routing and conditions of a bulk action that must not fall on a newer version."""
        routing = {} if self.ref.routing is None else {"routing": self.ref.routing}
        return {"if_seq_no": self.seq_no, "if_primary_term": self.primary_term, **routing}
