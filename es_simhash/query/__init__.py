"""Query bodies as plain dicts, and how their answers are read; nothing here needs a client."""

from es_simhash.query.answer import Found, read_answers
from es_simhash.query.asking import Asking, Recency
from es_simhash.query.body import Limits, related_query
from es_simhash.query.neighbours import Neighbour, neighbour_query, read_neighbours

__all__ = [
    "Asking",
    "Found",
    "Limits",
    "Neighbour",
    "Recency",
    "neighbour_query",
    "read_answers",
    "read_neighbours",
    "related_query",
]
