"""The report of an index: its options, its counts and the documents that it names."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from es_simhash.constraints import constraints
from es_simhash.described import require_valid
from es_simhash.pairs.copies import CopiesReport
from es_simhash.relation.relation import DocumentContext, Kind
from es_simhash.store.index_counts import Status


@dataclass(frozen=True)
class ReportOptions:
    """Options of a report.

    Attributes:
        date_field: Field of the date; None for the one that the index is configured with, if any.
        copies: Also look for passages that documents of different owners or families share, in an
            index of up to 100,000 documents.
        seconds: Time for reading the families. The report says what was left out then.
        filters: Elasticsearch query that documents must match, as JSON: what does not is as if it
            were not there.
        max_compared: Most documents among which copies are looked for; None for 100,000.
        sampled: Documents whose relations are found, for the distribution of scores; 0 for none.
    """

    date_field: str | None = None
    copies: bool = False
    seconds: float = field(
        default=300.0, metadata=constraints(above=0, unit="seconds", called="max-seconds")
    )
    filters: tuple[Mapping[str, Any], ...] = ()
    max_compared: int | None = field(default=None, metadata=constraints(1))
    sampled: int = field(default=200, metadata=constraints(0))

    def __post_init__(self) -> None:
        require_valid(self)


@dataclass(frozen=True)
class FamilySizes:
    """Numbers of families by their number of documents.

    Attributes:
        counts: Number of families by their number of documents, from 1.
        is_complete: False when the time ended before all families were read.
    """

    counts: Mapping[int, int]
    is_complete: bool

    @property
    def documents(self) -> int:
        """Documents of all families that were read."""
        return sum(size * count for size, count in self.counts.items())

    @property
    def unique(self) -> int:
        """Documents that are a family of their own: no other is a version of them."""
        return self.counts.get(1, 0)

    @property
    def families(self) -> int:
        """Families of two documents and more."""
        return sum(count for size, count in self.counts.items() if size > 1)

    @property
    def versions(self) -> int:
        """Documents of families of two and more."""
        return self.documents - self.unique


@dataclass(frozen=True)
class ExactCopies:
    """Documents with the same text as another of their family, but for case and white space.

    Attributes:
        copies: Number of documents in addition to the first of each text.
        examined: Documents of families of two and more whose texts were compared.
        pairs: Ids of the first of a text and of a copy of it; of at most 1,000 copies.
    """

    copies: int
    examined: int
    pairs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ScoredPair:
    """Two related documents.

    Attributes:
        a: Id of the one that was queried.
        b: Id of the other.
        kind: Kind of the relation of a to b.
        score: From 0 to 1.
    """

    a: str
    b: str
    kind: Kind
    score: float


@dataclass(frozen=True)
class ReportedDocument:
    """A document that a report names.

    Attributes:
        id: Its id.
        index: Its index.
        context: Its title, date and so on.
    """

    id: str
    index: str
    context: DocumentContext


@dataclass(frozen=True)
class ClosePair:
    """Two documents that are nearly versions, or hardly.

    Attributes:
        a: One of them.
        b: The other.
        kind: Kind of the relation of a to b.
        score: From 0 to 1.
        log_odds: What speaks for and against their being versions, as `Relation.log_odds`.
    """

    a: ReportedDocument
    b: ReportedDocument
    kind: Kind
    score: float
    log_odds: Mapping[str, float]


@dataclass(frozen=True)
class ScoreSample:
    """Relations of a sample of documents.

    Attributes:
        documents: Number of documents that were queried.
        related: Number of them that are related to another.
        pairs: Their relations, each pair once; of one document the best, 20 at the most.
        closest: The pairs with the scores next to where versions begin, the highest score first.
    """

    documents: int
    related: int
    pairs: tuple[ScoredPair, ...]
    closest: tuple[ClosePair, ...] = ()


@dataclass(frozen=True)
class LargeFamily:
    """One of the largest families.

    Attributes:
        name: Its name.
        documents: Number of its documents.
        representative: The document that represents it.
        oldest: Date of its oldest document in ISO 8601; None without dates.
        newest: Date of its newest document.
    """

    name: str
    documents: int
    representative: ReportedDocument
    oldest: str | None
    newest: str | None


@dataclass(frozen=True)
class NewVersion:
    """A document that is newer than another of its family.

    Attributes:
        document: The document.
        family_documents: Number of documents of its family.
        oldest: Date of the oldest of these in ISO 8601.
    """

    document: ReportedDocument
    family_documents: int
    oldest: str


@dataclass(frozen=True)
class NewestVersions:
    """The newest versions of an index.

    Attributes:
        versions: The versions, newest first.
        examined: Number of the newest documents that were looked at.
    """

    versions: tuple[NewVersion, ...]
    examined: int


@dataclass(frozen=True)
class IndexReport:
    """A report of an index.

    Attributes:
        status: Counts of its documents.
        at: Time at which it was made.
        sizes: Sizes of its families; None where no document has a family.
        exact: Exact copies among the versions; None where none was examined.
        largest: The largest families, the largest first.
        newest: The newest versions; None where the index has no field of dates.
        copies: Documents that share passages; None if they were not looked for.
        scores: Relations of a sample of documents; None where none was drawn.
        notes: Sentences about what is not in the report, and why.
    """

    status: Status
    at: str
    sizes: FamilySizes | None
    exact: ExactCopies | None
    largest: tuple[LargeFamily, ...]
    newest: NewestVersions | None
    copies: CopiesReport | None
    scores: ScoreSample | None
    notes: tuple[str, ...]
