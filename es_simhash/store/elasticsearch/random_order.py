"""A random order of hits, for samples."""

from collections.abc import Mapping
from typing import Any

ALL: Mapping[str, Any] = {"match_all": {}}


def in_random_order(query: Mapping[str, Any] = ALL, seed: int = 1) -> dict[str, Any]:
    """Return a query with the same hits in a random order.

    The order is the same for the same seed, as long as none of the documents is written again.

    Args:
        query: The query, whose scores do not count.
        seed: Of the order.
    """
    order = {"seed": seed, "field": "_seq_no"}
    return {"function_score": {"query": query, "random_score": order, "boost_mode": "replace"}}
