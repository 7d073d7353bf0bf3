"""Documents that a person joined with a query are candidates, whatever they share with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.questions.access import IndexAccess
from es_simhash.questions.query_document import QueryDocument
from es_simhash.relation.manual_pairs import ManualPairs
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.hits import Candidates, JoinedSearches
from es_simhash.store.options import SearchOptions


def joined_with(document: QueryDocument, noted: ManualPairs) -> set[str]:
    """Return the ids of the documents that are joined with a query."""
    return {other for id in document.own_ids for other in noted.joined.others(id)}


@dataclass(frozen=True)
class JoinedCandidates:
    """Fetches what is joined with queries.

    Attributes:
        access: How the index is searched.
        dialect: Of the engine.
        config: Of the index.
        noted: What a person noted.
    """

    access: IndexAccess
    dialect: JoinedSearches
    config: IndexConfig
    noted: ManualPairs

    def add(
        self,
        documents: Sequence[QueryDocument],
        found: Sequence[Candidates],
        options: Sequence[SearchOptions],
    ) -> list[Mapping[str, Any]]:
        """Add the documents that are joined with a query and were not found; mostly there are none.

        Args:
            documents: The queries.
            found: Their candidates.
            options: Of each query: filters that the documents must match, and what is left out.

        Returns:
            The responses that brought them.
        """
        pending = []
        for document, candidates, narrowed in zip(documents, found, options, strict=True):
            known = {str(id) for _, id in candidates.by_key}
            wanted = joined_with(document, self.noted) - known - {*narrowed.exclude}
            if wanted and not document.text.is_empty:
                prints = document.text.fingerprints
                ids = sorted(wanted)
                bodies = self.dialect.joined_searches(prints, self.config, narrowed, ids)
                pending += [(prints, candidates, body) for body in bodies]
        if not pending:
            return []
        answers = self.access.search_all([body for _, _, body in pending])
        for (prints, candidates, _), answer in zip(pending, answers, strict=True):
            self.dialect.read_joined(answer, prints, candidates, self.config)
        return answers
