"""Dotted paths into documents and mappings: `body.text` is a field of the object `body`."""

from collections.abc import Iterator, Mapping
from typing import Any

from es_simhash.store.flat_mappings import nested_properties


def get_path(source: Mapping[str, Any], path: str) -> Any:
    """Return what is under a path, be its names dotted or its objects nested; None for nothing."""
    if path in source:
        return source[path]
    head, dot, rest = path.partition(".")
    while dot:
        value = source.get(head)
        if isinstance(value, Mapping) and (inner := get_path(value, rest)) is not None:
            return inner
        name, dot, rest = rest.partition(".")
        head = f"{head}.{name}"
    return None


def get_values(source: Any, path: str) -> Iterator[Any]:
    """Yield all values under a path as an index has them: of lists, and of objects in lists.

    Args:
        source: A document, or a part of one.
        path: Of a field; empty for the part itself.
    """
    if isinstance(source, list):
        for each in source:
            yield from get_values(each, path)
    elif not path:
        yield source
    elif isinstance(source, Mapping):
        names = path.split(".")
        for count in range(1, len(names) + 1):
            head = ".".join(names[:count])
            if head in source:
                yield from get_values(source[head], ".".join(names[count:]))


def has_values(source: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Check whether a document has just the wanted value under each of some paths."""
    return all(list(get_values(source, path)) == [value] for path, value in wanted.items())


def get_object(source: Mapping[str, Any], path: str) -> tuple[Mapping[str, Any] | None, bool]:
    """Return the object under a path, and whether nested objects lead to it, not a dotted name."""
    if isinstance(source.get(path), Mapping):
        return source[path], False
    value: Any = source
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return (value, True) if isinstance(value, Mapping) else (None, False)


def without_path(source: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return a document without one field, nor the objects that held nothing else."""
    rest = {name: value for name, value in source.items() if name != path}
    head, dot, inner = path.partition(".")
    if dot and isinstance(rest.get(head), Mapping):
        left = without_path(rest.pop(head), inner)
        return {**rest, head: left} if left else rest
    return rest


def nested_path(path: str, value: Any) -> dict[str, Any]:
    """Return the objects that hold a value under a path: `a.b` gives `{"a": {"b": value}}`."""
    for name in reversed(path.split(".")):
        value = {name: value}
    nested: dict[str, Any] = value
    return nested


def mapped_field(mapping: Mapping[str, Any], path: str) -> Mapping[str, Any] | None:
    """Return the mapping of a field; None when the mapping has no such field."""
    field: Mapping[str, Any] | None = {
        "properties": nested_properties(mapping.get("properties", {}))
    }
    for name in path.split("."):
        field = (field or {}).get("properties", {}).get(name)
    return field
