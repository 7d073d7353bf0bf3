"""Retrieval: from query documents to searches, hits, relations and their evidence."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from es_simhash.engine.gateway import Gateway
from es_simhash.errors import DocumentMissing, InputError, SchemeMismatch
from es_simhash.indices.text_fields import misspelt_hint, require_mapped
from es_simhash.query.dialect import ELASTICSEARCH, Dialect
from es_simhash.query.hits import Candidates
from es_simhash.query.neighbours import Neighbour
from es_simhash.query.options import SearchOptions
from es_simhash.query.relations import relations_to_show
from es_simhash.relation.analysed_text import (
    AnalysedText,
    TextAnalyser,
    read_profiles,
    set_profile,
)
from es_simhash.relation.compare import compare_texts
from es_simhash.relation.evidence import with_evidence
from es_simhash.relation.model import Answer, Relation
from es_simhash.search.access import IndexAccess, own_vectors
from es_simhash.search.dismissed import DismissalLookup
from es_simhash.semantics.profile import SemanticProfile
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.vocabulary.files import load_vocabulary
from es_simhash.storage import fields
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.references import DocumentRef
from es_simhash.storage.source import shown_fields, stored_text, text_of


@dataclass(frozen=True)
class QueryDocument:
    """A text to find relations of, and where it is when it is a stored document."""

    text: AnalysedText
    ref: DocumentRef | None = None

    @property
    def own_ids(self) -> list[str]:
        """Its id, which no search for what is related to it returns."""
        return [] if self.ref is None else [self.ref.id]


@dataclass(frozen=True)
class Retrieval:
    """Answers queries about one index.

    Attributes:
        gateway: To the cluster.
        name: Of the index, for errors.
        config: How the index is read and fingerprinted.
        access: How its documents are read and searched.
        dialect: Of the engine.
    """

    gateway: Gateway
    name: str
    config: IndexConfig
    access: IndexAccess
    dialect: Dialect = ELASTICSEARCH

    @cached_property
    def analyser(self) -> TextAnalyser:
        """What reads fingerprints and profiles as the index has them."""
        config = self.config
        if config.semantics is None:
            return TextAnalyser(config.scheme)
        vocabulary = None if config.vocabulary is None else load_vocabulary(config.vocabulary)
        profiler = semantic_profiler(config.semantics, config.vocabulary)
        return TextAnalyser(config.scheme, profiler, vocabulary)

    @property
    def _dismissals(self) -> DismissalLookup:
        return DismissalLookup(self.gateway, self.name, self.config.simhash_field)

    def _analyser_for(self, options: SearchOptions) -> TextAnalyser:
        return self.analyser if options.wants_neighbours else TextAnalyser(self.config.scheme)

    def answer_text(self, text: str, options: SearchOptions) -> Answer:
        """Return what is related to a text."""
        (analysed,) = self._analyser_for(options).analyse([text])
        return self._answers([QueryDocument(analysed)], options)[0]

    def answer_ids(self, ids: Sequence[str], options: SearchOptions) -> dict[str, Answer]:
        """Return what is related to each of many stored documents, searched together."""
        documents = self._stored(ids, self._analyser_for(options))
        return dict(zip(ids, self._answers(documents, options), strict=True))

    def explain(self, id_a: str, id_b: str) -> Relation:
        """Return the relation of two stored documents, with all its evidence."""
        query, hit = self._stored([id_a, id_b], self.analyser)
        self._read_profiles([query, hit])
        relation = compare_texts(query.text, hit.text)
        if relation.kind != "none":
            relation = with_evidence(relation, query.text, hit.text)
        return replace(
            relation,
            id=id_b,
            index=hit.ref.index if hit.ref else None,
            dismissed=self._dismissals.is_dismissed(id_a, id_b),
        )

    def searches(
        self, id: str | None, text: str | None, options: SearchOptions
    ) -> list[dict[str, Any]]:
        """Return the search bodies that an answer would send; only the document itself is read."""
        analyser = self._analyser_for(options)
        if text is not None:
            documents = [QueryDocument(analysed) for analysed in analyser.analyse([text])]
        else:
            documents = self._stored([str(id)], analyser)
        self._read_profiles(documents)
        return self.access.bodies(self._searches_of(documents[0], options))

    def _stored(self, ids: Sequence[str], analyser: TextAnalyser) -> list[QueryDocument]:
        if not ids:
            return []
        wanted = [self.config.text_field, *self.config.entity_fields]
        if self.access.has_fingerprints:
            wanted.append(self.config.path(fields.SCHEME))
        entries = self.access.entries(ids, wanted)
        texts = analyser.analyse(
            [self._text_of(entry) for entry in entries],
            [entry.get("_source", {}) for entry in entries],
        )
        return [
            QueryDocument(text, DocumentRef.of_hit(entry))
            for text, entry in zip(texts, entries, strict=True)
        ]

    def _text_of(self, entry: Mapping[str, Any]) -> str:
        id = entry["_id"]
        if not entry.get("found"):
            raise DocumentMissing(f"Document {id!r} is not in index {self.name!r}. Check the id.")
        source = entry.get("_source", {})
        text = text_of(source, self.config.text_field)
        if text is None:
            hint = misspelt_hint(self.gateway, self.name, self.config.text_field)
            raise InputError(
                f"Document {id!r} has no text in field {self.config.text_field!r}{hint}. "
                "Set text_field.",
                parameter="text_field",
            )
        stored = text_of(source, self.config.path(fields.SCHEME))
        if stored is not None and stored != self.config.scheme.name:
            raise SchemeMismatch(
                f"Document {id!r} has fingerprints of scheme {stored!r}, but the index has "
                f"scheme {self.config.scheme.name!r}. Re-ingest the document."
            )
        return text

    def _read_profiles(self, documents: Sequence[QueryDocument]) -> None:
        """Read the profiles together; vectors of the user's own come from their field."""
        read_profiles([document.text for document in documents])
        vector_field = self.config.semantics.vector_field if self.config.semantics else None
        if vector_field is None or not documents or documents[0].text.analyser.profiler is None:
            return
        refs = [document.ref for document in documents if document.ref is not None]
        vectors = own_vectors(self.gateway, refs, vector_field)
        for document in documents:
            vector = None if document.ref is None else vectors.get(document.ref)
            set_profile(document.text, replace(document.text.profile, vector=vector))

    def _searches_of(self, document: QueryDocument, options: SearchOptions) -> list[dict[str, Any]]:
        text = document.text
        if text.is_empty:
            return []
        excluded = document.own_ids
        versions = self.dialect.candidate_searches(
            text.fingerprints, self.config, options, excluded
        )
        neighbours = self.dialect.neighbour_searches(text.profile, self.config, options, excluded)
        return [*versions, *neighbours]

    def _answers(self, documents: Sequence[QueryDocument], options: SearchOptions) -> list[Answer]:
        """Answer all documents: one multi-search, and one request for the texts of the hits."""
        self._read_profiles(documents)
        searches = [self._searches_of(document, options) for document in documents]
        all_bodies = [body for bodies in searches for body in bodies]
        ids = [id for document in documents for id in document.own_ids] if all_bodies else []
        received = self.access.search_all(all_bodies, self._dismissals.searches(ids))
        dismissed = self._dismissals.read(received[len(all_bodies) :])
        responses = iter(received)
        found = [
            self._found(document.text, [next(responses) for _ in bodies], options)
            for document, bodies in zip(documents, searches, strict=True)
        ]
        self._settle(documents, [candidates for candidates, _ in found])
        answers = [
            self._relations(document, candidates, neighbours, options, dismissed)
            for document, (candidates, neighbours) in zip(documents, found, strict=True)
        ]
        if options.evidence or options.fields:
            return self._with_sources(
                documents, answers, _places(received[: len(all_bodies)]), options
            )
        return answers

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

    def _relations(
        self,
        document: QueryDocument,
        found: Candidates,
        neighbours: Sequence[Neighbour],
        options: SearchOptions,
        dismissed: Mapping[str, Collection[str]],
    ) -> Answer:
        """Return the answer to one query document from what was found."""
        candidates = list(found.by_key.values())
        others = {other for id in document.own_ids for other in dismissed.get(id, ())}
        shown = relations_to_show(document.text, candidates, neighbours, options, others)
        answer = Answer(shown, truncated=found.truncated)
        return answer.map(lambda relation: replace(relation, truncated=found.truncated))

    def _with_sources(
        self,
        documents: Sequence[QueryDocument],
        answers: Sequence[Answer],
        places: Mapping[tuple[str | None, str], DocumentRef],
        options: SearchOptions,
    ) -> list[Answer]:
        """Add the requested fields and the evidence; a hit of many queries is read once."""
        evidence_fields = (self.config.text_field, *self.config.entity_fields)
        wanted = [*options.fields, *(evidence_fields if options.evidence else ())]
        refs = sorted({_place(relation, places) for answer in answers for relation in answer})
        sources = self.access.sources(refs, wanted)
        if options.evidence and sources and not any(map(self._has_text, sources.values())):
            require_mapped(self.gateway, self.name, self.config.text_field)
        hits = {ref: self._hit(ref, sources.get(ref, {}), options) for ref in refs}
        if options.evidence:
            self._read_hit_profiles(list(hits.values()))

        def complete(relation: Relation, query: AnalysedText) -> Relation:
            hit = hits[_place(relation, places)].text
            shown = shown_fields(hit.source, evidence_fields, options.fields)
            if options.evidence:
                relation = with_evidence(relation, query, hit)
            return replace(relation, source=shown)

        return [
            answer.map(lambda relation, query=document.text: complete(relation, query))  # type: ignore[misc]
            for answer, document in zip(answers, documents, strict=True)
        ]

    def _has_text(self, source: Mapping[str, Any]) -> bool:
        return stored_text(source, self.config.text_field) is not None

    def _hit(
        self, ref: DocumentRef, source: Mapping[str, Any], options: SearchOptions
    ) -> QueryDocument:
        # A hit whose text became something else is shown without evidence.
        text = stored_text(source, self.config.text_field) or ""
        return QueryDocument(AnalysedText(text, self._analyser_for(options), source), ref)

    def _read_hit_profiles(self, hits: Sequence[QueryDocument]) -> None:
        """Read hits again: their texts are here, and the index keeps less than evidence shows."""
        try:
            self._read_profiles(hits)
        except InputError:
            # Someone has written what cannot be read; that hit alone is shown without evidence.
            if len(hits) == 1:
                set_profile(hits[0].text, SemanticProfile())
                return
            for hit in hits:
                self._read_hit_profiles([hit])


def _places(
    responses: Sequence[Mapping[str, Any]],
) -> dict[tuple[str | None, str], DocumentRef]:
    """Return where the hits are, with their routings, by index and id."""
    refs = (DocumentRef.of_hit(hit) for response in responses for hit in response["hits"]["hits"])
    return {(ref.index, ref.id): ref for ref in refs}


def _place(relation: Relation, places: Mapping[tuple[str | None, str], DocumentRef]) -> DocumentRef:
    id = str(relation.id)
    return places.get((relation.index, id)) or DocumentRef(relation.index, id)
