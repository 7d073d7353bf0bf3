"""Documents of an index with their analysed texts, the candidates of texts, sizes of families."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from es_simhash.pairs.parted_texts import Values, values_of
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.candidate import StoredText
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.relation.shared_shingles import least_shared
from es_simhash.store.dates import Date, DateField
from es_simhash.store.intents import Find, Parts, Sharing, Where
from es_simhash.store.protocol import Snapshot
from es_simhash.store.rows import Place, Row, SharingText, batches_of

# Candidates in one response; further responses exclude the texts that were seen.
CANDIDATES = 2_000
# Documents in one page; their texts are analysed together.
_PAGE = 200
# Values of one condition, and documents of one whose texts are not read.
_VALUES, _STORED_PLACES = 500, 2_000
_STORED = Parts(stored=True)

Value = TypeVar("Value")


@dataclass(frozen=True)
class FamilyDocument:
    """A document, without its text.

    Attributes:
        version: Where it is, and in which version it was read.
        content_hash: Stored hash of its text.
        family: Stored family; None without one.
        represents: Whether it is stored that it represents its family; None when nothing is.
        date: Its date, as the engine reads it; None without one.
        values: Its values of the field that keeps families apart; none without such a field.
    """

    version: DocumentVersion
    content_hash: str
    family: str | None
    represents: bool | None
    date: Date | None
    values: Values = ()

    @property
    def ref(self) -> DocumentRef:
        """Where it is."""
        return self.version.ref


@dataclass(frozen=True)
class Membership:
    """What is written into a document.

    Attributes:
        family: Name of its family.
        represents: Whether it represents the family.
    """

    family: str
    represents: bool


def texts_by_id(documents: Iterable[FamilyDocument]) -> dict[str, set[str]]:
    """Return the hashes of the texts of documents by id, which several of an alias may have."""
    texts: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        texts[document.ref.id].add(document.content_hash)
    return texts


def values_by_id(documents: Iterable[FamilyDocument]) -> dict[str, set[Values]]:
    """Return the values of documents by id, as `texts_by_id` does their texts."""
    values: dict[str, set[Values]] = defaultdict(set)
    for document in documents:
        values[document.ref.id].add(document.values)
    return values


# A document with what is to be written into it.
Assignment = tuple[FamilyDocument, Membership]


@dataclass(frozen=True)
class ReadDocument:
    """A document with its analysed text.

    Attributes:
        document: The document.
        text: Its text; None without words.
        is_current: False when the text is missing, or is not the one that was fingerprinted.
    """

    document: FamilyDocument
    text: StoredText | None
    is_current: bool

    @property
    def ref(self) -> DocumentRef:
        """Where it is."""
        return self.document.ref


class FamilyReader:
    """Reads the documents of an index as they are at one moment.

    Args:
        snapshot: The index at that moment.
        date_field: Field of the dates; None when they do not matter.
        within: Field that keeps families apart; None for none.
    """

    def __init__(
        self, snapshot: Snapshot, date_field: DateField | None = None, within: str | None = None
    ) -> None:
        self._snapshot = snapshot
        self._config = snapshot.config
        fields = () if within is None else (within,)
        self._parts = Parts(text=True, members=True, date=date_field, values=fields, version=True)

    @property
    def threshold(self) -> float:
        """Where versions begin in the index."""
        return self._config.versions_from

    @property
    def scheme(self) -> str:
        """Name of the scheme of the index."""
        return self._config.scheme.name

    def count(self) -> int:
        """Return the number of documents that have fingerprints of the scheme."""
        return self._snapshot.count(Where(fingerprinted=True))

    def all(self) -> Iterator[ReadDocument]:
        """Yield all documents that have fingerprints of the scheme."""
        yield from self._documents(Where(fingerprinted=True))

    def versions(self) -> Iterator[DocumentVersion]:
        """Yield where all these documents are, and in which version, without their texts."""
        for row in self._snapshot.rows(Where(fingerprinted=True), Parts(version=True)):
            yield row.read_version

    def without_family(self) -> Iterator[ReadDocument]:
        """Yield the documents that have no family yet."""
        yield from self._documents(Where(fingerprinted=True, has_family=False))

    def of_families(self, families: Sequence[str]) -> Iterator[ReadDocument]:
        """Yield the documents of some families."""
        for names in _batches(families):
            yield from self._documents(Where(fingerprinted=True, families=names))

    def of_texts(self, hashes: Sequence[str]) -> Iterator[ReadDocument]:
        """Yield the documents that have one of these texts."""
        for values in _batches(hashes):
            yield from self._documents(Where(fingerprinted=True, content_hashes=values))

    def of_ids(self, ids: Sequence[str]) -> Iterator[ReadDocument]:
        """Yield the documents that have one of these ids, in whatever index."""
        for values in _batches(ids):
            yield from self._documents(Where(fingerprinted=True, ids=values))

    def family_sizes(self) -> dict[str, int]:
        """Return the number of documents of each family."""
        return self._snapshot.family_sizes(Where(fingerprinted=True))

    def sizes_of(self, families: Collection[str]) -> dict[str, int]:
        """Return the number of documents of those of these families that have any."""
        sizes: dict[str, int] = {}
        for names in _batches(sorted(families)):
            sizes |= self._snapshot.family_sizes(Where(fingerprinted=True, families=names))
        return sizes

    def sizes_with(self, prefixes: Collection[str]) -> dict[str, int]:
        """Return the number of documents of each family whose name begins with one of these."""
        sizes: dict[str, int] = {}
        for some in _batches(sorted(prefixes)):
            sizes |= self._snapshot.family_sizes(Where(fingerprinted=True, family_prefixes=some))
        return sizes

    def count_with_family(self) -> int:
        """Return the number of documents that have a family."""
        return self._snapshot.count(Where(fingerprinted=True, has_family=True))

    def prefix_counts(self, prefixes: Sequence[str]) -> list[int]:
        """Return how many documents have a family whose name begins with each of these."""
        return self._snapshot.prefix_counts(Where(fingerprinted=True), prefixes)

    def candidates(
        self, texts: Sequence[StoredText], excluded: Mapping[str, Sequence[str]]
    ) -> list[list[SharingText]]:
        """Return, for each text, documents that share its shingles, those that share most first.

        Args:
            texts: The texts.
            excluded: Hashes of the texts to exclude, by the hash of the text of the query.
        """
        requests = [_candidates(text, excluded.get(text.content_hash, ())) for text in texts]
        return self._snapshot.sharing(requests)

    def is_full(self, found: Sequence[SharingText]) -> bool:
        """Check whether a response for one text holds as many documents as it may."""
        return len(found) == CANDIDATES

    def at(self, places: Sequence[Place]) -> Iterator[tuple[Place, Row]]:
        """Yield the documents at places where candidates were found, with all stored parts."""
        for some in _batches(places, _STORED_PLACES):
            yield from self._snapshot.at(some, _STORED)

    def _documents(self, where: Where) -> Iterator[ReadDocument]:
        rows = self._snapshot.rows(where, self._parts, page=_PAGE)
        for page in batches_of(rows, _PAGE):
            texts = TextAnalyser(self._config.scheme).stored_parts(row.text or "" for row in page)
            yield from map(_read, page, texts)


def _read(row: Row, text: StoredText | None) -> ReadDocument:
    document = FamilyDocument(
        row.read_version,
        row.content_hash or "",
        row.family,
        row.represents,
        row.date,
        values_of(chain(*row.values.values())),
    )
    content_hash = None if text is None else text.content_hash
    return ReadDocument(document, text, row.is_current(row.text, content_hash))


def _candidates(text: StoredText, excluded: Iterable[str]) -> Find:
    where = Where(fingerprinted=True, excluded_hashes=(text.content_hash, *excluded))
    least = least_shared(len(text.shingles))
    # The score is then the number of shingles that are shared.
    sharing = Sharing(text.queried_shingles, least, by_rarity=False)
    return Find(where, size=CANDIDATES, sharing=(sharing,))


def _batches(values: Sequence[Value], size: int = _VALUES) -> Iterator[tuple[Value, ...]]:
    for start in range(0, len(values), size):
        yield tuple(values[start : start + size])
