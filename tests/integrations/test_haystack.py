"""Haystack: a pipeline of a retriever over the index, and of documents without repeats."""

import os
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash import Index, SearchOptions
from tests.integrations.conftest import DISTINCT, QUERY, RULES

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
pytest.importorskip("haystack", reason="needs haystack-ai")

from haystack import Document, Pipeline

from es_simhash.integrations.haystack import DistinctDocuments, RelatedRetriever

pytestmark = pytest.mark.cluster


def test_a_pipeline_retrieves_and_leaves_out_repeats(rules: Index) -> None:
    pipeline = Pipeline()
    options = SearchOptions(size=5)
    pipeline.add_component("related", RelatedRetriever(rules, "wording", options))
    pipeline.add_component("distinct", DistinctDocuments())
    pipeline.connect("related", "distinct")
    documents = pipeline.run({"related": {"query": QUERY}})["distinct"]["documents"]
    assert [document.content.casefold() for document in documents] == [
        RULES[id].casefold() for id in DISTINCT
    ]
    assert documents[0].score == 1.0
    assert documents[0].meta["kind"] == "exact"


def test_an_awaited_index_is_awaited(awaited: Callable[..., Any]) -> None:
    async def ask(index: Any) -> list[Document]:
        return (await RelatedRetriever(index, "wording").run_async(RULES["dogs"]))["documents"]

    assert [document.id for document in awaited(ask)] == ["dogs"]


def test_a_document_without_text_stays() -> None:
    documents = [Document(content=None), Document(content="a b"), Document(content="A  B")]
    assert DistinctDocuments().run(documents)["documents"] == documents[:2]
