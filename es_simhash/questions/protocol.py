"""What every index that answers has in common, so that callers can type against it."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from es_simhash.relation.answer import Answer
from es_simhash.relation.relation import Relation
from es_simhash.store.options import SearchOptions


class RelatedIndex(Protocol):
    """Finds related documents: `Index`, `SidecarIndex` and `MemoryIndex` do."""

    def related(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> Answer:
        """Return the documents related to a stored document or to a text, best first.

        Raises:
            DocumentMissing: There is no document of that id.
            InputError: Both or neither of id and text are given, or the document has no text.
        """

    def related_to_each(
        self, ids: Sequence[str], *, options: SearchOptions | None = None
    ) -> dict[str, Answer]:
        """Return what is related to each of many stored documents, by their ids.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """

    def pages(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> Iterator[Answer]:
        """Return all that is related, in pages of `size`."""

    def explain(self, id_a: str, id_b: str) -> Relation:
        """Return the relation of two stored documents, whatever its score, with all its evidence.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """
