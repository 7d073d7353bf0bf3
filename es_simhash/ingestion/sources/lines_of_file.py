"""Lines that may be long, and JSON Lines that are packed, elsewhere or renamed."""

from collections.abc import Iterator
from typing import BinaryIO

from es_simhash.ingestion.sources.source_format import Record, SourceFile
from es_simhash.text.limits import MAX_TEXT_BYTES, MEBIBYTE

# Longer lines are passed over without being held in memory. Escapes make JSON up to six times
# as long as its text.
LONGEST_LINE = 6 * MAX_TEXT_BYTES + MEBIBYTE


def too_long(size: int, what: str = "line") -> str:
    """Return why a line, or a row, of so many bytes cannot be read."""
    return (
        f"The {what} has {size / MEBIBYTE:.1f} MiB, more than the limit of "
        f"{LONGEST_LINE // MEBIBYTE}. Split the document into parts."
    )


def skipped_line(stream: BinaryIO) -> int:
    """Read to the end of a line, and return how many bytes that were."""
    size = 0
    while part := stream.readline(1 << 20):
        size += len(part)
        if part.endswith(b"\n"):
            break
    return size


class JsonLinesFormat:
    """One JSON object a line."""

    name = "jsonl"
    suffixes: tuple[str, ...] = (".jsonl", ".ndjson")

    def recognises(self, head: bytes) -> bool:
        """Return False: what nothing else recognises is read as JSON Lines."""
        return False

    def records(self, file: SourceFile) -> Iterator[Record]:
        """Yield each line that is not blank, as it is."""
        with file.open() as stream:
            number = 0
            while line := stream.readline(LONGEST_LINE):
                number += 1
                if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                    yield Record(number, None, too_long(len(line) + skipped_line(stream)))
                elif not line.isspace():
                    yield Record(number, line.rstrip(b"\r\n"))
