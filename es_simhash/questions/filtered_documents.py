"""Documents of an index by their ids, as long as they match filters."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from es_simhash.questions.document_contexts import Contexts
from es_simhash.questions.protocol import FilteredDocument, State
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.intents import Filter, Find, Parts, Where
from es_simhash.store.protocol import Store, rows_of_ids, run
from es_simhash.store.rows import Row


@dataclass(frozen=True)
class FilteredDocuments:
    """Reads documents by id with one search that has the filters; no other request is made.

    A document that does not match takes the same way, and the same time, as one that is not there.

    Attributes:
        store: An index that has fingerprints in its documents.
        config: Names of the fields.
        date_field: The date field, as the mapping has it; None without one.
    """

    store: Store
    config: IndexConfig
    date_field: DateField | None

    @property
    def index(self) -> str:
        """Name of the index."""
        return self.store.name

    def read(
        self, ids: Sequence[str], filters: Sequence[Filter], fields: Sequence[str] = ()
    ) -> dict[str, FilteredDocument]:
        """Return the documents by their ids; what is missing, or there twice, is left out.

        Args:
            ids: The ids.
            filters: Elasticsearch queries that the documents must match.
            fields: Fields of the documents to return.
        """
        contexts = Contexts(self.config, self.date_field)
        parts = contexts.parts
        wanted = replace(parts, fields=(*fields, *parts.fields), version=True)
        rows = self._rows(ids, filters, wanted)
        contexts.keep(rows)
        counts = Counter(row.id for row in rows)
        documents = {}
        for row in rows:
            context = contexts.context(row.key)
            if context is not None and counts[row.id] == 1:
                documents[row.id] = FilteredDocument(
                    row.id, str(row.ref.index), _state(row), context, dict(row.source)
                )
        return documents

    def states(
        self, requests: Sequence[tuple[Collection[str], Sequence[Filter]]]
    ) -> list[dict[tuple[str, str], State]]:
        """Return the states of documents, by index and id, with one multi-search.

        Args:
            requests: Ids, and the filters that the documents must match.
        """
        parts = Parts(version=True)
        asked = [_find(sorted(ids), filters, parts) for ids, filters in requests]
        return [
            {(str(row.ref.index), row.id): _state(row) for row in rows}
            for rows in run(rows_of_ids(asked), self.store)
        ]

    def _rows(self, ids: Sequence[str], filters: Sequence[Filter], parts: Parts) -> Sequence[Row]:
        (rows,) = run(rows_of_ids([_find(ids, filters, parts)]), self.store)
        return rows


def _find(ids: Sequence[str], filters: Sequence[Filter], parts: Parts) -> Find:
    return Find(Where(tuple(filters), ids=tuple(ids)), parts, order=())


def _state(row: Row) -> State:
    version = row.read_version
    return version.seq_no, version.primary_term
