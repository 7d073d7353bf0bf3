"""All that is related, page by page."""

from collections.abc import Iterator
from dataclasses import replace

from es_simhash.questions.protocol import RelatedIndex
from es_simhash.relation.answer import Answer
from es_simhash.store.options import SearchOptions


def pages_of(
    index: RelatedIndex, id: str | None, text: str | None, options: SearchOptions | None
) -> Iterator[Answer]:
    """Yield all that is related to a document or a text, each page searched when it is wanted.

    Args:
        index: What is searched.
        id: Of the document; None for a text.
        text: The text; None for a document.
        options: Those of the first page; `size` is that of all.
    """
    wanted = options or SearchOptions()
    while True:
        answer = index.related(id=id, text=text, options=wanted)
        if answer:
            yield answer
        if answer.extent.next_offset is None:
            return
        wanted = replace(wanted, offset=answer.extent.next_offset)
