"""Rows of Parquet and Arrow: types of columns, checkpoints, damage."""

import io
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import MissingExtra
from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.input_sources import StandardInput
from tests.ingestion.sources.test_source_formats import read, rows_of, source

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
ipc = pytest.importorskip("pyarrow.ipc")

ROWS: list[dict[str, Any]] = [
    {
        "_id": f"d{number}",
        "text": f"Text {number}",
        "at": datetime(2024, 1, 1 + number),
        "day": date(2024, 1, 1),
        "size": number,
        "share": 0.5 if number else None,
        "tags": ["a", "b"],
    }
    for number in range(9)
]


def write(path: Path, rows: list[dict[str, Any]], kind: str) -> Path:
    table = pyarrow.Table.from_pylist(rows)
    if kind == "parquet":
        parquet.write_table(table, path, row_group_size=4)
        return path
    opened = ipc.new_file if kind == "file" else ipc.new_stream
    with path.open("wb") as file, opened(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=4)
    return path


@pytest.mark.parametrize("kind", ["parquet", "file", "stream"])
def test_values_are_json_and_missing_ones_are_left_out(tmp_path: Path, kind: str) -> None:
    name = "a.parquet" if kind == "parquet" else "a.arrow"
    rows = rows_of(write(tmp_path / name, ROWS, kind))
    assert [row[0] for row in rows] == [row["_id"] for row in ROWS]
    assert rows[0][2] == {
        "text": "Text 0",
        "at": "2024-01-01T00:00:00",
        "day": "2024-01-01",
        "size": 0,
        "tags": ["a", "b"],
    }
    assert rows[1][2]["share"] == 0.5


def test_a_name_that_says_nothing_and_a_checkpoint(tmp_path: Path) -> None:
    whole = source(write(tmp_path / "export.bin", ROWS, "parquet"))
    batches = list(whole.batches(BatchLimits(4), None))
    assert batches[0].checkpoint is not None
    assert whole.is_unchanged(batches[0].checkpoint)
    rest = list(whole.batches(BatchLimits(4), batches[0].checkpoint))
    assert read(rest) == read(batches[1:])


def test_a_column_of_another_type_is_named(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.parquet", [{"_id": "a", "text": 7}, {"_id": "b", "text": 8}], "parquet"
    )
    assert [(row[1], row[2]) for row in rows_of(path)] == [
        ("Field 'text' holds int, not text.", 1),
        ("Field 'text' holds int, not text.", 2),
    ]
    path = write(tmp_path / "b.parquet", [{"_id": "a", "texts": "t"}], "parquet")
    ((_, reason, _),) = rows_of(path)
    assert "no field 'text' for its text (nearest: 'texts')" in reason
    other = write(tmp_path / "c.parquet", [{"_id": "a", "Content": "t"}], "parquet")
    ((_, reason, _),) = rows_of(other)
    assert "no field 'text' for its text; it has '_id', 'Content'. Name another field." in reason
    ((_, reason, line),) = rows_of(path, renamed={"txts": "text"})
    assert (reason, line) == ("The file has no column 'txts'; did you mean 'texts'.", None)


def test_a_column_without_a_form_in_json_is_named(tmp_path: Path) -> None:
    rows = [{"_id": "a", "text": "t", "lasted": timedelta(seconds=1)}]
    ((_, reason, line),) = rows_of(write(tmp_path / "a.parquet", rows, "parquet"))
    assert reason == ("Column 'lasted' holds timedelta, which JSON has no form for. Leave it out.")
    assert line == 1


def test_bytes_are_text_where_they_are_utf8(tmp_path: Path) -> None:
    rows = [{"_id": "a", "text": "é".encode()}, {"_id": "b", "text": b"\xff"}]
    good, bad = rows_of(write(tmp_path / "a.parquet", rows, "parquet"))
    assert good[1] == "é"
    assert bad[1:] == ("Column 'text' holds bytes that are not UTF-8. Leave it out.", 2)


@pytest.mark.parametrize("kind", ["parquet", "file"])
def test_a_damaged_file_fails_as_one(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path / f"a.{'parquet' if kind == 'parquet' else 'arrow'}", ROWS, kind)
    path.write_bytes(path.read_bytes()[:-40])
    ((id, reason, line),) = rows_of(path)
    assert (id, line) == ("failed", None)
    assert reason.startswith("The file is damaged")


@pytest.mark.parametrize("value", ["ffffffffffff0f00", "0000000000ffff00", "ff"])
@pytest.mark.parametrize("compression", ["zstd", None])
def test_a_length_or_a_name_that_is_damaged_is_one_failure(
    tmp_path: Path, compression: str | None, value: str
) -> None:
    table, file = pyarrow.Table.from_pylist([{"text": "Some words.", "note": "a"}]), io.BytesIO()
    options = ipc.IpcWriteOptions(compression=compression)
    with ipc.new_stream(file, table.schema, options=options) as writer:
        writer.write_table(table)
    whole, damage, reasons = file.getvalue(), bytes.fromhex(value), set()
    for start in range(len(whole)):
        path = tmp_path / "a.arrow"
        path.write_bytes(whole[:start] + damage + whole[start + len(damage) :])
        reasons |= {str(row[1]) for row in rows_of(path) if row[0] == "failed"}
    assert any(reason.startswith("The file is damaged (") for reason in reasons)
    assert all(reason.endswith(".") for reason in reasons)


def test_standard_input_is_no_place_for_a_table(tmp_path: Path) -> None:
    content = write(tmp_path / "a", ROWS, "parquet").read_bytes()
    batches = list(StandardInput(io.BytesIO(content)).batches(BatchLimits(), None))
    ((id, reason, _),) = read(batches)
    assert (id, reason) == ("failed", "Parquet is read from files alone. Name a file.")


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.parquet", ROWS, "parquet")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match="need pyarrow"):
        list(source(path).batches(BatchLimits(), None))
