"""Queries for terms, and the limits of any search."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.relation.shared_shingles import least_shared
from es_simhash.store import fields
from es_simhash.store.codec import shingle_terms

# The same text counts more than whatever else is shared.
SAME_TEXT_BOOST = 1000
# The greatest k of a kNN search that the engine accepts, and hits of one search.
MAX_HITS = 10_000


def any_value(field: str, values: Sequence[str | int]) -> dict[str, Any]:
    """Return the filter for documents that have one of some values in a field."""
    return {"terms": {field: list(values)}}


def shingle_clauses(
    simhash_field: str, queried: NDArray[np.uint32], shingles: int, *, named: bool = False
) -> dict[str, Any]:
    """Return the members of a `bool` query for documents that share enough shingles with a text.

    A term's own score is its rarity in the index, so the best hits share rare shingles.

    Args:
        simhash_field: Field of the `simhash` object.
        queried: Shingles of the text that are queried.
        shingles: How many the text has.
        named: Whether each clause is named by the position of its shingle.
    """
    path = fields.field_path(simhash_field, fields.SHINGLES)
    terms: list[Any] = shingle_terms(queried)
    if named:
        terms = [{"value": term, "_name": str(number)} for number, term in enumerate(terms)]
    return {
        "should": [{"term": {path: term}} for term in terms],
        "minimum_should_match": least_shared(shingles),
    }
