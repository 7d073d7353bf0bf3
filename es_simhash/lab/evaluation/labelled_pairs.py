"""Labelled pairs from a file: TSV, CSV or JSONL of two ids and a label."""

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from es_simhash.errors import InputError

Pair = tuple[str, str]
# A line that is read: its number and its cells, or what is wrong with it.
_Line = tuple[int, Sequence[object] | str]

_POSITIVE = frozenset({"1", "true", "yes", "y", "version", "versions", "same", "duplicate"})
_NEGATIVE = frozenset({"0", "false", "no", "n", "none", "different", "other"})
# Characters of a line of CSV; whether a process reads longer ones depends on what else it read.
_LONGEST_LINE = 1 << 17
_NO_CSV = "is not valid CSV. Write two ids and a label."
_COLUMNS = 3
_DELIMITERS = {".tsv": "\t", ".txt": "\t", ".csv": ","}
_JSON = (".jsonl", ".ndjson", ".json")
_NAMES = {"\t": "tabs", ",": "commas", "": "JSON"}
_KEYS = ("id1", "id2", "label")


@dataclass(frozen=True)
class LabelledPairs:
    """The pairs of one file.

    Attributes:
        name: Name of the file.
        labels: Whether each pair, its smaller id first, is a version.
        lines: The line of each pair, from 1.
        problems: One sentence for each line that was left out.
    """

    name: str
    labels: dict[Pair, bool]
    lines: dict[Pair, int]
    problems: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, bool]], name: str = "pairs") -> "LabelledPairs":
        """Return labelled pairs that are in no file.

        Args:
            rows: Two ids, and whether the documents are versions.
            name: Name of the pairs, for figures and errors.

        Raises:
            InputError: There are none, an id is empty, a document is paired with itself, or two
                labels contradict each other.
        """
        reader = _Reader(name, "commas")
        for number, row in enumerate(rows, 1):
            reader.add(number, row)
        pairs = reader.result()
        if pairs.problems:
            raise InputError(pairs.problems[0], parameter="rows")
        return pairs


def read_pairs(path: str | Path) -> LabelledPairs:
    """Read a file of labelled pairs; lines that are wrong are left out and reported.

    Raises:
        InputError: The file cannot be read, or no line of it is a labelled pair.
    """
    return _read(Path(path)).result()


def usable_pairs(path: Path) -> LabelledPairs:
    """Read a file of labelled pairs of which any line, or each, may be wrong.

    Raises:
        InputError: The file cannot be read.
    """
    return _read(path).usable()


def started_pairs(path: Path) -> LabelledPairs:
    """Read a file that pairs are still added to: it may have none yet.

    Raises:
        InputError: The file cannot be read, or a line of it is wrong.
    """
    pairs = _read(path).usable()
    if pairs.problems:
        raise InputError(pairs.problems[0])
    return pairs


def _read(path: Path) -> "_Reader":
    content = _content(path)
    delimiter = delimiter_of(path, content)
    parsed = parsed_lines(content, delimiter)
    if parsed and _is_header(parsed[0][1]):
        del parsed[0]
    reader = _Reader(str(path), _NAMES[delimiter])
    for number, cells in parsed:
        reader.add(number, cells)
    return reader


def parsed_lines(content: str, delimiter: str) -> list[_Line]:
    """Return the lines of a file, each with its number and its cells, or what is wrong with it.

    Args:
        content: Content of the file.
        delimiter: Separator of columns; "" for JSON.
    """
    # Not splitlines: a string of JSON may hold a line separator of Unicode.
    lines = content.split("\n")
    return list(_cells(lines, delimiter) if delimiter else _json_lines(lines))


def _content(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(
            f"File {str(path)!r} cannot be read: {error.strerror}. Check the path."
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"File {str(path)!r} is not UTF-8: byte {error.start} is "
            f"0x{error.object[error.start]:02x}. Convert it, for example with iconv."
        ) from error


def delimiter_of(path: Path, content: str) -> str:
    """Return what separates columns, by the name of the file or its first line; "" for JSON."""
    suffix = path.suffix.lower()
    if suffix in _JSON:
        return ""
    if suffix in _DELIMITERS:
        return _DELIMITERS[suffix]
    first = next((line for line in content.split("\n") if line.strip()), "\t")
    if first.lstrip().startswith(("{", "[")):
        return ""
    return "\t" if "\t" in first else ","


def _cells(lines: Sequence[str], delimiter: str) -> Iterator[_Line]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if delimiter == "\t":
            yield number, [cell.strip() for cell in line.split("\t")]
        else:
            yield number, _row(line)


def _row(line: str) -> list[str] | str:
    if len(line) > _LONGEST_LINE:
        return _NO_CSV
    try:
        return [cell.strip() for cell in next(csv.reader([line.rstrip("\r")]), [])]
    except csv.Error:
        return _NO_CSV


def _json_lines(lines: Sequence[str]) -> Iterator[_Line]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield number, f"is not valid JSON. Write an object with {', '.join(_KEYS)}."
            continue
        if isinstance(value, dict):
            value = [value.get(key) for key in _KEYS]
        no_pair = f"is neither an object nor a list. Write an object with {', '.join(_KEYS)}."
        yield number, value if isinstance(value, list) else no_pair


def _is_header(cells: Sequence[object] | str) -> bool:
    """Check whether the cells of the first line are names of columns."""
    if isinstance(cells, str) or len(cells) != _COLUMNS:
        return False
    return str(cells[2]).casefold() in ("label", "class", "is_version", "kind")


class _Reader:
    """Collects pairs, and what is wrong with the others."""

    def __init__(self, name: str, separator: str) -> None:
        self._name = name
        self._separator = separator
        self._labels: dict[Pair, bool] = {}
        self._lines: dict[Pair, int] = {}
        self._contradicted: set[Pair] = set()
        self._problems: list[str] = []

    def add(self, number: int, cells: Sequence[object] | str) -> None:
        """Take one line."""
        problem = self._taken(number, cells)
        if problem:
            self._problems.append(f"File {self._name!r}, line {number}: {problem}")

    def _taken(self, number: int, cells: Sequence[object] | str) -> str:
        """Take a line, or return what is wrong with it."""
        if isinstance(cells, str):
            return cells
        if len(cells) != _COLUMNS:
            return (
                f"expected id, id and label separated by {self._separator}, got "
                f"{len(cells)} columns. Name files of tabs .tsv, of commas .csv."
            )
        label = _label(cells[2])
        if label is None:
            return (
                f"label {str(cells[2])[:40]!r} is unknown. Write 1 for versions and 0 for others."
            )
        if not all(map(_is_id, cells[:2])):
            return f"an id is missing. Write {', '.join(_KEYS)}."
        one, other = sorted((str(cells[0]), str(cells[1])))
        if one == other:
            return f"document {one!r} is paired with itself. Name two documents."
        return self._kept(number, (one, other), label)

    def _kept(self, number: int, pair: Pair, label: bool) -> str:
        known = self._labels.setdefault(pair, label)
        line = self._lines.setdefault(pair, number)
        if known == label:
            return ""
        self._contradicted.add(pair)
        return (
            f"pair {pair[0]!r}, {pair[1]!r} has label {int(label)}, but {int(known)} on line "
            f"{line}; both are left out. Keep one of them."
        )

    def result(self) -> LabelledPairs:
        """Return what was taken.

        Raises:
            InputError: That is nothing.
        """
        usable = self.usable()
        if not usable.labels:
            raise InputError(
                self._problems[0]
                if self._problems
                else f"File {self._name!r} is empty. Name another file."
            )
        return usable

    def usable(self) -> LabelledPairs:
        """Return what was taken and is not contradicted, which may be nothing."""
        labels = {
            pair: label for pair, label in self._labels.items() if pair not in self._contradicted
        }
        return LabelledPairs(self._name, labels, self._lines, tuple(self._problems))


def _is_id(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool) and value != ""


def _label(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    text = str(value).casefold()
    if text in _POSITIVE:
        return True
    return False if text in _NEGATIVE else None
