"""Components of Haystack: a retriever, and one that leaves out documents that repeat others."""

from es_simhash.errors import MissingExtra
from es_simhash.integrations.retrieved_texts import OfIndex, RetrievedText
from es_simhash.pairs.distinct_hits import distinct_hits
from es_simhash.relation.thresholds import LOSE

try:
    from haystack import Document, component
except ImportError as error:
    raise MissingExtra.of("haystack", "Components of Haystack need haystack-ai") from error


@component
class RelatedRetriever(OfIndex):
    """A retriever of Haystack, with the arguments of `TextRetrieval`."""

    @component.output_types(documents=list[Document])  # type: ignore[untyped-decorator]
    def run(self, query: str) -> dict[str, list[Document]]:
        """Return what is related to a query, best first."""
        return {"documents": [_document(text) for text in self._retrieval.texts(query)]}

    @component.output_types(documents=list[Document])  # type: ignore[untyped-decorator]
    async def run_async(self, query: str) -> dict[str, list[Document]]:
        """Return what is related to a query, best first."""
        texts = await self._retrieval.awaited_texts(query)
        return {"documents": [_document(text) for text in texts]}


@component
class DistinctDocuments:
    """Leaves out documents whose text one before them has as well, as `distinct_hits` does."""

    def __init__(self, lose: float = LOSE) -> None:
        self.lose = lose

    @component.output_types(documents=list[Document])  # type: ignore[untyped-decorator]
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the documents that stay, as they are."""
        kept = distinct_hits(documents, lambda document: document.content or "", lose=self.lose)
        return {"documents": [document.hit for document in kept]}


def _document(text: RetrievedText) -> Document:
    return Document(id=text.id, content=text.text, meta=text.metadata, score=text.score)
