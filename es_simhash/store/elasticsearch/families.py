"""Families of an index as aggregations: their names and sizes, and their dates."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.store import fields
from es_simhash.store.codec import shingle_terms
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import NANOSECONDS, Date, DateField
from es_simhash.store.elasticsearch.conditions import conditions
from es_simhash.store.intents import ListFamilies, MeasureFamilies, Where
from es_simhash.store.rows import FamilyPage, FamilySpan

Responses = Sequence[Mapping[str, Any]]


def list_body(request: ListFamilies, config: IndexConfig) -> dict[str, Any]:
    """Return the body of the search for one page of all families."""
    family = {"terms": {"field": config.path(fields.FAMILY)}}
    composite: dict[str, Any] = {"size": request.size, "sources": [{"family": family}]}
    if request.after is not None:
        composite["after"] = {"family": request.after}
    return _body(request.where, config, {"composite": composite})


def read_list(responses: Responses, *, request: ListFamilies) -> FamilyPage:
    """Return the families of a response."""
    families = responses[0]["aggregations"]["families"]
    sizes = [(bucket["key"]["family"], bucket["doc_count"]) for bucket in families["buckets"]]
    is_last = len(sizes) < request.size
    return FamilyPage(sizes, None if is_last else sizes[-1][0])


def prefix_body(where: Where, prefixes: Sequence[str], config: IndexConfig) -> dict[str, Any]:
    """Return the body of the search that counts the documents of families by their names."""
    path = config.path(fields.FAMILY)
    filters = [{"prefix": {path: prefix}} for prefix in prefixes]
    return _body(where, config, {"filters": {"filters": filters}})


def shingles_body(
    where: Where, shingles: NDArray[np.uint32], config: IndexConfig
) -> dict[str, Any]:
    """Return the body of the search that counts the documents that have each shingle."""
    path = config.path(fields.SHINGLES)
    filters = [{"term": {path: term}} for term in shingle_terms(shingles)]
    return _body(where, config, {"filters": {"filters": filters}})


def read_prefixes(response: Mapping[str, Any]) -> list[int]:
    """Return the counts of a response, in the order of the prefixes."""
    return [bucket["doc_count"] for bucket in response["aggregations"]["families"]["buckets"]]


def measure_body(request: MeasureFamilies, config: IndexConfig) -> dict[str, Any]:
    """Return the body of the search for the sizes and dates of families."""
    names = list(request.families)
    aggregation: dict[str, Any] = {
        "terms": {
            "field": config.path(fields.FAMILY),
            "include": names,
            "size": max(1, len(names)),
        }
    }
    if request.date is not None:
        date = {"field": request.date.name}
        aggregation["aggs"] = {"oldest": {"min": date}, "newest": {"max": date}}
    return _body(request.where, config, aggregation)


def read_measured(responses: Responses, *, request: MeasureFamilies) -> dict[str, FamilySpan]:
    """Return the sizes and dates of the families of a response, by their names."""
    buckets = responses[0]["aggregations"]["families"]["buckets"]
    return {
        bucket["key"]: FamilySpan(
            bucket["doc_count"],
            _bound(bucket, "oldest", request.date),
            _bound(bucket, "newest", request.date),
        )
        for bucket in buckets
    }


def _body(where: Where, config: IndexConfig, families: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "size": 0,
        "query": conditions(where, config),
        "track_total_hits": False,
        "aggs": {"families": families},
    }


def _bound(bucket: Mapping[str, Any], name: str, field: DateField | None) -> Date | None:
    """Return a date as rows have it; aggregations return milliseconds."""
    value: float | None = bucket.get(name, {}).get("value")
    if value is None or field is None or field.is_number:
        return value
    return int(value) * NANOSECONDS
