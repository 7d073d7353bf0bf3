"""The documents and texts that a run over an index has read."""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Sequence

from es_simhash.maintenance.families.family_reader import FamilyDocument, FamilyReader, ReadDocument
from es_simhash.relation.candidate import StoredText
from es_simhash.relation.references import DocumentRef

# Texts kept in memory; others are read again when they are needed.
_CACHED_TEXTS = 50_000


class Corpus:
    """The documents a run has read, and a cache of their texts.

    Args:
        reader: Reads the index.

    Attributes:
        reader: Reads the index.
        documents: All documents read, by their reference.
        copies: Documents of each text, by its hash.
        characters: Length of each text, by its hash.
        empty: Documents without words.
        skipped: Documents whose text is missing, or is not the one that was fingerprinted.
    """

    def __init__(self, reader: FamilyReader) -> None:
        self.reader = reader
        self._texts: OrderedDict[str, StoredText] = OrderedDict()
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

    def add_copies(self, hashes: Sequence[str]) -> None:
        """Add all documents of these texts."""
        self.add(self.reader.of_texts(hashes))

    def families_of(self, content_hash: str) -> set[str]:
        """Return the stored families of a text: those of its documents that were read."""
        families = (self.documents[ref].family for ref in self.copies.get(content_hash, ()))
        return {family for family in families if family is not None}

    def __contains__(self, content_hash: object) -> bool:
        """Check whether a document that was read has this text."""
        return content_hash in self.copies

    def load(self, hashes: Iterable[str]) -> None:
        """Read those of these texts that are not in the cache, so that they are quick."""
        missing = [key for key in dict.fromkeys(hashes) if key not in self._texts]
        self.add(self.reader.of_ids([self.copies[key][0].id for key in missing]))

    def __getitem__(self, content_hash: str) -> StoredText:
        """Return a text by its hash."""
        if content_hash not in self._texts:
            self.load([content_hash])
        return self._texts[content_hash]

    def _cache(self, text: StoredText) -> None:
        self.characters[text.content_hash] = text.characters
        self._texts[text.content_hash] = text
        self._texts.move_to_end(text.content_hash)

    def trim(self) -> None:
        """Remove the least recently used texts from the cache."""
        while len(self._texts) > _CACHED_TEXTS:
            self._texts.popitem(last=False)
