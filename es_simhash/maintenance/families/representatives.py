"""Which document represents a family: the longest, the newest or the oldest."""

from collections.abc import Iterable

from es_simhash.maintenance.families.corpus import Corpus
from es_simhash.maintenance.families.options import Representative
from es_simhash.store.dates import Date
from es_simhash.store.references import DocumentRef


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
