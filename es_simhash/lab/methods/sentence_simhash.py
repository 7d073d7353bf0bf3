"""One simhash for each sentence, of its letter bigrams; enough close sentences make a version.

The way of the first of the origins. The features of a sentence are its different pairs of
neighbouring characters, spaces included. A pair is hashed as its bytes in UTF-8, read as one number
with the first byte highest, times 27644437, modulo 2^32; 16 bits are the low half of that, 64 bits
that and, behind it, the hash of the hash. A bit is set when more than half of the features have it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from es_simhash.fingerprints.features import SpacedCharacters
from es_simhash.fingerprints.hashing import Fingerprints, Uint64s
from es_simhash.fingerprints.simhash import hamming_distances
from es_simhash.lab.methods.close_pairs import MaskTables, as_numbers, close_by_rotation
from es_simhash.lab.methods.document_fingerprints import FingerprintBatch
from es_simhash.lab.methods.method_protocol import Ints, Pairs, Scores, by_first
from es_simhash.lab.methods.method_scheme import FingerprintMethod, FingerprintScheme
from es_simhash.lab.methods.shingle_sets import segmented
from es_simhash.text.tokens import Segmentation

_MULTIPLIER = np.uint64(27644437)
_LOW = np.uint64(0xFFFFFFFF)
_CODE_BITS = 21
# Bits in which two close sentences differ at the most, by the bits of a fingerprint (measured:
# docs/methods.md).
_CLOSE_BITS = {16: 1, 32: 3, 64: 8}
# Sentences of other texts that are compared at once with those of one: 40 MB of distances.
_MOST_COMPARED = 400_000
_TABLES = {bits: MaskTables.of_pairs(bits, n) for bits, n in _CLOSE_BITS.items()}


def bigram_hashes(first: Uint64s, second: Uint64s, bits: int) -> Uint64s:
    """Return the hash of each pair of code points: 16, 32 or 64 bits."""
    high, _ = _utf8(first)
    low, size = _utf8(second)
    hashes: Uint64s = ((high << (size * np.uint64(8)) | low) * _MULTIPLIER) & _LOW
    if bits == 16:
        return np.asarray(hashes & np.uint64(0xFFFF))
    if bits == 32:
        return hashes
    return np.asarray(hashes << np.uint64(32) | (hashes * _MULTIPLIER & _LOW))


def _utf8(codes: Uint64s) -> tuple[Uint64s, Uint64s]:
    """Return the bytes of code points in UTF-8 as numbers, and how many bytes each has."""
    codes = codes.astype(np.int64)
    counts = np.bincount(codes)
    numbers, sizes = np.zeros(len(counts), np.uint64), np.zeros(len(counts), np.uint64)
    for code in np.flatnonzero(counts).tolist():
        encoded = chr(code).encode("utf-8", "surrogatepass")
        numbers[code], sizes[code] = int.from_bytes(encoded, "big"), len(encoded)
    return numbers[codes], sizes[codes]


def sentence_fingerprints(segmentation: Segmentation, bits: int) -> Fingerprints:
    """Return the fingerprint of each sentence of a batch."""
    spaced = SpacedCharacters.of(segmentation)
    bounds = spaced.bounds[segmentation.chunks]
    characters = spaced.characters
    sentences = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    inside = np.flatnonzero(sentences[1:] == sentences[:-1])
    shift = np.uint64(_CODE_BITS)
    keys = np.unique(
        (sentences[inside].astype(np.uint64) << shift | characters[inside]) << shift
        | characters[inside + 1]
    )
    code_mask = np.uint64((1 << _CODE_BITS) - 1)
    hashes = bigram_hashes(keys >> shift & code_mask, keys & code_mask, bits)
    owners = (keys >> shift >> shift).astype(np.int64)
    rows = hashes.astype(">u8").view(np.uint8).reshape(-1, 8)[:, 8 - bits // 8 :]
    starts = np.searchsorted(owners, np.arange(len(bounds)))
    if len(bounds) < 2:
        return np.zeros((0, bits // 8), np.uint8)
    held = np.add.reduceat(np.unpackbits(rows, axis=1), starts[:-1], axis=0, dtype=np.int64)
    return np.packbits(held * 2 > np.diff(starts)[:, None], axis=1)


@dataclass(frozen=True)
class SentenceFingerprints(FingerprintBatch):
    """Fingerprints of the sentences of texts; two are close within the k of the tables."""

    tables: MaskTables
    unit: ClassVar[str] = "sentences"

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the share of the sentences of the text with fewer that are close to one of the
        other; of two texts with equally many, the greater share.
        """
        scores = np.zeros(len(first))
        sizes = np.diff(self.bounds)
        for text, positions in by_first(first):
            others = second[positions]
            ends = np.cumsum(sizes[others])
            parts = np.searchsorted(ends, np.arange(_MOST_COMPARED, int(ends[-1]), _MOST_COMPARED))
            for some in np.split(positions, np.unique(parts)):
                scores[some] = self._shares(text, second[some])
        return scores

    def _shares(self, text: int, others: Ints) -> Scores:
        own = self.rows(text)
        sizes = np.diff(self.bounds)[others]
        shares = np.zeros(len(others))
        known = np.flatnonzero(sizes)
        if not len(own) or not len(known):
            return shares
        rows = np.concatenate(
            [
                self.fingerprints[self.bounds[other] : self.bounds[other + 1]]
                for other in others[known]
            ]
        )
        starts = np.cumsum(sizes[known]) - sizes[known]
        close = hamming_distances(own, rows) <= self.tables.k
        of_own = np.logical_or.reduceat(close, starts, axis=1).mean(axis=0)
        of_others = np.add.reduceat(close.any(axis=0), starts, dtype=np.int64) / sizes[known]
        fewer = np.where(sizes[known] < len(own), of_others, of_own)
        same = sizes[known] == len(own)
        shares[known] = np.where(same, np.maximum(of_own, of_others), fewer)
        return shares

    def candidates_of(self, text: int) -> Ints:
        """Return the texts with a sentence that is close to one of a text."""
        others = np.setdiff1d(np.arange(len(self.bounds) - 1), [text])
        scores = self.score(np.full(len(others), text), others)
        return others[scores > 0]

    def units(self, first: Ints, second: Ints) -> Ints:
        """Return the sentences of the text of each pair that has fewer."""
        sizes = np.diff(self.bounds)
        return np.minimum(sizes[first], sizes[second])

    def candidates(self) -> Pairs:
        """Return the pairs with a pair of close sentences, as sorting and rotating finds them."""
        distinct, ids = np.unique(as_numbers(self.fingerprints), return_inverse=True)
        edges = close_by_rotation(distinct, self.tables.bits, self.tables.k)
        order = np.argsort(ids, kind="stable")
        starts = np.searchsorted(ids[order], np.arange(len(distinct) + 1))
        return _sharing(self.owners[order], starts, edges, len(self))


def _sharing(owners: Ints, starts: Ints, edges: Pairs, texts: int) -> Pairs:
    """Return the pairs of texts that have the same fingerprint, or two that are close.

    Args:
        owners: The texts of each distinct fingerprint, one after the other.
        starts: Bounds of the fingerprints in owners.
        edges: Pairs of close fingerprints.
        texts: How many texts there are.
    """
    linked = np.zeros((texts, texts), bool)
    for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        if end - begin > 1:
            linked[np.ix_(owners[begin:end], owners[begin:end])] = True
    for one, other in edges.tolist():
        first = owners[starts[one] : starts[one + 1]]
        second = owners[starts[other] : starts[other + 1]]
        linked[np.ix_(first, second)] = True
    pairs = np.argwhere(np.triu(linked | linked.T, 1))
    return pairs.astype(np.int64)


def _read(texts: Sequence[str], bits: int) -> SentenceFingerprints:
    rows = [np.zeros((0, bits // 8), np.uint8)]
    counts: list[int] = []
    for segmentation in segmented(texts):
        rows.append(sentence_fingerprints(segmentation, bits))
        counts.extend(np.diff(segmentation.text_chunks).tolist())
    bounds = np.cumsum([0, *counts], dtype=np.int64)
    return SentenceFingerprints(np.concatenate(rows), bounds, _TABLES[bits])


def sentence_simhash(bits: int, threshold: float = 0.5) -> FingerprintMethod:
    """Return the method with fingerprints of 16, 32 or 64 bits.

    Args:
        bits: Bits of a fingerprint.
        threshold: Share of close sentences from which on two texts are versions.
    """
    name = f"simhash-bigrams-{bits}"
    return FingerprintMethod(
        name,
        threshold,
        note=f"sentences are close within {_CLOSE_BITS[bits]} of {bits} bits",
        read=partial(_read, bits=bits),
        scheme=FingerprintScheme(
            f"sentence-simhash{bits}-char2.v1",
            name,
            bits // 8,
            partial(SentenceFingerprints, tables=_TABLES[bits]),
            several=True,
        ),
    )
