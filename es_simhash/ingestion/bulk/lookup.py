"""What an index has of the documents of a batch, whatever their routing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from es_simhash.relation.references import DocumentRef

# Sources of documents of the index, by id.
Stored = Mapping[str, Mapping[str, Any]]


class Identity(NamedTuple):
    """The id of a document that was read, and its routing; None when its line names none."""

    id: str
    routing: str | None = None


@dataclass(frozen=True)
class Lookup:
    """What an index has of the documents of a batch.

    Attributes:
        stored: Their sources by id, without the large members.
        routings: Of documents whose line names no routing: that of the document of this id.
        refused: Why documents cannot be written, by id: the index has the id elsewhere.
        is_compared: Whether documents that the index has as they are are left out.
    """

    stored: Stored = field(default_factory=dict)
    routings: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    is_compared: bool = True


def first_of_each_id(identities: Iterable[Identity]) -> dict[str, str | None]:
    """Return the routing of the first document of each id."""
    routings: dict[str, str | None] = {}
    for id, routing in identities:
        routings.setdefault(id, routing)
    return routings


def resolve(
    wanted: Mapping[str, str | None], found: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Lookup:
    """Return where documents are to be written; the sources are still missing.

    An id names one document of an index. One that is read without a routing is the one the index
    has, whatever its routing; with another routing it would be a second one of the same id.

    Args:
        wanted: Routings by id, as they were read.
        found: Documents of the index by id.
    """
    routings: dict[str, str] = {}
    refused: dict[str, str] = {}
    for id, hits in found.items():
        routing, refs = wanted[id], [DocumentRef.of_hit(hit) for hit in hits]
        if len({ref.index for ref in refs}) > 1:
            continue  # which of the indices is written to, the cluster decides
        known = {ref.routing for ref in refs}
        if routing is None and len(known) == 1:
            (stored,) = known
            if stored is not None:
                routings[id] = stored
        elif routing not in known or routing is None:
            refused[id] = _refusal(id, routing, known)
    return Lookup({}, routings, refused)


def _refusal(id: str, routing: str | None, known: Iterable[str | None]) -> str:
    stored = " and ".join(sorted("no routing" if each is None else repr(each) for each in known))
    if routing is None:
        return (
            f"The index has document {id!r} several times, with {stored}. Name one as `_routing`."
        )
    return (
        f"The index has document {id!r} with {stored}, not with routing {routing!r}, and ids are "
        "unique. Delete that one first, or change the id."
    )
