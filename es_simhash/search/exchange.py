"""The searches of queries and what they find, sent as one request."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from es_simhash.query.candidates import excluding
from es_simhash.query.hits import Candidates
from es_simhash.query.neighbour import Neighbour
from es_simhash.query.options import SearchOptions
from es_simhash.query.passages import is_cut, passage_queries
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.noted import Noted
from es_simhash.search.access import IndexAccess
from es_simhash.search.query_document import QueryDocument
from es_simhash.storage import fields
from es_simhash.storage.config import IndexConfig

if TYPE_CHECKING:
    from es_simhash.query.dialect import Dialect
    from es_simhash.search.noted import NotedLookup

Body = dict[str, Any]
Response = Mapping[str, Any]


@dataclass(frozen=True)
class FoundBySearches:
    """What the searches of one query found.

    Attributes:
        candidates: Candidates for versions, the neighbours among them.
        neighbours: Documents near in meaning, nearest first.
        by_words: Responses to the searches for documents that may share a passage.
    """

    candidates: Candidates
    neighbours: Sequence[Neighbour]
    by_words: Sequence[Response]

    def is_cut(self, text: AnalysedText) -> bool:
        """Check whether a limit cut what was found.

        Args:
            text: The query.
        """
        return self.candidates.truncated or is_cut(text, self.by_words)


@dataclass(frozen=True)
class Received:
    """What came back for all queries of a request.

    Attributes:
        found: What was found for each query.
        noted: What a person noted about them.
        responses: To all searches for documents, which say where these are.
    """

    found: Sequence[FoundBySearches]
    noted: Noted
    responses: Sequence[Response]


@dataclass(frozen=True)
class Exchange:
    """Builds the searches of queries, sends them, and reads the hits.

    Attributes:
        access: How the index is searched.
        dialect: Of the engine.
        config: How the index is read and fingerprinted.
        lookup: Looks up what a person noted, with the same request.
    """

    access: IndexAccess
    dialect: "Dialect"
    config: IndexConfig
    lookup: "NotedLookup"

    def bodies(self, document: QueryDocument, options: SearchOptions) -> list[Body]:
        """Return the bodies of all searches of one query."""
        candidates = self.access.bodies(self._searches_of(document, options))
        return [*candidates, *self._passage_searches(document, options)]

    def send(
        self, documents: Sequence[QueryDocument], options: Sequence[SearchOptions]
    ) -> Received:
        """Send the searches of all queries as one request, a second where a limit cut.

        Args:
            documents: The queries.
            options: Those of each.
        """
        each = list(zip(documents, options, strict=True))
        by_fingerprints = [self._searches_of(*one) for one in each]
        by_words = [self._passage_searches(*one) for one in each]
        bodies = [body for searches in by_fingerprints for body in searches]
        texts = [body for searches in by_words for body in searches]
        ids = [id for document in documents for id in document.own_ids] if bodies else []
        received = self.access.search_all(bodies, texts, self.lookup.searches(ids))
        searched = len(bodies) + len(texts)
        responses, words = iter(received), iter(received[len(bodies) : searched])
        found = [
            self._found(*one, _next(responses, searches), _next(words, passages))
            for one, searches, passages in zip(each, by_fingerprints, by_words, strict=True)
        ]
        self._settle(documents, [one.candidates for one in found])
        return Received(found, self.lookup.read(received[searched:]), received[:searched])

    def _searches_of(self, document: QueryDocument, options: SearchOptions) -> list[Body]:
        text = document.text
        if text.is_empty:
            return []
        excluded = [*document.own_ids, *options.exclude]
        versions = self.dialect.candidate_searches(
            text.fingerprints, self.config, options, excluded
        )
        neighbours = self.dialect.neighbour_searches(text.profile, self.config, options, excluded)
        return [*versions, *neighbours]

    def _passage_searches(self, document: QueryDocument, options: SearchOptions) -> list[Body]:
        """Return the searches, where the texts are, for documents that may share a passage."""
        if document.text.is_empty or not options.wants_passages:
            return []
        scheme = {"term": {self.config.path(fields.SCHEME): self.config.scheme.name}}
        conditions = self.access.text_conditions(scheme, options)
        conditions = [*conditions, *excluding([*document.own_ids, *options.exclude])]
        return passage_queries(document.text, self.config.text_fields, conditions, options.size)

    def _found(
        self,
        document: QueryDocument,
        options: SearchOptions,
        responses: Sequence[Response],
        by_words: Sequence[Response],
    ) -> FoundBySearches:
        if not responses:
            return FoundBySearches(Candidates(), [], by_words)
        text = document.text
        neighbours = self.dialect.read_neighbours(responses[2:], text.profile, self.config, options)
        candidates = self.dialect.read_candidates(
            responses[:2], text.fingerprints, neighbours, self.config, options
        )
        return FoundBySearches(candidates, neighbours, by_words)

    def _settle(self, documents: Sequence[QueryDocument], found: Sequence[Candidates]) -> None:
        """Ask what candidates share that a limit cut from the search by shingles; mostly none."""
        pending = [
            (document.text.fingerprints, candidates, body)
            for document, candidates in zip(documents, found, strict=True)
            if candidates.unknown
            for body in self.dialect.shared_searches(
                document.text.fingerprints,
                self.config,
                sorted({str(id) for _, id in candidates.unknown}),
            )
        ]
        if not pending:
            return
        answers = self.access.search_all([body for _, _, body in pending])
        for (fingerprints, candidates, _), answer in zip(pending, answers, strict=True):
            candidates.settle(answer, fingerprints)


def _next(responses: Iterator[Response], searches: Sequence[Body]) -> list[Response]:
    return list(islice(responses, len(searches)))
