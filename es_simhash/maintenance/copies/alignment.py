"""The passages of a pair of texts, with what is needed to tell copies from boilerplate."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice

import numpy as np

from es_simhash.fingerprints.shingles import all_shingles
from es_simhash.maintenance.copies.copies_report import CopiedPassage
from es_simhash.maintenance.copies.copy_candidates import TextPair
from es_simhash.maintenance.copies.copy_journal import CopyJournal, Record, Versions
from es_simhash.maintenance.copies.copy_reader import CopyReader
from es_simhash.maintenance.copies.copy_units import CopyDocument, Shingles
from es_simhash.pairs.copied_passages import copied_passages
from es_simhash.relation.alignment.aligned_passages import AlignedPassage
from es_simhash.relation.alignment.stretches import in_equal_runs, least_letters
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.relation import Span
from es_simhash.relation.shared_passages import passages_of_each, shared_passages
from es_simhash.relation.thresholds import BOILERPLATE, COPIED_RUN

# Texts that are aligned with one text together.
_HITS = 50
# Analysed texts that are kept in memory.
_CACHED_TEXTS = 200


@dataclass(frozen=True)
class AlignedPair:
    """Two texts and all passages they share.

    Attributes:
        pair: The texts.
        lengths: Characters of both texts.
        least_letters: Letters that a copied passage of such texts has at least.
        passages: The passages, in the order of the first text; a is the first text.
        shingles: For each passage, shingles that both texts have there and an index may have.
    """

    pair: TextPair
    lengths: tuple[int, int]
    least_letters: int
    passages: tuple[CopiedPassage, ...]
    shingles: tuple[Shingles, ...]

    def with_letters(self, least: int) -> "AlignedPair":
        """Return the pair with the passages of at least so many letters."""
        chosen = [place for place, each in enumerate(self.passages) if each.letters >= least]
        return replace(
            self,
            passages=tuple(self.passages[place] for place in chosen),
            shingles=tuple(self.shingles[place] for place in chosen),
        )

    def without_boilerplate(self, common: Shingles) -> tuple[list[CopiedPassage], int]:
        """Return the passages that few others have, and how many others there are."""
        kept = [
            passage
            for passage, shingles in zip(self.passages, self.shingles, strict=True)
            if not _is_common(shingles, common)
        ]
        return kept, len(self.passages) - len(kept)


def _is_common(shingles: Shingles, common: Shingles) -> bool:
    if not len(shingles):
        return False
    return bool(np.isin(shingles, common).mean() >= BOILERPLATE)


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
            remaining = iter(group)
            while batch := list(islice(remaining, _HITS)):
                yield from self._batch(document, batch)

    def _batch(self, document: CopyDocument, pairs: Sequence[TextPair]) -> Iterator[AlignedPair]:
        records = self._journal.get(_key(pair) for pair in pairs)
        missing = [pair for pair in pairs if _key(pair) not in records]
        if missing:
            hits = [pair.other.first for pair in missing]
            for pair, record in zip(missing, self._records(document, hits), strict=True):
                self._journal.add(_key(pair), record)
                records[_key(pair)] = record
        for pair in pairs:
            yield _pair(pair, records[_key(pair)])

    def _records(self, document: CopyDocument, hits: Sequence[CopyDocument]) -> Iterator[Record]:
        self._load([document, *hits])
        query = self._texts[document.ref]
        texts = [self._texts[hit.ref] for hit in hits]
        aligned = passages_of_each(query, texts)
        for hit, text, passages in zip(hits, texts, aligned, strict=True):
            copied = copied_passages(query.sentence_words, text.sentence_words, passages)
            indexed = np.union1d(document.shingles, hit.shingles)
            yield _record(query, text, copied, indexed)

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


def _record(
    query: AnalysedText, hit: AnalysedText, passages: Sequence[AlignedPassage], indexed: Shingles
) -> Record:
    fewer = min(int(text.sentence_words.letters[-1]) for text in (query, hit))
    return {
        "lengths": [len(query.text or ""), len(hit.text or "")],
        "least": int(least_letters(fewer)),
        "passages": [_passage(query, hit, passage, indexed) for passage in passages],
    }


def _passage(
    query: AnalysedText, hit: AnalysedText, passage: AlignedPassage, indexed: Shingles
) -> Record:
    shown = shared_passages(query, hit, [passage])[0]
    words = query.sentence_words, hit.sentence_words
    tokens = [
        text.tokens[start:end] for text, (start, end) in zip(words, passage.at.sides, strict=True)
    ]
    runs = in_equal_runs(tokens[0], tokens[1], COPIED_RUN)
    letters = min(
        int(text.token_letters[start:end][run].sum())
        for text, (start, end), run in zip(words, passage.at.sides, runs, strict=True)
    )
    both = np.intersect1d(all_shingles(tokens[0]), all_shingles(tokens[1]))
    return {
        "a": [shown.query.start, shown.query.end, shown.query.text],
        "b": [shown.hit.start, shown.hit.end, shown.hit.text],
        "how": [shown.kind, shown.score, shown.changed, letters],
        "shingles": np.intersect1d(both, indexed).tolist(),
    }


def _pair(pair: TextPair, record: Record) -> AlignedPair:
    passages = tuple(
        CopiedPassage(Span(*entry["a"]), Span(*entry["b"]), *entry["how"])
        for entry in record["passages"]
    )
    shingles = tuple(np.array(entry["shingles"], np.uint32) for entry in record["passages"])
    one, other = record["lengths"]
    return AlignedPair(pair, (one, other), record["least"], passages, shingles)
