"""The formats there are, those of plug-ins among them, and which one a file has."""

from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points

from es_simhash.errors import InputError
from es_simhash.ingestion.sources.columnar import ColumnarFormat
from es_simhash.ingestion.sources.delimited import DelimitedFormat
from es_simhash.ingestion.sources.json_values import JsonArrayFormat
from es_simhash.ingestion.sources.lines_of_file import JsonLinesFormat
from es_simhash.ingestion.sources.source_format import (
    HEAD_BYTES,
    Record,
    SourceFile,
    SourceFormat,
    is_wide,
    nearest,
    require_narrow,
    without_packing,
)

ENTRY_POINTS = "es_simhash.sources"
_JSON = ("jsonl", "json")
JSON_LINES: SourceFormat = JsonLinesFormat()
_BUILT_IN: tuple[SourceFormat, ...] = (
    JSON_LINES,
    JsonArrayFormat(),
    DelimitedFormat("csv", (".csv",)),
    DelimitedFormat("tsv", (".tsv", ".tab"), "\t"),
    ColumnarFormat("parquet", (".parquet", ".pq"), b"PAR1"),
    ColumnarFormat("arrow", (".arrow", ".feather"), b"ARROW1"),
)


@cache
def formats() -> dict[str, SourceFormat]:
    """Return the formats by their names.

    Raises:
        InputError: The object of a plug-in is no format.
    """
    known = {each.name: each for each in _BUILT_IN}
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            plugged: SourceFormat = entry.load()
            known.setdefault(plugged.name, plugged)
            _ = plugged.suffixes, plugged.recognises, plugged.records
        except Exception as error:  # whatever the import of a plug-in raises
            raise InputError(
                f"The source {entry.name!r} of a plug-in cannot be used ({error}). Repair or "
                f"uninstall the package of {entry.value!r}."
            ) from error
    return known


def format_called(name: str) -> SourceFormat:
    """Return a format by its name.

    Raises:
        InputError: There is none.
    """
    known = formats()
    if name not in known:
        raise InputError(
            f"There is no input format {name!r}{nearest(name, known)}.", parameter="input_format"
        )
    return known[name]


def recognised(name: str, head: bytes) -> SourceFormat:
    """Return the format of a file: what its content can only be, else what its name says.

    Args:
        name: Its name.
        head: Its first bytes, unpacked.
    """
    known, name = formats().values(), without_packing(name)
    named = [each for each in known if name.endswith(each.suffixes)]
    certain = [each for each in known if each.recognises(head)]
    # JSON says by its first letter which of the two it is, whatever the file is called; a line of
    # JSON, or a header, may begin with that letter as well.
    if named and named[0].name != "json" and (not certain or certain[0].name == "json"):
        chosen = named[0]
    else:
        chosen = certain[0] if certain else JSON_LINES
    return _WIDE if chosen.name in _JSON and is_wide(head) else chosen


class _WideFormat:
    """JSON in UTF-16: none of its lines can be read, so the file fails as a whole."""

    name = "utf-16"
    suffixes: tuple[str, ...] = ()

    def recognises(self, head: bytes) -> bool:
        return is_wide(head)

    def records(self, file: SourceFile) -> Iterator[Record]:
        with file.open() as stream:
            require_narrow(stream.read(HEAD_BYTES))
        yield from ()


_WIDE: SourceFormat = _WideFormat()
