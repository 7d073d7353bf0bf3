"""The search for candidates of a method by the block keys of a text, and reading its hits."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.conditions import filters_of
from es_simhash.store.elasticsearch.hits import ref_of
from es_simhash.store.fields import BLOCKS, FINGERPRINT, SCHEME
from es_simhash.store.intents import Filter, FindByBlocks, Where
from es_simhash.store.rows import MethodHits

# Keys with a clause of their own; the engine takes at least 1,024 clauses.
_MAX_SCORED = 900
# Terms of one clause, as the engine takes them by default.
_MAX_TERMS = 65_536


def block_bodies(request: FindByBlocks, config: IndexConfig, where: Where) -> list[dict[str, Any]]:
    """Return the body of the search for documents that share a block key with a text.

    Args:
        request: The request.
        config: Of the index.
        where: Which documents, as the searched index has them.
    """
    scheme: Filter = {"term": {config.path(request.scheme.member(SCHEME)): request.scheme.name}}
    should = list(_clauses(request.keys, config.path(request.scheme.member(BLOCKS))))
    conditions = [scheme, *filters_of(where, config)]
    return [
        {
            "size": request.candidates,
            "_source": False,
            "docvalue_fields": [config.path(request.scheme.member(FINGERPRINT))],
            "track_total_hits": request.candidates + 1,
            "query": {"bool": {"filter": conditions, "should": should, "minimum_should_match": 1}},
        }
    ]


def read_block_hits(
    responses: Sequence[Mapping[str, Any]], request: FindByBlocks, config: IndexConfig
) -> MethodHits:
    """Return the documents of the search of `block_bodies`, with their fingerprints."""
    hits = responses[0]["hits"]
    path = config.path(request.scheme.member(FINGERPRINT))
    return MethodHits(
        [ref_of(hit) for hit in hits["hits"]],
        [_unpacked(hit.get("fields", {}).get(path, [""])[0]) for hit in hits["hits"]],
        hits["total"]["value"] > request.candidates,
    )


def _unpacked(value: Any) -> bytes:
    """Return stored bytes; empty for what this package did not write."""
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, ValueError):
        return b""


def _clauses(keys: Sequence[str], path: str) -> Iterator[Filter]:
    """Yield clauses that match any of the keys; where the limit cuts, rare ones decide.

    Where there are too many for a clause each, some are scored, evenly chosen, and the others match
    alone.
    """
    step = -(-len(keys) // _MAX_SCORED)
    # A term's own score is its rarity in the index.
    yield from ({"term": {path: key}} for key in keys[::step])
    rest = [key for place, key in enumerate(keys) if place % step]
    for start in range(0, len(rest), _MAX_TERMS):
        some = {"terms": {path: rest[start : start + _MAX_TERMS]}}
        yield {"constant_score": {"filter": some, "boost": 0}}
