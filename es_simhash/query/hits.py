"""Reading the hits of the searches of `related_query`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from es_simhash.query.candidates import EXACT, requested_neighbours
from es_simhash.query.options import Limits
from es_simhash.relation.scoring import Candidate
from es_simhash.storage import fields
from es_simhash.storage.codec import unpack_chunks
from es_simhash.storage.fields import field_path


@dataclass(frozen=True)
class Candidates:
    """Candidates of one query, each once, and whether a limit cut them."""

    candidates: list[Candidate]
    truncated: bool


def read_candidates(
    answers: Sequence[Mapping[str, Any]],
    *,
    limits: Limits,
    simhash_field: str = fields.DEFAULT_FIELD,
) -> Candidates:
    """Merge the hits of the shingle search and of the block search.

    Args:
        answers: The two answers, in the order of `related_query`.
        limits: Those of the query.
        simhash_field: Field of the `simhash` object.
    """
    by_shingles, by_blocks = answers
    path = field_path(simhash_field, fields.CHUNKS)
    candidates: dict[tuple[str, str], Candidate] = {}
    for hit in by_shingles["hits"]["hits"]:
        candidates[hit["_index"], hit["_id"]] = _candidate(hit, path)
    for hit in by_blocks["hits"]["hits"]:
        key = hit["_index"], hit["_id"]
        candidates[key] = replace(candidates.get(key) or _candidate(hit, path), within_k=True)
    truncated = by_shingles["hits"]["total"]["value"] > limits.candidates or by_blocks["hits"][
        "total"
    ]["value"] >= requested_neighbours(limits)
    return Candidates(list(candidates.values()), truncated)


def _candidate(hit: Mapping[str, Any], path: str) -> Candidate:
    names = hit.get("matched_queries", ())
    positions = np.array(sorted(int(name) for name in names if name != EXACT), np.int64)
    chunks = unpack_chunks(hit["fields"][path][0])
    return Candidate(hit["_id"], chunks, positions, EXACT in names, index=hit["_index"])
