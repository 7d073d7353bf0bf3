"""Searches by words as users type them, in the fields of titles and texts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.conditions import clauses, filters_of, order_of, read_of
from es_simhash.store.elasticsearch.hit_rows import row_of
from es_simhash.store.intents import (
    CountValues,
    Filter,
    FindExcerpts,
    FindWords,
    Parts,
    Words,
)
from es_simhash.store.mapped_fields import TEXT_TYPES, fields_named
from es_simhash.store.rows import Excerpt, Row, Rows

# No wildcards within words and no fuzziness: what a query costs stays bounded.
_FLAGS = "AND|OR|NOT|PHRASE|PRECEDENCE|PREFIX|WHITESPACE|ESCAPE"
# Private characters around what matches; where a text has them itself, more is marked.
_START, _END = "\ue000", "\ue001"
_EXCERPT = 220
# Characters of a text that are looked at for an excerpt.
_ANALYSED = 200_000
_PARTS = Parts(family=True)
# Values of a field that are counted, and years.
_VALUES = 8


def searchable_fields(
    names: Sequence[str], mappings: Mapping[str, Mapping[str, Any]]
) -> tuple[str, ...]:
    """Return those fields that are texts or keywords in every mapping that has them."""
    types = {
        name: {field.type for field in fields_named(name, mappings).values()} for name in names
    }
    return tuple(name for name in names if types[name] and types[name] <= {*TEXT_TYPES, "keyword"})


def word_bodies(request: FindWords, config: IndexConfig) -> list[dict[str, Any]]:
    """Return two searches: of the families, the first document of each, and of what has none.

    `collapse` would take all documents without a family for one.
    """
    family = config.path(fields.FAMILY)
    common = {"size": request.size, "track_total_hits": True, **read_of(_parts(request), config)}
    if request.newest is not None:
        common["sort"] = order_of(("newest",), request.newest, config)
    bodies = []
    for has_family, more in ((True, {"collapse": {"field": family}}), (False, {})):
        required, excluded = clauses(replace(request.where, has_family=has_family), config)
        filters = [*required, *_narrowed(request.words)]
        query = {"must": _query(request.words), "filter": filters, "must_not": excluded}
        bodies.append({**common, "query": {"bool": query}, **more})
    return bodies


def read_words(
    responses: Sequence[Mapping[str, Any]], request: FindWords, config: IndexConfig
) -> Rows:
    """Return the documents of the searches of `word_bodies`, in one order."""
    hits = [hit for response in responses for hit in response["hits"]["hits"]]
    parts = _parts(request)
    rows = sorted((row_of(hit, parts, config) for hit in hits), key=partial(_place, request))
    return Rows(rows, sum(response["hits"]["total"]["value"] for response in responses))


def _parts(request: FindWords) -> Parts:
    return replace(_PARTS, date=request.newest)


def _place(request: FindWords, row: Row) -> tuple[bool, float]:
    """Return the key that puts matches in order; those without a date come last."""
    if request.newest is None:
        return False, -row.score
    return row.date is None, -(row.date or 0)


def value_bodies(request: CountValues, config: IndexConfig) -> list[dict[str, Any]]:
    """Return the search that counts the values of fields among the matches."""
    counts: dict[str, Any] = {
        name: {"terms": {"field": name, "size": _VALUES}} for name in request.fields
    }
    if request.years is not None:
        by_year = {"calendar_interval": "year", "format": "yyyy", "order": {"_key": "desc"}}
        counts[request.years] = {
            "date_histogram": {"field": request.years, "min_doc_count": 1, **by_year}
        }
    if not counts:
        return []
    filters = [*filters_of(request.where, config), *_narrowed(request.words)]
    query = {"bool": {"must": _query(request.words), "filter": filters}}
    return [{"size": 0, "track_total_hits": False, "query": query, "aggs": counts}]


def read_values(
    responses: Sequence[Mapping[str, Any]],
) -> dict[str, tuple[tuple[str, int], ...]]:
    """Return the counts of the search of `value_bodies`, by the field's name."""
    return {
        name: tuple(
            (str(bucket.get("key_as_string", bucket["key"])), bucket["doc_count"])
            for bucket in counted["buckets"][:_VALUES]
        )
        for response in responses
        for name, counted in response.get("aggregations", {}).items()
    }


def excerpt_bodies(request: FindExcerpts, config: IndexConfig) -> list[dict[str, Any]]:
    """Return the search for the stretch of each text that matches best."""
    ids, texts = request.where.ids, request.words.texts
    if not ids or not texts:
        return []
    shown = {
        "fragment_size": _EXCERPT,
        "number_of_fragments": 1,
        "no_match_size": _EXCERPT,
        "max_analyzed_offset": _ANALYSED,
        "pre_tags": [_START],
        "post_tags": [_END],
        "fields": {field: {} for field in texts},
    }
    filters = filters_of(request.where, config)
    return [
        {
            # An id may be in several indices.
            "size": 2 * len(ids),
            "query": {"bool": {"must": _query(request.words), "filter": filters}},
            "_source": False,
            "track_total_hits": False,
            "highlight": shown,
        }
    ]


def read_excerpts(responses: Sequence[Mapping[str, Any]]) -> dict[str, Excerpt]:
    """Return the excerpts of the search of `excerpt_bodies`, by ids."""
    return {hit["_id"]: _excerpt(hit) for response in responses for hit in response["hits"]["hits"]}


def _query(words: Words) -> dict[str, Any]:
    title = [] if words.title is None else [f"{words.title}^3"]
    return {
        "simple_query_string": {
            "query": words.query,
            "fields": [*title, *words.texts],
            "default_operator": "and",
            "flags": _FLAGS,
            "lenient": True,
        }
    }


def _narrowed(words: Words) -> list[Filter]:
    """Return the filters for the values that matches must have."""
    filters: list[Filter] = [{"term": {field: value}} for field, value in words.values]
    if words.year is not None:
        field, year = words.year
        # Rounded by the engine, since the year after 9999 has no four digits.
        whole = f"{year:04}||/y"
        filters.append({"range": {field: {"gte": whole, "lte": whole, "format": "yyyy"}}})
    return filters


def _excerpt(hit: Mapping[str, Any]) -> Excerpt:
    """Return the excerpt of a hit; empty for none."""
    fragments = hit.get("highlight", {}).values()
    marked = next((fragment[0] for fragment in fragments if fragment), "")
    pieces: list[tuple[str, bool]] = []
    is_match = False
    for piece in marked.replace(_END, _START).split(_START):
        if piece:
            pieces.append((" ".join(f"|{piece}|".split())[1:-1], is_match))
        is_match = not is_match
    return tuple(pieces)
