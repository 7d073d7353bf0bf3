"""Documents that a person joined with a query are candidates, whatever they share with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.query.dialect import Dialect
from es_simhash.query.hits import Candidates
from es_simhash.query.options import SearchOptions
from es_simhash.search.access import IndexAccess
from es_simhash.search.noted import Noted
from es_simhash.search.query_document import QueryDocument
from es_simhash.storage.config import IndexConfig


def joined_with(document: QueryDocument, noted: Noted) -> set[str]:
    """Return the ids of the documents that are joined with a query."""
    return {other for id in document.own_ids for other in noted.joined.others(id)}


@dataclass(frozen=True)
class JoinedCandidates:
    """Fetches what is joined with queries, for queries with the same options.

    Attributes:
        access: How the index is searched.
        dialect: Of the engine.
        config: Of the index.
        options: Filters that the documents must match.
    """

    access: IndexAccess
    dialect: Dialect
    config: IndexConfig
    options: SearchOptions

    def add(
        self, documents: Sequence[QueryDocument], found: Sequence[Candidates], noted: Noted
    ) -> list[Mapping[str, Any]]:
        """Add the documents that are joined with a query and were not found; mostly there are none.

        Args:
            documents: The queries.
            found: Their candidates.
            noted: What a person noted.

        Returns:
            The responses that brought them.
        """
        pending = []
        for document, candidates in zip(documents, found, strict=True):
            wanted = joined_with(document, noted) - {str(id) for _, id in candidates.by_key}
            if wanted and not document.text.is_empty:
                prints = document.text.fingerprints
                ids = sorted(wanted)
                bodies = self.dialect.joined_searches(prints, self.config, self.options, ids)
                pending += [(prints, candidates, body) for body in bodies]
        if not pending:
            return []
        answers = self.access.search_all([body for _, _, body in pending])
        for (prints, candidates, _), answer in zip(pending, answers, strict=True):
            self.dialect.read_joined(answer, prints, candidates, self.config)
        return answers
