"""The searches that bring the candidates of one document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash import document
from es_simhash.blocking import block_terms, least_shared_blocks
from es_simhash.document import field_path, passage_terms
from es_simhash.errors import InputError
from es_simhash.fingerprints import TextFingerprints
from es_simhash.scheme import Scheme

Query = Mapping[str, Any]

# What a server takes as k of a kNN search at the most.
_MOST_NEIGHBOURS = 10_000
# Name of the clause that finds exact copies; those of passages are named by their position.
EXACT = "exact"


@dataclass(frozen=True)
class Limits:
    """Bounds of one search; where one cuts, the answer says `truncated`.

    Attributes:
        candidates: Candidates fetched for each query and each way of finding them.
        clauses: Passages asked for; of a longer text those with the smallest numbers, which is a
            sample of its passages (docs/guarantee.md gives the error).
        shared: Passages a candidate must share; texts of fewer than five passages need one.
    """

    candidates: int = 100
    clauses: int = 512
    shared: int = 2

    def __post_init__(self) -> None:
        for name in ("candidates", "clauses", "shared"):
            if getattr(self, name) < 1:
                raise InputError(f"A limit of {getattr(self, name)} {name} must be at least 1.")


def asked_passages(fingerprints: TextFingerprints, limits: Limits) -> int:
    """Give the number of passages to ask for."""
    return min(len(fingerprints.passages), limits.clauses)


def least_shared_passages(fingerprints: TextFingerprints, limits: Limits) -> int:
    """Give the number of those passages that a candidate must have."""
    return limits.shared if asked_passages(fingerprints, limits) > 2 * limits.shared else 1


def asked_neighbours(limits: Limits) -> int:
    """Give the number of documents within k to look for: one more shows that a limit cut."""
    return min(limits.candidates + 1, _MOST_NEIGHBOURS)


def related_query(
    fingerprints: TextFingerprints,
    *,
    field: str = document.DEFAULT_FIELD,
    k: int | None = None,
    limits: Limits | None = None,
    filters: Sequence[Query] = (),
    without_ids: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Give the bodies of the two searches for documents related to a text.

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
        {"term": {field_path(field, document.SCHEME): fingerprints.scheme}},
        *filters,
    ]
    if without_ids:
        conditions.append({"bool": {"must_not": [{"ids": {"values": list(without_ids)}}]}})
    return [
        _passage_search(fingerprints, field, limits, conditions),
        _block_search(fingerprints, field, k, limits, conditions),
    ]


def _search(field: str, limits: Limits) -> dict[str, Any]:
    return {
        "size": limits.candidates,
        "_source": False,
        "docvalue_fields": [field_path(field, document.CHUNKS)],
        "track_total_hits": limits.candidates + 1,
    }


def _passage_search(
    fingerprints: TextFingerprints, field: str, limits: Limits, conditions: Sequence[Query]
) -> dict[str, Any]:
    asked = asked_passages(fingerprints, limits)
    path = field_path(field, document.PASSAGES)
    # A term's own score is its rarity in the index, so the best candidates share rare passages.
    should: list[Query] = [
        {"term": {path: {"value": term, "_name": str(position)}}}
        for position, term in enumerate(passage_terms(fingerprints.passages[:asked]))
    ]
    same = {"value": fingerprints.content_hash, "_name": EXACT, "boost": 1000}
    should.append({"term": {field_path(field, document.CONTENT_HASH): same}})
    return {
        **_search(field, limits),
        "query": {
            "bool": {
                "filter": list(conditions),
                "should": should,
                "minimum_should_match": least_shared_passages(fingerprints, limits),
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
    path = field_path(field, document.BLOCKS)
    least = least_shared_blocks(scheme.blocks, k)
    shared = {
        "bool": {"should": [{"term": {path: t}} for t in terms], "minimum_should_match": least}
    }
    return {
        **_search(field, limits),
        "knn": {
            "field": field_path(field, document.FINGERPRINT),
            "query_vector": fingerprints.document.tobytes().hex(),
            "k": asked_neighbours(limits),
            "num_candidates": asked_neighbours(limits),
            # Of bit vectors this is the greatest Hamming distance, counted exactly.
            "similarity": k,
            "filter": [shared, *conditions],
        },
    }
