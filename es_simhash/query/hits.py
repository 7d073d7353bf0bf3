"""Reading what the searches of `related_query` answered."""

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
class Found:
    """Candidates of one query, each once, and whether a limit cut them."""

    candidates: list[Candidate]
    truncated: bool


def read_answers(
    answers: Sequence[Mapping[str, Any]], *, field: str = fields.DEFAULT_FIELD, limits: Limits
) -> Found:
    """Merge the answers of the passage search and of the block search.

    Args:
        answers: The two answers, in the order of `related_query`.
        field: Name of our object in the index.
        limits: Those of the query.
    """
    shingles, blocks = answers
    path = field_path(field, fields.CHUNKS)
    candidates: dict[tuple[str, str], Candidate] = {}
    for hit in shingles["hits"]["hits"]:
        candidates[hit["_index"], hit["_id"]] = _candidate(hit, path)
    for hit in blocks["hits"]["hits"]:
        key = hit["_index"], hit["_id"]
        candidates[key] = replace(candidates.get(key) or _candidate(hit, path), within_k=True)
    truncated = shingles["hits"]["total"]["value"] > limits.candidates or blocks["hits"]["total"][
        "value"
    ] >= requested_neighbours(limits)
    return Found(list(candidates.values()), truncated)


def _candidate(hit: Mapping[str, Any], path: str) -> Candidate:
    names = hit.get("matched_queries", ())
    positions = np.array(sorted(int(name) for name in names if name != EXACT), np.int64)
    chunks = unpack_chunks(hit["fields"][path][0])
    return Candidate(hit["_id"], chunks, positions, EXACT in names, index=hit["_index"])
