"""A version family."""

from dataclasses import dataclass

from es_simhash.store.references import DocumentRef


@dataclass(frozen=True)
class Family:
    """Documents that are versions of each other.

    Attributes:
        name: Value of `simhash.family` of each of them.
        documents: Where they are, the representative first.
    """

    name: str
    documents: tuple[DocumentRef, ...]

    @property
    def representative(self) -> str:
        """Id of the document each of the others was compared with."""
        return self.documents[0].id

    @property
    def members(self) -> tuple[str, ...]:
        """Ids of all documents, the representative first."""
        return tuple(ref.id for ref in self.documents)
