"""Which fields of a stored document are shown."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from es_simhash.errors import InputError


def shown_fields(
    stored: Mapping[str, Any], fetched: Sequence[str], wanted: Sequence[str]
) -> dict[str, Any]:
    """Return a document without the fields that were fetched for the evidence alone.

    Args:
        stored: The document.
        fetched: Fields that the evidence needs; dots lead into objects.
        wanted: Fields that are asked for: names, patterns, or names of objects above them.
    """
    source = dict(stored)
    for path in fetched:
        if not _is_among(path, wanted):
            source = _without(source, path)
    return source


def _is_among(path: str, wanted: Sequence[str]) -> bool:
    """Check whether a field is asked for: by its name, a pattern, or that of an object above it."""
    return any(fnmatchcase(path, each) or fnmatchcase(path, f"{each}.*") for each in wanted)


def _without(source: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return a document without one field, nor the objects that held nothing else."""
    rest = {name: value for name, value in source.items() if name != path}
    head, dot, inner = path.partition(".")
    if dot and isinstance(rest.get(head), Mapping):
        left = _without(rest.pop(head), inner)
        return {**rest, head: left} if left else rest
    return rest


def text_of(source: Mapping[str, Any], text_field: str) -> str | None:
    """Return the text of a document: a string, or strings joined by a blank line.

    Args:
        source: The document.
        text_field: Name of the field; dots lead into objects.

    Returns:
        None when the document has no such field or it holds null.

    Raises:
        InputError: The field holds something else than text.
    """
    value: Any = source
    if text_field in source:
        value = source[text_field]
    else:
        for part in text_field.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "\n\n".join(value)
    kind = type(value).__name__
    raise InputError(f"Field {text_field!r} holds {kind}, not text; name another with --field.")


def stored_text(source: Mapping[str, Any], text_field: str) -> str | None:
    """Return the text of a document as `text_of` does; None too where something else is.

    For documents that were read before: somebody may have written anything there since.
    """
    try:
        return text_of(source, text_field)
    except InputError:
        return None
