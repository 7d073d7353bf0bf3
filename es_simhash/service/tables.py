"""Reading tables of a TOML file: each key is taken once, and what nobody took is an error."""

import math
from collections.abc import Mapping
from typing import Any, TypeVar

from es_simhash.errors import InputError

Default = TypeVar("Default")


class Table:
    """A table of a configuration file.

    Args:
        file: Name of the file, for errors.
        values: Its keys.
        name: Of the table with a final dot; empty for the file itself.
    """

    def __init__(self, file: str, values: Mapping[str, Any], name: str = "") -> None:
        self.file = file
        self.name = name
        self._values = values
        self._known: list[str] = []

    def error(self, key: str, problem: str) -> InputError:
        """Return the error of a key."""
        return InputError(f"{self.file}: {self.name}{key} {problem}.")

    def has(self, key: str) -> bool:
        """Check whether a key is there; it still has to be taken."""
        return key in self._values

    def text(self, key: str) -> str | None:
        """Return a string; None where there is none."""
        value = self._take(key)
        if value is not None and (not isinstance(value, str) or not value):
            raise self.error(key, f"must be a string, got {value!r}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings; empty where there is none."""
        value = self._take(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise self.error(key, f"must be a list of strings, got {value!r}")
        return tuple(value)

    def flag(self, key: str, default: Default) -> bool | Default:
        """Return true or false; the default where there is nothing."""
        value = self._take(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.error(key, f"must be true or false, got {value!r}")
        return value

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        """Return a whole number within bounds."""
        value = self._take(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.error(key, f"must be a whole number from {low} to {high}, got {value!r}")
        return value

    def seconds(self, key: str, default: float, high: float) -> float:
        """Return seconds, at least 0."""
        value = self._take(key)
        if value is None:
            return default
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or not 0 <= value <= high:
            raise self.error(key, f"must be seconds from 0 to {high:g}, got {value!r}")
        return float(value)

    def query(self, key: str) -> Mapping[str, Any] | None:
        """Return an Elasticsearch query; None where there is none."""
        value = self._take(key)
        if value is None:
            return None
        if not isinstance(value, dict) or len(value) != 1:
            raise self.error(
                key, f"must be one Elasticsearch query, as {{ term = {{ … }} }}, got {value!r}"
            )
        return value

    def table(self, key: str) -> "Table | None":
        """Return a table within this one; None where there is none."""
        value = self._take(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.error(key, f"must be a table [{self.name}{key}], got {value!r}")
        return Table(self.file, value, f"{self.name}{key}.")

    def tables(self, key: str) -> "list[Table]":
        """Return a list of tables; empty where there is none."""
        value = self._take(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise self.error(key, f"must be tables [[{self.name}{key}]], got {value!r}")
        return [
            Table(self.file, one, f"{self.name}{key}[{place}].") for place, one in enumerate(value)
        ]

    def names(self) -> "list[str]":
        """Return all keys of a table whose keys are the user's own, and take them."""
        self._known += self._values
        return list(self._values)

    def require_known(self) -> None:
        """Check that every key was taken.

        Raises:
            InputError: One was not.
        """
        unknown = sorted(self._values.keys() - set(self._known))
        if unknown:
            raise self.error(unknown[0], f"is unknown; use one of {', '.join(sorted(self._known))}")

    def _take(self, key: str) -> Any:
        self._known.append(key)
        return self._values.get(key)
