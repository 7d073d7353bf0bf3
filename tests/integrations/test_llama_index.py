"""LlamaIndex: a retriever over the index, and nodes without repeats."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from es_simhash import Index
from tests.integrations.conftest import DISTINCT, QUERY, RULES

pytestmark = pytest.mark.cluster


@pytest.fixture
def llama() -> SimpleNamespace:
    """What the tests use of it, imported where they run and not where they are collected."""
    pytest.importorskip("llama_index.core", reason="needs llama-index-core")
    from llama_index.core.schema import NodeWithScore, TextNode

    from es_simhash.integrations.llama_index import DistinctNodes, RelatedRetriever

    return SimpleNamespace(
        NodeWithScore=NodeWithScore,
        TextNode=TextNode,
        DistinctNodes=DistinctNodes,
        RelatedRetriever=RelatedRetriever,
    )


def test_a_retriever_returns_related_nodes_and_repeats_are_left_out(
    rules: Index, llama: Any
) -> None:
    nodes = llama.RelatedRetriever(rules, "wording").retrieve(QUERY)
    assert {node.node.node_id for node in nodes} == {*DISTINCT, "fees-repeated"}
    assert nodes[0].score == 1.0
    assert nodes[0].node.metadata["kind"] == "exact"
    shown = llama.DistinctNodes().postprocess_nodes(nodes, query_str=QUERY)
    assert [node.node.get_content().casefold() for node in shown] == [
        RULES[id].casefold() for id in DISTINCT
    ]
    assert shown[0] is nodes[0]
    assert llama.DistinctNodes.class_name() == "DistinctNodes"


def test_an_awaited_index_is_awaited(awaited: Callable[..., Any], llama: Any) -> None:
    async def ask(index: Any) -> list[Any]:
        return await llama.RelatedRetriever(index, text_field="wording").aretrieve(RULES["dogs"])

    assert [node.node.node_id for node in awaited(ask)] == ["dogs"]


def test_nodes_of_any_other_retriever_are_taken(llama: Any) -> None:
    nodes = [
        llama.NodeWithScore(node=llama.TextNode(text=text), score=0.5) for text in RULES.values()
    ]
    shown = llama.DistinctNodes().postprocess_nodes(nodes)
    assert shown == [nodes[0], nodes[1], nodes[3]]
