"""Learning word vectors from a sample of texts, by latent semantic analysis.

Texts are rows of a matrix, words its columns: (1 + ln count) x idf, each row of length 1. Its
greatest singular vectors are the directions in which texts differ most (Deerwester et al. 1990);
they are computed by random projection and power iteration (Halko, Martinsson and Tropp 2011), so
that no library of sparse matrices is needed.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from es_simhash.semantics.background import MIN_DOCUMENTS
from es_simhash.semantics.learned_vectors import (
    OWN_DIMENSIONS,
    LanguageVectors,
    LearnedVectors,
    shipped_vectors,
)
from es_simhash.semantics.semantic_profile import Extraction
from es_simhash.semantics.semantic_scheme import SHIPPED_DIMENSIONS
from es_simhash.semantics.vectors import TABLE_LANGUAGE, Floats, quantise

# Words of a language that a table has at most, the most frequent: 4 MB.
MAX_WORDS = 50_000
# Texts that have a word at least, and the share of them that may.
_LEAST_TEXTS, _MOST_TEXTS = 2, 0.5
# Directions computed in addition, and how often they are multiplied by the matrix: then the
# singular values are those of an exact decomposition to three digits.
_MORE_DIRECTIONS, _ITERATIONS = 8, 4
# A direction with less than this share of the greatest is rounding alone.
_LEAST_VALUE = 1e-4
# Numbers of a sparse matrix that are multiplied at once, which bounds the memory.
_AT_ONCE = 1 << 17
# The words of a text with their counts, and its vector by the shipped word vectors.
_Text: TypeAlias = tuple[Mapping[str, int], NDArray[np.float32]]


@dataclass
class VectorSample:
    """Texts that word vectors are learned from, by language; their order does not matter."""

    _texts: dict[str, list[_Text]] = field(default_factory=lambda: defaultdict(list))

    def add(self, extractions: Sequence[Extraction]) -> None:
        """Add texts."""
        some = [extraction for extraction in extractions if extraction.words]
        for extraction, vector in zip(some, shipped_vectors(some), strict=True):
            self._texts[extraction.language].append((extraction.words, vector))

    def learned(self, date: str, scheme: str) -> LearnedVectors | None:
        """Return the word vectors of languages with enough texts; None without any.

        Args:
            date: When they are learned, in ISO 8601 and UTC.
            scheme: Name of the semantic scheme by which texts were read.
        """
        languages = {
            code: language
            for code, texts in sorted(self._texts.items())
            if code
            and len(texts) >= MIN_DOCUMENTS
            and (language := _language(code, texts)) is not None
        }
        return LearnedVectors(date, scheme, languages) if languages else None


def _language(code: str, texts: Sequence[_Text]) -> LanguageVectors | None:
    """Return the word vectors of the texts of one language; None without any word."""
    # Numbers are added up in one order, so that the same texts have the same vectors.
    texts = sorted(texts, key=lambda text: sorted(text[0].items()))
    counts = [words for words, _ in texts]
    words, idf = _vocabulary(counts)
    if not words:
        return None
    vectors = _directions(_Texts.of(counts, words, idf), OWN_DIMENSIONS) * idf[:, None]
    scales = np.abs(vectors).max(1) / 127
    reduction = None
    if code == TABLE_LANGUAGE:
        reduction = _reduction(
            np.array([vector for _, vector in texts if vector.any()], np.float32)
        )
    return LanguageVectors(
        len(counts),
        sum(map(len, counts)) / len(counts),
        words,
        quantise(vectors),
        scales.astype(np.float32),
        reduction,
    )


def _vocabulary(
    counts: Sequence[Mapping[str, int]],
) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """Return the words that several texts have and not most of them, with their idf."""
    frequencies: Counter[str] = Counter()
    for words in counts:
        frequencies.update(words.keys())
    most = _MOST_TEXTS * len(counts)
    # A line break ends a word where they are stored.
    ranked = sorted(
        (-frequency, word)
        for word, frequency in frequencies.items()
        if _LEAST_TEXTS <= frequency <= most and "\n" not in word
    )[:MAX_WORDS]
    of_texts = np.array([-frequency for frequency, _ in ranked], np.float64)
    idf = np.log((1 + len(counts)) / (1 + of_texts)) + 1
    return tuple(word for _, word in ranked), idf.astype(np.float32)


@dataclass(frozen=True)
class _Texts:
    """A sparse matrix of texts and words: the numbers that are not 0, by rows.

    Attributes:
        rows: Row of each number, ascending.
        columns: Its column.
        values: The numbers.
        shape: Rows and columns.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float32]
    shape: tuple[int, int]

    @classmethod
    def of(
        cls, counts: Sequence[Mapping[str, int]], words: Sequence[str], idf: NDArray[np.float32]
    ) -> "_Texts":
        place = dict(zip(words, range(len(words)), strict=True))
        known = [
            [(place[word], count) for word, count in of_text.items() if word in place]
            for of_text in counts
        ]
        rows = np.repeat(np.arange(len(known)), [len(some) for some in known])
        columns = np.array([column for some in known for column, _ in some], np.int64)
        times = np.array([count for some in known for _, count in some], np.float32)
        values = (1 + np.log(times)) * idf[columns]
        squares = np.bincount(rows, values.astype(np.float64) ** 2, len(known))
        norms = np.sqrt(np.where(squares, squares, 1))
        return cls(rows, columns, (values / norms[rows]).astype(np.float32), (len(known), len(idf)))

    @property
    def transposed(self) -> "_Texts":
        """Words as rows, texts as columns."""
        order = np.argsort(self.columns, kind="stable")
        rows, columns = self.columns[order], self.rows[order]
        return _Texts(rows, columns, self.values[order], self.shape[::-1])

    def times(self, other: Floats) -> Floats:
        """Return the product with a matrix."""
        product = np.zeros((self.shape[0], other.shape[1]), np.float32)
        for start in range(0, len(self.rows), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            terms = self.values[some, None] * other[self.columns[some]]
            first = np.flatnonzero(np.diff(self.rows[some], prepend=-1))
            # A row may go on in the next part.
            product[self.rows[some][first]] += np.add.reduceat(terms, first, axis=0)
        return product


def _directions(texts: _Texts, count: int) -> Floats:
    """Return the greatest right singular vectors as columns; zeros where there are fewer."""
    words = texts.transposed
    size = min(count + _MORE_DIRECTIONS, *texts.shape)
    basis = np.random.default_rng(0).standard_normal((texts.shape[1], size)).astype(np.float32)
    for _ in range(_ITERATIONS):
        left, _ = _turned(texts.times(basis))
        basis, _ = _turned(words.times(left))
    _, (values, turn) = _turned(texts.times(basis))
    kept = min(count, int((values > _LEAST_VALUE * max(values[0], 1e-9)).sum()))
    directions = np.zeros((texts.shape[1], count), np.float32)
    directions[:, :kept] = basis @ turn[:, :kept]
    # A direction and its opposite are one.
    largest = directions[np.abs(directions).argmax(0), np.arange(count)]
    return np.where(largest < 0, -directions, directions).astype(np.float32)


def _turned(rows: Floats) -> tuple[Floats, tuple[NDArray[np.float32], Floats]]:
    """Return an orthonormal basis of columns, with singular values and right singular vectors.

    By way of their products with each other: one product of large matrices, where a QR
    decomposition makes thousands of small ones, for which the threads of a busy machine wait.
    """
    exact = rows.astype(np.float64)
    squares, turn = np.linalg.eigh(exact.T @ exact)
    squares, turn = squares[::-1], turn[:, ::-1]
    values = np.sqrt(np.maximum(squares, 0))
    scale = np.where(values > _LEAST_VALUE * max(values[0], 1e-9), values, np.inf)
    basis = (exact @ (turn / scale)).astype(np.float32)
    return basis, (values.astype(np.float32), turn.astype(np.float32))


def _reduction(vectors: Floats) -> NDArray[np.int8] | None:
    """Return what vectors are multiplied by to keep the directions in which these differ most."""
    if len(vectors) < MIN_DOCUMENTS:
        return None
    exact = vectors.astype(np.float64)
    _, directions = np.linalg.eigh(exact.T @ exact)
    greatest = directions[:, ::-1][:, :SHIPPED_DIMENSIONS]
    reduction: NDArray[np.int8] = np.rint(greatest * (127 / np.abs(greatest).max())).astype(np.int8)
    return reduction
