"""The journal of a search for copies: what was aligned, so that an interrupted run resumes.

Each pair of texts is under the versions of the two documents: what was changed since is aligned
again, and a run that resumes returns what one without a journal does.
"""

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from es_simhash.ingestion.bulk.journal_file import Job, JournalFile
from es_simhash.relation.references import DocumentVersion

Versions = tuple[DocumentVersion, DocumentVersion]


class CopyJournal:
    """Aligned pairs by the versions of their documents.

    Args:
        file: The file they are written to; None to keep none.
    """

    def __init__(self, file: JournalFile | None = None) -> None:
        self._file = file

    def get(self, pairs: Iterable[Versions]) -> dict[Versions, dict[str, Any]]:
        """Return what was aligned of pairs of documents in these versions, as far as it was.

        Raises:
            InputError: The file is damaged.
        """
        if self._file is None:
            return {}
        with self._file.transaction() as database:
            query = "SELECT record FROM pairs WHERE versions = ?"
            rows = {pair: database.execute(query, [_key(pair)]).fetchone() for pair in pairs}
        return {pair: json.loads(row[0]) for pair, row in rows.items() if row is not None}

    def add(self, pair: Versions, record: Mapping[str, Any]) -> None:
        """Write what was aligned of two documents.

        Raises:
            InputError: The file cannot be written.
        """
        if self._file is not None:
            with self._file.transaction() as database:
                row = _key(pair), json.dumps(record)
                database.execute("REPLACE INTO pairs VALUES (?, ?)", row)


def _key(pair: Versions) -> str:
    return json.dumps(
        [
            (
                version.ref.index,
                version.ref.id,
                version.ref.routing,
                version.seq_no,
                version.primary_term,
            )
            for version in pair
        ]
    )


@contextlib.contextmanager
def open_journal(path: Path | None, job: Job, *, fresh: bool = False) -> Iterator[CopyJournal]:
    """Yield the journal of a file, which no other command has meanwhile; deleted in the end.

    A run that ends with an error leaves the file.

    Args:
        path: The file; None for no journal.
        job: What the run is about; a journal of another is not used.
        fresh: Delete what the file has.

    Raises:
        FileInUse: Another command has it.
        InputError: It is of another index, no journal, damaged, or cannot be written.
    """
    if path is None:
        yield CopyJournal()
        return
    table = "pairs (versions TEXT PRIMARY KEY, record TEXT) WITHOUT ROWID"
    with JournalFile.open(path, job, [table], fresh=fresh) as file:
        yield CopyJournal(file)
        file.remove()
