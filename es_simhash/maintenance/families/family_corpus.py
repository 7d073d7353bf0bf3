"""The documents and texts of a run over an index, and which of them represents a family."""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Sequence

from es_simhash.maintenance.families.family_options import Representative
from es_simhash.maintenance.families.family_reader import FamilyDocument, IndexReader, ReadDocument
from es_simhash.pairs.postings import Postings
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.references import DocumentRef
from es_simhash.store.dates import Date

# Texts kept in memory; others are read again when they are needed.
_CACHED_TEXTS = 50_000


class Corpus:
    """The documents a run has read, and a cache of their texts.

    Args:
        reader: Reads the index.

    Attributes:
        documents: All documents read, by their reference.
        copies: Documents of each text, by its hash.
        characters: Length of each text, by its hash.
        empty: Documents without words.
        skipped: Documents whose text is missing, or is not the one that was fingerprinted.
    """

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader
        self._postings: Postings | None = None
        self._texts: OrderedDict[str, AnalysedText] = OrderedDict()
        self.documents: dict[DocumentRef, FamilyDocument] = {}
        self.copies: dict[str, list[DocumentRef]] = defaultdict(list)
        self.characters: dict[str, int] = {}
        self.empty: list[DocumentRef] = []
        self.skipped: set[DocumentRef] = set()

    def add(self, documents: Iterable[ReadDocument]) -> list[str]:
        """Add documents and return the hashes of their texts."""
        hashes = []
        for read in documents:
            document = read.document
            if read.is_current and read.text is not None:
                self._cache(read.text)
                hashes.append(document.content_hash)
            if document.ref not in self.documents:
                self._add_document(document, read)
        return hashes

    def _add_document(self, document: FamilyDocument, read: ReadDocument) -> None:
        self.documents[document.ref] = document
        if not read.is_current:
            self.skipped.add(document.ref)
        elif read.text is None:
            self.empty.append(document.ref)
        else:
            self.copies[document.content_hash].append(document.ref)

    def add_all(self) -> tuple[list[str], Postings]:
        """Add all documents; return the hashes of their texts, and their posting lists."""
        self._postings = Postings()
        try:
            return self.add(self._reader.all()), self._postings
        finally:
            self._postings = None

    def add_copies(self, hashes: Sequence[str]) -> None:
        """Add all documents of these texts."""
        self.add(self._reader.of_texts(hashes))

    def hashes_of(self, refs: Iterable[DocumentRef]) -> dict[DocumentRef, str]:
        """Return the hash of the text of each of these documents that has a current text."""
        wanted = list(dict.fromkeys(refs))
        unknown = {ref.id for ref in wanted if ref not in self.documents}
        self.add(self._reader.of_ids(sorted(unknown)))
        documents = {ref: self.documents.get(ref) for ref in wanted}
        return {
            ref: document.content_hash
            for ref, document in documents.items()
            if document is not None and ref not in self.skipped
        }

    def load(self, hashes: Iterable[str]) -> None:
        """Read those of these texts that are not in the cache, so that `text` is quick."""
        missing = [key for key in dict.fromkeys(hashes) if key not in self._texts]
        self.add(self._reader.of_ids([self.copies[key][0].id for key in missing]))

    def text(self, content_hash: str) -> AnalysedText:
        """Return a text by its hash."""
        if content_hash not in self._texts:
            self.load([content_hash])
        return self._texts[content_hash]

    def _cache(self, text: AnalysedText) -> None:
        if self._postings is not None:
            if text.content_hash not in self._postings:
                self._postings.add(text.content_hash, text.queried_shingles)
            # Texts are queried in another order than they are read.
            self.trim()
        self.characters[text.content_hash] = text.characters
        self._texts[text.content_hash] = text
        self._texts.move_to_end(text.content_hash)

    def trim(self) -> None:
        """Remove the least recently used texts from the cache."""
        while len(self._texts) > _CACHED_TEXTS:
            self._texts.popitem(last=False)


class Representatives:
    """Ranks the documents and texts of a corpus; the highest rank represents a family.

    Args:
        corpus: Documents of which none is added later.
        representative: The longest, the newest or the oldest.
        hashes: Texts to rank.
    """

    def __init__(
        self, corpus: Corpus, representative: Representative, hashes: Iterable[str]
    ) -> None:
        self._corpus = corpus
        self._representative = representative
        self._date_order = _date_order(corpus)
        self._best = {
            content_hash: max(
                corpus.copies[content_hash], key=lambda ref: (self._document_rank(ref), ref)
            )
            for content_hash in hashes
        }

    def document(self, content_hash: str) -> DocumentRef:
        """Return the document of a text that ranks highest."""
        return self._best[content_hash]

    def rank(self, content_hash: str) -> tuple[int, str]:
        """Return the rank of a text; no two texts have the same."""
        return self._document_rank(self._best[content_hash]), content_hash

    def _document_rank(self, ref: DocumentRef) -> int:
        document = self._corpus.documents[ref]
        if self._representative == "longest":
            return self._corpus.characters[document.content_hash]
        if document.date is None:
            return -len(self._date_order)
        position = self._date_order[document.date]
        return position if self._representative == "newest" else -position


def _date_order(corpus: Corpus) -> dict[Date, int]:
    """Return the position of each date among all dates, from 0."""
    dates = {document.date for document in corpus.documents.values() if document.date is not None}
    return {date: position for position, date in enumerate(sorted(dates))}
