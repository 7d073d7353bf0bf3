"""The file of the documents that could not be enriched."""

import json
from pathlib import Path

from es_simhash.backfills.report import Outcome
from es_simhash.bulk.append_only_file import AppendOnlyFile


class Failures(AppendOnlyFile):
    """A JSONL file; each line has `run`, `index`, `id` and `reason`.

    A document that fails again after the snapshot was lost is written down once.

    Args:
        path: The file; None for none.
        run: Id of the run.
    """

    def __init__(self, path: Path | None, run: str) -> None:
        super().__init__(path, "failures")
        self._run = run
        self._known: set[tuple[str, str]] = set()

    def add(self, outcome: Outcome) -> None:
        """Write down a document.

        Raises:
            InputError: The file cannot be written.
        """
        key = outcome.index, outcome.id
        if key in self._known:
            return
        self._known.add(key)
        record = {
            "run": self._run,
            "index": outcome.index,
            "id": outcome.id,
            "reason": outcome.reason,
        }
        self.write(json.dumps(record).encode("ascii") + b"\n")
