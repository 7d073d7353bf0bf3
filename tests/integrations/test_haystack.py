"""Haystack: a pipeline of a retriever over the index, and of documents without repeats."""

import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from es_simhash import Index, SearchOptions
from tests.integrations.conftest import DISTINCT, QUERY, RULES

pytestmark = pytest.mark.cluster


@pytest.fixture
def haystack() -> SimpleNamespace:
    """What the tests use of it, imported where they run and not where they are collected."""
    os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
    pytest.importorskip("haystack", reason="needs haystack-ai")
    from haystack import Document, Pipeline

    from es_simhash.integrations.haystack import DistinctDocuments, RelatedRetriever

    return SimpleNamespace(
        Document=Document,
        Pipeline=Pipeline,
        DistinctDocuments=DistinctDocuments,
        RelatedRetriever=RelatedRetriever,
    )


def test_a_pipeline_retrieves_and_leaves_out_repeats(rules: Index, haystack: Any) -> None:
    pipeline = haystack.Pipeline()
    options = SearchOptions(size=5)
    pipeline.add_component("related", haystack.RelatedRetriever(rules, "wording", options))
    pipeline.add_component("distinct", haystack.DistinctDocuments())
    pipeline.connect("related", "distinct")
    documents = pipeline.run({"related": {"query": QUERY}})["distinct"]["documents"]
    assert [document.content.casefold() for document in documents] == [
        RULES[id].casefold() for id in DISTINCT
    ]
    assert documents[0].score == 1.0
    assert documents[0].meta["kind"] == "exact"


def test_an_awaited_index_is_awaited(awaited: Callable[..., Any], haystack: Any) -> None:
    async def ask(index: Any) -> list[Any]:
        return (await haystack.RelatedRetriever(index, "wording").run_async(RULES["dogs"]))[
            "documents"
        ]

    assert [document.id for document in awaited(ask)] == ["dogs"]


def test_a_document_without_text_stays(haystack: Any) -> None:
    documents = [
        haystack.Document(content=None),
        haystack.Document(content="a b"),
        haystack.Document(content="A  B"),
    ]
    assert haystack.DistinctDocuments().run(documents)["documents"] == documents[:2]
