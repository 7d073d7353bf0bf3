"""Concept simhash: one fingerprint of all concepts of a text, or one for each paragraph.

Close to noise for semantic similarity below some thousand bits, as
`tests/bench/concept_simhash.py` shows, so nothing uses it by default; it is a baseline, under
published names.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError, SchemeError
from es_simhash.fingerprints.fingerprint_scheme import require_same_scheme
from es_simhash.fingerprints.hashing import Fingerprints, Uint64s, run_numbers, xxh64
from es_simhash.fingerprints.simhash import hamming_distances

# Zhang and He 2020.
_KIND_WEIGHTS = {"noun": 3.0, "verb": 2.0}
_OTHER_KIND_WEIGHT = 1.0
_MARKER_WEIGHT = 5.0
_TITLE_WEIGHT = 5.0

CONCEPT_BITS = (16, 32, 64, 128, 256)
WEIGHTINGS = ("tfidf", "plain", "origins-c")
MAX_CLOSE_PAIRS = 9

# Weights are counted in this many parts of the heaviest: sums of integers are exact, so neither
# the order of the concepts nor the scale of their weights can turn a bit.
_STEPS = 1 << 20
# Features whose bits are spread out at once; a document of a million concepts stays in 40 MB.
_SLICE = 1 << 14

Weights = Mapping[str, float]


@dataclass(frozen=True)
class ConceptScheme:
    """All parameters of concept fingerprints.

    Attributes:
        bits: Bits of a fingerprint.
        close_pairs: How many close pairs of paragraphs make two documents similar; 0 when the whole
            document has one fingerprint.
        weights: "tfidf" (`tfidf_weights`), "origins-c" (`zhang_he_weights`), or "plain", for
            which every concept counts the same.
    """

    bits: int = 64
    close_pairs: int = 0
    weights: str = "tfidf"

    def __post_init__(self) -> None:
        if self.bits not in CONCEPT_BITS:
            raise SchemeError(f"No concept scheme has {self.bits} bits; choose of {CONCEPT_BITS}.")
        if not 0 <= self.close_pairs <= MAX_CLOSE_PAIRS:
            raise SchemeError(
                f"{self.close_pairs} close paragraphs are out of range; "
                f"choose from 1 to {MAX_CLOSE_PAIRS}, or 0 for one fingerprint "
                "of the whole document."
            )
        if self.weights not in WEIGHTINGS:
            raise SchemeError(
                f"Unknown weights {self.weights!r} of concepts; choose of {WEIGHTINGS}."
            )

    @property
    def name(self) -> str:
        """The published name, which says all parameters."""
        part = f"par{self.close_pairs}" if self.close_pairs else "doc"
        return f"concept{self.bits}-{part}-{self.weights}.v1"


@dataclass(frozen=True)
class ConceptFingerprints:
    """Fingerprints of one document, and the scheme they were made with.

    Attributes:
        scheme: Scheme of the fingerprints.
        rows: One row for each part that has concepts, shape (parts, bits / 8).
    """

    scheme: ConceptScheme
    rows: Fingerprints


def fingerprint_concepts(
    documents: Sequence[Sequence[Weights]], scheme: ConceptScheme
) -> list[ConceptFingerprints]:
    """Return the fingerprints of a batch of documents.

    Args:
        documents: For each the weighted concepts of its parts: the paragraphs, or for a scheme of
            whole documents one part.
        scheme: Scheme of the fingerprints.

    Raises:
        InputError: Several parts for a scheme of whole documents, or an invalid weight.
    """
    parts = [[part for part in document if _has_weight(part, scheme)] for document in documents]
    most = max(map(len, documents), default=0)
    if not scheme.close_pairs and most > 1:
        raise InputError(
            f"Scheme {scheme.name!r} takes the concepts of a whole document at once, "
            f"not of {most} parts; join them, or choose a scheme of paragraphs."
        )
    rows = concept_fingerprints(list(chain.from_iterable(parts)), scheme)
    bounds = np.cumsum([0, *map(len, parts)])
    return [ConceptFingerprints(scheme, rows[start:end]) for start, end in pairwise(bounds)]


def concept_fingerprints(
    concepts_per_part: Sequence[Weights], scheme: ConceptScheme
) -> Fingerprints:
    """Return one fingerprint for each part that has concepts, in their order.

    A concept is hashed by XXH64 of the polynomial number of its code points (`hashing`), with
    seeds 0, 1, ... for each further 64 bits. Bit i is 1 when the concepts that have it set hold
    more than half of the weight, so a tie gives 0, as in `simhash`.

    Returns:
        Array of shape (parts with concepts, bits / 8); byte 0 holds the highest bits.

    Raises:
        InputError: A weight is negative or no number.
    """
    parts = [part for part in concepts_per_part if _has_weight(part, scheme)]
    if not parts:
        return np.zeros((0, scheme.bits // 8), np.uint8)
    owners = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    weights = _steps(parts, owners, scheme)
    numbers = _concept_numbers(list(chain.from_iterable(parts)))
    held = _weight_per_bit(numbers, weights, owners, scheme.bits)
    totals = np.bincount(owners, weights).astype(np.int64)
    return np.packbits(held * 2 > totals[:, None], axis=1)


def _has_weight(part: Weights, scheme: ConceptScheme) -> bool:
    """Check whether a part has a concept of positive weight."""
    if scheme.weights == "plain":
        return bool(part)
    for concept, weight in part.items():
        if not 0 <= weight < math.inf:
            raise InputError(
                f"Concept {concept[:80]!r} weighs {weight}; weights are numbers from 0 up."
            )
    return any(part.values())


def _steps(
    parts: Sequence[Weights], owners: NDArray[np.int64], scheme: ConceptScheme
) -> NDArray[np.int64]:
    """Return weights in whole steps, of which the heaviest concept of each part has `_STEPS`."""
    if scheme.weights == "plain":
        return np.ones(len(owners), np.int64)
    weights = np.fromiter(
        chain.from_iterable(part.values() for part in parts), np.float64, len(owners)
    )
    heaviest = np.array([max(part.values()) for part in parts], np.float64)
    return np.rint(weights / heaviest[owners] * _STEPS).astype(np.int64)


def _concept_numbers(concepts: Sequence[str]) -> Uint64s:
    codes = np.frombuffer("".join(concepts).encode("utf-32-le", "surrogatepass"), "<u4")
    ends = np.cumsum([len(concept) for concept in concepts])
    return run_numbers(codes, np.concatenate([[0], ends[:-1]]), ends)


def _weight_per_bit(
    numbers: Uint64s, weights: NDArray[np.int64], owners: NDArray[np.int64], bits: int
) -> NDArray[np.int64]:
    """Return the weight of the concepts of each part by bit they set: shape (parts, bits)."""
    words = np.stack(xxh64(numbers, *range(-(-bits // 64))), axis=1)
    bytes_ = words.astype(">u8").view(np.uint8)[:, : bits // 8]
    held = np.zeros((int(owners[-1]) + 1, bits), np.int64)
    for start in range(0, len(numbers), _SLICE):
        rows = slice(start, start + _SLICE)
        spread = np.unpackbits(bytes_[rows], axis=1) * weights[rows, None]
        firsts = np.flatnonzero(np.diff(owners[rows], prepend=-1))
        held[owners[rows][firsts]] += np.add.reduceat(spread, firsts, axis=0)
    return held


def concept_similarities(
    query: ConceptFingerprints, others: Sequence[ConceptFingerprints]
) -> NDArray[np.float64]:
    """Return the similarity of a document to others: 1 - distance / bits; 0 without concepts.

    A scheme of paragraphs compares each paragraph with each and takes the n-th best pair, n being
    the close pairs of the scheme, or the last pair where there are fewer.

    Raises:
        SchemeMismatch: The fingerprints come from different schemes.
    """
    for other in others:
        require_same_scheme(query.scheme.name, other.scheme.name)
    similarities = np.zeros(len(others))
    parts = np.array([len(other.rows) for other in others], np.int64)
    if not len(query.rows) or not parts.any():
        return similarities
    distances = hamming_distances(np.concatenate([other.rows for other in others]), query.rows)
    pairs = parts * len(query.rows)
    sorted_within = np.lexsort((distances.ravel(), np.repeat(np.arange(len(others)), pairs)))
    compared = pairs > 0
    positions = (
        np.cumsum(pairs) - pairs + np.minimum(pairs, max(1, query.scheme.close_pairs)) - 1
    )[compared]
    chosen = distances.ravel()[sorted_within[positions]]
    similarities[compared] = 1 - chosen / query.scheme.bits
    return similarities


def tfidf_weights(counts: Mapping[str, int], rarity: Callable[[str], float]) -> dict[str, float]:
    """Return (1 + ln count) * rarity for each concept; rarity is that of `rarity`, or an idf."""
    return {concept: (1 + math.log(count)) * rarity(concept) for concept, count in counts.items()}


def zhang_he_idf(documents: int, frequency: int) -> float:
    """Return the idf of Zhang and He, log(N / df + 0.01); an unseen concept counts as in one.

    Raises:
        InputError: There are more documents with the concept than documents.
    """
    if frequency > documents:
        raise InputError(
            f"A concept cannot be in {frequency} of {documents} documents; count both over one set."
        )
    return math.log(documents / max(1, frequency) + 0.01)


def zhang_he_weights(
    counts: Mapping[str, int],
    idf: Callable[[str], float],
    *,
    kinds: Mapping[str, str] | None = None,
    title: Collection[str] = (),
    markers: Collection[str] = (),
) -> dict[str, float]:
    """Return TF * IDF * (1 + POS + length + marker + title) for each concept of a document.

    Zhang and He 2020: POS is 3 for nouns, 2 for verbs, 1 for others; length is that of the word,
    scaled to 0..1 within the document; 5 more for marker words ("in conclusion") and 5 for words
    of the title.

    Args:
        counts: How often each concept occurs.
        idf: Rarity of a concept, such as `zhang_he_idf`.
        kinds: Part of speech of each concept, as spaCy and Universal Dependencies name them.
        title: Concepts of the title.
        markers: Concepts that are marker words.
    """
    lengths = [len(concept) for concept in counts]
    shortest = min(lengths, default=0)
    span = max(1, max(lengths, default=0) - shortest)
    kinds = kinds or {}
    return {
        concept: count
        * idf(concept)
        * (
            1
            + _kind_weight(kinds.get(concept, ""))
            + (len(concept) - shortest) / span
            + _MARKER_WEIGHT * (concept in markers)
            + _TITLE_WEIGHT * (concept in title)
        )
        for concept, count in counts.items()
    }


def _kind_weight(kind: str) -> float:
    return _KIND_WEIGHTS.get({"propn": "noun"}.get(kind.lower(), kind.lower()), _OTHER_KIND_WEIGHT)
