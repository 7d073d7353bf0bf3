"""The file of the documents that could not be enriched."""

import json
from pathlib import Path
from types import TracebackType
from typing import TextIO

from es_simhash.backfilling.outcome import Outcome
from es_simhash.errors import InputError


class Failures:
    """A JSONL file that is made when the first document needs it, and only grows.

    Each line has `run`, `index`, `id` and `reason`. A document that fails again after the snapshot
    was lost is written down once.

    Args:
        path: The file; None for none.
        run: Id of the run.
    """

    def __init__(self, path: Path | None, run: str) -> None:
        self._path = path
        self._run = run
        self._stream: TextIO | None = None
        self._known: set[tuple[str, str]] = set()

    def __enter__(self) -> "Failures":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._stream is not None:
            self._stream.close()

    def add(self, outcome: Outcome) -> None:
        """Write down a document.

        Raises:
            InputError: The file cannot be written.
        """
        key = outcome.index, outcome.id
        if self._path is None or key in self._known:
            return
        self._known.add(key)
        record = {
            "run": self._run,
            "index": outcome.index,
            "id": outcome.id,
            "reason": outcome.reason,
        }
        try:
            if self._stream is None:
                self._stream = self._path.open("a", encoding="ascii")
            self._stream.write(json.dumps(record) + "\n")
            self._stream.flush()
        except OSError as error:
            raise InputError(
                f"{self._path} cannot be written ({error.strerror}); "
                "name another file with --failures."
            ) from error
