"""Comparing the values that two documents have in a field."""

import unicodedata
from collections.abc import Iterable
from typing import Any, Literal

from es_simhash.relation.field_evidence import FieldEvidence
from es_simhash.text.normal_forms import normalise

# Classes of characters that do not tell values apart: punctuation and white space.
_IGNORED = ("P", "Z")


def field_evidence(
    name: Literal["owner", "identifier"], field: str, query: Iterable[Any], hit: Iterable[Any]
) -> FieldEvidence:
    """Compare the values of one field of two documents.

    Case, punctuation, white space and the script of digits do not tell values apart.

    Args:
        name: What the field is.
        field: The field.
        query: Its values in the query.
        hit: Its values in the hit.
    """
    of_query, of_hit = _values(query), _values(hit)
    if not of_query or not of_hit:
        return FieldEvidence(name, field, "absent", of_query, of_hit)
    keys = {comparable(value) for value in of_hit}
    common = tuple(value for value in of_query if comparable(value) in keys)
    return FieldEvidence(name, field, "agree" if common else "differ", of_query, of_hit, common)


def comparable(value: str) -> str:
    """Return a value as it is compared; empty where it is punctuation alone.

    >>> comparable("ISBN 978-3-16") == comparable("isbn ٩٧٨٣١٦")
    True
    """
    letters = (
        letter for letter in normalise(value) if unicodedata.category(letter)[0] not in _IGNORED
    )
    return "".join(str(unicodedata.decimal(letter, letter)) for letter in letters)


def _values(values: Iterable[Any]) -> tuple[str, ...]:
    """Return values as strings, each once, in order; what is no value of a field is left out."""
    strings = (
        _written(value)
        for value in values
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    )
    return tuple(dict.fromkeys(string for string in strings if comparable(string)))


def _written(value: str | int | float) -> str:
    """Return a value as a string: a whole number is the same, whether or not it is a float."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
