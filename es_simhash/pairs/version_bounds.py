"""Which of many pairs of texts cannot be versions, by upper bounds on their values.

Scoring one pair takes 30 microseconds, most of it in Python, and in an archive of a million stories
each shares two shingles with hundreds of others. Here numpy computes the greatest value that each
pair may have, as if all chunks were equal where any may be. What does not fit an entry of `TEXT`
is taken to be equal.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Fingerprints, ranks_within
from es_simhash.fingerprints.simhash import ones_of
from es_simhash.fingerprints.sketch import HEAD_BITS, NUMBERS, JoinedSketches, sizes_by_ones
from es_simhash.relation.candidate import ScoredText, TextColumns
from es_simhash.relation.shared_shingles import least_shared
from es_simhash.relation.thresholds import (
    FAMILY_SHINGLES,
    LARGER_RECORD_WEIGHT,
    LENGTH_RATIO,
    RECORD_LEVEL,
)
from es_simhash.relation.version_value import FEW_NUMBERS, is_too_full
from es_simhash.relation.version_weights import EvidenceWeights, version_weights

# Words of longer texts, heads with more numbers, and texts with more chunks are taken for alike.
_WORD_BITS, _HEAD_NUMBERS, _CHUNKS = 512, 8, 64
# An odd factor spreads fingerprints evenly: 16 bits of a few chunks are hardly equal by chance.
_SPREAD, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(48)
# What is compared of a text.
TEXT = np.dtype(
    [
        ("head", "<u8", HEAD_BITS // 64),
        ("words", "<u8", _WORD_BITS // 64),
        ("word_bits", "<u2"),
        ("head_numbers", "<u2", _HEAD_NUMBERS),
        ("head_number_count", "u1"),
        ("numbers", "<u2", NUMBERS),
        ("number_count", "u1"),
        ("chunks", "<u2", _CHUNKS),
        ("chunk_count", "u1"),
        ("level", "u1"),
        ("windows", "<i4", 4),
        ("characters", "<i8"),
    ]
)
# Texts have few entries mostly: pairs with no more than so many are compared together.
_WIDTHS = (1, 2, 4, 8, 16, 32)
# Pairs that are computed at a time, and what rounding may take away.
_PAIRS, _ROUNDING = 1 << 16, 1e-9

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Entries = NDArray[np.uint16]
Counts = NDArray[np.uint8]


def compared_parts(texts: Iterable[ScoredText]) -> NDArray[Any]:
    """Return what is compared of texts, an entry of `TEXT` for each."""
    some = list(texts)
    if not some:
        return np.zeros(0, TEXT)
    chunks = [text.chunks for text in some]
    columns = TextColumns(
        JoinedSketches.of([text.sketch.packed for text in some]),
        np.array([text.windows for text in some]),
        np.array([len(each.fingerprints) for each in chunks]),
        np.concatenate([each.fingerprints for each in chunks]),
        np.concatenate([each.characters for each in chunks]),
    )
    return parts_of_columns(columns)


def parts_of_columns(columns: TextColumns) -> NDArray[Any]:
    """Return what is compared of texts, an entry of `TEXT` for each."""
    counts = columns.chunk_counts
    parts = np.zeros(len(counts), TEXT)
    if not len(counts):
        return parts
    _read_sketches(parts, columns.sketches)
    hashes = _chunk_hashes(columns.fingerprints[ranks_within(counts) < _CHUNKS])
    parts["chunks"] = _listed(hashes, np.minimum(counts, _CHUNKS), _CHUNKS)
    parts["chunk_count"] = np.minimum(counts, _CHUNKS + 1)
    parts["windows"] = columns.windows
    parts["level"] = np.argmax(columns.windows > 0, axis=1)
    of_text = np.repeat(np.arange(len(counts)), counts)
    parts["characters"] = np.bincount(of_text, columns.characters, len(counts))
    return parts


def _read_sketches(parts: NDArray[Any], sketches: JoinedSketches) -> None:
    """Read the sketches of texts into what is compared of them."""
    raw = sketches.raw
    head = _rows(raw, sketches.starts, HEAD_BITS // 8)
    parts["head"] = head.view("<u8").reshape(len(parts), -1)
    head_numbers = sketches.starts + HEAD_BITS // 8
    for name, places, most in (
        ("head_number", head_numbers, _HEAD_NUMBERS),
        ("number", sketches.numbers, NUMBERS),
    ):
        counts = raw[places].astype(np.int64)
        taken = np.minimum(counts, most)
        bytes_taken = _rows(raw, places + 1, 2 * taken)
        parts[f"{name}s"] = _listed(bytes_taken.view("<u2"), taken, most)
        parts[f"{name}_count"] = np.minimum(counts, most + 1)
    sizes = sketches.ends - sketches.words
    parts["word_bits"] = 8 * sizes
    for size in np.unique(sizes).tolist():
        places = np.flatnonzero(sizes == size)
        words = _rows(raw, sketches.words[places], size).view("<u8")
        compared = min(size, _WORD_BITS // 8) // 8
        # As a text with fewer bits has it: the parts laid on each other.
        folded = np.bitwise_or.reduce(words.reshape(len(places), -1, compared), axis=1)
        parts["words"][places, :compared] = folded


def _rows(raw: NDArray[np.uint8], starts: Numbers, sizes: Numbers | int) -> NDArray[np.uint8]:
    """Return so many bytes from each of some places on, one after the other."""
    counts = np.broadcast_to(sizes, len(starts))
    before = np.cumsum(counts) - counts
    rows: NDArray[np.uint8] = raw[np.arange(int(counts.sum())) + np.repeat(starts - before, counts)]
    return rows


def _listed(values: NDArray[np.uint16], counts: Numbers, most: int) -> NDArray[np.uint16]:
    """Return lists that stand one after the other as rows, filled up with zeros."""
    rows = np.zeros((len(counts), most), np.uint16)
    rows[np.arange(most) < counts[:, None]] = values
    return rows


def _chunk_hashes(fingerprints: Fingerprints) -> NDArray[np.uint16]:
    """Return hashes of chunks, of 16 bits each."""
    numbers = np.ascontiguousarray(fingerprints[:, :8]).view("<u8")[:, 0]
    hashes: NDArray[np.uint16] = ((numbers * _SPREAD) >> _SHIFT).astype(np.uint16)
    return hashes


def least_shared_of(texts: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the least number of shingles that another text must share with each."""
    shingles = _shingles_of(texts).tolist()
    return np.array([least_shared(count) for count in shingles], np.uint8)


def _shingles_of(texts: NDArray[Any]) -> NDArray[np.int32]:
    """Return how many shingles texts have."""
    shingles: NDArray[np.int32] = texts["windows"][np.arange(len(texts)), texts["level"]]
    return shingles


class VersionBounds:
    """The greatest values that pairs of texts may have as versions.

    Args:
        texts: What is compared of each, as `compared_parts` returns it.
        least: Of each text, how many shingles another must share.
        threshold: Where versions begin in their index.
    """

    def __init__(self, texts: NDArray[Any], least: NDArray[np.uint8], threshold: float) -> None:
        self._texts = texts
        self._least = least
        self._least_odds = math.log(threshold / (1 - threshold)) - _ROUNDING

    def may_be_versions(
        self, one: Numbers, other: Numbers, shared: Numbers, *, counted: int = FAMILY_SHINGLES
    ) -> Flags:
        """Check of pairs of texts whether `scoring.link_score` may find versions.

        Args:
            one: Number of a text, for each pair.
            other: Number of the other text.
            shared: Shingles that they share, at the most.
            counted: How many shingles a text may have so that all that it shares are counted; of
                longer ones a sample is.
        """
        may_be = np.zeros(len(one), np.bool_)
        for start in range(0, len(one), _PAIRS):
            some = slice(start, start + _PAIRS)
            may_be[some] = self._of_some(one[some], other[some], shared[some], counted)
        return may_be

    def _of_some(self, one: Numbers, other: Numbers, shared: Numbers, counted: int) -> Flags:
        may_be = self._share_enough(one, other, shared)
        places = np.flatnonzero(may_be)
        first, second = self._texts[one[places]], self._texts[other[places]]
        odds, of_equal_chunks = _greatest_odds(first, second, shared[places], counted)
        # Comparing chunks takes longest.
        are_left = np.flatnonzero(odds + of_equal_chunks >= self._least_odds)
        has_none = ~_may_have_equal_chunks(first[are_left], second[are_left])
        of_equal_chunks[are_left[has_none]] = 0
        may_be[places] = odds + of_equal_chunks >= self._least_odds
        return may_be

    def _share_enough(self, one: Numbers, other: Numbers, shared: Numbers) -> Flags:
        least = np.maximum(self._least[one], self._least[other])
        lengths = self._texts["characters"][one], self._texts["characters"][other]
        is_as_long = np.minimum(*lengths) * LENGTH_RATIO >= np.maximum(*lengths)
        enough: Flags = is_as_long & (shared >= least)
        return enough


def _may_have_equal_chunks(first: NDArray[Any], second: NDArray[Any]) -> Flags:
    """Check which pairs may have a chunk with the same fingerprint."""
    equal, _ = _equal_entries(first, second, "chunks", "chunk_count")
    is_known = np.maximum(first["chunk_count"], second["chunk_count"]) <= _CHUNKS
    may_have: Flags = (equal > 0) | ~is_known
    return may_have


def _greatest_odds(
    first: NDArray[Any], second: NDArray[Any], shared: Numbers, counted: int
) -> tuple[Floats, Floats]:
    """Return the greatest log-odds that pairs are versions, and what equal chunks add at most.

    The first are those of pairs without an equal chunk.
    """
    containment, resemblance = _containments(first, second, shared, counted)
    agreeing, fewer, of_heads = _agreeing(first, second, "head_numbers", "head_number_count")
    _, compared, of_texts = _agreeing(first, second, "numbers", "number_count")
    values = {
        "equal_chunks": np.zeros(len(first)),
        "containment": containment,
        "resemblance": resemblance,
        "head": _alike_heads(first["head"], second["head"]),
        "head_numbers": of_heads,
        "common_numbers": np.minimum(1.0, agreeing / FEW_NUMBERS),
        "numbers": of_texts,
        "words": np.maximum(_common_words(first, second), containment),
    }
    has_evidence = {
        "head_numbers": fewer > 0,
        "common_numbers": fewer > 0,
        "numbers": compared > 0,
    }
    weights = version_weights()
    texts = _sum(weights.texts, values, has_evidence)
    records = _sum(weights.records, values, has_evidence)
    share = _record_shares(first["level"], second["level"])
    added = [_added_by_equal_chunks(each) for each in (weights.texts, weights.records)]
    return (1 - share) * texts + share * records, (1 - share) * added[0] + share * added[1]


def _added_by_equal_chunks(weights: EvidenceWeights) -> float:
    curve = weights.curves["equal_chunks"]
    return curve.at(1.0) - curve.at(0.0)


def _sum(
    weights: EvidenceWeights, values: Mapping[str, Floats], has_evidence: Mapping[str, Flags]
) -> Floats:
    """Return the log-odds of pairs by the values of each piece of evidence, and where it is."""
    total = np.full(len(values["head"]), weights.start)
    for name, curve in weights.curves.items():
        odds = np.interp(values[name], curve.knots, curve.weights)
        if name in has_evidence:
            absent = 0.0 if curve.absent is None else curve.at(curve.absent)
            odds = np.where(has_evidence[name], odds, absent)
        total += odds
    return total


def _agreeing(
    first: NDArray[Any], second: NDArray[Any], name: str, count: str
) -> tuple[Numbers, Numbers, Floats]:
    """Return of pairs how many numbers agree, of how many of the text with fewer, and their share.

    Where one has more than are compared here, all may agree.
    """
    agreeing, fewer = _equal_entries(first, second, name, count)
    size = TEXT[name].shape[0]
    is_known = (first[count] <= size) & (second[count] <= size)
    agreeing = np.where(is_known, agreeing, fewer)
    return agreeing, fewer, agreeing / np.maximum(fewer, 1)


def _containments(
    first: NDArray[Any], second: NDArray[Any], shared: Numbers, counted: int
) -> tuple[Floats, Floats]:
    """Return the share of the text with fewer shingles that pairs share, and their resemblance."""
    level = np.maximum(first["level"], second["level"]).astype(np.intp)
    rows = np.arange(len(first))
    counts = [each["windows"][rows, level].astype(np.float64) for each in (first, second)]
    fewer, more = np.minimum(*counts), np.maximum(*counts)
    is_exact = np.maximum(_shingles_of(first), _shingles_of(second)) <= counted
    share = np.minimum(1.0, shared / np.maximum(1.0, fewer))
    resemblance = np.minimum(1.0, shared / np.maximum(1.0, fewer + more - shared))
    return np.where(is_exact, share, 1.0), np.where(is_exact, resemblance, 1.0)


def _equal_entries(
    first: NDArray[Any], second: NDArray[Any], name: str, count: str
) -> tuple[Numbers, Numbers]:
    """Return how many entries of one text the other has, for each pair, and how many it may have.

    Args:
        first: A text of each pair.
        second: The other.
        name: Member with the entries.
        count: Member that says how many there are, or that there are more than that has room for.
    """
    size = TEXT[name].shape[0]
    counts = first[count], second[count]
    fewer, more = np.minimum(*counts), np.minimum(np.maximum(*counts), size)
    equal = np.zeros(len(first), np.int64)
    narrower = 0
    for width in (*(each for each in _WIDTHS if each < size), size):
        places = np.flatnonzero((fewer > 0) & (more > narrower) & (more <= width))
        if len(places):
            ours, theirs = (
                np.ascontiguousarray(each[name][places, :width].T) for each in (first, second)
            )
            equal[places] = _equal_of(ours, counts[0][places], theirs, counts[1][places])
        narrower = width
    return equal, fewer.astype(np.int64)


def _equal_of(ours: Entries, our_counts: Counts, theirs: Entries, their_counts: Counts) -> Numbers:
    """Return how many entries of one text the other has, for each pair, a column of both."""
    is_ours = np.arange(len(ours))[:, None] < our_counts
    equal = np.zeros(len(our_counts), np.int64)
    for place, entries in enumerate(theirs):
        equal += ((ours == entries) & is_ours).any(axis=0) & (place < their_counts)
    return equal


def _alike_heads(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> Floats:
    sizes = [_sizes(each, HEAD_BITS) for each in (first, second)]
    common = np.maximum(0.0, sizes[0] + sizes[1] - _sizes(first | second, HEAD_BITS))
    both = sizes[0] + sizes[1]
    return np.minimum(1.0, 2 * common / np.where(both > 0, both, 1.0))


def _common_words(first: NDArray[Any], second: NDArray[Any]) -> Floats:
    """Return which share of the words of the text with fewer the other has, at the most.

    0 where a bitmap is too full to tell, as in scoring; 1 where both are longer than those compared
    here.
    """
    bits = np.minimum(first["word_bits"], second["word_bits"])
    overlaps = np.ones(len(first))
    for size in np.unique(bits[bits <= _WORD_BITS]).tolist():
        places = np.flatnonzero(bits == size)
        ours, theirs = (
            np.bitwise_or.reduce(
                each["words"][places].reshape(len(places), -1, size // 64),
                axis=1,
            )
            for each in (first, second)
        )
        overlaps[places] = _overlap(ours, theirs, size)
    return overlaps


def _overlap(ours: NDArray[Any], theirs: NDArray[Any], bits: int) -> Floats:
    counts = [_ones(each) for each in (ours, theirs)]
    sizes = [_size_of(each, bits) for each in counts]
    common = np.maximum(0.0, sizes[0] + sizes[1] - _sizes(ours | theirs, bits))
    fewer = np.minimum(*sizes)
    overlap = np.minimum(1.0, common / np.where(fewer > 0, fewer, 1.0))
    return np.where(is_too_full(np.maximum(*counts), bits), 0.0, overlap)


def _sizes(bitmaps: NDArray[np.uint64], bits: int) -> Floats:
    """Return how many things bitmaps stand for, by linear counting."""
    return _size_of(_ones(bitmaps), bits)


def _size_of(ones: Numbers, bits: int) -> Floats:
    sizes: Floats = np.array(sizes_by_ones(bits))[ones]
    return sizes


def _ones(bitmaps: NDArray[np.uint64]) -> Numbers:
    ones: Numbers = ones_of(bitmaps).sum(axis=1, dtype=np.int64)
    return ones


def _record_shares(level: NDArray[np.uint8], other_level: NDArray[np.uint8]) -> Floats:
    fewer, more = np.minimum(level, other_level), np.maximum(level, other_level)
    is_larger = (fewer <= RECORD_LEVEL) & (more == RECORD_LEVEL + 1)
    return np.where(more <= RECORD_LEVEL, 1.0, np.where(is_larger, LARGER_RECORD_WEIGHT, 0.0))
