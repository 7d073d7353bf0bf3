"""Which fields of a stored document are shown."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any


def shown_fields(
    stored: Mapping[str, Any], fetched: Sequence[str], wanted: Sequence[str]
) -> dict[str, Any]:
    """Give a document without the fields that were fetched for the evidence alone.

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
    """Tell whether a field is asked for: by its name, a pattern, or that of an object above it."""
    return any(fnmatchcase(path, each) or fnmatchcase(path, f"{each}.*") for each in wanted)


def _without(source: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Give a document without one field, nor the objects that held nothing else."""
    rest = {name: value for name, value in source.items() if name != path}
    head, dot, inner = path.partition(".")
    if dot and isinstance(rest.get(head), Mapping):
        left = _without(rest.pop(head), inner)
        return {**rest, head: left} if left else rest
    return rest
