"""Tables in columns: Parquet and Arrow."""

import math
from collections.abc import Iterator
from typing import Any

from es_simhash.errors import InputError, MissingExtra
from es_simhash.ingestion.sources.source_format import Record, SourceFile

_TAKEN = 1_000


class ColumnarFormat:
    """Rows of a Parquet or an Arrow file; missing values are left out."""

    def __init__(self, name: str, suffixes: tuple[str, ...], magic: bytes) -> None:
        self.name, self.suffixes, self._magic = name, suffixes, magic

    def recognises(self, head: bytes) -> bool:
        """Check for the bytes that every file of the format begins with."""
        return head.startswith(self._magic)

    def records(self, file: SourceFile) -> Iterator[Record]:
        """Yield the document of each row.

        Raises:
            InputError: It is damaged, or cannot be read from any place, as standard input.
            MissingExtra: Without pyarrow.
        """
        try:
            import pyarrow
        except ImportError as error:
            raise MissingExtra.of("tables", f"{self.name.title()} files need pyarrow") from error
        with file.open() as stream:
            if not stream.seekable():
                raise InputError(f"{self.name.title()} is read from files alone. Name a file.")
            place = 0
            try:
                schema, batches = _opened(stream, self.name)
                file.require_columns(schema.names)
                for batch in batches:
                    # The library reads what a damaged offset leads to, even outside of the file.
                    batch.validate(full=True)
                    for row in batch.to_pylist():
                        place += 1
                        yield _record(place, row)
            except (pyarrow.ArrowException, OSError, MemoryError, UnicodeDecodeError) as error:
                after = f" after row {place}" if place else ""
                # A damaged length may be anything.
                reason = str(error).partition("\n")[0] or "it needs more memory than there is"
                raise InputError(f"The file is damaged{after} ({reason}).") from error


def _opened(stream: Any, name: str) -> tuple[Any, Iterator[Any]]:
    """Return the schema of a file, and its rows some at a time."""
    if name == "parquet":
        from pyarrow import parquet

        table = parquet.ParquetFile(stream)
        return table.schema_arrow, table.iter_batches(_TAKEN)
    from pyarrow import ipc

    # An Arrow file says where its batches are; a stream of them has no such head.
    if stream.read(6) == b"ARROW1":
        opened = ipc.open_file(stream)
        whole = (opened.get_batch(number) for number in range(opened.num_record_batches))
    else:
        stream.seek(0)
        whole = opened = ipc.open_stream(stream)
    parts = (
        batch.slice(start, _TAKEN) for batch in whole for start in range(0, batch.num_rows, _TAKEN)
    )
    return opened.schema, parts


def _record(place: int, row: dict[str, Any]) -> Record:
    document = {}
    for name, value in row.items():
        if value is None or (isinstance(value, float) and math.isnan(value)):
            continue
        if isinstance(value, bytes):
            # Older programs write texts without saying that they are.
            try:
                value = value.decode()
            except UnicodeDecodeError:
                return Record(
                    place, None, f"Column {name!r} holds bytes that are not UTF-8. Leave it out."
                )
        document[name] = value
    return Record(place, document)
