"""The dead-letter file: documents that could not be written, so that none is lost."""

import json
from pathlib import Path

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.append_only_file import AppendOnlyFile
from es_simhash.ingestion.bulk.batches import Batch
from es_simhash.ingestion.bulk.documents import decode, loads
from es_simhash.ingestion.bulk.outcome import Failure


class DeadLetter(AppendOnlyFile):
    """A JSONL file; each line has `id`, `reason`, `file`, `line`, and the document.

    The document is as it was read: `document` when it is JSON, else `raw`, in which bytes that
    are not UTF-8 are lone surrogates (Python's `surrogateescape`). A document too large to be
    held, or a text file, is named only.
    """

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, "dead_letter")
        self.count = 0

    def add(self, batch: Batch, failure: Failure) -> None:
        """Append a document of a batch.

        Raises:
            InputError: The file cannot be written.
        """
        if self.path is None:
            return
        file, line = batch.location(failure.position)
        head = json.dumps({"id": failure.id, "reason": failure.reason, "file": file, "line": line})
        record = head[:-1].encode("ascii") + _document(batch.original(failure.position)) + b"}\n"
        self.write(record)
        self.count += 1


def _document(original: bytes | None) -> bytes:
    if original is None:
        return b""
    try:
        # An object that spans its line, or it would end the record early.
        loads(decode(original))
        return b', "document": ' + original.strip().removeprefix(b"\xef\xbb\xbf")
    except (InputError, ValueError, RecursionError):
        raw = json.dumps(original.decode("utf-8", "surrogateescape"))
        return b', "raw": ' + raw.encode("ascii")
