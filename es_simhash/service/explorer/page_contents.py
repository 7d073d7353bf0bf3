"""Contents of the explorer's pages, and the protocol of their reader."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from es_simhash.differences.difference import Changes
from es_simhash.differences.version_timeline import Timeline
from es_simhash.maintenance.reports.index_report import IndexReport
from es_simhash.relation.relation import Relation
from es_simhash.service.operations import Filters

if TYPE_CHECKING:
    from es_simhash.lab.evaluation.useful_pairs import OfferedPair

# What may be known of a document: title, date, owner, language, link, family.
Context = Mapping[str, Any]


@dataclass(frozen=True)
class Entry:
    """A document in a list.

    Attributes:
        id: Id of the document.
        context: Its title and so on.
        others: Further documents of its family.
        excerpt: A stretch of its text, in pieces, each with whether it matches the query.
    """

    id: str
    context: Context
    others: int = 0
    excerpt: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True)
class EntryPage:
    """A page of documents.

    Attributes:
        entries: The documents.
        total: All documents that match; of a family, all of them count.
        has_next: Whether there is a next page.
    """

    entries: tuple[Entry, ...]
    total: int
    has_next: bool


@dataclass(frozen=True)
class FamilyEntry:
    """A family in a list.

    Attributes:
        name: Its name.
        documents: How many documents it has.
        id: Id of the document that represents it.
        context: Title and so on of that document.
        oldest: Date of its oldest document; None without dates.
        newest: Date of its newest document.
    """

    name: str
    documents: int
    id: str
    context: Context
    oldest: str | None
    newest: str | None


@dataclass(frozen=True)
class FamilySizesList:
    """Families of some sizes, the largest first.

    Attributes:
        families: Name and number of documents of each; of at most 1,000.
        total: How many there are.
        at: When they were counted.
    """

    families: tuple[tuple[str, int], ...]
    total: int
    at: str


@dataclass(frozen=True)
class Comparison:
    """Two documents compared.

    Attributes:
        relation: Relation of the first to the second.
        changes: Changes from the first to the second; None where texts may not be shown.
        a: Title and so on of the first, as far as allowed.
        b: Title and so on of the second.
        timeline: Timeline of their family; None without one, or where dates may not be shown.
    """

    relation: Relation
    changes: Changes | None
    a: Context
    b: Context
    timeline: Timeline | None


@dataclass(frozen=True)
class UsefulPairs:
    """Pairs of documents to label.

    Attributes:
        pairs: The most useful first.
        unreadable: Documents of the sample that were left out, because they cannot be read.
    """

    pairs: tuple["OfferedPair", ...]
    unreadable: int


class ExplorerReader(Protocol):
    """Reads an index for the explorer: documents that match filters, and allowed fields, alone."""

    @property
    def index(self) -> str:
        """Its name."""

    def can_search(self) -> bool:
        """Check whether there is a field in which words may be searched."""

    def search(self, words: str, page: int, filters: Filters) -> EntryPage:
        """Return the documents that a query of words finds, one of each family."""

    def ungrouped(self, page: int, filters: Filters) -> EntryPage:
        """Return the documents without a family."""

    def document(self, id: str, filters: Filters) -> dict[str, Any]:
        """Return a document: `id`, `document`, `source`, and its `text` where that is allowed."""

    def contexts(self, ids: Sequence[str], filters: Filters) -> Mapping[str, Context]:
        """Return the allowed context of documents; those that do not match are left out."""

    def family_size(self, name: str, filters: Filters) -> int:
        """Return how many documents a family has."""

    def families(self, low: int, high: int | None, filters: Filters) -> FamilySizesList:
        """Return the families of these sizes."""

    def representatives(
        self, families: Sequence[tuple[str, int]], filters: Filters
    ) -> Sequence[FamilyEntry]:
        """Return families with the documents that represent them."""

    def compare(self, a: str, b: str, filters: Filters) -> Comparison:
        """Return two documents compared."""

    def report(self, filters: Filters) -> IndexReport:
        """Return a report of all documents that match."""

    def pairs(self, seed: int, filters: Filters) -> UsefulPairs:
        """Return pairs of documents to label."""
