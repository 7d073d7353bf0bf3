"""Document vectors: from a table of word vectors (English only), or from a function of the user."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from io import BytesIO
from itertools import compress, pairwise, repeat
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError
from es_simhash.semantics.languages.lexicon import NumberedWords
from es_simhash.semantics.semantic_profile import Extraction
from es_simhash.semantics.semantic_scheme import (
    WORD_VECTOR_DIMENSIONS,
    WORD_VECTORS,
    SemanticScheme,
)
from es_simhash.text.memo import LOADING

Floats = NDArray[np.float32]

FILE = f"{WORD_VECTORS}.npz"
_SHA256 = "f15b382957c1cc9421a564e3247ca9c27924c56c9435f1d0d94dbe7362468e81"
# Vectors are multiplied by this before whole numbers are made of them.
_SCALE = 1 << 20
# OpenBLAS divides a larger product of 256 x 256 numbers between threads, which wait for each other
# longer than it takes.
_ROWS_OF_ONE_THREAD = 4
Vector: TypeAlias = NDArray[np.float32]
Embed: TypeAlias = Callable[[Sequence[str]], Any]
# Returns the unit vector of each text of a batch; None where there is none.
VectorSource: TypeAlias = Callable[
    [Sequence[str], Sequence[Extraction]], list[NDArray[np.float32] | None]
]
# Language of the word-vector table.
TABLE_LANGUAGE = "en"


class Rows:
    """The rows of the words of a table of vectors, by which lexicons know them.

    Args:
        words: The words.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._rows = dict(zip(words, range(len(words)), strict=True))

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, word: str) -> bool:
        return word in self._rows

    def of(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each word; -1 where the table lacks it."""
        return np.fromiter(map(self._rows.get, words, repeat(-1)), np.int64, len(words))


@dataclass(frozen=True)
class FoundRows:
    """Words of texts that a table of vectors has.

    Attributes:
        is_known: Whether the table has each word of the texts.
        rows: Row of each that it has.
        counts: How often the text has it.
        bounds: Bounds of the texts in these.
    """

    is_known: NDArray[np.bool_]
    rows: NDArray[np.int64]
    counts: NDArray[np.float64]
    bounds: NDArray[np.int64]

    def sums(self, weights: NDArray[np.float64], codes: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the weighted sum of the vectors of each text.

        Args:
            weights: Weight of each word.
            codes: The vectors of the table.
        """
        sums = np.zeros((len(self.bounds) - 1, codes.shape[1]))
        for text, (start, end) in enumerate(pairwise(self.bounds.tolist())):
            sums[text] = weights[start:end] @ codes[self.rows[start:end]]
        return sums


def find_rows(texts: Sequence[Mapping[str, int]], rows: Rows) -> FoundRows:
    """Return which words of texts a table of vectors has; once for all of a batch.

    Args:
        texts: The words of each text with their counts.
        rows: The rows of the table.
    """
    found, counts = [np.zeros(0, np.int64)], [np.zeros(0)]
    for words in texts:
        if isinstance(words, NumberedWords):
            found.append(words.lexicon.column(rows, rows.of).take(words.numbers))
            counts.append(words.amounts)
        else:
            found.append(rows.of(list(words)))
            counts.append(np.fromiter(words.values(), np.float64, len(words)))
    all_rows = np.concatenate(found)
    is_known = all_rows >= 0
    ends = np.cumsum([len(some) for some in found])
    bounds = np.concatenate([[0], np.cumsum(is_known)])[ends]
    return FoundRows(
        is_known, all_rows[is_known], np.concatenate(counts)[is_known].astype(np.float64), bounds
    )


class WordVectors:
    """A published table of word vectors."""

    name = WORD_VECTORS

    def __init__(
        self, words: Sequence[str], codes: NDArray[np.int8], weights: NDArray[np.uint16]
    ) -> None:
        self._rows = Rows(words)
        self._codes = codes
        self._weights = weights.astype(np.float64)

    @staticmethod
    def load() -> "WordVectors":
        """Return the table that comes with the package; it is read once.

        Raises:
            InputError: The file is not the one that was published.
        """
        with LOADING:
            return WordVectors._read()

    @staticmethod
    @lru_cache(maxsize=1)
    def _read() -> "WordVectors":
        content = (files("es_simhash.semantics") / "data" / FILE).read_bytes()
        if hashlib.sha256(content).hexdigest() != _SHA256:
            raise InputError(f"The word vectors {FILE} are damaged; install es-simhash again.")
        with np.load(BytesIO(content), allow_pickle=False) as table:
            words = table["words"].tobytes().decode().split("\n")
            return WordVectors(words, unpack_nibbles(table["codes"]), table["weights"])

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, word: str) -> bool:
        return word in self._rows

    def vectors(self, counts: Sequence[Mapping[str, int]]) -> Floats:
        """Return one vector of length 1 for the word counts of each document.

        A document none of whose words is in the table has a vector of zeros.
        """
        found = find_rows(counts, self._rows)
        weights = found.counts * self._weights[found.rows]
        return unit_rows(found.sums(weights, self._codes))

    def word_parts(
        self, counts: Mapping[str, int], vector: NDArray[np.floating[Any]]
    ) -> dict[str, float]:
        """Return what each word adds to the dot product of a document's vector and another one.

        Args:
            counts: Word counts of the document.
            vector: The other vector.
        """
        found = find_rows([counts], self._rows)
        weights = found.counts * self._weights[found.rows]
        # Words of evidence need no more digits, and half the time.
        codes, factors = self._codes[found.rows].astype(np.float32), weights.astype(np.float32)
        parts = factors * (codes @ vector.astype(np.float32))
        length = float(np.linalg.norm(factors @ codes))
        words = compress(counts, found.is_known.tolist())
        return dict(zip(words, (parts / (length or 1.0)).tolist(), strict=True))


def quantise(vectors: Floats) -> NDArray[np.int8]:
    """Return vectors as whole numbers from -127 to 127, with about the same direction."""
    largest = np.abs(vectors).max(1, initial=0, keepdims=True)
    return np.rint(vectors * (127 / np.where(largest, largest, 1))).astype(np.int8)


def vector_simhash(vectors: Floats) -> NDArray[np.uint8]:
    """Return the vector simhash: 256 bits as 32 bytes, to be compared by Hamming distance.

    Bits are the signs of the vector after a fixed rotation, which spreads the information of a
    few dimensions over all of them. A vector of zeros has no bit set.
    """
    whole = np.rint(vectors.astype(np.float64) * _SCALE)
    rotation, rotated = _rotation(), np.empty(whole.shape)
    for start in range(0, len(whole), _ROWS_OF_ONE_THREAD):
        rows = slice(start, start + _ROWS_OF_ONE_THREAD)
        np.matmul(whole[rows], rotation, out=rotated[rows])
    return np.packbits(rotated > 0, axis=1)


def unit_rows(sums: NDArray[np.float64]) -> Floats:
    """Return rows of length 1, by way of numbers whose squares add up without rounding."""
    largest = np.abs(sums).max(1, initial=0, keepdims=True)
    whole = np.rint(sums * (_SCALE / np.where(largest, largest, 1)))
    length = np.sqrt((whole * whole).sum(1, keepdims=True))
    return (whole / np.where(length, length, 1)).astype(np.float32)


@lru_cache(maxsize=1)
def _rotation() -> NDArray[np.float64]:
    """Return a rotation in whole numbers, times 256: Hadamard matrices and random signs."""
    first, second = (_random_signs(f"{WordVectors.name} rotation {part}") for part in (1, 2))
    hadamard = np.ones((1, 1))
    while len(hadamard) < WORD_VECTOR_DIMENSIONS:
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    rotation: NDArray[np.float64] = first[:, None] * hadamard @ (second[:, None] * hadamard)
    return rotation


def _random_signs(seed: str) -> NDArray[np.float64]:
    bits = np.unpackbits(np.frombuffer(hashlib.sha256(seed.encode()).digest(), np.uint8))
    return 1.0 - 2.0 * bits.astype(np.float64)


def unpack_nibbles(packed: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Return the numbers that scripts/build_word_table.py packed, two to a byte."""
    codes = np.empty((len(packed), packed.shape[1] * 2), np.int8)
    codes[:, ::2] = (packed >> 4).astype(np.int8) - 8
    codes[:, 1::2] = (packed & 15).astype(np.int8) - 8
    return codes


def no_vectors(texts: Sequence[str], extractions: Sequence[Extraction]) -> list[Vector | None]:
    """Return None for each text."""
    return [None] * len(texts)


def table_counts(extraction: Extraction) -> Mapping[str, int]:
    """Return the words of a text that are looked up in the table: none of another language.

    A table of one language says nothing about words of another that look alike.
    """
    if extraction.language != TABLE_LANGUAGE:
        return {}
    return extraction.forms or extraction.words


def table_vectors(texts: Sequence[str], extractions: Sequence[Extraction]) -> list[Vector | None]:
    """Return the vector of each text of the table's language that has a word of the table."""
    counts = list(map(table_counts, extractions))
    return [row if row.any() else None for row in WordVectors.load().vectors(counts)]


@dataclass(frozen=True)
class _FunctionVectors:
    """Vectors from a function of the user: its name, and the dimensions of the index."""

    embed: Embed
    name: str
    dims: int

    def __call__(
        self, texts: Sequence[str], extractions: Sequence[Extraction]
    ) -> list[Vector | None]:
        """Return the vector of each text, scaled to length 1; None for a vector of zeros.

        Raises:
            InputError: The function returned something else than a finite vector for each text.
        """
        try:
            rows = [np.asarray(row, np.float32) for row in self.embed(texts)]
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{self.name} returned no vectors ({error}). Return a list of numbers for each "
                "text."
            ) from error
        if len(rows) != len(texts):
            raise InputError(
                f"{self.name} returned {len(rows)} vectors for {len(texts)} texts. Return one for "
                "each."
            )
        return [self._unit(row) for row in rows]

    def _unit(self, row: Vector) -> Vector | None:
        require_dimensions(row, self.dims, self.name)
        if not np.isfinite(row).all():
            raise InputError(
                f"{self.name} returned a vector with NaN or an infinite number. Repair the "
                "function."
            )
        norm = float(np.linalg.norm(row.astype(np.float64)))
        return (row / norm).astype(np.float32) if norm > 0 else None


def vector_source(scheme: SemanticScheme) -> VectorSource:
    """Return the source of the vectors of a scheme.

    Raises:
        InputError: The scheme names a function that does not exist, or the table is damaged.
    """
    if scheme.vector_function is not None:
        embed = _imported(scheme.vector_function)
        return _FunctionVectors(embed, scheme.vectors, scheme.dims)
    if scheme.vectors != WORD_VECTORS:
        return no_vectors
    WordVectors.load()
    return table_vectors


def _imported(path: str) -> Embed:
    module, _, name = path.partition(":")
    try:
        function: Embed = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            f"There is no function {path!r} ({error}); name one as module:function, "
            "in a module that Python can import."
        ) from error
    return function


def require_dimensions(vector: NDArray[Any], dims: int, source: str) -> None:
    """Check that a vector has the number of dimensions of the index.

    Raises:
        InputError: It has another number of dimensions.
    """
    if vector.ndim != 1 or len(vector) != dims:
        raise InputError(
            f"{source} has a vector of shape {vector.shape}, but the index has {dims} dimensions. "
            "Install the fields with as many dimensions as the vectors have."
        )
