"""What stands between the addresses and the index: a question, its answer, and who answers it."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from es_simhash.service.parameters import RelatedQuery
from es_simhash.store.order import Sort

Filters = Sequence[Mapping[str, Any]]
# Sequence number and primary term of documents, by index and id.
States = Mapping[tuple[str, str], tuple[int, int]]


@dataclass(frozen=True)
class Shown:
    """An answer, and what it was made of.

    Attributes:
        body: As JSON has it.
        ids: Of all documents that are in it.
    """

    body: dict[str, Any]
    ids: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Question:
    """A request for something that may be cached.

    Attributes:
        filters: What every document must match.
        make: Makes the answer.
        parts: All that the answer depends on but the filters: route, ids, parameters; None for
            an answer that is not kept.
    """

    filters: Filters
    make: Callable[[], Shown]
    parts: tuple[Any, ...] | None = field(default=None, kw_only=True)

    @property
    def key(self) -> str | None:
        """The parts and the filters in one form."""
        if self.parts is None:
            return None
        return json.dumps([self.parts, self.filters], sort_keys=True)


class Answering(Protocol):
    """Answers from an index, of documents that match filters, with allowed fields alone.

    Each method raises `DocumentMissing` when there is no such document for these filters.
    """

    @property
    def sorts(self) -> tuple[Sort, ...]:
        """Orders that are possible."""

    def related(self, id: str, query: RelatedQuery, filters: Filters) -> Shown:
        """Return what is related to a document."""

    def related_to_text(self, text: str, query: RelatedQuery, filters: Filters) -> Shown:
        """Return what is related to a text."""

    def compare(self, id_a: str, id_b: str, filters: Filters) -> Shown:
        """Return the relation of two documents, and what changed from one to the other."""

    def family(self, name: str, filters: Filters) -> Shown:
        """Return the version family of a document, or that of a name."""

    def document(self, id: str, filters: Filters) -> Shown:
        """Return the allowed fields of a document."""

    def states(self, ids: Collection[str], filters: Filters) -> States:
        """Return the states of documents; any that does not match is left out."""

    def require_ready(self) -> None:
        """Check that the index can be searched.

        Raises:
            ClusterError: It cannot.
        """
