"""Dotted paths into documents and mappings, whose fields may have dotted names themselves."""

from collections.abc import Iterator, Mapping
from typing import Any


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


def leaves(source: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the path and the value of everything in a document that is no object."""
    for name, value in source.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{path}", inner) for path, inner in leaves(value))
        else:
            yield name, value


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


Properties = Mapping[str, Any]


def is_flat(mapping: Mapping[str, Any]) -> bool:
    """Check whether a mapping, or an object of it, holds no objects."""
    return mapping.get("subobjects") in (False, "false")


def nested_properties(properties: Properties) -> dict[str, Any]:
    """Return the fields of a mapping with an object for each dot in a name."""
    nested: dict[str, Any] = {}
    for name, field in properties.items():
        *parents, last = name.split(".")
        level = nested
        for parent in parents:
            level = level.setdefault(parent, {}).setdefault("properties", {})
        present = level.get(last, {})
        level[last] = {**present, **field}
        if "properties" in level[last]:
            level[last]["properties"] = {
                **present.get("properties", {}),
                **nested_properties(field.get("properties", {})),
            }
    return nested


def adapted_properties(wanted: Properties, mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields as a mapping takes them: where it holds no objects, with dotted names.

    Args:
        wanted: Fields to add, objects within objects.
        mapping: The mapping, or an object of it, that they are added to.
    """
    if is_flat(mapping):
        return dict(_leaves(wanted))
    present = mapping.get("properties", {})
    return {
        name: {**field, "properties": adapted_properties(field["properties"], present[name])}
        if "properties" in field and name in present
        else field
        for name, field in wanted.items()
    }


def _leaves(properties: Properties, above: str = "") -> Iterator[tuple[str, Any]]:
    for name, field in properties.items():
        if "properties" in field:
            yield from _leaves(field["properties"], f"{above}{name}.")
        else:
            yield f"{above}{name}", field
