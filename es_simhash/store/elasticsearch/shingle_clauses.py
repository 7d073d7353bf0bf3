"""The clauses that find documents by the shingles they share with a text."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.relation.shared_shingles import least_shared
from es_simhash.store.codec import shingle_terms
from es_simhash.store.fields import SHINGLES, field_path


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
    path = field_path(simhash_field, SHINGLES)
    terms: list[Any] = shingle_terms(queried)
    if named:
        terms = [{"value": term, "_name": str(number)} for number, term in enumerate(terms)]
    return {
        "should": [{"term": {path: term}} for term in terms],
        "minimum_should_match": least_shared(shingles),
    }
