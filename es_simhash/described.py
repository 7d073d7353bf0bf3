"""Parameters as frozen dataclasses and functions describe them: types, defaults, bounds and help.

The command line makes its options of them, the service its query parameters and its OpenAPI
document, so that these cannot differ from the Python parameters. An option class declares a field
once: its type, its default, its bounds (`field(default=10, metadata=constraints(1))`), and its
entry under "Attributes:" in the docstring; the function of a command does the same with
`Annotated[int, constraints(1)]` and "Args:". `; None for ...` in the entry says what None stands
for.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from es_simhash.constraints import CONSTRAINTS, Bounds, Constraints, constraints
from es_simhash.errors import InputError, nearest_note

# The types of parameters that a face can read from a string; `dict` is a JSON object.
_TYPES = (str, int, float, bool, Path, dict)
_ENTRY = re.compile(r"^(\w+): ")
_NONE_FOR = re.compile(r"[;,.] None for (.+?)(?=;|\.(?: |$))")


@dataclass(frozen=True, kw_only=True)
class Parameter(Constraints):
    """One parameter of an option class or a function; help is without what None stands for.

    Attributes:
        name: Name in Python, which is that of the field.
        type: `str`, `int`, `float`, `bool`, `Path`, or `dict` for a JSON object; of one value,
            where there may be several.
        is_optional: Whether the value may be None.
        is_repeatable: Whether there may be several values.
        is_required: Whether there is no default.
        default: Value where nobody names one; None where there is no default.
        none_for: What None stands for; empty where nothing says so.
        called: Name outside Python, such as that of the flag: `kind` for one of `kinds`.
    """

    name: str
    type: type
    is_optional: bool = False
    is_repeatable: bool = False
    is_required: bool = False
    default: Any = None
    none_for: str = ""
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
                    f"{', '.join(self.choices)}, got {single!r}"
                    f"{nearest_note(single, self.choices)}.",
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


def parameters(described: Callable[..., Any]) -> Mapping[str, Parameter]:
    """Return the parameters of an option class or a function, by name.

    Those of other types, such as callables and nested option classes, are left out: a nested
    class is described by its own parameters.

    Args:
        described: A dataclass or a function, with a Google-style docstring.
    """
    return _parameters(described)


@cache
def _parameters(described: Any) -> Mapping[str, Parameter]:
    entries = documented_entries(described)
    found = (
        _parameter(declared, entries.get(name, "")) for name, declared in declarations(described)
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
def _constrained(options: Any) -> Mapping[str, Parameter]:
    """Return the parameters of an option class that not every value of their type suits."""
    return {
        name: parameter
        for name, parameter in parameters(options).items()
        if parameter.choices or parameter.bounds is not None
    }


class Declared(NamedTuple):
    """A field of an option class, or a parameter of a function, as Python declares it.

    Attributes:
        name: Its name.
        type: Its type, without None and without annotations.
        is_optional: Whether None is another.
        notes: What the type is annotated with.
        default: Its default; `dataclasses.MISSING` for none.
        constraints: What the type does not say.
    """

    name: str
    type: Any
    is_optional: bool
    notes: tuple[Any, ...]
    default: Any
    constraints: Constraints


def declarations(described: Any) -> Iterator[tuple[str, Declared]]:
    """Yield the fields of a dataclass, or the parameters of a function, by name."""
    if is_dataclass(described):
        for field in fields(described):
            if field.init:
                factory = field.default_factory
                default = field.default if factory is MISSING else factory()
                yield field.name, _declared(field.name, field.type, default, field.metadata)
        return
    for name, parameter in inspect.signature(described).parameters.items():
        default = MISSING if parameter.default is parameter.empty else parameter.default
        # What has no `*` before it stands by its place.
        metadata = {} if parameter.kind is parameter.KEYWORD_ONLY else _ARGUMENT
        yield name, _declared(name, parameter.annotation, default, metadata)


_ARGUMENT = constraints(is_argument=True)


def _declared(name: str, hint: Any, default: Any, metadata: Mapping[str, Any]) -> Declared:
    notes: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        notes = tuple(rest)
    declared = metadata.get(CONSTRAINTS, Constraints())
    for note in notes:
        if isinstance(note, Mapping) and CONSTRAINTS in note:
            declared = replace(note[CONSTRAINTS], is_argument=declared.is_argument)
    # A type in quotes is one of this package, which no string names.
    return Declared(name, *_without_none(hint), notes, default, declared)


def _parameter(declared: Declared, entry: str) -> Parameter | None:
    """Return the parameter of what was declared, or None for a type that no string names."""
    hint, constrained = declared.type, declared.constraints
    is_repeatable = get_origin(hint) is tuple
    if is_repeatable:
        hint = get_args(hint)[0]
    choices = constrained.choices or (get_args(hint) if get_origin(hint) is Literal else ())
    value_type = type(choices[0]) if choices else _value_type(hint)
    if value_type is None:
        return None
    name = declared.name
    help, none_for = _split_none(constrained.help or entry)
    given = {
        **vars(constrained),
        "choices": choices,
        "help": help,
        "metavar": constrained.metavar or _metavar(name, constrained.unit),
        "called": constrained.called or (name.removesuffix("s") if is_repeatable else name),
    }
    return Parameter(
        **given,
        name=name,
        type=value_type,
        is_optional=declared.is_optional,
        is_repeatable=is_repeatable,
        is_required=declared.default is MISSING,
        default=None if declared.default is MISSING else declared.default,
        none_for=none_for,
    )


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


def documented_entries(described: Any) -> dict[str, str]:
    """Return what the docstring of a function, or of a class and its bases, says by name."""
    if not isinstance(described, type):
        return dict(_entries(described, "Args"))
    found: dict[str, str] = {}
    for base in reversed(described.__mro__):
        found.update(_entries(base, "Attributes"))
    return found


def _entries(described: Any, heading: str) -> Iterator[tuple[str, str]]:
    docstring = inspect.cleandoc(described.__doc__ or "")
    _, _, section = docstring.partition(f"\n{heading}:\n")
    section = re.split(r"\n(?=\S)", section)[0]
    for entry in re.split(r"\n(?=    \S)", section.rstrip()):
        text = " ".join(entry.split())
        if match := _ENTRY.match(text):
            yield match[1], text[match.end() :]
