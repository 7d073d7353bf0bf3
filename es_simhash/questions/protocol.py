"""What every index that answers has in common, so that callers can type against it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from es_simhash.differences.difference import Changes
from es_simhash.relation.answer import Answer
from es_simhash.relation.relation import DocumentContext, Relation
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.intents import Filter
from es_simhash.store.options import SearchOptions
from es_simhash.store.protocol import Store


class RelatedIndex(Protocol):
    """Finds related documents: `Index`, `SidecarIndex` and `MemoryIndex` do.

    What `Index` says of its methods holds for all of them. `AsyncIndex` has the same methods, to be
    awaited.
    """

    def related(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> Answer:
        """Return the documents related to a stored document or to a text, best first."""

    def related_to_each(
        self, ids: Sequence[str], *, options: SearchOptions | None = None
    ) -> dict[str, Answer]:
        """Return what is related to each of many stored documents, by their ids."""

    def pages(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> Iterator[Answer]:
        """Return all that is related, in pages of `size`."""

    def explain(self, id_a: str, id_b: str) -> Relation:
        """Return the relation of two stored documents, whatever its score, with evidence."""

    def changes(self, id_a: str, id_b: str) -> Changes:
        """Return what changed from one stored document to another, whatever their relation."""


# Sequence number and primary term: what changes whenever a document does.
State = tuple[int, int]


@dataclass(frozen=True)
class FilteredDocument:
    """A document that matches the filters.

    Attributes:
        id: Of the document.
        index: Its index.
        state: Changes with every write of the document.
        context: Its title, date and so on.
        source: The requested fields.
    """

    id: str
    index: str
    state: State
    context: DocumentContext
    source: dict[str, Any]


class DocumentReader(Protocol):
    """Reads the documents of an index by their ids, as `FilteredDocuments` does."""

    @property
    def store(self) -> Store:
        """The index, which has fingerprints in its documents."""

    @property
    def config(self) -> IndexConfig:
        """Names of the fields."""

    @property
    def date_field(self) -> DateField | None:
        """The date field, as the mapping has it; None without one."""

    @property
    def index(self) -> str:
        """Name of the index."""

    def read(
        self, ids: Sequence[str], filters: Sequence[Filter], fields: Sequence[str] = ()
    ) -> Mapping[str, FilteredDocument]:
        """Return the documents by their ids; what is missing, or there twice, is left out."""

    def states(
        self, requests: Sequence[tuple[Collection[str], Sequence[Filter]]]
    ) -> list[dict[tuple[str, str], State]]:
        """Return the states of documents, by index and id, of each request with its filters."""
