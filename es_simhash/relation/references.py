"""Where a document is, and in which version it was read."""

from collections.abc import Sequence
from dataclasses import dataclass

from es_simhash.errors import DocumentAmbiguous

# Index and id, by which answers name a document.
Key = tuple[str | None, str | None]


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
    def key(self) -> Key:
        """Its index and id, by which answers name it."""
        return self.index, self.id

    def __lt__(self, other: "DocumentRef") -> bool:
        """Order by index and id."""
        return (self.index or "", self.id) < (other.index or "", other.id)


@dataclass(frozen=True, order=True)
class LeftOutIndex:
    """An index behind a name whose documents are in no answer.

    Attributes:
        index: Its name.
        scheme: Scheme of its fingerprints, another than that of the answers; None where it has no
            fields for any.
    """

    index: str
    scheme: str | None = None

    @property
    def reason(self) -> str:
        """Why it is left out."""
        if self.scheme is None:
            return "no fingerprint fields"
        return f"fingerprints of another scheme, {self.scheme}"


def require_one(id: str, refs: Sequence[DocumentRef], index: str) -> None:
    """Reject an id that several documents have.

    Args:
        id: The id.
        refs: Where the documents are.
        index: Name behind which they were looked for.

    Raises:
        DocumentAmbiguous: There are several, in several indices or under several routings.
    """
    if len(refs) < 2:
        return
    indices = sorted({str(ref.index) for ref in refs})
    if len(indices) > 1:
        raise DocumentAmbiguous(
            f"Document {id!r} is in several indices behind {index!r} "
            f"({', '.join(indices)}). Query one of them."
        )
    routings = ", ".join(sorted(repr(ref.routing) for ref in refs))
    raise DocumentAmbiguous(
        f"Document {id!r} is in index {index!r} {len(refs)} times, with the routings "
        f"{routings}. Give each of them an id of its own."
    )


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
