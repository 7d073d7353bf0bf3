"""Retrieval: from query documents to searches, hits, relations and their evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from es_simhash.errors import InputError
from es_simhash.questions.access import IndexAccess
from es_simhash.questions.contexts import Contexts, in_context
from es_simhash.questions.family_filter import narrowed_to_families
from es_simhash.questions.hit_texts import HitTexts, places_of
from es_simhash.questions.joined_candidates import JoinedCandidates, joined_with
from es_simhash.questions.noted import NotedLookup
from es_simhash.questions.query_document import QueryDocument
from es_simhash.questions.query_reader import QueryReader
from es_simhash.questions.ranking import ranked_order
from es_simhash.questions.relations import scored_relations
from es_simhash.questions.settlement import Found, settle
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.answer import Answer
from es_simhash.relation.manual_pairs import ManualPairs, ManualPairsOfDocument
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.relation import Relation, as_joined
from es_simhash.relation.scoring import compare_texts
from es_simhash.relation.text_comparison import explained
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.document_fields import DocumentFields
from es_simhash.store.elasticsearch.candidates import excluding
from es_simhash.store.elasticsearch.dialect import ELASTICSEARCH, Dialect
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.hits import Candidates
from es_simhash.store.elasticsearch.passages import best_hits, is_cut, passage_queries
from es_simhash.store.installation.text_fields import require_mapped
from es_simhash.store.neighbour import Neighbour
from es_simhash.store.options import SearchOptions
from es_simhash.store.order import Key, by_date
from es_simhash.store.source import shown_fields


@dataclass(frozen=True)
class Retrieval:
    """Answers queries about one index.

    Attributes:
        gateway: To the cluster.
        name: Of the index, for errors.
        config: How the index is read and fingerprinted.
        access: How its documents are read and searched.
        dialect: Of the engine.
        date_field: The date field the index is configured with; None without one.
    """

    gateway: Gateway
    name: str
    config: IndexConfig
    access: IndexAccess
    dialect: Dialect = ELASTICSEARCH
    date_field: DateField | None = None

    @cached_property
    def reader(self) -> QueryReader:
        """What reads the documents that the index is queried with."""
        return QueryReader(self.gateway, self.name, self.config, self.access)

    @property
    def _lookup(self) -> NotedLookup:
        return NotedLookup(self.gateway, self.name, self.config.simhash_field)

    def answer_text(self, text: str, options: SearchOptions) -> Answer:
        """Return what is related to a text."""
        return self._answers([self.reader.given(text, options)], options)[0]

    def answer_ids(self, ids: Sequence[str], options: SearchOptions) -> dict[str, Answer]:
        """Return what is related to each of many stored documents, searched together."""
        documents = self.reader.stored(ids, options)
        return dict(zip(ids, self._answers(documents, options), strict=True))

    def explain(self, id_a: str, id_b: str) -> Relation:
        """Return the relation of two stored documents, with all its evidence."""
        query, hit = self.reader.stored([id_a, id_b])
        self.reader.read_profiles([query, hit])
        compared = compare_texts(query.text, hit.text, self.config.versions_from)
        relation = explained(compared, query.text, hit.text, self.config.min_score)
        noted = self._lookup.of(id_a)
        if id_b in noted.joined.others(id_a):
            relation = as_joined(relation)
        return replace(
            relation,
            id=id_b,
            index=hit.ref.index if hit.ref else None,
            dismissed=id_b in noted.dismissed.get(id_a, ()),
        )

    def _contexts(self) -> Contexts:
        return Contexts(self.access, self.config, self.date_field)

    def searches(
        self, id: str | None, text: str | None, options: SearchOptions
    ) -> list[dict[str, Any]]:
        """Return the search bodies that an answer would send; only the document itself is read."""
        if text is not None:
            document = self.reader.given(text, options)
        else:
            (document,) = self.reader.stored([str(id)], options)
        self.reader.read_profiles([document])
        (narrowed,) = narrowed_to_families([document], options, self._contexts())
        candidates = self.access.bodies(self._searches_of(document, narrowed))
        return [*candidates, *self._passage_searches(document, narrowed)]

    def _searches_of(self, document: QueryDocument, options: SearchOptions) -> list[dict[str, Any]]:
        text = document.text
        if text.is_empty:
            return []
        excluded = [*document.own_ids, *options.exclude]
        versions = self.dialect.candidate_searches(
            text.fingerprints, self.config, options, excluded
        )
        neighbours = self.dialect.neighbour_searches(text.profile, self.config, options, excluded)
        return [*versions, *neighbours]

    def _passage_searches(
        self, document: QueryDocument, options: SearchOptions
    ) -> list[dict[str, Any]]:
        """Return the searches, where the texts are, for documents that may share a passage."""
        if document.text.is_empty or not options.wants_passages:
            return []
        conditions = self.access.text_conditions(self.config.of_scheme, options)
        conditions = [*conditions, *excluding([*document.own_ids, *options.exclude])]
        return passage_queries(document.text, self.config.text_fields, conditions, options.size)

    def _answers(self, documents: Sequence[QueryDocument], options: SearchOptions) -> list[Answer]:
        """Answer all documents: one multi-search, and one request for the texts of the hits."""
        self.reader.read_profiles(documents)
        contexts = self._contexts()
        narrowed = narrowed_to_families(documents, options, contexts)
        to_send = [
            (self._searches_of(document, each), self._passage_searches(document, each))
            for document, each in zip(documents, narrowed, strict=True)
        ]
        bodies = [body for searches, _ in to_send for body in searches]
        texts = [body for _, searches in to_send for body in searches]
        ids = [id for document in documents for id in document.own_ids] if bodies else []
        received = self.access.search_all(bodies, texts, self._lookup.searches(ids))
        searched = len(bodies) + len(texts)
        noted = self._lookup.read(received[searched:])
        responses, words = iter(received), iter(received[len(bodies) :])
        found = [
            self._found(document.text, [next(responses) for _ in searches], options)
            for document, (searches, _) in zip(documents, to_send, strict=True)
        ]
        self._settle(documents, [candidates for candidates, _ in found])
        fetching = JoinedCandidates(self.access, self.dialect, self.config, noted)
        joined = fetching.add(documents, [each for each, _ in found], narrowed)
        queries = [
            self._query(document, *one, options, noted)
            for document, one in zip(documents, found, strict=True)
        ]
        cut = []
        for query, (candidates, _), (_, searches) in zip(queries, found, to_send, strict=True):
            by_words = [next(words) for _ in searches]
            query.by_words = best_hits(by_words, options.size)
            cut.append(candidates.truncated or is_cut(query.query, by_words))
        self._order(queries, contexts, options)
        shown = self._shown(queries, places_of([*received[:searched], *joined]), options)
        if self._wants_context(options):
            shown = in_context(contexts, documents, shown)
        answers = []
        for document, query, relations, truncated in zip(
            documents, queries, shown, cut, strict=True
        ):
            answer = query.answer(
                (replace(relation, truncated=truncated) for relation in relations), options
            )
            answer.truncated = truncated
            answer.document = contexts.context(document.ref.key) if document.ref else None
            answers.append(answer)
        return answers

    def _wants_context(self, options: SearchOptions) -> bool:
        if options.context is None:
            return self.config.documents != DocumentFields()
        return options.context

    def _order(self, queries: Sequence[Found], contexts: Contexts, options: SearchOptions) -> None:
        """Order what was found by date, where that is wanted.

        Raises:
            InputError: The index is configured with no date field.
        """
        if not options.sorts_by_date:
            return
        if self.date_field is None:
            raise InputError(
                f"Index {self.name!r} has no date field to sort by. Run "
                f"`es-simhash config {self.name} --date FIELD`.",
                parameter="sort",
            )
        dates = contexts.dates({key for query in queries for key in query.keys})
        for query in queries:
            query.order = by_date(dates, newest_first=options.sort == "-date")

    def _found(
        self, text: AnalysedText, responses: Sequence[Mapping[str, Any]], options: SearchOptions
    ) -> tuple[Candidates, list[Neighbour]]:
        """Return what the searches of one query document found."""
        if not responses:
            return Candidates(), []
        neighbours = self.dialect.read_neighbours(responses[2:], text.profile, self.config, options)
        candidates = self.dialect.read_candidates(
            responses[:2], text.fingerprints, neighbours, self.config, options
        )
        return candidates, neighbours

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

    def _query(
        self,
        document: QueryDocument,
        found: Candidates,
        neighbours: Sequence[Neighbour],
        options: SearchOptions,
        noted: ManualPairs,
    ) -> Found:
        """Return what was found for one query document."""
        candidates = list(found.by_key.values())
        dismissed = {other for id in document.own_ids for other in noted.dismissed.get(id, ())}
        others = ManualPairsOfDocument(dismissed, joined_with(document, noted))
        scored = scored_relations(
            document.text, candidates, neighbours, options, self.config.versions_from, others
        )
        order = ranked_order(neighbours, options)
        return Found(document.text, scored, order=order, noted=others)

    def _shown(
        self,
        queries: Sequence[Found],
        places: Mapping[Key, DocumentRef],
        options: SearchOptions,
    ) -> list[list[Relation]]:
        """Return the relations of each query, with the requested fields and the evidence."""
        text_fields = (*self.config.text_fields, *self.config.entity_fields)
        wanted = (*options.fields, *(text_fields if options.passages else ()))
        analyser = self.reader.analyser_for(options)
        hits = HitTexts(self.access, analyser, self.config.text_field, wanted, places)
        if options.passages:
            answers = settle(queries, hits, options, self.reader.read_profiles)
            if hits.lacks_texts:
                require_mapped(self.gateway, self.name, self.config.text_field)
        else:
            answers = [query.by_fingerprints(options) for query in queries]
        if not options.fields:
            return answers
        hits.fetch([relation for relations in answers for relation in relations])
        return [
            [
                replace(
                    relation,
                    source=shown_fields(hits.text(relation).source, text_fields, options.fields),
                )
                for relation in relations
            ]
            for relations in answers
        ]
