"""Text fields that the user named and documents lack: whether the name is misspelt.

A text may be in `_source` alone, where neither the mapping nor `exists` sees it. So a name is only
wrong when `_source` cannot have it by the mapping, and none of the documents at hand has it.
"""

from collections.abc import Mapping
from typing import Any

from es_simhash.errors import InputError
from es_simhash.store.mapped_fields import (
    TEXT_TYPES,
    fields_named,
    nearest_hint,
    unknown_field,
)
from es_simhash.store.source import field_names


def is_mapped(name: str, mappings: Mapping[str, Mapping[str, Any]]) -> bool:
    """Check whether a mapping has a field whose values are in `_source` under its name.

    Those of multi-fields, aliases and scripts are not.
    """
    return any(field.source == name for field in fields_named(name, mappings).values())


def misspelt_hint(mappings: Mapping[str, Mapping[str, Any]], text_field: str) -> str:
    """Return the end of a sentence about documents without a text; empty for a mapped field."""
    unmapped = _unmapped(text_field, mappings)
    return nearest_hint(unmapped[0], mappings, TEXT_TYPES, documents=True) if unmapped else ""


def require_mapped(mappings: Mapping[str, Mapping[str, Any]], text_field: str) -> None:
    """Reject a text field that no document at hand has, unless a mapping has it.

    Raises:
        InputError: No mapping has it.
    """
    for name in _unmapped(text_field, mappings):
        raise unknown_text_field(name, mappings)


def _unmapped(text_field: str, mappings: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return which of the fields of the text no mapping has."""
    return [name for name in field_names(text_field) if not is_mapped(name, mappings)]


def unknown_text_field(name: str, mappings: Mapping[str, Mapping[str, Any]]) -> InputError:
    """Return the error of a text field that neither a mapping nor a document has."""
    return unknown_field(name, mappings, TEXT_TYPES, parameter="text_field", documents=True)
