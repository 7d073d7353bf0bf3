"""The searches that bring the candidates for versions of one text, and reading their hits."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError
from es_simhash.fingerprints.blocks import block_terms, min_shared_blocks
from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.relation.candidate import Candidate
from es_simhash.relation.shared_shingles import sampled
from es_simhash.store import fields
from es_simhash.store.codec import PackedText
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.conditions import (
    MAX_HITS,
    SAME_TEXT_BOOST,
    filters_of,
    shingle_clauses,
)
from es_simhash.store.elasticsearch.hits import best_of, places_of
from es_simhash.store.elasticsearch.searches import TermSearch
from es_simhash.store.intents import CompareShingles, Filter, FindSimilar, Where
from es_simhash.store.rows import SimilarTexts

# Name of the clause that finds exact copies; those of shingles are named by their position.
_EXACT = "exact"
# Of documents that share shingles, this part more is requested than wanted, for those that are as
# good as the last.
_EQUAL_SHARE = 0.25
# Ids in one search, for as many hits as an answer holds: an id may be in many indices of a name.
_IDS = MAX_HITS // 10

Hit = Mapping[str, Any]


def similar_bodies(request: FindSimilar, config: IndexConfig, where: Where) -> list[dict[str, Any]]:
    """Return the bodies of the two searches for documents that may be versions of a text.

    The first finds shared shingles, rarest first; the second finds every document whose
    fingerprint lies within k bits: its blocks are the filter, the distance is computed by the
    server.

    Args:
        request: The request.
        config: Of the index.
        where: Which documents, as the searched index has them.

    Raises:
        InputError: The text has no fingerprint.
        SchemeError: The blocks cannot promise k.
    """
    if request.fingerprints.document is None:
        raise InputError("Text has no words to fingerprint. Give another text.")
    conditions = filters_of(replace(where, fingerprinted=True), config)
    wanted = min(MAX_HITS, math.ceil(request.candidates * (1 + _EQUAL_SHARE)))
    shingles = _shingle_body(request.fingerprints, config, wanted, conditions)
    shingles["track_total_hits"] = request.candidates + 1
    return [shingles, _block_body(request, config, conditions)]


def read_similar(
    responses: Sequence[Mapping[str, Any]], request: FindSimilar, config: IndexConfig
) -> SimilarTexts:
    """Return the candidates of the searches of `similar_bodies`."""
    by_shingles, by_blocks = (response["hits"] for response in responses)
    queried = sampled(request.fingerprints.shingles)
    sharing = best_of(by_shingles["hits"], request.candidates)
    return SimilarTexts(
        [_candidate(hit, queried, config) for hit in sharing],
        [_candidate(hit, queried, config) for hit in by_blocks["hits"]],
        is_cut=by_shingles["total"]["value"] > request.candidates,
        is_cut_within_k=by_blocks["total"]["value"] >= _requested_neighbours(request.candidates),
        places=places_of([*sharing, *by_blocks["hits"]]),
    )


def compare_bodies(
    request: CompareShingles, config: IndexConfig, where: Where
) -> list[dict[str, Any]]:
    """Return the bodies of the searches that return what documents share with a text."""
    bodies = []
    for start in range(0, len(request.ids), _IDS):
        some = request.ids[start : start + _IDS]
        wanted = filters_of(replace(where, ids=some), config)
        body = _shingle_body(request.fingerprints, config, MAX_HITS, wanted)
        body["query"]["bool"]["minimum_should_match"] = 0
        bodies.append({**body, "track_total_hits": False})
    return bodies


def read_compared(
    responses: Sequence[Mapping[str, Any]], request: CompareShingles, config: IndexConfig
) -> SimilarTexts:
    """Return the candidates of the searches of `compare_bodies`; those without parts left out.

    Where a search found as many as an answer holds, there may be more.
    """
    hits = [hit for response in responses for hit in response["hits"]["hits"]]
    queried = sampled(request.fingerprints.shingles)
    complete = [hit for hit in hits if PackedText.of(hit, config.simhash_field)]
    candidates = [_candidate(hit, queried, config) for hit in complete]
    is_cut = any(len(response["hits"]["hits"]) >= MAX_HITS for response in responses)
    return SimilarTexts(candidates, is_cut=is_cut, places=places_of(hits))


def _requested_neighbours(candidates: int) -> int:
    """Return how many documents within k to request: one more shows that a limit cut."""
    return min(candidates + 1, MAX_HITS)


def _body(config: IndexConfig, size: int) -> dict[str, Any]:
    return {
        "size": size,
        "_source": False,
        "docvalue_fields": [config.path(member) for member in fields.SCORED_MEMBERS],
        "track_total_hits": size + 1,
    }


def _shingle_body(
    fingerprints: TextFingerprints, config: IndexConfig, size: int, conditions: Sequence[Filter]
) -> TermSearch:
    queried, shingles = sampled(fingerprints.shingles), len(fingerprints.shingles)
    sharing = shingle_clauses(config.simhash_field, queried, shingles, named=True)
    same = {"value": fingerprints.content_hash, "_name": _EXACT, "boost": SAME_TEXT_BOOST}
    sharing["should"].append({"term": {config.path(fields.CONTENT_HASH): same}})
    query = {"bool": {"filter": list(conditions), **sharing}}
    return TermSearch({**_body(config, size), "query": query})


def _block_body(
    request: FindSimilar, config: IndexConfig, conditions: Sequence[Filter]
) -> dict[str, Any]:
    document = request.fingerprints.document
    assert document is not None
    scheme = Scheme.parse(request.fingerprints.scheme)
    k = scheme.max_k if request.k is None else request.k
    terms = block_terms(document[None], scheme.blocks)[0]
    path = config.path(fields.BLOCKS)
    shared = {
        "bool": {
            "should": [{"term": {path: term}} for term in terms],
            "minimum_should_match": min_shared_blocks(scheme.blocks, k),
        }
    }
    requested = _requested_neighbours(request.candidates)
    return {
        **_body(config, request.candidates),
        "knn": [
            {
                "field": config.path(fields.FINGERPRINT),
                "query_vector": document.tobytes().hex(),
                "k": requested,
                "num_candidates": requested,
                # Of bit vectors this is the greatest Hamming distance, counted exactly.
                "similarity": k,
                "filter": [shared, *conditions],
            }
        ],
    }


def _candidate(hit: Hit, queried: NDArray[np.uint32], config: IndexConfig) -> Candidate:
    """Return a hit as a candidate; where it lacks parts, these cannot be read."""
    names = hit.get("matched_queries", ())
    positions = np.array(sorted(int(name) for name in names if name != _EXACT), np.int64)
    index, id = hit["_index"], hit["_id"]
    text = PackedText.of(hit, config.simhash_field) or PackedText(index, id, "", "")
    return Candidate(id, text, queried[positions], _EXACT in names, index=index)
