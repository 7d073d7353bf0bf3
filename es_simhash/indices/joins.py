"""Pairs of documents that a person joined: versions of each other, whatever their texts are."""

from es_simhash.indices.noted_pairs import NotedPairs
from es_simhash.indices.state_index import StateIndex

JOIN = "join"


class Joins(NotedPairs):
    """The joins of one index.

    Args:
        state: Its state index.
    """

    def __init__(self, state: StateIndex) -> None:
        super().__init__(state, JOIN)
