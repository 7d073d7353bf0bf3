"""Searches by words as users type them, in the fields of titles and texts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.conditions import clauses, filters_of, read_of
from es_simhash.store.elasticsearch.hit_rows import row_of
from es_simhash.store.intents import FindExcerpts, FindWords, Parts, Words
from es_simhash.store.mapped_fields import TEXT_TYPES, fields_named
from es_simhash.store.rows import Excerpt, Rows

# No wildcards within words and no fuzziness: what a query costs stays bounded.
_FLAGS = "AND|OR|NOT|PHRASE|PRECEDENCE|PREFIX|WHITESPACE|ESCAPE"
# Private characters around what matches; where a text has them itself, more is marked.
_START, _END = "\ue000", "\ue001"
_EXCERPT = 220
# Characters of a text that are looked at for an excerpt.
_ANALYSED = 200_000
_PARTS = Parts(family=True)


def searchable_fields(
    names: Sequence[str], mappings: Mapping[str, Mapping[str, Any]]
) -> tuple[str, ...]:
    """Return those fields that are texts or keywords in every mapping that has them."""
    types = {
        name: {field.type for field in fields_named(name, mappings).values()} for name in names
    }
    return tuple(name for name in names if types[name] and types[name] <= {*TEXT_TYPES, "keyword"})


def word_bodies(request: FindWords, config: IndexConfig) -> list[dict[str, Any]]:
    """Return two searches: of the families, the best document of each, and of what has none.

    `collapse` would take all documents without a family for one.
    """
    family = config.path(fields.FAMILY)
    common = {"size": request.size, "track_total_hits": True, **read_of(_PARTS, config)}
    bodies = []
    for has_family, more in ((True, {"collapse": {"field": family}}), (False, {})):
        required, excluded = clauses(replace(request.where, has_family=has_family), config)
        query = {"must": _query(request.words), "filter": required, "must_not": excluded}
        bodies.append({**common, "query": {"bool": query}, **more})
    return bodies


def read_words(
    responses: Sequence[Mapping[str, Any]], request: FindWords, config: IndexConfig
) -> Rows:
    """Return the documents of the searches of `word_bodies`, best first."""
    hits = [hit for response in responses for hit in response["hits"]["hits"]]
    rows = sorted((row_of(hit, _PARTS, config) for hit in hits), key=lambda row: -row.score)
    return Rows(rows, sum(response["hits"]["total"]["value"] for response in responses))


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
