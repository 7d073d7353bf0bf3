"""All documents that a search finds, as they are at one moment."""

from collections.abc import Iterator, Mapping
from typing import Any

import elasticsearch

from es_simhash.engine.cluster import plain_errors

_KEEP_ALIVE = "5m"
_PAGE = 5000


def hits(
    client: elasticsearch.Elasticsearch,
    index: str,
    body: Mapping[str, Any],
    *,
    shard: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the hits of a search, a page at a time.

    Args:
        client: Of the cluster.
        index: Index, alias or data stream.
        body: What the search asks for; by default all documents, in no order.
        shard: Number of the one shard to search; None for all.

    Raises:
        IndexMissing: There is no such index.
        ClusterError: The search is refused, or a shard does not answer.
    """
    preference = None if shard is None else f"_shards:{shard}"
    with plain_errors(client):
        client.indices.refresh(index=index)
        pit = client.open_point_in_time(index=index, keep_alive=_KEEP_ALIVE, preference=preference)
        page: dict[str, Any] = {
            "size": _PAGE,
            "track_total_hits": False,
            "sort": ["_shard_doc"],
            **body,
            "pit": {"id": pit["id"], "keep_alive": _KEEP_ALIVE},
        }
        try:
            while found := _page(client, page):
                yield from found
                page["search_after"] = found[-1]["sort"]
        finally:
            client.close_point_in_time(id=pit["id"])


def _page(client: elasticsearch.Elasticsearch, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    # What a shard that fails has would be passed over.
    answer = client.search(body=dict(body), allow_partial_search_results=False)
    found: list[dict[str, Any]] = answer["hits"]["hits"]
    return found
