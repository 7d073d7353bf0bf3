"""LangChain: a retriever over the index, and documents without repeats."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from es_simhash import Index, InputError, SearchOptions
from tests.integrations.conftest import DISTINCT, QUERY, RULES

pytestmark = pytest.mark.cluster


@pytest.fixture
def langchain() -> SimpleNamespace:
    """What the tests use of it, imported where they run and not where they are collected."""
    pytest.importorskip("langchain_core", reason="needs langchain-core")
    from langchain_core.documents import Document

    from es_simhash.integrations.langchain import DistinctDocuments, RelatedRetriever

    return SimpleNamespace(
        Document=Document,
        DistinctDocuments=DistinctDocuments,
        RelatedRetriever=RelatedRetriever,
    )


def test_a_retriever_returns_related_documents_with_their_texts(
    rules: Index, langchain: Any
) -> None:
    options = SearchOptions(size=3, fields=("pages",))
    retriever = langchain.RelatedRetriever(index=rules, text_field="wording", options=options)
    found = retriever.invoke(QUERY)
    assert {document.id for document in found} == {*DISTINCT, "fees-repeated"}
    assert found[0].page_content in (RULES["fees-2023"], RULES["fees-repeated"])
    assert found[0].metadata["kind"] == "exact"
    assert found[0].metadata["reason"] == "the same text"
    assert found[0].metadata["title"] == found[0].id.title()
    assert found[0].metadata["pages"] == 1
    assert "wording" not in found[0].metadata
    (dogs,) = retriever.invoke(RULES["dogs"])
    assert dogs.id == "dogs"


def test_of_retrieved_documents_repeats_are_left_out_and_other_numbers_stay(
    rules: Index, langchain: Any
) -> None:
    retriever = langchain.RelatedRetriever(index=rules, text_field="wording")
    chain = retriever | langchain.DistinctDocuments().compress_documents
    found = chain.invoke(QUERY)
    assert [document.page_content.casefold() for document in found] == [
        RULES[id].casefold() for id in DISTINCT
    ]


def test_an_awaited_index_is_awaited(awaited: Callable[..., Any], langchain: Any) -> None:
    async def ask(index: Any) -> list[Any]:
        return await langchain.RelatedRetriever(index=index, text_field="wording").ainvoke(QUERY)

    assert {document.id for document in awaited(ask)} == {*DISTINCT, "fees-repeated"}


def test_an_index_that_waits_answers_an_awaited_retriever(
    awaited: Any, rules: Index, langchain: Any
) -> None:
    async def ask(_: Any) -> list[Any]:
        return await langchain.RelatedRetriever(index=rules, text_field="wording").ainvoke(
            RULES["dogs"]
        )

    assert [document.id for document in awaited(ask)] == ["dogs"]


def test_a_share_that_is_none_is_rejected(langchain: Any) -> None:
    with pytest.raises(InputError, match=r"between 0 and 1, got 2\.0"):
        langchain.DistinctDocuments(lose=2).compress_documents(
            [langchain.Document(page_content="a b c")]
        )
