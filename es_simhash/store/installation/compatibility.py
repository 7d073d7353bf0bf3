"""Whether the fields of a mapping can serve as the `simhash` fields."""

from collections.abc import Iterator, Mapping
from typing import Any

# What decides whether an existing field can serve; other settings are the user's to change.
_DECISIVE = ("type", "dims", "element_type", "doc_values")


def field_conflicts(
    existing: Mapping[str, Any], wanted: Mapping[str, Any], above: tuple[str, ...] = ()
) -> Iterator[str]:
    """Yield what is wrong with each field that is there and cannot serve."""
    for name, field in wanted.items():
        present = existing.get(name)
        if present is None:
            continue
        path = (*above, name)
        for key in _DECISIVE:
            default = "object" if key == "type" else None
            needed, value = field.get(key, default), present.get(key, default)
            if needed != value and not (
                key == "doc_values" and value is None and needed is not False
            ):
                yield f"field {'.'.join(path)!r} with {key} {value!r}, but {needed!r} is needed"
        yield from field_conflicts(present.get("properties", {}), field.get("properties", {}), path)


def lacks_field(existing: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Check whether a wanted field is absent."""
    return any(
        name not in existing
        or lacks_field(existing[name].get("properties", {}), field.get("properties", {}))
        for name, field in wanted.items()
    )
