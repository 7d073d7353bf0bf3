"""The searches for candidates of a batch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from es_simhash.ingestion.deduplication.recent_documents import (
    MAX_CANDIDATES,
    ShingleQuery,
    candidate_query,
    joined_query,
    read_candidates,
)
from es_simhash.ingestion.deduplication.stored_documents import StoredDocuments
from es_simhash.ingestion.deduplication.version_decisions import IncomingDocument, Original
from es_simhash.store.dates import DateField

# Documents that share a search; where their hits do not fit one response, each gets its own.
_DOCUMENTS_PER_SEARCH = 8


@dataclass(frozen=True)
class Answers:
    """What the index answered for some documents.

    Attributes:
        epoch: Of the run, before the search was sent.
        originals: For each document those it may be a version of.
    """

    epoch: int
    originals: list[list[Original]]


class CandidateSearch:
    """Searches the index for what documents may be versions of.

    Args:
        documents: Reads documents of the index.
        date_field: Field of their dates; None when no decision rests on a date.
    """

    def __init__(self, documents: StoredDocuments, date_field: DateField | None) -> None:
        self._gateway = documents.gateway
        self._index = documents.context.index
        self._config = documents.context.config
        self._rules = documents.context.rules
        self._date_field = date_field
        self._manual = documents.context.manual

    def search(self, documents: Sequence[IncomingDocument], epoch: int) -> Answers:
        """Return the candidates of documents.

        Args:
            documents: The documents.
            epoch: Of the run.
        """
        queries = {
            place: ShingleQuery.of(document.fingerprints)
            for place, document in enumerate(documents)
            if not document.fingerprints.is_empty
        }
        candidates: list[list[Original]] = [[] for _ in documents]
        places = list(queries)
        groups = [
            places[start : start + _DOCUMENTS_PER_SEARCH]
            for start in range(0, len(places), _DOCUMENTS_PER_SEARCH)
        ]
        alone: list[list[int]] = []
        for group, hits in zip(groups, self._hits(groups, queries), strict=True):
            if hits is None:
                alone += [[place] for place in group]
                continue
            for place in group:
                candidates[place] = [hit for hit in hits if queries[place].matches(hit)]
        for (place,), hits in zip(alone, self._hits(alone, queries, cut=True), strict=True):
            candidates[place] = hits or []
        for hits, joined in zip(candidates, self._joined(documents), strict=True):
            known = {hit.ref for hit in hits}
            hits += [hit for hit in joined if hit.ref not in known]
        # Left out here: what a person decided must not stand in the way of others.
        open_pairs = [
            [hit for hit in hits if not self._manual.keeps_apart(document.id, hit.id)]
            for document, hits in zip(documents, candidates, strict=True)
        ]
        return Answers(epoch, open_pairs)

    def _joined(self, documents: Sequence[IncomingDocument]) -> list[list[Original]]:
        """Return, for each document, those that a person joined with it; mostly none."""
        wanted = [
            frozenset() if document.fingerprints.is_empty else self._manual.joined_with(document.id)
            for document in documents
        ]
        ids = sorted(frozenset().union(*wanted))
        if not ids:
            return [[] for _ in documents]
        body = joined_query(ids, self._config, self._date_field)
        (response,) = self._gateway.search_all(self._index, [body])
        hits = read_candidates(response, self._config, self._date_field)
        return [[hit for hit in hits if hit.id in joined] for joined in wanted]

    def _hits(
        self,
        groups: Sequence[Sequence[int]],
        queries: Mapping[int, ShingleQuery],
        *,
        cut: bool = False,
    ) -> list[list[Original] | None]:
        """Send one search for each group, all in one request.

        Args:
            groups: Places of the documents of each search.
            queries: By place.
            cut: Whether hits count that may have been cut; None stands for them otherwise.
        """
        bodies = [
            candidate_query([queries[place] for place in group], self._config, self._date_field)
            for group in groups
        ]
        return [
            read_candidates(response, self._config, self._date_field)
            if cut or len(response["hits"]["hits"]) < MAX_CANDIDATES
            else None
            for response in self._gateway.search_all(self._index, bodies)
        ]
