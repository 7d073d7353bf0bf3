"""What the product asks of an index, as values: each request says what, none says how.

A store turns requests into what its engine understands and its answers into rows. Requests that do
not depend on each other are asked together and travel as one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.relation.alignment.sentence_words import SentenceWords
from es_simhash.relation.references import DocumentRef
from es_simhash.semantics.background import Background
from es_simhash.semantics.semantic_profile import SemanticProfile
from es_simhash.store.added_schemes import AddedScheme
from es_simhash.store.config import Installed
from es_simhash.store.dates import DateField
from es_simhash.store.rows import (
    Excerpt,
    FamilyPage,
    FamilySpan,
    IndexState,
    MethodHits,
    Row,
    Rows,
    SimilarTexts,
    TextHits,
)

# A query in the language of the engine, as users write their filters; passed on as it is.
Filter = Mapping[str, Any]
# How documents are ordered: by what they share (`score`), the representative of a family first,
# the newest first, at random, or as they were written.
Order = Literal["score", "representative", "newest", "random", "written"]

Answer_co = TypeVar("Answer_co", covariant=True)


@dataclass(frozen=True)
class Where:
    """Which documents; all conditions hold.

    Attributes:
        filters: The user's own filters.
        fingerprinted: Whether documents need fingerprints of the scheme of the index.
        is_current: Whether they have the fields of all schemes of the index; None for either.
        ids: Ids of the documents; None for any.
        families: Names of their families; None for any.
        family_prefixes: Beginnings of the names of their families; None for any.
        content_hashes: Hashes of their texts; None for any.
        has_family: Whether they have a family; None for either.
        has_fields: Fields that they have a value of.
        is_flagged: Whether they are flagged as versions of others; None for either.
        has_words: Whether documents without words are left out.
        above_seq_no: Sequence number above which they were written; None for any.
        sharing: Shingles that they share; None for any.
        excluded_ids: Ids that they do not have.
        excluded_families: Families that they are not in.
        excluded_hashes: Hashes that their texts do not have.
        of_values: Of the field that keeps documents apart, values of which they have one; of none,
            those without any. None for any documents.
    """

    filters: tuple[Filter, ...] = ()
    fingerprinted: bool = False
    is_current: bool | None = None
    ids: tuple[str, ...] | None = None
    families: tuple[str, ...] | None = None
    family_prefixes: tuple[str, ...] | None = None
    content_hashes: tuple[str, ...] | None = None
    has_family: bool | None = None
    has_fields: tuple[str, ...] = ()
    is_flagged: bool | None = None
    has_words: bool = False
    above_seq_no: int | None = None
    sharing: "Sharing | None" = None
    excluded_ids: tuple[str, ...] = ()
    excluded_families: tuple[str, ...] = ()
    excluded_hashes: tuple[str, ...] = ()
    of_values: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Parts:
    """What is read of each document; where it is, always.

    Attributes:
        text: Its text.
        fields: Fields of the user's, by name or pattern, for `Row.source`.
        excluded: Members of the `simhash` object that are left out of these.
        members: Content hash, status, and whether it represents its family.
        family: Its family.
        stored: What is stored of its text: shingles, chunk fingerprints, sketch.
        fingerprint: Its document fingerprint.
        has_fingerprint: Whether it has one, of whatever scheme.
        date: Field of its date; None for no date.
        values: Fields whose indexed values are read, for `Row.values`.
        simhash: Members of the `simhash` object that are read as they are, for `Row.simhash`.
        whole: All of the document but the large members of its `simhash` object, for `Row.source`.
        version: Sequence number and primary term.
    """

    text: bool = False
    fields: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    members: bool = False
    family: bool = False
    stored: bool = False
    fingerprint: bool = False
    has_fingerprint: bool = False
    date: DateField | None = None
    values: tuple[str, ...] = ()
    simhash: tuple[str, ...] = ()
    whole: bool = False
    version: bool = False


@dataclass(frozen=True)
class Sharing:
    """Documents that share shingles with a text, or have the same text.

    Attributes:
        shingles: Shingles that are queried, ascending.
        least: How many of them a document must have.
        content_hash: Documents with this hash match as well; None for none.
        by_rarity: Whether rare shingles count more in the order; otherwise each counts the same.
    """

    shingles: NDArray[np.uint32]
    least: int
    content_hash: str | None = None
    by_rarity: bool = True


class Request(Generic[Answer_co]):
    """A request to a store; the parameter is the type of its answer."""


@dataclass(frozen=True)
class Find(Request[Rows]):
    """The first documents that match, in order.

    Attributes:
        where: Which documents.
        parts: What is read of each.
        size: How many.
        order: In which order; of several, the first counts most.
        sharing: Texts of which documents share shingles with any; none for no such condition.
            Without an order there may be others among the first, which share with several of the
            texts what would be enough of one.
        date: Field of the order `newest`.
        newer_than: Date or date math of that field; rows say whether they are newer.
        seed: Of the order `random`.
        count: Whether all documents that match are counted.
    """

    where: Where = field(default_factory=Where)
    parts: Parts = field(default_factory=Parts)
    size: int = 10
    order: tuple[Order, ...] = ("score",)
    sharing: tuple[Sharing, ...] = ()
    date: DateField | None = None
    newer_than: str | None = None
    seed: int = 1
    count: bool = False


@dataclass(frozen=True)
class Count(Request[int]):
    """The number of documents that match.

    Attributes:
        where: Which documents.
        index: One of the indices behind the name of the store; None for all of them.
        shard: Number of the one shard they are in; None for all.
    """

    where: Where = field(default_factory=Where)
    index: str | None = None
    shard: int | None = None


@dataclass(frozen=True)
class FindAll(Request[Rows]):
    """All documents that match, as the index is at one moment, in no order; they fit in memory.

    Attributes:
        where: Which documents.
        parts: What is read of each.
    """

    where: Where
    parts: Parts


@dataclass(frozen=True)
class ListFamilies(Request[FamilyPage]):
    """All families by their names, some at a time.

    Attributes:
        where: Which documents are counted.
        after: Name after which the page begins; None for the first page.
        size: How many families.
    """

    where: Where = field(default_factory=Where)
    after: str | None = None
    size: int = 10_000


@dataclass(frozen=True)
class MeasureFamilies(Request[dict[str, FamilySpan]]):
    """How many documents families have, and since when; a family without any is left out.

    Attributes:
        families: Names of the families.
        where: Which documents are counted.
        date: Field of their dates; None for no dates.
    """

    families: tuple[str, ...]
    where: Where = field(default_factory=Where)
    date: DateField | None = None


@dataclass(frozen=True)
class CheckDate(Request[bool]):
    """Whether the engine can read a date, or date math, of a field.

    Attributes:
        field: The field.
        date: The date.
    """

    field: DateField
    date: str


@dataclass(frozen=True)
class DocumentsById(Request[list[Row]]):
    """Documents by their ids alone, in that order; one that is missing has `found` False.

    Attributes:
        ids: The ids.
        parts: What is read of each; `text`, `fields` and `members`.
    """

    ids: tuple[str, ...]
    parts: Parts


@dataclass(frozen=True)
class DocumentsAt(Request[dict[DocumentRef, Row]]):
    """Documents as they are now, by their places; vanished ones are left out.

    Attributes:
        refs: Where they are; without an index, in that of the store.
        parts: What is read of each; no indexed values.
    """

    refs: tuple[DocumentRef, ...]
    parts: Parts


@dataclass(frozen=True)
class FindPlaces(Request[dict[str, list[DocumentRef]]]):
    """Where all documents of some ids are, whatever their routing, by id.

    Attributes:
        ids: The ids.
    """

    ids: tuple[str, ...]


@dataclass(frozen=True)
class FindSimilar(Request[SimilarTexts]):
    """Documents that share shingles with a text, or whose fingerprint is within k bits of its own.

    Attributes:
        fingerprints: Of the text.
        where: Which documents.
        k: Maximum Hamming distance; None for the greatest that the blocks promise.
        candidates: How many are returned of each of the two ways.
    """

    fingerprints: TextFingerprints
    where: Where = field(default_factory=Where)
    k: int | None = None
    candidates: int = 100


@dataclass(frozen=True)
class CompareShingles(Request[SimilarTexts]):
    """What the documents of some ids share with a text, also when that is nothing.

    Attributes:
        fingerprints: Of the text.
        ids: Of the documents.
        where: Which of them.
    """

    fingerprints: TextFingerprints
    ids: tuple[str, ...]
    where: Where = field(default_factory=Where)


@dataclass(frozen=True)
class FindNear(Request[TextHits]):
    """Documents near in meaning, nearest first.

    Attributes:
        profile: Semantic profile of the text; not empty.
        where: Which documents.
        candidates: How many.
        date: Field of a date to bring along; None for none.
    """

    profile: SemanticProfile
    where: Where = field(default_factory=Where)
    candidates: int = 100
    date: DateField | None = None


class PassageText(Protocol):
    """A text whose passages are looked up by their rarest words, as a `SegmentedText` is."""

    @property
    def sentence_words(self) -> SentenceWords:
        """Sentences, by which passages are aligned."""

    def words_at(self, tokens: Sequence[int] | NDArray[np.int64]) -> list[str]:
        """Return tokens in normal form."""


@dataclass(frozen=True)
class FindSharedWords(Request[TextHits]):
    """Documents whose texts have rare words of one passage of a text together, best first.

    Attributes:
        text: The text.
        language: Language of its words, as its semantic profile has it.
        where: Which documents.
        size: How many relations are to be shown.
    """

    text: PassageText
    language: str
    where: Where = field(default_factory=Where)
    size: int = 10


@dataclass(frozen=True)
class Words:
    """A query of words as a user types it: words, quotes, `+`, `|`, `-`, brackets, `*` at an end.

    Attributes:
        query: The query.
        title: Field of the title, which counts more; None for none.
        texts: Fields of the text.
        values: Fields of keywords, each with the value that a match must have in it.
        year: Field of a date, and the year that it must be in; None for any.
    """

    query: str
    title: str | None
    texts: tuple[str, ...]
    values: tuple[tuple[str, str], ...] = ()
    year: tuple[str, int] | None = None


@dataclass(frozen=True)
class FindWords(Request[Rows]):
    """Documents that a query of words matches, one of each family; with their families.

    Attributes:
        words: The query.
        where: Which documents.
        size: How many, of those with a family and of those without.
        newest: Field of the date by which they come, the newest first; None for the best first.
    """

    words: Words
    where: Where = field(default_factory=Where)
    size: int = 10
    newest: DateField | None = None


@dataclass(frozen=True)
class CountValues(Request[dict[str, tuple[tuple[str, int], ...]]]):
    """How many of the documents that a query of words matches have a value, by the field's name.

    Attributes:
        words: The query.
        where: Which documents.
        fields: Fields of keywords, as `KeywordFields` returns them; the most frequent values first.
        years: Field of dates, whose years are counted, the latest first; None for none.
    """

    words: Words
    where: Where
    fields: tuple[str, ...]
    years: str | None = None


@dataclass(frozen=True)
class KeywordFields(Request[dict[str, str]]):
    """Where the values of fields of the user's are keywords: each itself, or its multi-field.

    Attributes:
        names: The fields; one whose values are texts alone is left out.
    """

    names: tuple[str, ...]


@dataclass(frozen=True)
class FindExcerpts(Request[dict[str, Excerpt]]):
    """The stretch of each text that matches a query of words best, by ids.

    Attributes:
        words: The query.
        where: Which documents; with their ids.
    """

    words: Words
    where: Where


@dataclass(frozen=True)
class SearchableFields(Request[tuple[str, ...]]):
    """Those fields of the user's that words can be searched in, as the mapping is now.

    Attributes:
        names: The fields.
    """

    names: tuple[str, ...]


@dataclass(frozen=True)
class FindByBlocks(Request[MethodHits]):
    """Documents that share a block key of a method's fingerprints with a text.

    Attributes:
        keys: Block keys of the text, ascending.
        scheme: Scheme of the method in the index.
        where: Which documents.
        candidates: How many.
    """

    keys: tuple[str, ...]
    scheme: AddedScheme
    where: Where = field(default_factory=Where)
    candidates: int = 100


@dataclass(frozen=True)
class FindVectors(Request[dict[DocumentRef, NDArray[np.float32]]]):
    """Unit vectors of a vector field of the user's, of documents that have one.

    Attributes:
        refs: Where the documents are.
        field: The field.
    """

    refs: tuple[DocumentRef, ...]
    field: str


@dataclass(frozen=True)
class FindIndexState(Request[IndexState]):
    """What is stored beside the documents of an index, and decides what answers say.

    Attributes:
        ids: Of the documents whose dismissals are wanted; None for all.
    """

    ids: tuple[str, ...] | None = None


@dataclass(frozen=True)
class FindBackground(Request[Background | None]):
    """The background of the index; None without one."""


@dataclass(frozen=True)
class Configuration(Request[Installed]):
    """How the index is read and fingerprinted, as its mapping says; read once.

    Attributes:
        vectors: Whether word vectors that were learned from the index are read too. A question can
            go without: it learns their name along with its answers.
    """

    vectors: bool = True


@dataclass(frozen=True)
class RenewConfiguration(Request[Installed]):
    """The same as it is by now: word vectors may have been learned since it was read."""


@dataclass(frozen=True)
class FindKeywordField(Request[str]):
    """The name of a field of keywords, whose values are equal or not.

    Attributes:
        name: Its name.
        parameter: What the user names it by.
    """

    name: str
    parameter: str


@dataclass(frozen=True)
class FindDateField(Request[DateField]):
    """The field of dates of a name.

    Attributes:
        name: Its name.
        parameter: What the user names it by.
        numbers: Whether a field of numbers will do as well.
    """

    name: str
    parameter: str
    numbers: bool = True


@dataclass(frozen=True)
class TextFieldHint(Request[str]):
    """The end of a sentence about documents without a text; empty where the field is mapped."""


@dataclass(frozen=True)
class RequireTextField(Request[None]):
    """A check that a mapping has the fields of the text; an error names the nearest field.

    Attributes:
        names: The fields; None for those of the configuration.
    """

    names: tuple[str, ...] | None = None


@dataclass(frozen=True)
class RequireFilter(Request[None]):
    """A check that the engine can read a filter; its error is that of the engine.

    Attributes:
        filter: The filter.
    """

    filter: Filter


def ids_of(refs: Sequence[DocumentRef]) -> tuple[str, ...]:
    """Return the ids of documents, each once, ascending."""
    return tuple(sorted({ref.id for ref in refs}))
