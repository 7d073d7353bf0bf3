"""Results as rows and as frames."""

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from es_simhash import frame
from es_simhash.errors import InputError, MissingExtra
from es_simhash.frames import flat_rows
from es_simhash.maintenance.families.version_pairs import VersionPair
from es_simhash.types import DocumentRef, Family, ManualPair

PAGE = Path(__file__).parents[1] / "docs/python.md"
MODULES = (
    "es_simhash",
    *(f"es_simhash.{name}" for name in ("types", "methods", "evaluation", "tuning")),
)

ROWS: list[dict[str, Any]] = [
    {"id": "a", "document": {"title": "A", "date": None}, "tags": ["x"], "score": 0.5},
    {"id": "b", "document": None, "tags": [], "score": 1.0},
]


def test_objects_become_columns_and_lists_json() -> None:
    columns, rows = flat_rows(ROWS)
    assert columns == ["id", "document.title", "document.date", "tags", "score"]
    assert rows[0]["tags"] == '["x"]'
    assert rows[1] == {"id": "b", "document": None, "tags": None, "score": 1.0}


@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars"])
def test_a_frame_has_a_row_for_each_result(kind: Any) -> None:
    pytest.importorskip({"arrow": "pyarrow"}.get(kind, kind))
    table = frame(ROWS, kind)
    names = table.column_names if kind == "arrow" else list(table.columns)
    assert names == ["id", "document.title", "document.date", "tags", "score"]
    assert list(map(str, table["id"])) == ["a", "b"]
    pairs = frame([VersionPair("a", "b", "exact", 1.0, 1.0, "i", "i")], kind)
    assert [str(value) for value in pairs["other"]] == ["b"]
    assert len(frame([], kind)) == 0


@pytest.mark.parametrize("kind", ["arrow", "polars"])
def test_a_missing_library_is_named(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    name = {"arrow": "pyarrow"}.get(kind, kind)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=f"needs {name}: .*pip install"):
        frame(ROWS, kind)


def documented() -> Iterator[Any]:
    """Yield the classes of results that the page on Python names, but for those of no values."""
    table = PAGE.read_text().partition("## Values")[2].partition("## Errors")[0]
    for line in table.splitlines():
        if line.startswith("| ") and "---" not in line:
            for name in re.findall(r"`([A-Z]\w+)`", line.split("|")[2]):
                found = (getattr(import_module(module), name, None) for module in MODULES)
                kind = next(each for each in found if each is not None)
                # A decision has all that is compared of two texts.
                if is_dataclass(kind) and name != "Decision":
                    yield kind


def example(kind: Any) -> Any:
    """Make a value of a type; of a class, one with a value in each field."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return example(next(each for each in inner if each is not NoneType))
    if origin is Literal:
        return inner[0]
    if origin is tuple:
        return tuple(example(each) for each in inner if each is not Ellipsis)
    if origin is np.ndarray:
        return np.zeros(1)
    if origin is not None:
        return {} if issubclass(origin, Mapping) else origin()
    if hints := get_type_hints(kind):
        return kind(**{name: example(each) for name, each in hints.items()})
    return {str: "a", bytes: b"{}", int: 1, float: 0.5, bool: True}[kind]


RESULTS = [Family, *documented()]


@pytest.mark.parametrize("kind", RESULTS, ids=lambda kind: kind.__name__)
def test_each_result_that_is_documented_is_a_row(kind: Any) -> None:
    pytest.importorskip("pyarrow")
    result = example(kind)
    table = frame([result, result], "arrow")
    assert len(table) == 2
    own = set(result.to_dict()) if hasattr(result, "to_dict") else {e.name for e in fields(kind)}
    assert {name.split(".")[0] for name in table.column_names} == own


def test_rows_have_the_columns_of_the_command_line() -> None:
    pytest.importorskip("pyarrow")
    family = Family("f", (DocumentRef("i", "a"), DocumentRef("i", "b")))
    assert frame([family], "arrow").to_pylist() == [{"family": "f", "members": '["a", "b"]'}]
    pair = ManualPair(("a", "b"), "joined")
    assert frame([pair], "arrow").to_pylist() == [
        {"ids": '["a", "b"]', "reason": "joined", "run": None}
    ]


@pytest.mark.parametrize("result", ["a", None, ("a", "b")])
def test_what_is_no_row_is_named(result: Any) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match=f"got {re.escape(repr(result))}") as caught:
        frame([result], "arrow")
    assert caught.value.parameter == "results"


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(InputError, match="'arrow', 'pandas', 'polars', got 'numpy'") as caught:
        frame(ROWS, "numpy")  # type: ignore[arg-type]
    assert caught.value.parameter == "kind"


@pytest.mark.parametrize("values", [(1, "a"), ("a", 1), (True, 2)])
@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars"])
def test_a_column_of_several_types_is_named(kind: Any, values: tuple[Any, ...]) -> None:
    pytest.importorskip({"arrow": "pyarrow"}.get(kind, kind))
    rows = [{"id": "a", "source": {"n": value}} for value in (None, *values)]
    if kind == "pandas":
        assert list(frame(rows, kind)["source.n"])[1:] == list(values)
        return
    types = ", ".join(sorted(type(value).__name__ for value in values))
    with pytest.raises(InputError, match=rf"'source\.n' .*\(of type {types}\)"):
        frame(rows, kind)
