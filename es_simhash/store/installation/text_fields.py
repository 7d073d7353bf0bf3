"""Text fields that the user named and documents lack: whether the name is misspelt.

A text may be in `_source` alone, where neither the mapping nor `exists` sees it. So a name is only
wrong when `_source` cannot have it by the mapping, and none of the documents at hand has it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from es_simhash.store.mapped_fields import (
    TEXT_TYPES,
    fields_named,
    is_made,
    nearest_text_hint,
    unknown_field,
)
from es_simhash.store.source import field_names


def misspelt_hint(mappings: Mapping[str, Mapping[str, Any]], text_field: str) -> str:
    """Return the end of a sentence about documents without a text; empty for a mapped field."""
    unmapped = _unmapped(field_names(text_field), mappings)
    return nearest_text_hint(unmapped[0], mappings) if unmapped else ""


def require_mapped(mappings: Mapping[str, Mapping[str, Any]], names: Iterable[str]) -> None:
    """Reject text fields that no document at hand has, unless a mapping has them.

    Raises:
        InputError: No mapping has one of them.
    """
    for name in _unmapped(names, mappings):
        raise unknown_field(name, mappings, TEXT_TYPES, parameter="text_field", documents=True)


def _unmapped(names: Iterable[str], mappings: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return which fields of the text no mapping has in `_source` under their names.

    It has not those of multi-fields, aliases and scripts.
    """
    return [name for name in names if not fields_named(name, mappings) or is_made(name, mappings)]
