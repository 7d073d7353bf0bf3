"""What is taken from the `_source` of a document: its text, and the fields to show."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from es_simhash.errors import InputError
from es_simhash.store.paths import get_path, get_values, without_path


def shown_fields(
    stored: Mapping[str, Any], fetched: Sequence[str], wanted: Sequence[str]
) -> dict[str, Any]:
    """Return a document without the fields that were fetched for the evidence alone.

    Args:
        stored: The document.
        fetched: Fields that the evidence needs; dots lead into objects.
        wanted: Requested fields: names, patterns, or names of objects above them.
    """
    source = dict(stored)
    for path in fetched:
        if not _is_among(path, wanted):
            source = without_path(source, path)
    return source


def absent_names(sources: Sequence[Mapping[str, Any]], wanted: Sequence[str]) -> list[str]:
    """Return the requested fields that no document has; none where there are no documents.

    Args:
        sources: The documents, as `shown_fields` returns them.
        wanted: Requested fields: names, patterns, or names of objects above them.
    """
    if not sources:
        return []
    names = [name for name in wanted if "*" not in name]
    return [
        name
        for name in names
        if not any(any(True for _ in get_values(source, name)) for source in sources)
    ]


def _is_among(path: str, wanted: Sequence[str]) -> bool:
    """Check whether a field is requested: by name, by pattern, or by an object above it."""
    return any(fnmatchcase(path, name) or fnmatchcase(path, f"{name}.*") for name in wanted)


def field_names(text_field: str) -> tuple[str, ...]:
    """Return the fields of the text: one, or several that commas separate."""
    return tuple(name.strip() for name in text_field.split(","))


def text_of(source: Mapping[str, Any], text_field: str) -> str | None:
    """Return the text of a document: a string, or strings joined by a blank line.

    Args:
        source: The document.
        text_field: Name of the field, or of several, separated by commas: those that the document
            has are joined. Dots lead into objects.

    Returns:
        None when the document has no such field or it holds null.

    Raises:
        InputError: A field holds something else than text.
    """
    if "," not in text_field:
        return _text_of_field(source, text_field)
    parts = [_text_of_field(source, name) for name in field_names(text_field)]
    present = [part for part in parts if part is not None]
    return "\n\n".join(present) if present else None


def _text_of_field(source: Mapping[str, Any], text_field: str) -> str | None:
    value = get_path(source, text_field)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n\n".join(value)
    kind = type(value).__name__
    if isinstance(value, list):
        other = next(part for part in value if not isinstance(part, str))
        kind = f"a list with {'null' if other is None else type(other).__name__}"
    raise InputError(f"Field {text_field!r} holds {kind}, not text.", parameter="text_field")


def stored_text(source: Mapping[str, Any], text_field: str) -> str | None:
    """Return the text of a document as `text_of` does; None too where something else is.

    For documents that were read before: somebody may have written anything there since.
    """
    try:
        return text_of(source, text_field)
    except InputError:
        return None
