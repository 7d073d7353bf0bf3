"""Texts of a question: those it is about, and those of the hits; read as the index has them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from es_simhash.errors import DocumentMissing, InputError, SchemeMismatch
from es_simhash.relation.analysed_text import (
    AnalysedText,
    QueryDocument,
    TextAnalyser,
    read_profiles,
    set_profile,
)
from es_simhash.relation.references import DocumentRef, Key
from es_simhash.relation.relation import Relation
from es_simhash.semantics.semantic_profile import SemanticProfile
from es_simhash.store.config import IndexConfig
from es_simhash.store.intents import (
    DocumentsAt,
    DocumentsById,
    Find,
    FindVectors,
    Parts,
    RequireTextField,
    TextFieldHint,
)
from es_simhash.store.options import SearchOptions
from es_simhash.store.protocol import Steps, ask
from es_simhash.store.rows import Row
from es_simhash.store.source import shown_fields
from es_simhash.text.limits import is_too_long

# Documents that are read to see whether any has the field of texts.
_SAMPLED = 20


@dataclass(frozen=True)
class TextReader:
    """Reads texts with the fingerprints and the semantic profiles that the index has.

    Attributes:
        name: Of the index, for errors.
        config: How the index is read and fingerprinted.
        make_analyser: Makes what analyses texts by all schemes of the index; called once at most.
    """

    name: str
    config: IndexConfig
    make_analyser: Callable[[], TextAnalyser] = field(repr=False)

    @cached_property
    def analyser(self) -> TextAnalyser:
        """How texts are analysed."""
        config = self.config
        if config.semantics is None:
            return TextAnalyser(config.scheme)
        return self.make_analyser()

    def analyser_for(self, options: SearchOptions | None) -> TextAnalyser:
        """Return what analyses as much of texts as a search needs; all of them without one."""
        if options is None or options.wants_neighbours:
            return self.analyser
        return TextAnalyser(self.config.scheme)

    def given(self, text: str, options: SearchOptions) -> QueryDocument:
        """Return a text that is not stored.

        Raises:
            InputError: It has more than 16 MiB or 20,000 chunks.
        """
        (analysed,) = self.analyser_for(options).analyse([text])
        return QueryDocument(analysed)

    def stored(
        self, ids: Sequence[str], options: SearchOptions | None = None
    ) -> Steps[list[QueryDocument]]:
        """Return stored documents, read together.

        Raises:
            DocumentMissing: One of them is not there.
            InputError: One of them has no text.
            SchemeMismatch: One was fingerprinted with another scheme than that of the index.
        """
        rows = yield from self.rows(ids)
        texts = self.analyser_for(options).analyse(
            [str(row.text) for row in rows], [row.source for row in rows]
        )
        return [QueryDocument(text, row.ref) for text, row in zip(texts, rows, strict=True)]

    def rows(self, ids: Sequence[str]) -> Steps[list[Row]]:
        """Return stored documents with their texts; errors are those of `stored`."""
        if not ids:
            return []
        fields = self.config.entity_fields
        parts = Parts(text=True, members=True, fields=fields)
        rows = yield from ask(DocumentsById(tuple(ids), parts))
        for row in rows:
            yield from self._require_text(row)
        return rows

    def _require_text(self, row: Row) -> Steps[None]:
        if not row.found:
            raise DocumentMissing.of(row.id, self.name)
        if row.text is None:
            hint = yield from ask(TextFieldHint())
            raise InputError(
                f"Document {row.id!r} has no text in field {str(self.config.text_field)!r}{hint}. "
                "Set text_field.",
                parameter="text_field",
            )
        if row.scheme is not None and row.scheme != self.config.scheme.name:
            raise SchemeMismatch(
                f"Document {row.id!r} has fingerprints of scheme {row.scheme!r}, but the index has "
                f"scheme {self.config.scheme.name!r}. Re-ingest the document."
            )

    def read_profiles(self, documents: Sequence[QueryDocument]) -> Steps[None]:
        """Read the profiles together; vectors of the user's own come from their field."""
        read_profiles([document.text for document in documents])
        vector_field = self.config.semantics.vector_field if self.config.semantics else None
        if vector_field is None or not documents or documents[0].text.analyser.profiler is None:
            return
        refs = tuple(document.ref for document in documents if document.ref is not None)
        vectors = yield from ask(FindVectors(refs, vector_field))
        for document in documents:
            vector = None if document.ref is None else vectors.get(document.ref)
            set_profile(document.text, replace(document.text.profile, vector=vector))

    def read_each_profile(self, documents: Sequence[QueryDocument]) -> Steps[None]:
        """Read profiles; a document whose fields cannot be read gets an empty one."""
        try:
            yield from self.read_profiles(documents)
        except InputError:
            # Someone has written what cannot be read; that hit alone is shown without evidence.
            if len(documents) == 1:
                set_profile(documents[0].text, SemanticProfile())
                return
            for document in documents:
                yield from self.read_each_profile([document])


@dataclass
class HitTexts:
    """The documents of hits, each fetched once for all queries.

    Attributes:
        reader: How texts are read.
        options: What to show; it decides what is fetched and how texts are analysed.
        places: Where hits are, with their routings.
    """

    reader: TextReader
    options: SearchOptions
    places: Mapping[Key, DocumentRef]
    _documents: dict[DocumentRef, QueryDocument] = field(default_factory=dict)

    def place(self, relation: Relation) -> DocumentRef:
        """Return where a hit is."""
        known = self.places.get((relation.index, relation.id))
        return known or DocumentRef(relation.index, str(relation.id))

    def fetch(self, relations: Collection[Relation]) -> Steps[None]:
        """Fetch the documents of hits that are not here yet, with one request."""
        refs = {self.place(relation) for relation in relations} - self._documents.keys()
        if not refs:
            return
        config, analyser = self.reader.config, self.reader.analyser_for(self.options)
        text = self.options.passages
        fields = (*self.options.fields, *(config.entity_fields if text else ()))
        parts = Parts(text=text, fields=fields)
        rows = yield from ask(DocumentsAt(tuple(sorted(refs)), parts))
        for ref in refs:
            row = rows.get(ref, Row(ref))
            # What became something else than a text, or has none that is fingerprinted.
            content = "" if row.text is None or is_too_long(row.text) else row.text
            self._documents[ref] = QueryDocument(AnalysedText(content, analyser, row.source), ref)

    def document(self, relation: Relation) -> QueryDocument:
        """Return the document of a hit that was fetched."""
        return self._documents[self.place(relation)]

    def text(self, relation: Relation) -> AnalysedText:
        """Return the text of a hit that was fetched; an empty one where there is none."""
        return self.document(relation).text

    def read_profiles(self, relations: Collection[Relation]) -> Steps[None]:
        """Read the profiles of hits from their texts: the index keeps less than evidence shows."""
        documents = {document.ref: document for document in map(self.document, relations)}
        yield from self.reader.read_each_profile(list(documents.values()))

    def require_text(self, *, is_given: bool) -> Steps[None]:
        """Reject a misspelt field of texts: documents were fetched, and none has a text.

        Args:
            is_given: Whether the query is a text: where it has no hit, no text was read at all.
        """
        texts = [document.text.text for document in self._documents.values()]
        if not texts and is_given and (yield from ask(TextFieldHint())):
            found = yield from ask(Find(size=_SAMPLED))
            refs = tuple(row.ref for row in found.rows)
            rows = yield from ask(DocumentsAt(refs, Parts(text=True)))
            texts = [row.text for row in rows.values()]
        if texts and not any(texts):
            yield from ask(RequireTextField())

    def with_fields(self, relations: Sequence[Relation]) -> Steps[list[Relation]]:
        """Return relations with the requested fields of the user's."""
        if not self.options.fields:
            return list(relations)
        yield from self.fetch(relations)
        config = self.reader.config
        fetched = (*config.text_fields, *config.entity_fields)
        return [
            replace(
                relation,
                source=shown_fields(self.text(relation).source, fetched, self.options.fields),
            )
            for relation in relations
        ]
