"""An index as it is read to find copies: documents, and texts of them."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.text_fingerprints import TextShingles, text_shingles
from es_simhash.pairs.copy_units import CopyDocument
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store.dates import DateField
from es_simhash.store.intents import Filter, Parts, Sharing, Where
from es_simhash.store.protocol import Snapshot
from es_simhash.store.rows import Row, batches_of
from es_simhash.text.limits import is_too_long

# Documents in one page; their texts are analysed together.
_DOCUMENTS = 100
# Texts that are fetched together to be aligned, and ids of one condition.
_TEXTS, _IDS = 50, 500
# Shingles of one condition.
_TERMS = 500


class CopyReader:
    """Reads the documents of an index, and texts of them, as they are at one moment.

    Args:
        snapshot: The index at that moment.
        filters: Queries that documents must match.
        between: Field whose values tell documents apart; None for none.
        date_field: Field of the date; None for none.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        filters: Sequence[Filter],
        between: str | None,
        date_field: DateField | None,
    ) -> None:
        self._snapshot = snapshot
        self._filters = tuple(filters)
        self._between = between
        self._parts = Parts(
            text=True,
            members=True,
            date=date_field,
            values=() if between is None else (between,),
            version=True,
        )

    @property
    def text_field(self) -> str:
        """Field of the texts."""
        return self._snapshot.config.text_field

    def count(self, *filters: Filter) -> int:
        """Return the number of documents that match the filter, with fingerprints or without.

        Args:
            filters: Further queries that they must match.
        """
        return self._snapshot.count(Where((*self._filters, *filters)))

    def documents(self) -> Iterator[CopyDocument]:
        """Yield the documents that match the filter and have fingerprints of the scheme."""
        yield from self._read(Where(self._filters, fingerprinted=True))

    def versions(self) -> Iterator[DocumentVersion]:
        """Yield where all these documents are, and in which version, without their texts."""
        where = Where(self._filters, fingerprinted=True)
        for row in self._snapshot.rows(where, Parts(version=True)):
            yield row.read_version

    def of_ids(self, ids: Sequence[str]) -> Iterator[CopyDocument]:
        """Yield those of these documents that have one of these ids, in whatever index."""
        for some in batches_of(ids, _IDS):
            yield from self._read(Where(self._filters, fingerprinted=True, ids=tuple(some)))

    def matching(self, *filters: Filter) -> Iterator[CopyDocument]:
        """Yield those of these documents that match further queries."""
        yield from self._read(Where((*self._filters, *filters), fingerprinted=True))

    def of_families(self, names: Sequence[str]) -> Iterator[CopyDocument]:
        """Yield those of these documents that are in some families."""
        for some in batches_of(names, _IDS):
            yield from self._read(Where(self._filters, fingerprinted=True, families=tuple(some)))

    def sharing(self, numbers: NDArray[np.uint32], least: int) -> Iterator[DocumentVersion]:
        """Yield where documents are that share shingles, by the numbers that are stored of them.

        Args:
            numbers: Of the shingles.
            least: How many a document must have.
        """
        for start in range(0, len(numbers), _TERMS) if least == 1 else [0]:
            some = numbers[start : start + _TERMS] if least == 1 else numbers
            where = Where(self._filters, fingerprinted=True, sharing=Sharing(some, least))
            for row in self._snapshot.rows(where, Parts(version=True)):
                yield row.read_version

    def shingle_counts(self, numbers: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return how many of these documents have each shingle, by the numbers that are stored."""
        counts: list[int] = []
        where = Where(self._filters, fingerprinted=True)
        for start in range(0, len(numbers), _TERMS):
            counts += self._snapshot.shingle_counts(where, numbers[start : start + _TERMS])
        return np.array(counts, np.int64)

    def _read(self, where: Where) -> Iterator[CopyDocument]:
        rows = self._snapshot.rows(where, self._parts, page=_DOCUMENTS)
        for page in batches_of(rows, _DOCUMENTS):
            contents = [_text(row) for row in page]
            texts = text_shingles((text or "" for text in contents), self._snapshot.config.scheme)
            for row, content, text in zip(page, contents, texts, strict=True):
                yield self._document(row, content, text)

    def _document(self, row: Row, content: str | None, text: TextShingles) -> CopyDocument:
        values = row.values[self._between] if self._between else ()
        return CopyDocument(
            row.read_version,
            row.content_hash or "",
            row.family,
            tuple(sorted({_shown(value) for value in values})),
            row.date,
            text.wide,
            not text.tokens,
            row.is_current(content, text.content_hash if text.tokens else None),
            text.numbers,
        )

    def texts(self, refs: Sequence[DocumentRef]) -> dict[DocumentRef, str]:
        """Return the texts of documents that `documents` yielded."""
        texts: dict[DocumentRef, str] = {}
        wanted = set(refs)
        for start in range(0, len(refs), _TEXTS):
            ids = tuple(sorted({ref.id for ref in refs[start : start + _TEXTS]}))
            for row in self._snapshot.rows(Where(ids=ids), Parts(text=True), page=_TEXTS):
                if row.ref in wanted:
                    texts[row.ref] = _text(row) or ""
        return texts


def _text(row: Row) -> str | None:
    return None if row.text is None or is_too_long(row.text) else row.text


def _shown(value: object) -> str:
    """Return a value of a field as text; a boolean as JSON has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
