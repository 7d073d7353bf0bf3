"""Parameters as frozen dataclasses describe them: names, types, defaults, bounds and help.

The command line makes its options of them, the service its query parameters and its OpenAPI
document, so that these cannot differ from the Python parameters. An option class declares a field
once: its type, its default, its bounds (`field(default=10, metadata=constraints(1))`), and its
entry under "Attributes:" in the docstring. `; None for ...` in the entry says what None stands for.
"""

import inspect
import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from es_simhash.errors import InputError

_CONSTRAINTS = "constraints"
# The types of parameters that a face can read from a string; `dict` is a JSON object.
_TYPES = (str, int, float, bool, Path, dict)
_ENTRY = re.compile(r"^(\w+): ")
_NONE_FOR = re.compile(r"[;,.] None for (.+?)(?=;|\.(?: |$))")


@dataclass(frozen=True)
class Bounds:
    """Bounds of a number; None where there is none.

    Attributes:
        minimum: Least value.
        maximum: Greatest value.
        excludes_minimum: Whether the minimum itself is invalid.
        excludes_maximum: Whether the maximum itself is invalid.
    """

    minimum: float | None = None
    maximum: float | None = None
    excludes_minimum: bool = False
    excludes_maximum: bool = False

    def __contains__(self, value: float) -> bool:
        low, high = self.minimum, self.maximum
        above = low is None or (value > low if self.excludes_minimum else value >= low)
        below = high is None or (value < high if self.excludes_maximum else value <= high)
        return above and below

    def __str__(self) -> str:
        """Return the condition, such as `at least 1`."""
        low, high = self.minimum, self.maximum
        if low is not None and high is not None and not self._excludes_any:
            return f"between {low} and {high}"
        words = []
        if low is not None:
            words.append(f"{'more than' if self.excludes_minimum else 'at least'} {low}")
        if high is not None:
            words.append(f"{'less than' if self.excludes_maximum else 'at most'} {high}")
        return " and ".join(words)

    @property
    def _excludes_any(self) -> bool:
        return self.excludes_minimum or self.excludes_maximum


@dataclass(frozen=True)
class Constraints:
    """What the type of a field does not say of its values.

    Attributes:
        bounds: Bounds of a number; None where there are none.
        choices: The values that are possible; empty for those of the type.
        unit: Unit of a number, such as days; None where there is none.
        metavar: Placeholder of the value in help; None for one made of unit, name or type.
        called: Name outside Python; None for that of the field, of one value.
    """

    bounds: Bounds | None = None
    choices: tuple[str, ...] = ()
    unit: str | None = None
    metavar: str | None = None
    called: str | None = None


def constraints(
    minimum: float | None = None,
    maximum: float | None = None,
    *,
    above: float | None = None,
    below: float | None = None,
    **others: Any,
) -> Mapping[str, Constraints]:
    """Return the metadata of a dataclass field.

    Args:
        minimum: Least value.
        maximum: Greatest value.
        above: Value that every value exceeds, in place of a minimum.
        below: Value that exceeds every value, in place of a maximum.
        others: The other attributes of `Constraints`.
    """
    declared = Bounds(
        minimum if above is None else above,
        maximum if below is None else below,
        above is not None,
        below is not None,
    )
    return {_CONSTRAINTS: Constraints(None if declared == Bounds() else declared, **others)}


@dataclass(frozen=True)
class Parameter:
    """One parameter of an option class.

    Attributes:
        name: Name in Python, which is that of the field.
        type: `str`, `int`, `float`, `bool`, `Path`, or `dict` for a JSON object; of one value,
            where there may be several.
        choices: The values that are possible; empty for any of the type.
        is_optional: Whether the value may be None.
        is_repeatable: Whether there may be several values.
        is_required: Whether there is no default.
        default: Value where nobody names one; None where there is no default.
        bounds: Bounds of a number; None where there are none.
        unit: Unit of a number, such as days; None where there is none.
        help: Entry of the docstring, without what None stands for.
        none_for: What None stands for; empty where the entry does not say.
        metavar: Placeholder of the value in help; None for that of the type.
        called: Name outside Python, such as that of the flag: `kind` for one of `kinds`.
    """

    name: str
    type: type
    choices: tuple[str, ...] = ()
    is_optional: bool = False
    is_repeatable: bool = False
    is_required: bool = False
    default: Any = None
    bounds: Bounds | None = None
    unit: str | None = None
    help: str = ""
    none_for: str = ""
    metavar: str | None = None
    called: str = ""

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the parameter, with its default."""
        one: dict[str, Any] = {"enum": list(self.choices)} if self.choices else {}
        if not self.choices:
            one["type"] = _JSON_TYPES[self.type]
        if self.bounds is not None:
            one |= _schema_bounds(self.bounds)
        schema = {"type": "array", "items": one} if self.is_repeatable else one
        if not self.is_required and self.default is not None and not self.is_repeatable:
            schema["default"] = self.default
        return schema

    def require(self, value: Any) -> None:
        """Check a value against the choices and the bounds.

        Raises:
            InputError: The value, or one of several, is neither None nor possible.
        """
        if value is None and self.is_optional:
            return
        for single in value if self.is_repeatable else (value,):
            if self.choices and single not in self.choices:
                raise InputError(
                    f"{self.name} must be {'among' if self.is_repeatable else 'one of'} "
                    f"{', '.join(self.choices)}, got {single!r}.",
                    parameter=self.name,
                )
            if self.bounds is not None and single not in self.bounds:
                unit = "" if self.unit is None else f" {self.unit}"
                raise InputError(
                    f"{self.name} must be {self.bounds}{unit}, got {single}.",
                    parameter=self.name,
                )


_JSON_TYPES = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    Path: "string",
    dict: "object",
}


def _schema_bounds(declared: Bounds) -> dict[str, float]:
    low = "exclusiveMinimum" if declared.excludes_minimum else "minimum"
    high = "exclusiveMaximum" if declared.excludes_maximum else "maximum"
    values = {low: declared.minimum, high: declared.maximum}
    return {name: value for name, value in values.items() if value is not None}


def parameters(options: type[Any]) -> Mapping[str, Parameter]:
    """Return the parameters of an option class, by name.

    Fields of other types, such as callables and nested option classes, are left out: a nested
    class is described by its own parameters.

    Args:
        options: A dataclass with a Google-style docstring.
    """
    described: Any = options
    return _parameters(described)


@cache
def _parameters(options: Any) -> Mapping[str, Parameter]:
    entries = attribute_entries(options)
    found = (
        _parameter(described, entries.get(described.name, ""))
        for described in fields(options)
        if described.init
    )
    return MappingProxyType(
        {parameter.name: parameter for parameter in found if parameter is not None}
    )


def require_valid(options: Any) -> None:
    """Check the values of an instance of an option class against choices and bounds.

    Raises:
        InputError: A value is neither among the choices nor within the bounds of its parameter.
    """
    for name, parameter in _constrained(options.__class__).items():
        parameter.require(getattr(options, name))


@cache
def _constrained(options: Hashable) -> Mapping[str, Parameter]:
    """Return the parameters of an option class that not every value of their type suits."""
    assert isinstance(options, type)
    return {
        name: parameter
        for name, parameter in parameters(options).items()
        if parameter.choices or parameter.bounds is not None
    }


def _parameter(described: "Field[Any]", entry: str) -> Parameter | None:
    """Return the parameter of a field, or None for a type that no string names."""
    # A type in quotes is one of this package, which no string names.
    hint, is_optional = _without_none(described.type)
    is_repeatable = get_origin(hint) is tuple
    if is_repeatable:
        hint = get_args(hint)[0]
    declared = described.metadata.get(_CONSTRAINTS, Constraints())
    choices = declared.choices or (get_args(hint) if get_origin(hint) is Literal else ())
    value_type = type(choices[0]) if choices else _value_type(hint)
    if value_type is None:
        return None
    help, none_for = _split_none(entry)
    return Parameter(
        described.name,
        value_type,
        choices,
        is_optional,
        is_repeatable,
        described.default is MISSING and described.default_factory is MISSING,
        _default(described),
        declared.bounds,
        declared.unit,
        help,
        none_for,
        declared.metavar or _metavar(described.name, declared.unit),
        declared.called or (described.name.removesuffix("s") if is_repeatable else described.name),
    )


def _default(described: "Field[Any]") -> Any:
    """Return the default of a field, or None where there is none."""
    if described.default_factory is not MISSING:
        return described.default_factory()
    return None if described.default is MISSING else described.default


def _metavar(name: str, unit: str | None) -> str | None:
    if unit is not None:
        return unit.upper()
    return "FIELD" if name.split("_")[-1] in ("field", "fields") else None


def _without_none(hint: Any) -> tuple[Any, bool]:
    """Return the first type of a union, and whether None is another."""
    if get_origin(hint) not in (Union, UnionType):
        return hint, False
    types = [type_ for type_ in get_args(hint) if type_ is not type(None)]
    return types[0], len(types) < len(get_args(hint))


def _value_type(hint: Any) -> type | None:
    """Return the type of one value, or None for one that no string names."""
    origin = get_origin(hint) or hint
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return dict
    return origin if origin in _TYPES else None


def _split_none(entry: str) -> tuple[str, str]:
    """Return an entry without what None stands for, and that."""
    match = _NONE_FOR.search(entry)
    if match is None:
        return entry, ""
    return entry[: match.start()] + entry[match.end() :], match[1]


def attribute_entries(options: type) -> dict[str, str]:
    """Return the entries of "Attributes:" in the docstrings of a class and its bases, by name."""
    found: dict[str, str] = {}
    for described in reversed(options.__mro__):
        found.update(_entries(inspect.cleandoc(described.__dict__.get("__doc__") or "")))
    return found


def _entries(docstring: str) -> Iterator[tuple[str, str]]:
    _, _, section = docstring.partition("\nAttributes:\n")
    section = re.split(r"\n(?=\S)", section)[0]
    for entry in re.split(r"\n(?=    \S)", section.rstrip()):
        text = " ".join(entry.split())
        if match := _ENTRY.match(text):
            yield match[1], text[match.end() :]
