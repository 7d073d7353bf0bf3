"""LlamaIndex: a retriever over the index, and nodes without repeats."""

from collections.abc import Callable
from typing import Any

import pytest

from es_simhash import Index
from tests.integrations.conftest import DISTINCT, QUERY, RULES

pytest.importorskip("llama_index.core", reason="needs llama-index-core")

from llama_index.core.schema import NodeWithScore, TextNode

from es_simhash.integrations.llama_index import DistinctNodes, RelatedRetriever

pytestmark = pytest.mark.cluster


def test_a_retriever_returns_related_nodes_and_repeats_are_left_out(rules: Index) -> None:
    nodes = RelatedRetriever(rules, "wording").retrieve(QUERY)
    assert {node.node.node_id for node in nodes} == {*DISTINCT, "fees-repeated"}
    assert nodes[0].score == 1.0
    assert nodes[0].node.metadata["kind"] == "exact"
    shown = DistinctNodes().postprocess_nodes(nodes, query_str=QUERY)
    assert [node.node.get_content().casefold() for node in shown] == [
        RULES[id].casefold() for id in DISTINCT
    ]
    assert shown[0] is nodes[0]
    assert DistinctNodes.class_name() == "DistinctNodes"


def test_an_awaited_index_is_awaited(awaited: Callable[..., Any]) -> None:
    async def ask(index: Any) -> list[NodeWithScore]:
        return await RelatedRetriever(index, text_field="wording").aretrieve(RULES["dogs"])

    assert [node.node.node_id for node in awaited(ask)] == ["dogs"]


def test_nodes_of_any_other_retriever_are_taken() -> None:
    nodes = [NodeWithScore(node=TextNode(text=text), score=0.5) for text in RULES.values()]
    shown = DistinctNodes().postprocess_nodes(nodes)
    assert shown == [nodes[0], nodes[1], nodes[3]]
