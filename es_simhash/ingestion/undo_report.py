"""The report of undoing what a run decided."""

from dataclasses import dataclass, field

from es_simhash.ingestion.bulk.outcome import Outcome


@dataclass
class UndoReport:
    """What became of the records.

    Attributes:
        restored: Documents that were written again.
        present: Documents that were there already, and left as they are.
        unmarked: Documents whose flag or family was removed.
        unchanged: Documents that had no such flag any more, or are gone.
        failed: Documents that could not be written, with the reason.
        runs: Ids of the runs that were undone, the newest first.
    """

    restored: int = 0
    present: int = 0
    unmarked: int = 0
    unchanged: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    runs: tuple[str, ...] = ()

    def count(self, outcome: Outcome) -> None:
        """Take in what became of a document that was to be restored."""
        if outcome.ok:
            self.restored += 1
        else:
            self.failed.append((str(outcome.id), str(outcome.reason)))
