"""Results as rows and as frames."""

import sys
from typing import Any

import pytest

from es_simhash import frame
from es_simhash.errors import MissingExtra
from es_simhash.frames import flat_rows
from es_simhash.maintenance.families.version_pairs import VersionPair

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
