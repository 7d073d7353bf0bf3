"""Vectors of texts by a table that was learned from the texts of one index, in any language.

A vector has two parts. One is of the words that the table has, by latent semantic analysis: words
of texts on one subject are near each other. Its first dimensions say which subject at large, later
ones set the stories of one apart, and both count. The other part is that of the word vectors that
come with the package, reduced to the directions in which texts of the index differ: it knows words
that the table lacks, in the language of those word vectors alone.
"""

import hashlib
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from io import BytesIO
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError
from es_simhash.semantics.semantic_profile import Extraction
from es_simhash.semantics.semantic_scheme import (
    INDEX_DIMENSIONS,
    SHIPPED_DIMENSIONS,
    WORD_VECTOR_DIMENSIONS,
)
from es_simhash.semantics.vectors import (
    TABLE_LANGUAGE,
    Floats,
    FoundRows,
    Rows,
    Vector,
    WordVectors,
    find_rows,
    table_counts,
    unit_rows,
)

# Dimensions of the words of the index, beside those that the shipped word vectors are reduced to.
OWN_DIMENSIONS = INDEX_DIMENSIONS - SHIPPED_DIMENSIONS
# The first so many dimensions count alike, as parts of one length; the part of the shipped word
# vectors is of this length, where that of the words of the index has 1 or, learned from few texts,
# less. Both are on plateaus over five collections (docs/semantic-neighbours.md).
_FIRST_DIMENSIONS = (8, 24, OWN_DIMENSIONS)
SHIPPED_PART = 0.7
# Word vectors learned from fewer texts say as much less: of German laws and Chinese news, the best
# weight grows with the number of texts up to here. So do those learned from texts of fewer words,
# which seldom have two of one subject (docs/semantic-neighbours.md).
TRUSTED_DOCUMENTS, TRUSTED_WORDS = 1_000, 100
# Hexadecimal digits of the digest in a name.
_NAME_DIGITS = 8


@dataclass(frozen=True, eq=False)
class LanguageVectors:
    """The word vectors of the texts of one language.

    Attributes:
        documents: Different texts that they were learned from.
        words_each: Different words that one of these has, on average.
        words: The words.
        codes: Vector of each word, as whole numbers from -127 to 127.
        weights: What the whole numbers of each word are multiplied by.
        reduction: What a vector by the shipped word vectors is multiplied by; None for languages
            that these do not have.
    """

    documents: int
    words_each: float
    words: tuple[str, ...]
    codes: NDArray[np.int8]
    weights: NDArray[np.float32]
    reduction: NDArray[np.int8] | None = None

    @property
    def trust(self) -> float:
        """How much the vectors say, from 0 to 1.

        It is that of a language, not of a text, so that a pair has one similarity from both sides.
        """
        trust = min(1.0, self.words_each / TRUSTED_WORDS)
        # Of few English texts the shipped word vectors say enough.
        has_shipped = self.reduction is not None
        return trust if has_shipped else trust * self._learned

    @property
    def _learned(self) -> float:
        """How much was learned, from 0 to 1 of enough texts."""
        return min(1.0, self.documents / TRUSTED_DOCUMENTS)

    @property
    def _shipped_length(self) -> float:
        """Length of the part of the shipped word vectors, where that of the words here has 1.

        Of the noise of words that were learned from n texts, the square root of n is left.
        """
        return SHIPPED_PART / math.sqrt(self._learned)

    @cached_property
    def _rows(self) -> Rows:
        return Rows(self.words)

    def own_part(self, counts: Sequence[Mapping[str, int]]) -> Floats:
        """Return the vector of each text by the words of the table; zeros without any of them."""
        found = find_rows(counts, self._rows)
        sums = found.sums(self._weights(found), self.codes)
        return unit_rows(sums * _factors(sums))

    def _weights(self, found: FoundRows) -> NDArray[np.float64]:
        """Return how much the words of texts count."""
        weights: NDArray[np.float64] = (1 + np.log(found.counts)) * self.weights[found.rows]
        return weights

    def word_parts(self, extraction: Extraction, vector: Vector) -> dict[str, float]:
        """Return what each word of a text adds to the dot product of its vector and another one."""
        direction = vector.astype(np.float64)
        found = find_rows([extraction.words], self._rows)
        weights, codes = self._weights(found), self.codes[found.rows]
        whole_text = weights @ codes
        factors = _factors(whole_text[None])[0]
        own = weights * (codes @ (factors * direction[:OWN_DIMENSIONS]))
        length = float(np.linalg.norm(factors * whole_text))
        words = list(compress(extraction.words, found.is_known.tolist()))
        parts = dict(zip(words, (own / (length or 1.0)).tolist(), strict=True))
        by_shipped, has_shipped = self._shipped_parts(extraction, direction[OWN_DIMENSIONS:])
        shipped = self._shipped_length
        whole = ((length > 0) + has_shipped * shipped**2) ** 0.5 or 1.0
        for word, part in by_shipped.items():
            parts[word] = parts.get(word, 0.0) + shipped * part
        return {word: part / whole for word, part in parts.items()}

    def _shipped_parts(
        self, extraction: Extraction, direction: NDArray[np.float64]
    ) -> tuple[dict[str, float], bool]:
        """Return what words add by the shipped word vectors, and whether the text has any."""
        counts = table_counts(extraction)
        if self.reduction is None or not counts:
            return {}, False
        table = WordVectors.load()
        length = float(np.linalg.norm(table.vectors([counts]).astype(np.float64) @ self.reduction))
        if not length:
            return {}, False
        return table.word_parts(counts, self.reduction @ (direction / length)), True

    def vectors(self, extractions: Sequence[Extraction], shipped: Floats) -> Floats:
        """Return the vector of each text of the language; zeros where nothing of it is known.

        Args:
            extractions: The texts.
            shipped: The vector of each by the shipped word vectors.
        """
        own = self.own_part([extraction.words for extraction in extractions])
        other = self._shipped_length * self._shipped_part(shipped)
        return unit_rows(np.hstack([own, other]).astype(np.float64))

    def _shipped_part(self, vectors: Floats) -> Floats:
        """Return vectors by the shipped word vectors, reduced; zeros without any."""
        if self.reduction is None:
            return np.zeros((len(vectors), SHIPPED_DIMENSIONS), np.float32)
        return unit_rows(vectors.astype(np.float64) @ self.reduction)


def _factors(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what the dimensions of each vector are multiplied by, so that those parts count alike.

    A cosine of what comes of it is about the mean of the cosines of the parts.
    """
    squares = np.zeros_like(sums)
    for first in _FIRST_DIMENSIONS:
        part = sums[:, :first]
        length = np.square(part).sum(1, keepdims=True)
        squares[:, :first] += (length > 0) / np.where(length > 0, length, 1)
    factors: NDArray[np.float64] = np.sqrt(squares)
    return factors


@dataclass(frozen=True, eq=False)
class LearnedVectors:
    """A table of word vectors learned from the texts of one index.

    Attributes:
        date: When it was learned, in ISO 8601 and UTC.
        scheme: Name of the semantic scheme by which texts were read.
        languages: The word vectors of each language, by ISO 639-1 code.
    """

    date: str
    scheme: str
    languages: Mapping[str, LanguageVectors] = field(repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LearnedVectors) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> Any:
        """Let a process that has read the table find it again by its content."""
        return read_table, (self.to_bytes, self.date, self.scheme)

    @cached_property
    def name(self) -> str:
        """Day and digest of the content: another table has another name."""
        return table_name(self.to_bytes, self.date, self.scheme)

    @cached_property
    def to_bytes(self) -> bytes:
        """The vectors as they are stored; see `read_table`."""
        arrays: dict[str, NDArray[Any]] = {}
        for code, language in sorted(self.languages.items()):
            words = "\n".join(language.words).encode("utf-8", "surrogatepass")
            arrays[f"{code}/words"] = np.frombuffer(words, np.uint8)
            arrays[f"{code}/codes"] = language.codes
            arrays[f"{code}/weights"] = language.weights
            arrays[f"{code}/documents"] = np.array([language.documents], np.int64)
            arrays[f"{code}/words_each"] = np.array([language.words_each])
            if language.reduction is not None:
                arrays[f"{code}/reduction"] = language.reduction
        content = BytesIO()
        np.savez_compressed(content, allow_pickle=False, **arrays)
        return content.getvalue()

    @property
    def documents(self) -> int:
        """Different texts that it was learned from."""
        return sum(language.documents for language in self.languages.values())

    @property
    def words(self) -> int:
        """Words of all languages."""
        return sum(len(language.words) for language in self.languages.values())

    def vectors(
        self, extractions: Sequence[Extraction]
    ) -> tuple[list[Vector | None], list[Vector | None]]:
        """Return the unit vectors of texts, by this table and by the shipped one.

        Returns:
            The vector of each text by this table, and its vector by the shipped one; None where a
            table has nothing of it.
        """
        shipped = shipped_vectors(extractions)
        rows = np.zeros((len(extractions), INDEX_DIMENSIONS), np.float32)
        of_language: dict[str, list[int]] = defaultdict(list)
        for number, extraction in enumerate(extractions):
            of_language[extraction.language].append(number)
        for code, numbers in of_language.items():
            if code in self.languages:
                some = [extractions[number] for number in numbers]
                rows[numbers] = self.languages[code].vectors(some, shipped[numbers])
            elif code == TABLE_LANGUAGE:
                # Too few texts to learn from. Words differ most in the first dimensions.
                rows[numbers] = unit_rows(shipped[numbers, :INDEX_DIMENSIONS].astype(np.float64))
        return _known(rows), _known(shipped)

    def trust(self, language: str) -> float:
        """Return how much vectors of texts of a language say, from 0 to 1.

        Args:
            language: ISO 639-1 code.
        """
        return self.languages[language].trust if language in self.languages else 1.0

    def word_parts(self, extraction: Extraction, vector: Vector) -> dict[str, float]:
        """Return what each word of a text adds to the dot product of its vector and another one.

        Args:
            extraction: Words of the text.
            vector: The other vector, by this table and of the same language.
        """
        if extraction.language in self.languages:
            return self.languages[extraction.language].word_parts(extraction, vector)
        return _first_dimensions(extraction, vector)


def _first_dimensions(extraction: Extraction, vector: Vector) -> dict[str, float]:
    """Return what words of a text add where its vector is the first dimensions of the shipped."""
    counts, table = table_counts(extraction), WordVectors.load()
    shipped = table.vectors([counts])[0, :INDEX_DIMENSIONS]
    length = float(np.linalg.norm(shipped.astype(np.float64)))
    direction = np.zeros(WORD_VECTOR_DIMENSIONS)
    direction[:INDEX_DIMENSIONS] = vector / (length or 1.0)
    return table.word_parts(counts, direction)


def _known(rows: Floats) -> list[Vector | None]:
    return [row if row.any() else None for row in rows]


def shipped_vectors(extractions: Sequence[Extraction]) -> Floats:
    """Return the vector of each text by the word vectors that come with the package."""
    return WordVectors.load().vectors(list(map(table_counts, extractions)))


def table_name(content: bytes, date: str, scheme: str) -> str:
    """Return the name of a table from what is stored of it."""
    digest = hashlib.sha256(b"\0".join([scheme.encode(), content])).hexdigest()
    return f"{date[:10]}-{digest[:_NAME_DIGITS]}"


@lru_cache(maxsize=4)
def read_table(content: bytes, date: str, scheme: str) -> LearnedVectors:
    """Return the table that `to_bytes` wrote; one that was read before is not read again.

    Raises:
        InputError: It is not as it was written.
    """
    try:
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            codes = sorted({name.partition("/")[0] for name in arrays.files})
            languages = {code: _language(arrays, code) for code in codes}
    except Exception as error:  # Whatever is wrong with a file, numpy and zipfile have a name for.
        raise InputError("The word vectors are not as they were written.") from error
    table = LearnedVectors(date, scheme, languages)
    # What was read is what would be written again.
    vars(table)["to_bytes"] = content
    return table


def _language(arrays: Mapping[str, NDArray[Any]], code: str) -> LanguageVectors:
    words = arrays[f"{code}/words"].tobytes().decode("utf-8", "surrogatepass").split("\n")
    name = f"{code}/reduction"
    language = LanguageVectors(
        int(arrays[f"{code}/documents"][0]),
        float(arrays[f"{code}/words_each"][0]),
        tuple(words),
        arrays[f"{code}/codes"],
        arrays[f"{code}/weights"],
        arrays.get(name),
    )
    if language.codes.shape != (len(words), OWN_DIMENSIONS):
        raise ValueError(f"{language.codes.shape} vectors of {len(words)} words")
    return language
