"""Query bodies as plain dicts, and how their answers are read; nothing here needs a client."""

from es_simhash.query.answer import Found, read_answers
from es_simhash.query.asking import Asking
from es_simhash.query.body import Limits, related_query

__all__ = ["Asking", "Found", "Limits", "read_answers", "related_query"]
