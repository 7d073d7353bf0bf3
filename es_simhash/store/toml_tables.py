"""Configuration files in TOML: each key is checked against the option class it sets."""

import math
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from es_simhash.described import Parameter, parameters
from es_simhash.errors import InputError, nearest_note

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class TomlTable:
    """A table of the file; a key of it that was not read is an error.

    Args:
        file: Name of the file, for errors.
        values: Its keys.
        name: Name of the table with a final dot; empty for the file itself.
    """

    def __init__(self, file: str, values: Mapping[str, Any], name: str = "") -> None:
        self._file = file
        self._name = name
        self._values = values
        self._known: list[str] = []

    def error(self, key: str, problem: str) -> InputError:
        """Return the error of a key."""
        return InputError(f"{self._file}: {self._name}{key} {problem}.")

    def options(self, described: type, *names: str, **keys: str) -> dict[str, Any]:
        """Return values for parameters of an option class; those without one are left out.

        Args:
            described: The class.
            names: Parameters that have their own names as keys.
            keys: Parameters that have other keys.
        """
        by_name = parameters(described)
        read = {
            name: self._value(key, by_name[name])
            for name, key in [*((name, name) for name in names), *keys.items()]
        }
        return {name: value for name, value in read.items() if value is not None}

    def text(self, key: str) -> str | None:
        """Return a string; None where there is none."""
        value: str | None = self._value(key, Parameter(name=key, type=str))
        return value

    def table(self, key: str) -> "TomlTable":
        """Return a table within this one; an empty one where there is none."""
        value = self._take(key)
        if value is not None and not isinstance(value, dict):
            raise self.error(key, f"must be a table [{self._name}{key}], got {value!r}")
        return TomlTable(self._file, value or {}, f"{self._name}{key}.")

    def tables(self, key: str) -> "Iterator[TomlTable]":
        """Yield a list of tables."""
        value = self._take(key)
        if value is None:
            return
        if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
            raise self.error(key, f"must be tables [[{self._name}{key}]], got {value!r}")
        for place, table in enumerate(value):
            yield TomlTable(self._file, table, f"{self._name}{key}[{place}].")

    def names(self) -> list[str]:
        """Return the keys of a table whose keys are the user's own."""
        return sorted(self._values)

    def texts(self) -> dict[str, str]:
        """Return the strings of a table whose keys are the user's own."""
        return {key: self.text(key) or "" for key in self._values}

    def text_or_texts(self, key: str) -> tuple[str, ...] | None:
        """Return one string or a list of them; None where there is none."""
        if isinstance(self._values.get(key), str):
            return (self.text(key) or "",)
        values: tuple[str, ...] | None = self._value(
            key, Parameter(name=key, type=str, is_repeatable=True)
        )
        return values

    def has_table(self, key: str) -> bool:
        """Check whether a key is there and is a table."""
        return isinstance(self._values.get(key), dict)

    def know(self, *keys: str) -> None:
        """Take keys for known that were not read."""
        self._known.extend(keys)

    def require_known(self) -> None:
        """Check that every key was read.

        Raises:
            InputError: One was not.
        """
        names = sorted(set(self._known))
        for key in sorted(self._values.keys() - set(names)):
            nearest = nearest_note(key, names)
            raise self.error(key, f"is unknown; use one of {', '.join(names)}{nearest}")

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def _take(self, key: str) -> Any:
        self._known.append(key)
        return self._values.get(key)

    def _value(self, key: str, parameter: Parameter) -> Any:
        """Return the value of a parameter; None where there is none."""
        value = self._take(key)
        if value is None:
            return None
        values = value if parameter.is_repeatable else [value]
        if not isinstance(values, list) or not all(_is_valid(item, parameter) for item in values):
            raise self.error(key, f"must be {_expected(parameter)}, got {value!r}")
        return tuple(value) if parameter.is_repeatable else value


def _is_valid(value: Any, parameter: Parameter) -> bool:
    """Check whether a value of the file has the type of a parameter, and is within its bounds."""
    if parameter.type in (int, float):
        is_number = type(value) is int or (type(value) is parameter.type and math.isfinite(value))
        return is_number and (parameter.bounds is None or value in parameter.bounds)
    if parameter.type is bool:
        return isinstance(value, bool)
    if parameter.type is dict:
        return isinstance(value, dict) and len(value) == 1
    return isinstance(value, str) and bool(value) and value in (parameter.choices or (value,))


def _expected(parameter: Parameter) -> str:
    """Return the words for a valid value."""
    if parameter.choices:
        return " or ".join(parameter.choices)
    if parameter.is_repeatable:
        return "a list of strings"
    if parameter.bounds is not None:
        low, high = parameter.bounds.minimum, parameter.bounds.maximum
        kind = "a whole number" if parameter.type is int else parameter.unit
        end = "" if high is None else f" to {high}"
        return f"{kind} {'above' if parameter.bounds.excludes_minimum else 'from'} {low}{end}"
    names = {bool: "true or false", dict: "one Elasticsearch query, as { term = { … } }"}
    return names.get(parameter.type, "a string")


def read_toml(path: Path, parameter: str | None = None) -> TomlTable:
    """Return a file as a table.

    Args:
        path: The file.
        parameter: The parameter that names it, for errors.

    Raises:
        InputError: It cannot be read, or is not TOML.
    """
    try:
        return TomlTable(str(path), tomllib.loads(path.read_text("utf-8")))
    except OSError as error:
        advice = "Make it readable." if parameter is None else f"Set {parameter}."
        raise InputError(
            f"Cannot read {path}: {error.strerror}. {advice}", parameter=parameter
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}.") from error
