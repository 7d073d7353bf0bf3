"""Searches by words: the user's own query in the fields of titles and texts."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.service.explorer.parameters import MAX_QUERY, PAGE
from es_simhash.store.options import Query

# No wildcards within words and no fuzziness: what a query costs stays bounded.
_FLAGS = "AND|OR|NOT|PHRASE|PRECEDENCE|PREFIX|WHITESPACE|ESCAPE"
# Private characters around what matches; where a text has them itself, more is marked.
_START, _END = "\ue000", "\ue001"
_EXCERPT = 220
# Characters of a text that are looked at for an excerpt.
_ANALYSED = 200_000


def words_query(words: str, title: str | None, texts: Sequence[str]) -> dict[str, Any]:
    """Return the query for words, quotes, `+`, `|`, `-`, brackets and `*` at the end of a word.

    Args:
        words: What the user typed.
        title: Field of the title, which counts more; None for none.
        texts: Fields of the text.
    """
    fields = [*([] if title is None else [f"{title}^3"]), *texts]
    return {
        "simple_query_string": {
            "query": words[:MAX_QUERY],
            "fields": fields,
            "default_operator": "and",
            "flags": _FLAGS,
            "lenient": True,
        }
    }


def grouped_bodies(query: Query, filters: Sequence[Query], family: str, page: int) -> list[Any]:
    """Return two searches: of the families, the best document of each, and of what has none.

    `collapse` would take all documents without a family for one.

    Args:
        query: That documents match.
        filters: That they must match as well.
        family: Field of the names of families.
        page: Up to which hits are needed.
    """
    has_family = {"exists": {"field": family}}
    common = {"size": page * PAGE + 1, "_source": False, "track_total_hits": True}
    grouped = {"must": query, "filter": [has_family, *filters]}
    single = {"must": query, "filter": [*filters], "must_not": [has_family]}
    return [
        {
            **common,
            "query": {"bool": grouped},
            "collapse": {"field": family},
            "docvalue_fields": [family],
        },
        {**common, "query": {"bool": single}},
    ]


def excerpts_body(
    query: Query, ids: Sequence[str], filters: Sequence[Query], texts: Sequence[str]
) -> dict[str, Any]:
    """Return the search for the stretch of each text that matches best."""
    shown = {
        "fragment_size": _EXCERPT,
        "number_of_fragments": 1,
        "no_match_size": _EXCERPT,
        "max_analyzed_offset": _ANALYSED,
        "pre_tags": [_START],
        "post_tags": [_END],
        "fields": {field: {} for field in texts},
    }
    return {
        "size": 2 * len(ids),
        "query": {"bool": {"must": query, "filter": [{"ids": {"values": list(ids)}}, *filters]}},
        "_source": False,
        "track_total_hits": False,
        "highlight": shown,
    }


def excerpt_of(hit: Mapping[str, Any]) -> tuple[tuple[str, bool], ...]:
    """Return the excerpt of a hit in pieces, each with whether it matches; empty for none."""
    found = next((each[0] for each in hit.get("highlight", {}).values() if each), "")
    pieces: list[tuple[str, bool]] = []
    is_match = False
    for piece in found.replace(_END, _START).split(_START):
        if piece:
            pieces.append((" ".join(f"|{piece}|".split())[1:-1], is_match))
        is_match = not is_match
    return tuple(pieces)
