"""The searches that bring the candidates for versions of one text."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError
from es_simhash.fingerprints.blocks import block_terms, min_shared_blocks
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.fingerprints.text_fingerprints import TextFingerprints
from es_simhash.relation.shared_shingles import sampled
from es_simhash.store import fields
from es_simhash.store.elasticsearch.shingle_clauses import shingle_clauses
from es_simhash.store.fields import field_path
from es_simhash.store.options import MAX_NEIGHBOURS, Limits, Query, SearchOptions

# Name of the clause that finds exact copies; those of shingles are named by their position.
EXACT = "exact"
# Ids in one search: as an id may be in several indices, twice as many hits are requested, and a
# search returns no more than a kNN search does.
_IDS = MAX_NEIGHBOURS // 2


def queried_shingles(fingerprints: TextFingerprints) -> NDArray[np.uint32]:
    """Return the shingles to query: those below the bound that applies to both texts."""
    return sampled(fingerprints.shingles)


def requested_neighbours(limits: Limits) -> int:
    """Return how many documents within k to request: one more shows that a limit cut."""
    return min(limits.candidates + 1, MAX_NEIGHBOURS)


def related_query(
    fingerprints: TextFingerprints,
    *,
    options: SearchOptions | None = None,
    simhash_field: str = fields.DEFAULT_FIELD,
    exclude_ids: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Return the bodies of the two searches for documents related to a text.

    The first finds shared shingles, rarest first; the second finds every document whose
    fingerprint lies within k bits: its blocks are the filter, the distance is computed by the
    server. Send both in one multi-search.

    Args:
        fingerprints: Of the text.
        options: Filters, limits, and the Hamming distance promised for document fingerprints.
        simhash_field: Field of the `simhash` object.
        exclude_ids: Documents to leave out, such as the query itself.

    Raises:
        InputError: The text has no fingerprint.
        SchemeError: The blocks cannot promise k.
    """
    if fingerprints.document is None:
        raise InputError("Text has no words to fingerprint. Give another text.")
    options = options or SearchOptions()
    scheme = field_path(simhash_field, fields.SCHEME)
    conditions = search_conditions(scheme, fingerprints.scheme, options, exclude_ids)
    return [
        _shingle_search(fingerprints, simhash_field, options.limits, conditions),
        _block_search(fingerprints, simhash_field, options, conditions),
    ]


def search_conditions(
    path: str, scheme: str, options: SearchOptions, exclude_ids: Sequence[str]
) -> list[Query]:
    """Return what every hit must match: its scheme, the user's filters, and not to be excluded."""
    return [{"term": {path: scheme}}, *options.filters, *excluding(exclude_ids)]


def excluding(ids: Sequence[str]) -> list[Query]:
    """Return the condition that leaves documents out; none without ids."""
    return [{"bool": {"must_not": excluded_ids(ids)}}] if ids else []


def excluded_ids(ids: Sequence[str]) -> list[Query]:
    """Return what a document must not match, so that it is none of these; empty without ids."""
    return [{"ids": {"values": list(ids)}}] if ids else []


def shared_queries(
    fingerprints: TextFingerprints, simhash_field: str, ids: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the bodies of the searches that return which shingles documents share with a text.

    Args:
        fingerprints: Of the text.
        simhash_field: Field of the `simhash` object.
        ids: Of the documents.
    """
    return [
        _shared_query(fingerprints, simhash_field, ids[start : start + _IDS])
        for start in range(0, len(ids), _IDS)
    ]


def _shared_query(
    fingerprints: TextFingerprints, simhash_field: str, ids: Sequence[str]
) -> dict[str, Any]:
    wanted = [{"ids": {"values": list(ids)}}]
    body = _shingle_search(fingerprints, simhash_field, Limits(candidates=len(ids)), wanted)
    body["query"]["bool"]["minimum_should_match"] = 0
    # An id may be in several indices.
    return {**body, "size": 2 * len(ids), "docvalue_fields": [], "track_total_hits": False}


def joined_queries(
    fingerprints: TextFingerprints,
    options: SearchOptions,
    simhash_field: str,
    ids: Sequence[str],
) -> list[dict[str, Any]]:
    """Return the bodies of the searches for documents by their ids, as candidates of a text.

    Args:
        fingerprints: Of the text.
        options: Filters that the documents must match.
        simhash_field: Field of the `simhash` object.
        ids: Of the documents.
    """
    scheme = field_path(simhash_field, fields.SCHEME)
    conditions = search_conditions(scheme, fingerprints.scheme, options, ())
    bodies = []
    for start in range(0, len(ids), _IDS):
        some = list(ids[start : start + _IDS])
        wanted = [{"ids": {"values": some}}, *conditions]
        limits = Limits(candidates=2 * len(some))
        body = _shingle_search(fingerprints, simhash_field, limits, wanted)
        body["query"]["bool"]["minimum_should_match"] = 0
        bodies.append({**body, "track_total_hits": False})
    return bodies


def _search(simhash_field: str, limits: Limits) -> dict[str, Any]:
    return {
        "size": limits.candidates,
        "_source": False,
        "docvalue_fields": [field_path(simhash_field, member) for member in fields.SCORED_MEMBERS],
        "track_total_hits": limits.candidates + 1,
    }


def _shingle_search(
    fingerprints: TextFingerprints,
    simhash_field: str,
    limits: Limits,
    conditions: Sequence[Query],
) -> dict[str, Any]:
    queried, shingles = queried_shingles(fingerprints), len(fingerprints.shingles)
    sharing = shingle_clauses(simhash_field, queried, shingles, named=True)
    same = {"value": fingerprints.content_hash, "_name": EXACT, "boost": 1000}
    sharing["should"].append({"term": {field_path(simhash_field, fields.CONTENT_HASH): same}})
    return {
        **_search(simhash_field, limits),
        "query": {"bool": {"filter": list(conditions), **sharing}},
    }


def _block_search(
    fingerprints: TextFingerprints,
    simhash_field: str,
    options: SearchOptions,
    conditions: Sequence[Query],
) -> dict[str, Any]:
    assert fingerprints.document is not None
    scheme = Scheme.parse(fingerprints.scheme)
    k = scheme.max_k if options.k is None else options.k
    terms = block_terms(fingerprints.document[None], scheme.blocks)[0]
    path = field_path(simhash_field, fields.BLOCKS)
    shared = {
        "bool": {
            "should": [{"term": {path: term}} for term in terms],
            "minimum_should_match": min_shared_blocks(scheme.blocks, k),
        }
    }
    return {
        **_search(simhash_field, options.limits),
        "knn": {
            "field": field_path(simhash_field, fields.FINGERPRINT),
            "query_vector": fingerprints.document.tobytes().hex(),
            "k": requested_neighbours(options.limits),
            "num_candidates": requested_neighbours(options.limits),
            # Of bit vectors this is the greatest Hamming distance, counted exactly.
            "similarity": k,
            "filter": [shared, *conditions],
        },
    }
