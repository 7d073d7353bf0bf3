"""Results as rows and as frames: objects become columns, one level of names after the other."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, is_dataclass
from importlib import import_module
from typing import Any, Literal

from es_simhash.errors import InputError, MissingExtra

FrameKind = Literal["arrow", "pandas", "polars"]
_MODULES = {"arrow": "pyarrow", "pandas": "pandas", "polars": "polars"}


def flattened(row: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the columns of a row: dots join the names of objects, and lists are JSON.

    >>> dict(flattened({"id": "a", "coverage": {"of_hit": 1.0}, "tags": ["b"]}))
    {'id': 'a', 'coverage.of_hit': 1.0, 'tags': '["b"]'}
    """
    for name, value in row.items():
        if isinstance(value, Mapping) and value:
            yield from flattened(value, f"{before}{name}.")
        elif isinstance(value, (Mapping, list, tuple)):
            content = json.dumps(value, ensure_ascii=False, default=str) if value else None
            yield f"{before}{name}", content
        else:
            yield f"{before}{name}", value


def flat_rows(rows: Iterable[Mapping[str, Any]]) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the columns of rows, in the order in which they first come, and the flat rows.

    A column whose object is missing in a row, so that its name has no parts there, is left out.
    """
    flat = [dict(flattened(row)) for row in rows]
    names = dict.fromkeys(name for row in flat for name in row)
    objects = {name.rpartition(".")[0] for name in names if "." in name}
    columns = [
        name
        for name in names
        if name not in objects or any(row.get(name) is not None for row in flat)
    ]
    return columns, flat


def frame(results: Iterable[Any], kind: FrameKind = "pandas") -> Any:
    """Return results as a table of a library for data, one row for each.

    Args:
        results: What an index returns: relations, pairs, families, members and so on, or rows as
            mappings.
        kind: Library of the table.

    Raises:
        InputError: There is no such kind, a result is no row, or a column has values of several
            types, which Arrow and polars do not hold.
        MissingExtra: The library is not installed.
    """
    library = _library(kind)
    columns, rows = flat_rows(map(_row, results))
    make = library.array if kind == "arrow" else library.Series
    values = {name: _column(make, name, [row.get(name) for row in rows]) for name in columns}
    return library.table(values) if kind == "arrow" else library.DataFrame(values)


def _library(kind: str) -> Any:
    if kind not in _MODULES:
        kinds = ", ".join(map(repr, _MODULES))
        raise InputError(f"kind must be one of {kinds}, got {kind!r}.", parameter="kind")
    try:
        return import_module(_MODULES[kind])
    except ImportError as error:
        need = f"A frame of {_MODULES[kind]} needs {_MODULES[kind]}"
        if kind == "arrow":
            raise MissingExtra.of("tables", need) from error
        raise MissingExtra(f"{need}: pip install {_MODULES[kind]}.") from error


def _column(make: Callable[..., Any], name: str, values: list[Any]) -> Any:
    try:
        return make(values)
    # What the libraries raise for a value that their column cannot hold.
    except (TypeError, ValueError, OverflowError) as error:
        found = ", ".join(sorted({type(value).__name__ for value in values if value is not None}))
        raise InputError(
            f"Column {name!r} has values that no one column can hold (of type {found}). Give them "
            "one type, or take a frame of pandas."
        ) from error


def _row(result: Any) -> Mapping[str, Any]:
    if isinstance(result, Mapping):
        return result
    if hasattr(result, "to_dict"):
        row: Mapping[str, Any] = result.to_dict()
        return row
    if is_dataclass(result) and not isinstance(result, type):
        return asdict(result)
    raise InputError(
        f"A row is a result or a mapping, got {result!r}. Give what an index returned as a list.",
        parameter="results",
    )
