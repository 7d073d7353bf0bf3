"""Version families by their names, and what a run changed of those that documents had before."""

from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.relation.references import DocumentRef

_NAME_DIGITS = 16


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

    def to_dict(self) -> dict[str, Any]:
        """Return the family as it is printed in JSON."""
        return {"family": self.name, "members": list(self.members)}


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


def family_names(
    families: Sequence[Sequence[str]],
    stored_names: Mapping[str, Sequence[str]],
    taken: Collection[str] = frozenset(),
) -> list[str]:
    """Return a name for each family that no other has.

    A family keeps the name that most of its documents have. When two families have documents of
    one name, as after a family fell apart, the one with more of them keeps it. A new family is
    named by the smallest content hash in it, whatever the order of its texts.

    Args:
        families: Content hashes of the texts of each family.
        stored_names: Families that the documents of a text have, by its hash.
        taken: Names of families that are not among these.
    """
    counts = [
        Counter(name for text in family for name in stored_names[text]) for family in families
    ]
    claims = [
        (-count, name, min(families[number]), number)
        for number, names in enumerate(counts)
        for name, count in names.items()
    ]
    assigned: dict[int, str] = {}
    used = set(taken)
    for _, name, _, number in sorted(claims):
        if number not in assigned and name not in used:
            assigned[number] = name
            used.add(name)
    unnamed = set(range(len(families))) - assigned.keys()
    for number in sorted(unnamed, key=lambda number: min(families[number])):
        assigned[number] = unused_name(sorted(families[number]), used)
        used.add(assigned[number])
    return [assigned[number] for number in range(len(families))]


def unused_name(hashes: Iterable[str], used: Container[str]) -> str:
    """Return a name for a new family, the first of its texts whose name no other family has.

    Args:
        hashes: Of its texts, ascending.
        used: Names of others.
    """
    hashes = list(hashes)
    for name in new_names(hashes):
        if name not in used:
            return name
    return digest_of_key(*hashes)


def new_names(hashes: Iterable[str]) -> Iterator[str]:
    """Yield the names that a new family of texts may get, by the hashes of the texts."""
    return (content_hash[:_NAME_DIGITS] for content_hash in hashes)


def family_changes(
    stored: Mapping[DocumentRef, str | None],
    families: Iterable[Family],
    skipped: Collection[DocumentRef],
) -> FamilyChanges:
    """Compare what documents have with what they had.

    Args:
        stored: Families that the documents had; None for one without.
        families: Those of all that were processed.
        skipped: Documents to which nothing was written.
    """
    sources, targets = defaultdict(set), defaultdict(set)
    moved = []
    for family in families:
        for ref in family.documents:
            before = stored[ref]
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
