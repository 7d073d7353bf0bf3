"""What queries are about: texts and stored documents, with fingerprints and semantic profiles."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from es_simhash.questions.access import IndexAccess, own_vectors
from es_simhash.questions.query_document import QueryDocument
from es_simhash.questions.stored_texts import StoredTexts
from es_simhash.relation.analysed_text import TextAnalyser, read_profiles, set_profile
from es_simhash.relation.references import DocumentRef
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.vocabularies.files import load_vocabulary
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.options import SearchOptions


@dataclass(frozen=True)
class QueryReader:
    """Reads the documents that an index is queried with.

    Attributes:
        gateway: To the cluster.
        name: Of the index, for errors.
        config: How the index is read and fingerprinted.
        access: How its documents are read and searched.
    """

    gateway: Gateway
    name: str
    config: IndexConfig
    access: IndexAccess

    @cached_property
    def analyser(self) -> TextAnalyser:
        """What reads fingerprints and profiles as the index has them."""
        config = self.config
        if config.semantics is None:
            return TextAnalyser(config.scheme)
        vocabulary = None if config.vocabulary is None else load_vocabulary(config.vocabulary)
        profiler = semantic_profiler(config.semantics, config.vocabulary)
        return TextAnalyser(config.scheme, profiler, vocabulary)

    def analyser_for(self, options: SearchOptions | None) -> TextAnalyser:
        """Return what reads as much of texts as a search needs; everything where there is none."""
        if options is None or options.wants_neighbours:
            return self.analyser
        return TextAnalyser(self.config.scheme)

    @property
    def stored_texts(self) -> StoredTexts:
        """What reads the texts of stored documents."""
        return StoredTexts(self.gateway, self.name, self.config, self.access)

    def given(self, text: str, options: SearchOptions) -> QueryDocument:
        """Return a text that is not stored.

        Raises:
            InputError: It has more than 16 MiB or 20,000 chunks.
        """
        (analysed,) = self.analyser_for(options).analyse([text])
        return QueryDocument(analysed)

    def stored(
        self, ids: Sequence[str], options: SearchOptions | None = None
    ) -> list[QueryDocument]:
        """Return stored documents, read together.

        Raises:
            DocumentMissing: One of them is not there.
            InputError: One of them has no text.
        """
        if not ids:
            return []
        stored = self.stored_texts
        entries = stored.entries(ids)
        texts = self.analyser_for(options).analyse(
            [stored.text_of(entry) for entry in entries],
            [entry.get("_source", {}) for entry in entries],
        )
        return [
            QueryDocument(text, DocumentRef.of_hit(entry))
            for text, entry in zip(texts, entries, strict=True)
        ]

    def read_profiles(self, documents: Sequence[QueryDocument]) -> None:
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
