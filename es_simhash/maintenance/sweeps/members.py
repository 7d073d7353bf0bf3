"""Members of families in the order in which they are decided."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from es_simhash.ingestion.deduplication.decision import Original
from es_simhash.ingestion.deduplication.stored_documents import StoredDocument
from es_simhash.maintenance.families.family import Family
from es_simhash.maintenance.sweeps.changes import ChangedDocument
from es_simhash.store.references import DocumentRef


@dataclass(frozen=True, eq=False)
class FamilyOriginal:
    """A document of a family that is a version of no other, as it was read.

    Attributes:
        original: The document as others are compared with it.
        stored: The document as it is stored.
    """

    original: Original
    stored: StoredDocument


@dataclass(frozen=True)
class Member:
    """A document of a family.

    Attributes:
        family: Name of the family.
        ref: Where the document is.
        change: What was changed since the last sweep; None for nothing.
        originals: The originals of the family so far; one list that all its members share.
    """

    family: str
    ref: DocumentRef
    change: ChangedDocument | None
    originals: list[FamilyOriginal]

    @property
    def order(self) -> tuple[bool, tuple[float, int], DocumentRef]:
        """Position: unchanged documents first, then the changed ones by their order."""
        return self.change is not None, self.change.order if self.change else (0.0, 0), self.ref


def members_in_order(
    families: Iterable[Family], changes: Mapping[DocumentRef, ChangedDocument]
) -> Iterator[Member]:
    """Yield the documents of each family that has changed ones, the unchanged first."""
    for family in families:
        originals: list[FamilyOriginal] = []
        members = [
            Member(family.name, ref, changes.get(ref), originals) for ref in family.documents
        ]
        if any(member.change for member in members):
            yield from sorted(members, key=lambda member: member.order)
