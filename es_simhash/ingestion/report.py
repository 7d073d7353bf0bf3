"""The report of an ingest run: what became of every document that was read."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from es_simhash.ingestion.bulk.outcome import Outcome, Status

# In the order in which they are reported.
STATUSES: tuple[Status, ...] = (
    "written",
    "unchanged",
    "skipped",
    "replaced",
    "conflicting",
    "failed",
)
_ALWAYS_SHOWN = ("written", "unchanged", "failed")


@dataclass
class IngestReport:
    """Counts of the documents that a run has read; `add` takes the outcomes in.

    A document counts as what became of it in the end: one that was written, and then replaced or
    overwritten by a later one of the run, counts as "replaced", "conflicting" or, with the same
    text, "unchanged". So the counts of the statuses add up to the documents that were read.

    Attributes:
        counts: Documents by status.
        versions: Documents that were found to be versions of others; the audit log has a record of
            each.
        replaced_stored: Documents that the index had before the run, and that were replaced.
        undated: Where the newest is kept, ids of documents without a date that were compared by
            their dates; a resumed run has those since it was resumed.
    """

    counts: Counter[str] = field(default_factory=Counter)
    versions: int = 0
    replaced_stored: int = 0
    undated: set[str] = field(default_factory=set)

    @property
    def documents(self) -> int:
        """Documents that were read."""
        return sum(self.counts[status] for status in STATUSES)

    def add(self, outcome: Outcome) -> None:
        """Count an outcome, and what the document took the place of."""
        self.counts[outcome.status] += 1
        self.versions += outcome.version_of is not None
        self.undated.update(outcome.undated)
        displaced = outcome.displaced
        if displaced is None:
            return
        if displaced.counted is None:
            self.replaced_stored += 1
            return
        self.counts[displaced.counted] -= 1
        self.counts[displaced.status] += 1

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> "IngestReport":
        """Return the report of some outcomes."""
        report = cls()
        for outcome in outcomes:
            report.add(outcome)
        return report

    def __add__(self, other: "IngestReport") -> "IngestReport":
        """Return the report of both."""
        counts = Counter(self.counts)
        counts.update(other.counts)
        return IngestReport(
            counts,
            self.versions + other.versions,
            self.replaced_stored + other.replaced_stored,
            self.undated | other.undated,
        )

    @property
    def summary(self) -> str:
        """The counts in words, such as "2 written, 0 unchanged, 0 failed"."""
        return ", ".join(
            f"{self.counts[status]} {status}"
            for status in STATUSES
            if status in _ALWAYS_SHOWN or self.counts[status]
        )

    def to_dict(self) -> dict[str, int]:
        """Return the counts, as they are printed in JSON and kept in the journal."""
        return {
            "documents": self.documents,
            **{status: self.counts[status] for status in STATUSES},
            "versions": self.versions,
            "replaced_stored": self.replaced_stored,
        }

    @classmethod
    def of_dict(cls, values: Mapping[str, int]) -> "IngestReport":
        """Return the report of the counts that `to_dict` returned; one that is missing is 0."""
        counts: Counter[str] = Counter({status: values.get(status, 0) for status in STATUSES})
        return cls(counts, values.get("versions", 0), values.get("replaced_stored", 0))
