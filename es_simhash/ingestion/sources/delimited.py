"""Tables as text: comma-separated values (RFC 4180), and those that tabs separate."""

import codecs
import csv
import re
from collections import deque
from collections.abc import Iterator
from typing import BinaryIO

from es_simhash.errors import InputError
from es_simhash.ingestion.sources.lines_of_file import LONGEST_LINE, skipped_line, too_long
from es_simhash.ingestion.sources.source_format import Record, SourceFile, require_narrow

# The one that the header has most of separates the values; spreadsheets of many countries write
# semicolons.
_SEPARATORS = ",;\t|"
# The line in which Excel says what separates the values, above the header.
_NAMED_SEPARATOR = re.compile(r'"?sep=([^\w\s"]|\t)"?', re.IGNORECASE)


class DelimitedFormat:
    """Rows of values, below a header with the names of the fields. Empty values are left out.

    Args:
        name: Name of the format.
        suffixes: Endings of names.
        separator: What separates values; None for what the header says.
    """

    def __init__(self, name: str, suffixes: tuple[str, ...], separator: str | None = None) -> None:
        self.name, self.suffixes, self._separator = name, suffixes, separator

    def recognises(self, head: bytes) -> bool:
        """Return False: any text could be a table."""
        return False

    def records(self, file: SourceFile) -> Iterator[Record]:
        """Yield the document of each row.

        Raises:
            InputError: It has no header that can be read, or not the columns that are mapped.
        """
        with file.open() as stream:
            yield from _Table(_Lines(stream), self._separator).records(file)


class _Lines:
    """Lines of a stream, numbered, which can be given back."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._returned: deque[bytes] = deque()
        # Lines of the row that is being read, and their bytes.
        self.held: list[bytes] = []
        self._size = 0
        self.number = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._returned.popleft() if self._returned else self._stream.readline(LONGEST_LINE)
        if not line:
            raise StopIteration
        self.number += 1
        self.held.append(line)
        self._size += len(line)
        if self._size >= LONGEST_LINE:
            if len(self.held) > 1:
                raise csv.Error("unexpected end of data")
            rest = 0 if line.endswith(b"\n") else skipped_line(self._stream)
            raise csv.Error(too_long(self._size + rest, "row"))
        # What is not UTF-8 is found when the row is complete.
        return line.decode("utf-8", "surrogateescape")

    def next_row(self) -> int:
        """Forget the lines of the last row, and return the number of the line that follows."""
        self.held.clear()
        self._size = 0
        return self.number + 1

    def read_header_again(self) -> None:
        """Give the line back that was read, without a byte-order mark."""
        (header,) = self.held
        self._returned.append(header.removeprefix(codecs.BOM_UTF8))
        self.number -= 1
        self.next_row()

    def give_back(self) -> bytes:
        """Return the first line of the row; the others are read again as rows of their own."""
        first, *others = self.held
        self._returned.extendleft(reversed(others))
        self.number -= len(others)
        return first


class _Table:
    """The rows of a table.

    Args:
        lines: The lines.
        separator: What separates values; None for what the header says.
    """

    def __init__(self, lines: _Lines, separator: str | None) -> None:
        self._lines = lines
        self._separator = separator

    def records(self, file: SourceFile) -> Iterator[Record]:
        # A limit of the process: a text may be longer than the default of 128 KiB.
        csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
        columns = self._columns()
        if columns is None:
            return
        file.require_columns(columns)
        rows = self._rows()
        held = self._lines.held
        while True:
            place = self._lines.next_row()
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                if held:
                    yield Record(place, self._lines.give_back().rstrip(b"\r\n"), _broken(error))
                    rows = self._rows()
                    continue
                raise InputError(_broken(error)) from error
            if not row:
                continue
            if reason := _reason(row, columns, held):
                broken = self._lines.give_back() if len(held) > 1 else held[0]
                yield Record(place, broken.rstrip(b"\r\n"), reason)
                rows = self._rows()
                continue
            fields = zip(columns, row, strict=True)
            yield Record(place, {name: value for name, value in fields if value})

    def _columns(self) -> list[str] | None:
        """Return the names of the header; None for a file without one."""
        header = self._header()
        if header is None:
            return None
        if self._separator is None:
            self._separator = max(_SEPARATORS, key=_outside_quotes(header).count)
        line = self._lines.number
        self._lines.read_header_again()
        try:
            names = next(self._rows())
            "".join(names).encode()
        except (csv.Error, UnicodeEncodeError) as error:
            raise InputError(f"The header cannot be read ({error}). Repair line {line}.") from error
        return [name.strip() or f"column_{number}" for number, name in enumerate(names, 1)]

    def _header(self) -> str | None:
        """Read until the first line of the header; None without one.

        Spreadsheets write blank rows above it, also as separators alone.
        """
        for line in self._lines:
            require_narrow(self._lines.held[0])
            content = line.removeprefix("\ufeff").strip("\r\n")
            if named := _NAMED_SEPARATOR.fullmatch(content):
                self._separator = named[1]
            elif content.strip(f'{_SEPARATORS}" '):
                return content
            self._lines.next_row()
        return None

    def _rows(self) -> Iterator[list[str]]:
        return csv.reader(self._lines, delimiter=self._separator or ",", strict=True)


def _outside_quotes(line: str) -> str:
    return "".join(line.split('"')[::2])


def _broken(error: csv.Error) -> str:
    if str(error).startswith("The row has"):
        return str(error)
    if "unexpected end" in str(error) or "expected after" in str(error):
        return (
            "A quote is not closed, or is in a value without being written twice. Repair the row."
        )
    return f"The row cannot be read ({error}). Repair it."


def _reason(row: list[str], columns: list[str], held: list[bytes]) -> str | None:
    """Return why a row is no document; None when it is one."""
    if len(row) != len(columns):
        # One that goes over several lines began with a quote that belongs to no value.
        if len(held) > 1:
            return (
                f"A row that begins here has {len(row)} values in {len(held)} lines, and the "
                f"header {len(columns)}: a quote is not closed. Repair the row."
            )
        return f"The row has {len(row)} values, and the header {len(columns)}. Repair the row."
    for line in held:
        if not line.isascii():
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return (
                    f"Byte {error.start} of the line is not UTF-8. Convert the file, for example "
                    "with iconv."
                )
    return None
