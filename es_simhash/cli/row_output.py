"""How commands that print rows print them: as tables, JSON, CSV or spreadsheets."""

import csv
import io
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TextIO

import click

from es_simhash.cli.files import require_writable
from es_simhash.cli.output import escaped, print_json
from es_simhash.constraints import constraints
from es_simhash.errors import InputError, MissingExtra
from es_simhash.frames import flat_rows, flattened

RowFormat = Literal["table", "json", "jsonl", "csv", "xlsx"]
Row = Mapping[str, Any]
# A spreadsheet computes what begins so; what documents say is no formula.
# https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
# What a sheet holds: https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3
_MAX_SHEET_ROWS, _MAX_CELL = 1_048_576, 32_767


@dataclass(frozen=True)
class RowOutput:
    """How rows are printed, and where.

    Attributes:
        output_format: Output format: a table; JSON; a JSON object for each row; CSV, in which
            cells that a spreadsheet would compute begin with an apostrophe; or a spreadsheet.
        output: File to write to instead of standard output; xlsx needs one.
    """

    output_format: RowFormat = field(
        default="table", metadata=constraints(called="format", group="Output")
    )
    output: Path | None = field(
        default=None, metadata=constraints(short="o", metavar="FILE", group="Output")
    )

    def __post_init__(self) -> None:
        if self.output_format == "xlsx":
            if self.output is None:
                raise InputError("output is required for xlsx.", parameter="output")
            _sheet_library()
        require_writable(self.output, "output")

    def print(
        self, value: Callable[[], Any], rows: Callable[[], Iterable[Row]], show: Callable[[], None]
    ) -> None:
        """Print a result.

        Args:
            value: Returns all of it as JSON.
            rows: Returns its rows.
            show: Prints it as a table.
        """
        if self.output_format == "xlsx":
            assert self.output is not None
            write_sheet(self.output, rows())
            return
        with self._opened():
            if self.output_format == "json":
                print_json(value())
            elif self.output_format == "jsonl":
                print_lines(rows())
            elif self.output_format == "csv":
                columns, flat = flat_rows(rows())
                print_csv(columns, flat)
            else:
                show()

    def print_stream(self, columns: list[str], rows: Iterable[Row]) -> None:
        """Print rows as they come, all of them with the same columns."""
        with self._opened():
            if self.output_format == "csv":
                print_csv(columns, (dict(flattened(row)) for row in rows))
            else:
                print_lines(rows)

    @contextmanager
    def _opened(self) -> Iterator[None]:
        """Send what is printed into the file, if there is one."""
        if self.output is None:
            yield
            return
        with (
            self.output.open("w", encoding="utf-8", errors="surrogatepass", newline="") as file,
            redirect_stdout(file),
        ):
            yield


def print_lines(rows: Iterable[Row]) -> None:
    """Print each row as one line of JSON."""
    for row in rows:
        click.echo(escaped(json.dumps(row, ensure_ascii=False)))


def print_csv(columns: list[str], rows: Iterable[Row]) -> None:
    """Print flat rows as CSV, below a header."""
    if not columns:
        return
    stream: TextIO = sys.stdout
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\r\n")
    is_terminal = stream.isatty()
    for cells in _lines(columns, rows):
        writer.writerow(cells)
        line = written.getvalue()
        click.echo(escaped(line.rstrip("\r\n")) + "\r\n" if is_terminal else line, nl=False)
        written.seek(0)
        written.truncate()


def _lines(columns: list[str], rows: Iterable[Row]) -> Iterator[list[Any]]:
    yield columns
    for row in rows:
        yield [_safe(row.get(name)) for name in columns]


def _safe(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def write_sheet(path: Path, rows: Iterable[Row]) -> None:
    """Write rows into a spreadsheet, each text as a text.

    Raises:
        InputError: There are more rows than a sheet holds, or the file cannot be written.
    """
    columns, flat = flat_rows(rows)
    if len(flat) >= _MAX_SHEET_ROWS:
        raise InputError(
            f"A sheet holds {_MAX_SHEET_ROWS} rows, and there are {len(flat) + 1}. Write csv.",
            parameter="output_format",
        )
    as_text = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    try:
        with _sheet_library().Workbook(str(path), as_text) as book:
            sheet = book.add_worksheet()
            sheet.freeze_panes(1, 0)
            for number, row in enumerate([dict(zip(columns, columns, strict=True)), *flat]):
                for place, name in enumerate(columns):
                    _write_cell(sheet, number, place, row.get(name))
    except OSError as error:
        raise InputError(
            f"Cannot write to {path} ({error.strerror}). Name another file.", parameter="output"
        ) from error


def _write_cell(sheet: Any, row: int, column: int, value: Any) -> None:
    if isinstance(value, str):
        sheet.write_string(row, column, value[:_MAX_CELL].encode("utf-8", "replace").decode())
    elif isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, (int, float)) and math.isfinite(value):
        sheet.write_number(row, column, value)


def _sheet_library() -> Any:
    try:
        import xlsxwriter
    except ImportError as error:
        raise MissingExtra.of("tables", "Spreadsheets need XlsxWriter") from error
    return xlsxwriter
