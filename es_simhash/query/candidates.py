"""The searches that bring the candidates of one document."""

from collections.abc import Sequence
from typing import Any

from es_simhash.errors import InputError
from es_simhash.fingerprints.blocks import block_terms, min_shared_blocks
from es_simhash.fingerprints.scheme import Scheme
from es_simhash.fingerprints.text_fingerprints import TextFingerprints
from es_simhash.query.options import Limits, Query
from es_simhash.storage import fields
from es_simhash.storage.codec import shingle_terms
from es_simhash.storage.fields import field_path

# What a server takes as k of a kNN search at the most.
_MOST_NEIGHBOURS = 10_000
# Name of the clause that finds exact copies; those of passages are named by their position.
EXACT = "exact"


def queried_shingles(fingerprints: TextFingerprints, limits: Limits) -> int:
    """Return the number of passages to ask for."""
    return min(len(fingerprints.shingles), limits.clauses)


def min_shared_shingles(fingerprints: TextFingerprints, limits: Limits) -> int:
    """Return the number of those passages that a candidate must have."""
    return limits.shared if queried_shingles(fingerprints, limits) > 2 * limits.shared else 1


def requested_neighbours(limits: Limits) -> int:
    """Return the number of documents within k to look for: one more shows that a limit cut."""
    return min(limits.candidates + 1, _MOST_NEIGHBOURS)


def related_query(
    fingerprints: TextFingerprints,
    *,
    field: str = fields.DEFAULT_FIELD,
    k: int | None = None,
    limits: Limits | None = None,
    filters: Sequence[Query] = (),
    without_ids: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Return the bodies of the two searches for documents related to a text.

    The first finds shared passages, rarest first; the second finds every document whose
    fingerprint lies within k bits: its blocks are the filter, the distance is computed by the
    server. Send both in one multi-search.

    Args:
        fingerprints: Of the text.
        field: Name of our object in the index.
        k: Hamming distance promised for document fingerprints; by default the most the blocks
            allow.
        limits: Bounds; by default `Limits()`.
        filters: Elasticsearch queries that every hit must match, before any cut.
        without_ids: Documents to leave out, such as the query itself.

    Raises:
        InputError: The text has no fingerprint.
        SchemeError: The blocks cannot promise k.
    """
    if fingerprints.document is None:
        raise InputError("The text has no words to fingerprint; it is related to nothing.")
    limits = limits or Limits()
    conditions: list[Query] = [
        {"term": {field_path(field, fields.SCHEME): fingerprints.scheme}},
        *filters,
    ]
    if without_ids:
        conditions.append({"bool": {"must_not": [{"ids": {"values": list(without_ids)}}]}})
    return [
        _shingle_search(fingerprints, field, limits, conditions),
        _block_search(fingerprints, field, k, limits, conditions),
    ]


def _search(field: str, limits: Limits) -> dict[str, Any]:
    return {
        "size": limits.candidates,
        "_source": False,
        "docvalue_fields": [field_path(field, fields.CHUNKS)],
        "track_total_hits": limits.candidates + 1,
    }


def _shingle_search(
    fingerprints: TextFingerprints, field: str, limits: Limits, conditions: Sequence[Query]
) -> dict[str, Any]:
    asked = queried_shingles(fingerprints, limits)
    path = field_path(field, fields.SHINGLES)
    # A term's own score is its rarity in the index, so the best candidates share rare passages.
    should: list[Query] = [
        {"term": {path: {"value": term, "_name": str(position)}}}
        for position, term in enumerate(shingle_terms(fingerprints.shingles[:asked]))
    ]
    same = {"value": fingerprints.content_hash, "_name": EXACT, "boost": 1000}
    should.append({"term": {field_path(field, fields.CONTENT_HASH): same}})
    return {
        **_search(field, limits),
        "query": {
            "bool": {
                "filter": list(conditions),
                "should": should,
                "minimum_should_match": min_shared_shingles(fingerprints, limits),
            }
        },
    }


def _block_search(
    fingerprints: TextFingerprints,
    field: str,
    k: int | None,
    limits: Limits,
    conditions: Sequence[Query],
) -> dict[str, Any]:
    assert fingerprints.document is not None
    scheme = Scheme.parse(fingerprints.scheme)
    k = scheme.most_k if k is None else k
    terms = block_terms(fingerprints.document[None], scheme.blocks)[0]
    path = field_path(field, fields.BLOCKS)
    least = min_shared_blocks(scheme.blocks, k)
    shared = {
        "bool": {"should": [{"term": {path: t}} for t in terms], "minimum_should_match": least}
    }
    return {
        **_search(field, limits),
        "knn": {
            "field": field_path(field, fields.FINGERPRINT),
            "query_vector": fingerprints.document.tobytes().hex(),
            "k": requested_neighbours(limits),
            "num_candidates": requested_neighbours(limits),
            # Of bit vectors this is the greatest Hamming distance, counted exactly.
            "similarity": k,
            "filter": [shared, *conditions],
        },
    }
