"""What was aligned of pairs of texts, so that an interrupted run resumes.

Each pair of texts is under the versions of the two documents: what was changed since is aligned
again, and a run that resumes returns what one without a journal does.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from es_simhash.maintenance.copies.copy_files import CopyFiles
from es_simhash.relation.references import DocumentVersion

Versions = tuple[DocumentVersion, DocumentVersion]


class CopyJournal:
    """Aligned pairs by the versions of their documents.

    Args:
        files: Of the search.
    """

    def __init__(self, files: CopyFiles) -> None:
        self._files = files

    def get(self, pairs: Iterable[Versions]) -> dict[Versions, dict[str, Any]]:
        """Return what was aligned of pairs of documents in these versions, as far as it was.

        Raises:
            InputError: The file is damaged.
        """
        query = "SELECT record FROM pairs WHERE versions = ?"
        rows = {pair: self._files.select(query, [_key(pair)]) for pair in pairs}
        return {pair: json.loads(found[0][0]) for pair, found in rows.items() if found}

    def add(self, records: Mapping[Versions, Mapping[str, Any]]) -> None:
        """Write what was aligned of pairs of documents.

        Raises:
            InputError: The file cannot be written.
        """
        with self._files.commit() as database:
            rows = [(_key(pair), json.dumps(record)) for pair, record in records.items()]
            database.executemany("REPLACE INTO pairs VALUES (?, ?)", rows)


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
