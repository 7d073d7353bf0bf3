"""What the explorer reads of a document whose text is none."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from es_simhash.errors import InputError
from es_simhash.service.explorer.explorer_reader import ExplorerReader
from es_simhash.store.config import IndexConfig
from es_simhash.store.intents import DocumentsById, Request


def reader(text: str | InputError | None, *, evidence: bool = True) -> ExplorerReader:
    """Read an index of one document with this text, of which no field may be shown."""

    def ask(requests: list[Request[Any]]) -> list[Any]:
        assert isinstance(requests[0], DocumentsById)
        if isinstance(text, InputError):
            raise text
        return [[SimpleNamespace(text=text)]]

    body = {"id": "a", "document": {}, "source": {}}
    answers = SimpleNamespace(
        document=lambda question: SimpleNamespace(plain=body),
        config=IndexConfig(),
        allowed=SimpleNamespace(allows=lambda name: False, evidence=evidence),
        documents=SimpleNamespace(store=SimpleNamespace(ask=ask)),
    )
    none = cast(Any, None)
    return ExplorerReader(cast(Any, answers), none, none)


@pytest.mark.parametrize(
    ("text", "shown"), [("Words.", "Words."), (None, ""), (InputError("a list with int"), "")]
)
def test_a_document_without_a_readable_text_has_a_page(
    text: str | InputError | None, shown: str
) -> None:
    assert reader(text).document("a", ())["text"] == shown


def test_a_text_that_may_not_be_shown_is_not_read() -> None:
    assert reader(InputError("read"), evidence=False).document("a", ())["text"] is None
