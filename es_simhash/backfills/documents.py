"""Documents as they were read, and what a run needs to know to write for them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from es_simhash.fingerprints.scheme import Scheme
from es_simhash.semantics.scheme import SemanticScheme
from es_simhash.storage.config import IndexConfig


@dataclass(frozen=True)
class Place:
    """A document in a state: a write names the state, and is refused when there is a newer one."""

    index: str
    id: str
    routing: str | None
    seq_no: int
    primary_term: int


class Hit(NamedTuple):
    """A document that was read.

    Attributes:
        place: Where it is.
        source: Its text, the entities it brings, and the small members of our object.
        kept: With a sidecar, the document there, as far as it is small.
        kept_place: Where that is; None when there is none.
    """

    place: Place
    source: Mapping[str, Any]
    kept: Mapping[str, Any] | None = None
    kept_place: Place | None = None


@dataclass(frozen=True)
class Task:
    """What a run does.

    Attributes:
        config: How the index is read and fingerprinted.
        sidecar: Index the fields are written to; None for the document itself.
        indices: Indices the documents are in.
    """

    config: IndexConfig = field(default_factory=IndexConfig)
    sidecar: str | None = None
    indices: frozenset[str] = field(default_factory=frozenset)

    @property
    def text_field(self) -> str:
        """Field of the text; dots lead into objects."""
        return self.config.text_field

    @property
    def simhash_field(self) -> str:
        """Field of the `simhash` object."""
        return self.config.simhash_field

    @property
    def scheme(self) -> Scheme:
        """Scheme of the fingerprints."""
        return self.config.scheme

    @property
    def semantics(self) -> SemanticScheme | None:
        """Scheme of what is read from the texts; None for fingerprints alone."""
        return self.config.semantics

    @property
    def entity_fields(self) -> tuple[str, ...]:
        """Fields of the documents that hold entities already."""
        return self.semantics.entity_fields if self.semantics else ()


def place_of(entry: Mapping[str, Any]) -> Place:
    """Return the place of a search hit or of an entry of a multi-get."""
    return Place(
        entry["_index"],
        entry["_id"],
        entry.get("_routing"),
        entry["_seq_no"],
        entry["_primary_term"],
    )


def own_object(source: Mapping[str, Any], field: str) -> tuple[Mapping[str, Any] | None, bool]:
    """Return our object, and whether it lies in nested objects rather than under a dotted name."""
    if isinstance(source.get(field), Mapping):
        return source[field], False
    value: Any = source
    for part in field.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return (value, True) if isinstance(value, Mapping) else (None, False)
