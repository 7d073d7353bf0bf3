"""Version families, what a run changed of them, and the report of the run."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from es_simhash.maintenance.families.family_reader import FamilyDocument
from es_simhash.relation.references import DocumentRef


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


@dataclass(frozen=True)
class MovedDocument:
    """A document that had a family and has another.

    Attributes:
        document: Where it is.
        source: Family that it had.
        target: Family that it has.
    """

    document: DocumentRef
    source: str
    target: str


@dataclass(frozen=True)
class FamilyChanges:
    """What a run changed of the families that documents had before.

    Attributes:
        joined: By the name of a family, the names that its documents had, where there are several.
        split: By the name that documents had, the families they have, where there are several.
        moved: Documents that have another family than before.
    """

    joined: Mapping[str, tuple[str, ...]]
    split: Mapping[str, tuple[str, ...]]
    moved: tuple[MovedDocument, ...]

    def __bool__(self) -> bool:
        return bool(self.moved)

    def to_dict(self) -> dict[str, Any]:
        """Return the changes as they are printed in JSON."""
        return {
            "joined": [
                {"families": list(names), "into": name} for name, names in self.joined.items()
            ],
            "split": [{"family": name, "into": list(names)} for name, names in self.split.items()],
            "moved": [
                {
                    "id": each.document.id,
                    "index": each.document.index,
                    "from": each.source,
                    "to": each.target,
                }
                for each in self.moved
            ],
        }

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield each change alone: what `to_dict` lists, with the member `change`."""
        for kind, changes in self.to_dict().items():
            for change in changes:
                yield {"change": kind, **change}


def family_changes(
    documents: Mapping[DocumentRef, FamilyDocument],
    families: Iterable[Family],
    skipped: Collection[DocumentRef],
) -> FamilyChanges:
    """Compare what documents have with what they had.

    Args:
        documents: As they were read.
        families: Those of all that were processed.
        skipped: Documents to which nothing was written.
    """
    sources, targets = defaultdict(set), defaultdict(set)
    moved = []
    for family in families:
        for ref in family.documents:
            before = documents[ref].family
            # A new document, or one with a new text, had none.
            if before is None or ref in skipped:
                continue
            sources[family.name].add(before)
            targets[before].add(family.name)
            if before != family.name:
                moved.append(MovedDocument(ref, before, family.name))
    return FamilyChanges(
        _several(sources),
        _several(targets),
        tuple(sorted(moved, key=lambda each: each.document)),
    )


NOTHING = FamilyChanges({}, {}, ())


def _several(names: Mapping[str, Collection[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(sorted(names[name])) for name in sorted(names) if len(names[name]) > 1}


# Called with the number of texts queried so far, and of those known so far.
Progress = Callable[[int, int], None]


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
        changes: Families that were joined or split, and documents that moved.
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
    changes: FamilyChanges = NOTHING

    def to_dict(self) -> dict[str, Any]:
        """Return the report as it is printed in JSON."""
        return {
            "families": [
                {"family": family.name, "members": list(family.members)} for family in self.families
            ],
            "documents": self.documents,
            "queried": self.queried,
            "written": self.written,
            "skipped": list(self.skipped),
            "truncated": list(self.truncated),
            "undated": list(self.undated),
            "dry_run": self.dry_run,
            "contradicted": [list(ids) for ids in self.contradicted],
            **self.changes.to_dict(),
        }
