"""What a run changed of the families that documents had before: joined, split, moved."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from es_simhash.maintenance.families.documents import FamilyDocument
from es_simhash.maintenance.families.family import Family
from es_simhash.store.references import DocumentRef


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
