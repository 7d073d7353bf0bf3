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

from es_simhash.cli.files import refused_file, require_writable, write_file
from es_simhash.cli.output import escaped, print_json
from es_simhash.constraints import constraints
from es_simhash.errors import InputError, MissingExtra
from es_simhash.frames import flat_rows, flattened
from es_simhash.text.counting import counted, plural

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
        """Send what is printed into the file, if there is one.

        Raises:
            InputError: It cannot be written.
        """
        if self.output is None:
            yield
            return
        try:
            with (
                self.output.open("w", encoding="utf-8", errors="surrogatepass", newline="") as file,
                redirect_stdout(file),
            ):
                yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise refused_file(self.output, error, "output") from error


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
        line = _encodable(written.getvalue())
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


def _encodable(text: str) -> str:
    """Return a text with a question mark for each lone surrogate, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode()


def write_sheet(path: Path, rows: Iterable[Row]) -> None:
    """Write rows into a spreadsheet, each text as a text.

    How many texts are longer than a cell, and are cut, is said on standard error.

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
    content = io.BytesIO()
    with _sheet_library().Workbook(content, as_text) as book:
        sheet = book.add_worksheet()
        sheet.freeze_panes(1, 0)
        cut = _write_cells(sheet, columns, flat)
    write_file(path, content.getvalue(), "output")
    if cut:
        click.echo(
            f"{counted(cut, 'cell')} of {path} {plural(cut, 'is', 'are')} cut to the "
            f"{_MAX_CELL:,} characters that a cell holds. Write csv or jsonl.",
            err=True,
        )


def _write_cells(sheet: Any, columns: list[str], rows: list[dict[str, Any]]) -> int:
    """Write a header and rows, and return how many of their texts are longer than a cell."""
    cut = 0
    for number, row in enumerate([dict(zip(columns, columns, strict=True)), *rows]):
        for place, name in enumerate(columns):
            value = row.get(name)
            _write_cell(sheet, number, place, value)
            cut += isinstance(value, str) and len(value) > _MAX_CELL
    return cut


def _write_cell(sheet: Any, row: int, column: int, value: Any) -> None:
    if isinstance(value, str):
        sheet.write_string(row, column, _encodable(value[:_MAX_CELL]))
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
