"""Contents of the explorer's pages: lists of documents and families, and comparisons."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from es_simhash.differences.difference import Changes
from es_simhash.differences.version_timeline import Timeline
from es_simhash.relation.relation import Relation

if TYPE_CHECKING:
    from es_simhash.lab.evaluation.useful_pairs import OfferedPair

# What may be known of a document: title, date, owner, language, link, family.
Context = Mapping[str, Any]


@dataclass(frozen=True)
class ListedDocument:
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
class DocumentPage:
    """A page of documents.

    Attributes:
        entries: The documents.
        total: All documents that match; of a family, all of them count.
        has_next: Whether there is a next page.
    """

    entries: tuple[ListedDocument, ...]
    total: int
    has_next: bool


@dataclass(frozen=True)
class ListedFamily:
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
class ComparedDocuments:
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
