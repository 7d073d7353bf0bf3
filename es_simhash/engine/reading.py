"""Requests that read an index: many searches in one, and documents by their ids."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import elasticsearch
import numpy as np
from numpy.typing import NDArray

from es_simhash.engine.cluster import missing_index, plain_errors, refused_search
from es_simhash.errors import ClusterError, IndexMissing
from es_simhash.query.neighbours import own_vector

Key = tuple[str | None, str | None]
_NDJSON = {"accept": "application/json", "content-type": "application/x-ndjson"}
# Header of a search that fails when a shard does; what that shard has would be missed silently.
WHOLE = {"allow_partial_search_results": False}
# Documents fetched in one request.
_MOST_DOCUMENTS = 1000


def search_all(
    client: elasticsearch.Elasticsearch, name: str, bodies: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Send many searches as one request; named clauses tell their scores.

    Raises:
        IndexMissing: There is no such index.
        ClusterError: A search is refused, or a shard does not answer.
    """
    if not bodies:
        return []
    lines: list[Mapping[str, Any]] = []
    for body in bodies:
        lines += [WHOLE, body]
    with plain_errors(client):
        # The client's own method has no parameter for the scores of named clauses.
        answer = client.perform_request(
            "POST",
            f"/{_quoted(name)}/_msearch",
            params={"include_named_queries_score": "true"},
            headers=_NDJSON,
            body=lines,
        )
    responses: list[Mapping[str, Any]] = answer.body["responses"]
    for response in responses:
        error = response.get("error", {})
        if error.get("type") == "index_not_found_exception":
            raise IndexMissing(missing_index(name))
        if error:
            raise refused_search(error)
    return responses


def fetch(
    client: elasticsearch.Elasticsearch, name: str, ids: Sequence[str], wanted: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Return documents by their ids, each with the fields wanted and with `found`.

    Raises:
        ClusterError: A document is in several indices behind the name.
    """
    with plain_errors(client):
        answer = client.mget(index=name, ids=list(ids), source_includes=list(wanted))
    entries: list[Mapping[str, Any]] = answer["docs"]
    # A name that stands for several indices is refused, or taken for that of no index.
    if any("error" in entry for entry in entries):
        return _searched(client, name, ids, wanted)
    return entries


def _searched(
    client: elasticsearch.Elasticsearch, name: str, ids: Sequence[str], wanted: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Find documents by their ids in all the indices behind the name."""
    bodies = [
        {"query": {"ids": {"values": [id]}}, "size": 2, "_source": list(wanted)} for id in ids
    ]
    entries: list[Mapping[str, Any]] = []
    for id, answer in zip(ids, search_all(client, name, bodies), strict=True):
        hits = answer["hits"]["hits"]
        if len(hits) > 1:
            raise ClusterError(
                f"Document {id!r} is in several indices behind {name!r} "
                f"({hits[0]['_index']}, {hits[1]['_index']}); ask one of them."
            )
        entries.append({**hits[0], "found": True} if hits else {"_id": id, "found": False})
    return entries


def sources(
    client: elasticsearch.Elasticsearch, keys: set[Key], wanted: Sequence[str]
) -> dict[Key, dict[str, Any]]:
    """Return fields of documents by index and id; those that vanished are left out."""
    ordered = sorted(keys, key=str)
    found: dict[Key, dict[str, Any]] = {}
    for start in range(0, len(ordered), _MOST_DOCUMENTS):
        docs = [{"_index": i, "_id": d} for i, d in ordered[start : start + _MOST_DOCUMENTS]]
        with plain_errors(client):
            answer = client.mget(docs=docs, source_includes=list(wanted))
        for entry in answer["docs"]:
            found[entry["_index"], entry["_id"]] = entry.get("_source", {})
    return found


def own_vectors(
    client: elasticsearch.Elasticsearch, keys: set[Key], field: str
) -> dict[Key, NDArray[np.float32]]:
    """Return unit vectors of a dense_vector field by index and id, of documents that have one."""
    found: dict[Key, NDArray[np.float32]] = {}
    by_index: dict[str, list[str]] = {}
    for index, id in keys:
        by_index.setdefault(str(index), []).append(str(id))
    for index, ids in sorted(by_index.items()):
        body = {
            "size": len(ids),
            "_source": False,
            "query": {"ids": {"values": ids}},
            "docvalue_fields": [{"field": field, "format": "binary"}],
        }
        for hit in search_all(client, index, [body])[0]["hits"]["hits"]:
            for packed in hit.get("fields", {}).get(field, []):
                vector = own_vector(packed)
                norm = np.linalg.norm(vector)
                if norm > 0:
                    found[hit["_index"], hit["_id"]] = vector / norm
    return found


def unchanged_since(hit: Mapping[str, Any]) -> dict[str, Any]:
    """Return the conditions of a write that is refused when the document was changed meanwhile."""
    routing = {"routing": hit["_routing"]} if "_routing" in hit else {}
    return {"if_seq_no": hit["_seq_no"], "if_primary_term": hit["_primary_term"], **routing}


def _quoted(name: str) -> str:
    return quote(name, safe=",*")
