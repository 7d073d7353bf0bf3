"""What a retriever of any library takes and returns: related documents with their texts.

Options of retrievers are described in `TextRetrieval` alone, those of what leaves out repeats in
`distinct_hits`.
"""

import inspect
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from es_simhash.errors import InputError
from es_simhash.questions.async_index import AsyncIndex
from es_simhash.questions.protocol import RelatedIndex
from es_simhash.relation.answer import Answer
from es_simhash.relation.relation import Relation, reason
from es_simhash.store.options import SearchOptions
from es_simhash.store.source import field_names, shown_fields, text_of


@dataclass(frozen=True)
class RetrievedText:
    """A document for a prompt.

    Attributes:
        id: Its id.
        text: Its text.
        score: Score of the relation.
        metadata: Index, kind and reason of the relation; the title, date and so on that are known;
            and the fields that the options name.
    """

    id: str
    text: str
    score: float
    metadata: dict[str, Any]


@dataclass(frozen=True)
class TextRetrieval:
    """Looks for documents related to a query, and reads their texts.

    Attributes:
        index: An `Index`; or an `AsyncIndex`, for the asynchronous method of a retriever.
        text_field: Field of the text, or several as `headline,body`.
        options: What to return.
    """

    index: RelatedIndex | AsyncIndex
    text_field: str = "text"
    options: SearchOptions = field(default_factory=SearchOptions)

    def texts(self, query: str) -> list[RetrievedText]:
        """Return what is related to a query, best first.

        Raises:
            InputError: The index has to be awaited, or a document has no text in the field.
        """
        answer = self._ask(query)
        if not isinstance(answer, Answer):
            answer.close()
            raise InputError(
                "An AsyncIndex has to be awaited. Use the asynchronous method, or an Index.",
                parameter="index",
            )
        return list(self._read(answer))

    async def awaited_texts(self, query: str) -> list[RetrievedText]:
        """Return what is related to a query, best first; only an `AsyncIndex` does not block.

        Raises:
            InputError: A document has no text in the field.
        """
        answer = self._ask(query)
        return list(self._read(await answer if inspect.isawaitable(answer) else answer))

    def _ask(self, query: str) -> Any:
        fields = (*self.options.fields, *field_names(self.text_field))
        return self.index.related(text=query, options=replace(self.options, fields=fields))

    def _read(self, answer: Answer) -> Iterator[RetrievedText]:
        for relation in answer:
            text = text_of(relation.source, self.text_field)
            if text is None:
                raise InputError(
                    f"Document {relation.id!r} has no field {self.text_field!r}. Set text_field.",
                    parameter="text_field",
                )
            yield RetrievedText(str(relation.id), text, relation.score, self._metadata(relation))

    def _metadata(self, relation: Relation) -> dict[str, Any]:
        context = {} if relation.document is None else asdict(relation.document)
        texts = field_names(self.text_field)
        return {
            "id": relation.id,
            "index": relation.index,
            "kind": relation.kind,
            "score": relation.score,
            "reason": reason(relation),
            **{name: value for name, value in context.items() if value is not None},
            **shown_fields(relation.source, texts, self.options.fields),
        }


class OfIndex:
    """Documents related to a query: versions, shared passages, semantic neighbours.

    The arguments are those of `TextRetrieval`.
    """

    def __init__(
        self,
        index: RelatedIndex | AsyncIndex,
        text_field: str = "text",
        options: SearchOptions | None = None,
    ) -> None:
        super().__init__()
        self._retrieval = TextRetrieval(index, text_field, options or SearchOptions())
