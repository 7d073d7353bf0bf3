"""A retriever of LangChain, and a compressor that leaves out documents that repeat others."""

from collections.abc import Sequence
from typing import Any

from es_simhash.errors import MissingExtra
from es_simhash.integrations.retrieved_texts import RetrievedText, TextRetrieval
from es_simhash.pairs.distinct_hits import distinct_hits
from es_simhash.relation.thresholds import LOSE
from es_simhash.store.options import SearchOptions

try:
    from langchain_core.documents import BaseDocumentCompressor, Document
    from langchain_core.retrievers import BaseRetriever
    from pydantic import Field, SkipValidation
except ImportError as error:
    raise MissingExtra.of("langchain", "Retrievers of LangChain need langchain-core") from error


class RelatedRetriever(BaseRetriever):  # type: ignore[misc]
    """A retriever of LangChain, with the arguments of `TextRetrieval`."""

    index: Any
    text_field: str = "text"
    options: SkipValidation[SearchOptions] = Field(default_factory=SearchOptions)

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [_document(text) for text in self._retrieval.texts(query)]

    async def _aget_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [_document(text) for text in await self._retrieval.awaited_texts(query)]

    @property
    def _retrieval(self) -> TextRetrieval:
        return TextRetrieval(self.index, self.text_field, self.options)


class DistinctDocuments(BaseDocumentCompressor):  # type: ignore[misc]
    """Leaves out documents whose text one before them has as well, as `distinct_hits` does."""

    lose: float = LOSE

    def compress_documents(
        self, documents: Sequence[Document], query: str = "", callbacks: Any = None
    ) -> list[Document]:
        """Return the documents that stay, as they are; the query does not matter."""
        kept = distinct_hits(documents, lambda document: document.page_content, lose=self.lose)
        return [document.hit for document in kept]


def _document(text: RetrievedText) -> Document:
    return Document(id=text.id, page_content=text.text, metadata=text.metadata)
