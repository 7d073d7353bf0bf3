"""The texts of hits: fetched once for all queries of a request, and read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from es_simhash.questions.access import IndexAccess
from es_simhash.questions.query_document import QueryDocument
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.relation import Relation
from es_simhash.store.order import Key
from es_simhash.store.source import stored_text
from es_simhash.text.limits import is_too_long


@dataclass
class HitTexts:
    """The documents of hits, each fetched when it is first needed.

    Attributes:
        access: How they are read.
        analyser: How their texts are analysed.
        text_field: Field of the texts.
        fields: All fields that are fetched.
        places: Where hits are, with their routings.
    """

    access: IndexAccess
    analyser: TextAnalyser
    text_field: str
    fields: Sequence[str]
    places: Mapping[Key, DocumentRef]
    _documents: dict[DocumentRef, QueryDocument] = field(default_factory=dict)

    def place(self, relation: Relation) -> DocumentRef:
        """Return where a hit is."""
        known = self.places.get((relation.index, relation.id))
        return known or DocumentRef(relation.index, str(relation.id))

    def fetch(self, relations: Collection[Relation]) -> None:
        """Fetch the documents of hits that are not here yet, with one request."""
        refs = {self.place(relation) for relation in relations} - self._documents.keys()
        if not refs:
            return
        sources = self.access.sources(sorted(refs), self.fields)
        for ref in refs:
            source = sources.get(ref, {})
            # What became something else than a text, or has none that is fingerprinted.
            text = stored_text(source, self.text_field) or ""
            if is_too_long(text):
                text = ""
            self._documents[ref] = QueryDocument(AnalysedText(text, self.analyser, source), ref)

    def document(self, relation: Relation) -> QueryDocument:
        """Return the document of a hit that was fetched."""
        return self._documents[self.place(relation)]

    def text(self, relation: Relation) -> AnalysedText:
        """Return the text of a hit that was fetched; an empty one where there is none."""
        return self.document(relation).text

    @property
    def lacks_texts(self) -> bool:
        """True when documents were fetched and none has a text."""
        return bool(self._documents) and not any(
            document.text.text for document in self._documents.values()
        )


def places_of(responses: Sequence[Mapping[str, Any]]) -> dict[Key, DocumentRef]:
    """Return where the hits of searches are, with their routings, by index and id."""
    refs = (DocumentRef.of_hit(hit) for response in responses for hit in response["hits"]["hits"])
    return {(ref.index, ref.id): ref for ref in refs}
