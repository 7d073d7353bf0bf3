"""Alignment of pairs of texts of an index, each once over interrupted runs."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from es_simhash.maintenance.copies.copy_journal import CopyJournal, Versions
from es_simhash.maintenance.copies.copy_reader import CopyReader
from es_simhash.pairs.copied_passages import AlignedPair, aligned_pair, aligned_texts
from es_simhash.pairs.copy_candidates import TextPair
from es_simhash.pairs.copy_units import CopyDocument
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.references import DocumentRef
from es_simhash.store.rows import batches_of

# Texts that are aligned with one text together.
_HITS = 50
# Analysed texts that are kept in memory.
_CACHED_TEXTS = 200


class PairAligner:
    """Aligns pairs of texts of one index, each once.

    Args:
        reader: Reads the texts.
        analyser: Of the scheme of the index.
        journal: Has what an earlier run aligned.

    Attributes:
        analyser: The same.
    """

    def __init__(self, reader: CopyReader, analyser: TextAnalyser, journal: CopyJournal) -> None:
        self.analyser = analyser
        self._reader = reader
        self._journal = journal
        self._texts: OrderedDict[DocumentRef, AnalysedText] = OrderedDict()

    def align(self, pairs: Iterable[TextPair]) -> Iterator[AlignedPair]:
        """Yield the pairs with their passages; those with one text are best side by side."""
        for document, group in groupby(pairs, key=lambda pair: pair.one.first):
            for batch in batches_of(group, _HITS):
                yield from self._batch(document, batch)

    def _batch(self, document: CopyDocument, pairs: Sequence[TextPair]) -> Iterator[AlignedPair]:
        records = self._journal.get(_key(pair) for pair in pairs)
        missing = [pair for pair in pairs if _key(pair) not in records]
        if missing:
            hits = [pair.other.first for pair in missing]
            self._load([document, *hits])
            records_of_hits = aligned_texts(document, hits, self._texts)
            new = {
                _key(pair): record for pair, record in zip(missing, records_of_hits, strict=True)
            }
            self._journal.add(new)
            records |= new
        for pair in pairs:
            yield aligned_pair(pair, records[_key(pair)])

    def _load(self, documents: Sequence[CopyDocument]) -> None:
        refs = [document.ref for document in documents if document.ref not in self._texts]
        for ref, text in self._reader.texts(refs).items():
            self._texts[ref] = AnalysedText(text, self.analyser)
        for document in documents:
            self._texts.move_to_end(document.ref)
        while len(self._texts) > max(_CACHED_TEXTS, len(documents)):
            self._texts.popitem(last=False)


def _key(pair: TextPair) -> Versions:
    return pair.one.first.version, pair.other.first.version
