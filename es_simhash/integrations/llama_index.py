"""A retriever of LlamaIndex, and a post-processor that leaves out nodes that repeat others."""

from es_simhash.errors import MissingExtra
from es_simhash.integrations.retrieved_texts import OfIndex, RetrievedText
from es_simhash.pairs.distinct_hits import distinct_hits
from es_simhash.relation.thresholds import LOSE

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise MissingExtra.of("llama-index", "LlamaIndex needs llama-index-core") from error


class RelatedRetriever(OfIndex, BaseRetriever):  # type: ignore[misc]
    """A retriever of LlamaIndex, with the arguments of `TextRetrieval`."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_node(text) for text in self._retrieval.texts(query_bundle.query_str)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        texts = await self._retrieval.awaited_texts(query_bundle.query_str)
        return [_node(text) for text in texts]


class DistinctNodes(BaseNodePostprocessor):  # type: ignore[misc]
    """Leaves out nodes whose text one before them has as well, as `distinct_hits` does."""

    lose: float = LOSE

    @classmethod
    def class_name(cls) -> str:
        """Return the name by which LlamaIndex stores it."""
        return "DistinctNodes"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        kept = distinct_hits(nodes, lambda node: node.node.get_content(), lose=self.lose)
        return [node.hit for node in kept]


def _node(text: RetrievedText) -> NodeWithScore:
    return NodeWithScore(
        node=TextNode(id_=text.id, text=text.text, metadata=text.metadata), score=text.score
    )
