"""The searches for what the documents of a batch may be versions of."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from es_simhash.ingestion.bulk.lookup import paths_apart, values_apart
from es_simhash.ingestion.deduplication.recent_documents import MAX_CANDIDATES
from es_simhash.ingestion.deduplication.shingle_query import ShingleQuery, are_found
from es_simhash.ingestion.deduplication.version_decisions import IncomingDocument, Original
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.intents import Find, Parts, Sharing, Where
from es_simhash.store.own_texts import ask_readable, with_own_texts
from es_simhash.store.protocol import Store, rows_of_ids, run
from es_simhash.store.rows import Row, Rows

# Documents that share a search, and how much it returns for each of them; where there may be more,
# each document gets its own search.
_DOCUMENTS_PER_SEARCH, _ROWS_PER_DOCUMENT = 16, 12
# Originals are flagged as versions of nothing.
_ORIGINALS = Where(fingerprinted=True, is_flagged=False)


class OriginalSearch:
    """Searches an index for what documents may be versions of.

    Args:
        store: The index.
        config: How it is read and fingerprinted.
        manual: Pairs of documents that a person decided about.
        date_field: Field of their dates; None when no decision rests on a date.
        where: What documents must match.
    """

    def __init__(
        self,
        store: Store,
        config: IndexConfig,
        manual: ManualPairs,
        date_field: DateField | None,
        where: Where = _ORIGINALS,
    ) -> None:
        self._store, self._config = store, config
        self._where = where
        self._manual = manual
        fields = tuple(paths_apart(config))
        self._parts = Parts(stored=True, family=True, version=True, date=date_field, fields=fields)

    def search(self, documents: Sequence[IncomingDocument]) -> list[list[Original]]:
        """Return for each document those of the index that it may be a version of.

        Raises:
            UnreadableParts: What is stored of a candidate is damaged, and it has no text either.
        """
        candidates = self._sharing(documents)
        for originals, joined in zip(candidates, self._joined(documents), strict=True):
            known = {original.ref for original in originals}
            originals += [original for original in joined if original.ref not in known]
        # Dismissed pairs are dropped here, so that they take no place among the candidates.
        return [
            [
                each
                for each in originals
                if document.may_be_version_of(each)
                and not self._manual.keeps_apart(document.id, each.id)
            ]
            for document, originals in zip(documents, candidates, strict=True)
        ]

    def _sharing(self, documents: Sequence[IncomingDocument]) -> list[list[Original]]:
        """Return those that share enough with each document; of many, those that share most."""
        queries = {
            place: document.query
            for place, document in enumerate(documents)
            if not document.fingerprints.is_empty
        }
        candidates: list[list[Original]] = [[] for _ in documents]
        places = list(queries)
        groups = [
            places[start : start + _DOCUMENTS_PER_SEARCH]
            for start in range(0, len(places), _DOCUMENTS_PER_SEARCH)
        ]
        alone = [place for group in groups if len(group) == 1 for place in group]
        groups = [group for group in groups if len(group) > 1]
        together = [
            Find(
                self._where,
                size=_ROWS_PER_DOCUMENT * len(group),
                order=(),
                sharing=_sharing_of(queries, group),
            )
            for group in groups
        ]
        for group, find, rows in zip(groups, together, self._found(together), strict=True):
            if len(rows) >= find.size:
                alone += group
                continue
            originals = self._originals(rows)
            texts = [original.text for original in originals]
            found = are_found([queries[place] for place in group], texts)
            for place, of_document in zip(group, found, strict=True):
                candidates[place] = [originals[each] for each in np.flatnonzero(of_document)]
        # Of those that share as much, the first; documents of others take no place among them.
        cut = [
            Find(
                replace(self._where, of_values=documents[place].values),
                size=MAX_CANDIDATES,
                order=("written",),
                sharing=_sharing_of(queries, [place]),
            )
            for place in alone
        ]
        for place, rows in zip(alone, self._found(cut), strict=True):
            candidates[place] = self._originals(rows)
        return candidates

    def _found(self, searches: Sequence[Find]) -> list[Sequence[Row]]:
        """Return what searches for originals find; all are sent as one request."""
        of_originals = [replace(each, parts=self._parts) for each in searches]
        return [answer.rows for answer in self._answers(of_originals)]

    def _joined(self, documents: Sequence[IncomingDocument]) -> list[list[Original]]:
        """Return, for each document, those that a person joined with it; mostly none."""
        wanted = [
            frozenset() if document.fingerprints.is_empty else self._manual.joined_with(document.id)
            for document in documents
        ]
        ids = tuple(sorted(frozenset().union(*wanted)))
        if not ids:
            return [[] for _ in documents]
        find = Find(replace(_ORIGINALS, ids=ids), self._parts, order=("written",))
        (rows,) = run(with_own_texts(rows_of_ids([find]), self._config.scheme), self._store)
        originals = self._originals(rows)
        return [[each for each in originals if each.id in joined] for joined in wanted]

    def _answers(self, searches: Sequence[Find]) -> list[Rows]:
        return run(ask_readable(searches, self._config.scheme), self._store) if searches else []

    def _originals(self, rows: Sequence[Row]) -> list[Original]:
        """Return the documents of rows; those without fingerprints are left out."""
        return [
            Original(
                row.ref,
                row.stored,
                date=row.date,
                family=row.family,
                order=0 if row.version is None else row.version.seq_no,
                values=values_apart(row.source, self._config),
            )
            for row in rows
            if row.stored is not None
        ]


def _sharing_of(queries: Mapping[int, ShingleQuery], places: Sequence[int]) -> tuple[Sharing, ...]:
    return tuple(queries[place].sharing for place in places)
