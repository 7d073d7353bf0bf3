"""The report of a run that found families."""

from dataclasses import dataclass, field
from typing import Any

from es_simhash.pairs.family_changes import NOTHING, Family, FamilyChanges
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.thresholds import SCORING


@dataclass(frozen=True)
class FamiliesReport:
    """What a run over the families of an index did.

    Attributes:
        families: Families of several documents, of all documents the run processed.
        documents: Documents it processed.
        queried: Texts whose candidates it retrieved.
        written: Documents whose family was written, or would be with `dry_run`.
        skipped: Ids of documents in conflict with another writer, or whose text is missing or not
            the one that was fingerprinted; the next run processes them.
        truncated: Ids of documents with more candidates than were compared.
        undated: Where the newest or the oldest represents a family, ids of documents without a
            date; they do so only in families in which no document has one.
        dry_run: True when nothing was written.
        contradicted: Ids of dismissed pairs whose texts are joined as well, as where one became a
            copy of another document: they are in two families.
        within: Field that kept families apart; None for none.
        parted: Ids of pairs that a person joined and that field keeps apart: they are in two
            families.
        valueless: Ids of documents without a value of that field: their families have no others.
        changes: Families that were joined or split, and documents that moved.
        rewritten: Documents that were written and had a family before: they are in another one now,
            or represent theirs, or do so no longer.
        resumed: True when it went on where a run that was killed had stopped, which may have
            written some of the documents.
    """

    families: tuple[Family, ...]
    documents: int
    queried: int
    written: int
    skipped: tuple[str, ...] = ()
    truncated: tuple[str, ...] = ()
    undated: tuple[str, ...] = ()
    dry_run: bool = False
    contradicted: tuple[tuple[str, str], ...] = ()
    within: str | None = None
    parted: tuple[tuple[str, str], ...] = ()
    valueless: tuple[str, ...] = ()
    changes: FamilyChanges = NOTHING
    rewritten: frozenset[DocumentRef] = field(default=frozenset(), repr=False)
    resumed: bool = field(default=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as it is printed in JSON."""
        return {
            "families": [family.to_dict() for family in self.families],
            "documents": self.documents,
            "queried": self.queried,
            "written": self.written,
            "skipped": list(self.skipped),
            "truncated": list(self.truncated),
            "undated": list(self.undated),
            "dry_run": self.dry_run,
            "contradicted": [list(ids) for ids in self.contradicted],
            "within": self.within,
            "parted": [list(ids) for ids in self.parted],
            "valueless": list(self.valueless),
            **self.changes.to_dict(),
            "scoring": SCORING,
        }
