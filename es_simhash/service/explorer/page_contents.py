"""Contents of the explorer's pages: lists of documents and families, and comparisons."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from es_simhash.constraints import constraints
from es_simhash.differences.difference import Changes
from es_simhash.differences.version_timeline import Timeline
from es_simhash.relation.relation import Relation

if TYPE_CHECKING:
    from es_simhash.lab.evaluation.useful_pairs import OfferedPair

# Entries of one page of a list, and pages of a list that can be opened.
PAGE, MAX_PAGES = 20, 50
SortOrder = Literal["best", "newest"]
# What may be known of a document: title, date, owner, language, link, family.
Context = Mapping[str, Any]


@dataclass(frozen=True)
class ListPage:
    """A page of a list.

    Attributes:
        page: Its number.
    """

    page: int = field(default=1, metadata=constraints(1, MAX_PAGES))


@dataclass(frozen=True)
class ChosenMatches(ListPage):
    """Which matches of a search are listed, and in which order.

    Attributes:
        sort: What comes first: the best match, or the newest.
        owner: Value of the field of the owner; None for any.
        language: Value of the field of the language.
        year: Year of the date.
    """

    sort: SortOrder = "best"
    owner: str | None = None
    language: str | None = None
    year: int | None = field(default=None, metadata=constraints(1, 9_999))


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
class Facet:
    """Values of a field, among which a search can be narrowed.

    Attributes:
        name: Name of the parameter that chooses one.
        field: Name of the field.
        values: The values, each with the number of documents that match.
    """

    name: str
    field: str
    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class SearchPage(DocumentPage):
    """A page of matches.

    Attributes:
        facets: What the search can be narrowed by.
        can_sort: Whether there are dates by which the matches can be sorted.
    """

    facets: tuple[Facet, ...] = ()
    can_sort: bool = False


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
