"""Mappings with `subobjects: false`, whose fields have dotted names in place of objects."""

from collections.abc import Iterator, Mapping
from typing import Any

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
