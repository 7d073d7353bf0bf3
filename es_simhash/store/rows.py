"""Typed rows, which a store answers, with the requested parts of each document."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeVar

from es_simhash.relation.candidate import Candidate, ScoredText, StoredText
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.references import DocumentRef, DocumentVersion, Key
from es_simhash.semantics.semantic_similarity import SemanticSimilarity
from es_simhash.store.dates import Date
from es_simhash.store.fields import STATUS_EMPTY
from es_simhash.store.state_entries import FamilyRule

Item = TypeVar("Item")


def batches_of(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield items in order, so many at a time; the last batch may have fewer."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


@dataclass(frozen=True)
class Neighbour:
    """A document near in meaning.

    Attributes:
        id: Of the document.
        index: Index of the document; None in memory.
        semantics: How near, without evidence.
        text: What it is scored by; None when it has no fingerprints.
        family: Its version family; empty when it is in none.
        date: Milliseconds since 1970 of the requested date field; None without one.
    """

    id: str | None
    index: str | None
    semantics: SemanticSimilarity
    text: ScoredText | None = None
    family: str = ""
    date: float | None = None


# A stretch of a text in pieces, each with whether it matches.
Excerpt = tuple[tuple[str, bool], ...]


# What a document has of members that were not asked for, the same for all: it is only read.
_NOTHING: Mapping[str, Any] = {}


class Row(NamedTuple):
    """The requested parts of a document; a part it lacks is None or empty.

    Attributes:
        ref: Where it is.
        found: False for an id that no document has.
        source: Requested fields of the user's.
        text: Its text; None without one, or where the field holds something else.
        scheme: Scheme of its fingerprints.
        content_hash: Stored hash of its text.
        status: Why it has no fingerprints.
        family: Its family.
        represents: Whether it represents its family; None when nothing is stored.
        duplicate_of: Id of the document that it is flagged as a version of.
        stored: The stored parts of its text.
        fingerprint: Its document fingerprint.
        has_fingerprint: Whether it has one; None where it was not searched for, but read as it is.
        date: Its date, of several the latest.
        dates: How many dates it has.
        is_newer: Whether it is newer than the date of the request.
        values: Indexed values of the requested fields.
        simhash: Requested members of its `simhash` object, as they are stored.
        version: In which version it was read.
        writes: How often it was written; 1 for a document that is as it was created.
        score: Its score in the order of the request.
    """

    ref: DocumentRef
    found: bool = True
    source: Mapping[str, Any] = _NOTHING
    text: str | None = None
    scheme: str | None = None
    content_hash: str | None = None
    status: str | None = None
    family: str | None = None
    represents: bool | None = None
    duplicate_of: str | None = None
    stored: StoredText | None = None
    fingerprint: bytes | None = None
    has_fingerprint: bool | None = None
    date: Date | None = None
    dates: int = 0
    is_newer: bool = True
    values: Mapping[str, Sequence[Any]] = _NOTHING
    simhash: Mapping[str, Any] = _NOTHING
    version: DocumentVersion | None = None
    writes: int | None = None
    score: float = 0.0

    @property
    def id(self) -> str:
        """Its id."""
        return self.ref.id

    @property
    def read_version(self) -> DocumentVersion:
        """Version in which it was read; the request must include versions."""
        assert self.version is not None, "the request included no versions"
        return self.version

    def is_current(self, text: str | None, content_hash: str | None) -> bool:
        """Check whether the stored fingerprints are those of its text.

        Args:
            text: Its text; None without one.
            content_hash: Hash of the text; None when it has no tokens.
        """
        if content_hash is not None:
            return content_hash == (self.content_hash or "")
        return text is not None and self.status == STATUS_EMPTY

    @property
    def key(self) -> Key:
        """Its index and id, by which answers name it."""
        return self.ref.key


class Place(NamedTuple):
    """Where a document is in a snapshot.

    Attributes:
        index_name: Its index; empty for the one of the snapshot.
        seq_no: Its sequence number, which a document of another shard may have too.
        position: What it is sorted by in the snapshot: another for each document.
    """

    index_name: str
    seq_no: int
    position: tuple[str | int, ...]


class SharingText(NamedTuple):
    """A document that shares shingles with a text.

    Of most of them nobody asks the id, which takes the engine longer to read than to find them.

    Attributes:
        place: Where it is in the snapshot.
        shared: How many of the queried shingles it has.
        text: What its text is scored by besides; None where a part is missing.
    """

    place: Place
    shared: int
    text: ScoredText | None


@dataclass(frozen=True)
class Rows:
    """The first documents that match.

    Attributes:
        rows: The documents.
        total: How many match, where that was asked.
        took: Milliseconds that the engine needed, as it reports them.
    """

    rows: Sequence[Row]
    total: int = 0
    took: int = 0


@dataclass(frozen=True)
class FamilyPage:
    """Some families, in the order of their names.

    Attributes:
        sizes: Name and number of documents of each.
        after: Name after which the next page begins; None for the last page.
    """

    sizes: Sequence[tuple[str, int]] = ()
    after: str | None = None


@dataclass(frozen=True)
class FamilySpan:
    """The documents of a family, counted.

    Attributes:
        documents: Number of its documents.
        oldest: First date of any of them; None without dates.
        newest: Last date of any of them.
    """

    documents: int
    oldest: Date | None = None
    newest: Date | None = None


@dataclass(frozen=True)
class SimilarTexts:
    """Documents that may be versions of a text, by what is stored of them.

    Attributes:
        sharing: Those that share shingles with it.
        within_k: Those whose fingerprint is within k bits of its own, also if they are in
            `sharing`; what they share is not counted.
        is_cut: Whether the limit cut those that share shingles.
        is_cut_within_k: Whether it cut those within k bits.
        places: Where they are, with their routings.
    """

    sharing: Sequence[Candidate] = ()
    within_k: Sequence[Candidate] = ()
    is_cut: bool = False
    is_cut_within_k: bool = False
    places: Mapping[Key, DocumentRef] = field(default_factory=dict)


@dataclass(frozen=True)
class TextHits:
    """Documents that may have something in common with a text, best first.

    Attributes:
        neighbours: Those near in meaning, where these were asked for.
        keys: All of them.
        is_cut: Whether not all of the text could be searched.
        places: Where they are, with their routings.
        unread: Estimate of the greatest similarity in meaning that a document may have which the
            limit left out; 0 when there are none.
        other_vectors: How many of them have no vector by the word vectors of the question.
    """

    neighbours: Sequence[Neighbour] = ()
    keys: Sequence[Key] = ()
    is_cut: bool = False
    places: Mapping[Key, DocumentRef] = field(default_factory=dict)
    unread: float = 0.0
    other_vectors: int = 0


@dataclass(frozen=True)
class MethodHits:
    """Documents that share a block with a text by the fingerprints of a method.

    Attributes:
        refs: Where they are.
        fingerprints: The stored fingerprints of each, packed; empty where there are none.
        is_cut: Whether the limit cut them.
    """

    refs: Sequence[DocumentRef] = ()
    fingerprints: Sequence[bytes] = ()
    is_cut: bool = False


@dataclass(frozen=True)
class IndexState:
    """What is stored beside the documents of an index, and decides what answers say.

    Attributes:
        pairs: What a person decided: dismissals of some documents, and all joins.
        background: Name of the background; None without one.
        vectors: Name of the word vectors that were learned from the index; None without any.
        family_rule: Which document represents a family since the last run; None without a run,
            and where the dismissals of some documents alone were wanted.
    """

    pairs: ManualPairs = field(default_factory=ManualPairs)
    background: str | None = None
    vectors: str | None = None
    family_rule: FamilyRule | None = None


@dataclass(frozen=True)
class WriteResult:
    """What became of a write to a document in the version that was read.

    Attributes:
        status: Written, or why not: somebody changed the document since, it is gone, or the write
            was rejected.
        reason: What the engine says of it; None for a change that met another one.
        is_resent: Whether it was sent before without an answer, so that a conflict may be with
            itself; False for a `Change`, of which this is found out.
    """

    status: Literal["written", "conflict", "missing", "rejected"]
    reason: str | None = None
    is_resent: bool = False
