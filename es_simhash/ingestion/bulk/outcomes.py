"""The outcome of writing one document, the same type for every command that writes, and counts."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from es_simhash.relation.loss import LostText

Status = Literal[
    "written",
    "unchanged",
    "skipped",
    "replaced",
    "conflicting",
    "without_text",
    "gone",
    "failed",
]


class Displaced(NamedTuple):
    """A document that another one took the place of, after its own outcome was reported.

    Attributes:
        counted: Status it was counted as; None for one that the index had before the run.
        status: Status it has now: "unchanged", as the other one has its id and its text;
            "conflicting", as the other one has its id and another text; or "replaced", as it is a
            version of the other one and was deleted.
    """

    counted: Status | None
    status: Status


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of writing one document.

    Attributes:
        id: Id of the document; None when it could not be read.
        status: "written"; "unchanged", as the index is up to date; "skipped", as it is a version
            of another document (see `on_version`); "replaced", as another document of the run is
            a version of it and was kept; "conflicting", as another document of the run with its id
            and another text was kept; "without_text"; "gone", as it was deleted meanwhile; or
            "failed".
        reason: Why it failed, or what was decided about it; None otherwise.
        place: Where it was read, as file:line, file, or documents:number, for a failure.
        index: The index that holds it; None for the one that was named.
        undated: Where the newest is kept, its id if it has no date, and that of the document it is
            a version of if that has none: without a date, a document counts as the oldest.
        version_of: Id of the document that it was found to be a version of; None for none.
        retained: Whether it was to be skipped, or to replace that document, and both were kept as
            text would have been lost.
        lost: What the removed text has that the kept one has not; None where nothing was compared.
        displaced: What it took the place of, by its id and as a version. `IngestReport` counts it.
    """

    id: str | None
    status: Status
    reason: str | None = None
    place: str | None = None
    index: str | None = None
    undated: tuple[str, ...] = ()
    version_of: str | None = None
    retained: bool = False
    lost: LostText | None = None
    displaced: tuple[Displaced, ...] = ()

    @property
    def ok(self) -> bool:
        """Check whether the document did not fail."""
        return self.status != "failed"


class Failure(NamedTuple):
    """A document of a batch that cannot be written.

    Attributes:
        position: Its number in the batch.
        id: Its id; None when it could not be read.
        reason: Why, as one message.
    """

    position: int
    id: str | None
    reason: str


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
        retained: Those of them that were written and flagged, as text would have been lost.
        replaced_stored: Documents that the index had before the run, and that were replaced.
        undated: Where the newest is kept, ids of documents without a date that were compared by
            their dates; a resumed run has those since it was resumed.
    """

    counts: Counter[str] = field(default_factory=Counter)
    versions: int = 0
    retained: int = 0
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
        self.retained += outcome.retained
        self.undated.update(outcome.undated)
        for counted, status in outcome.displaced:
            if counted is None:
                self.replaced_stored += 1
            else:
                self.counts[counted] -= 1
                self.counts[status] += 1

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
            self.retained + other.retained,
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
            "retained": self.retained,
            "replaced_stored": self.replaced_stored,
        }

    @classmethod
    def of_dict(cls, values: Mapping[str, int]) -> "IngestReport":
        """Return the report of the counts that `to_dict` returned; one that is missing is 0."""
        counts: Counter[str] = Counter({status: values.get(status, 0) for status in STATUSES})
        return cls(
            counts,
            values.get("versions", 0),
            values.get("retained", 0),
            values.get("replaced_stored", 0),
        )
