"""Answers of a sidecar, narrowed to the documents of the first index that match the filters."""

from collections.abc import Mapping
from typing import Any

from es_simhash.store.elasticsearch.conditions import MAX_HITS
from es_simhash.store.elasticsearch.searches import TermSearch

_WIDER = 10

Hit = Mapping[str, Any]


def narrowed(
    answer: Mapping[str, Any], located: Mapping[str, Hit], body: Mapping[str, Any], *, full: bool
) -> dict[str, Any]:
    """Return the answer with the documents of the first index in the place of the sidecar's.

    Args:
        answer: Of the sidecar.
        located: Documents of the first index that match the filters, by id.
        body: The search as it was meant, before it was widened.
        full: Whether the sidecar may have more.
    """
    hits_of_sidecar = answer["hits"]
    hits = [
        _moved(hit, located[hit["_id"]]) for hit in hits_of_sidecar["hits"] if hit["_id"] in located
    ]
    narrow: dict[str, Any] = {**hits_of_sidecar, "hits": hits[: body["size"]]}
    if not full and "total" in hits_of_sidecar:
        narrow["total"] = {"value": len(hits), "relation": "eq"}
    return {"hits": narrow}


def _moved(hit: Hit, located: Hit) -> dict[str, Any]:
    """Return a hit of the sidecar as one of the first index, with the fields requested there."""
    fields = {**hit.get("fields", {}), **located.get("fields", {})}
    routing = {"_routing": located["_routing"]} if "_routing" in located else {}
    return {**hit, "_index": located["_index"], **routing, "fields": fields}


def is_full(answer: Mapping[str, Any], sent: Mapping[str, Any]) -> bool:
    """Check whether a search returned as many hits as were requested, so that there may be more."""
    return len(answer["hits"]["hits"]) >= int(sent["size"])


def lacks(narrow: Mapping[str, Any], body: Mapping[str, Any], sent: Mapping[str, Any]) -> bool:
    """Check whether too few hits are left, and more can be requested."""
    return len(narrow["hits"]["hits"]) < int(body["size"]) and int(sent["size"]) < MAX_HITS


def widened(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same search for more hits."""
    size = min(int(sent["size"]) * _WIDER, MAX_HITS)
    wide = {**sent, "size": size}
    if sent["track_total_hits"] is not False:
        wide["track_total_hits"] = size + 1
    if "knn" in sent:
        wide["knn"] = [_wider(search) for search in sent["knn"]]
    return TermSearch(wide) if isinstance(sent, TermSearch) else wide


def _wider(search: Mapping[str, Any]) -> dict[str, Any]:
    """Return a kNN search for as many more; it has the same part of what is requested."""
    counts = {name: min(int(search[name]) * _WIDER, MAX_HITS) for name in ("k", "num_candidates")}
    return {**search, **counts}
