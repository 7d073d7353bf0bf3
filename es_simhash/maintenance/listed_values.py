"""Many values as one value of a statement of SQLite: a list of numbers, or of texts."""

import json
from collections.abc import Iterable

# Subqueries for a statement, each with one placeholder.
NUMBERS = "(SELECT value FROM json_each(?))"
# SQLite ends a string of JSON at U+0000: U+0001 stands before what says which of the two it was.
TEXTS = (
    "(SELECT replace(replace(value, char(1) || '0', char(0)), char(1) || '1', char(1)) AS value"
    " FROM json_each(?))"
)


def listed_numbers(values: Iterable[int]) -> str:
    """Return the value for the placeholder of `NUMBERS`."""
    return json.dumps(list(values))


def listed_texts(values: Iterable[str]) -> str:
    """Return the value for the placeholder of `TEXTS`."""
    return json.dumps([value.replace("\1", "\0011").replace("\0", "\0010") for value in values])
