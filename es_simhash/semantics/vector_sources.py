"""Sources of document vectors: the word-vector table, or a function of the user."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError
from es_simhash.semantics.extraction import Extraction
from es_simhash.semantics.scheme import WORD_VECTORS, SemanticScheme
from es_simhash.semantics.vectors import WordVectors

Vector: TypeAlias = NDArray[np.float32]
Embed: TypeAlias = Callable[[Sequence[str]], Any]
# Language of the word-vector table.
TABLE_LANGUAGE = "en"


class VectorSource(Protocol):
    """Computes one vector for each text of a batch."""

    def vectors(
        self, texts: Sequence[str], extractions: Sequence[Extraction]
    ) -> list[Vector | None]:
        """Return the unit vector of each text; None where there is none."""


class NoVectors:
    """No text has a vector."""

    def vectors(
        self, texts: Sequence[str], extractions: Sequence[Extraction]
    ) -> list[Vector | None]:
        """Return None for each text."""
        return [None] * len(texts)


class TableVectors:
    """Vectors from the word-vector table that comes with the package."""

    def __init__(self) -> None:
        self.table = WordVectors.load()

    def vectors(
        self, texts: Sequence[str], extractions: Sequence[Extraction]
    ) -> list[Vector | None]:
        """Return the vector of each text of the table's language that has a word of the table."""
        # A table of one language says nothing about words of another that look alike.
        counts = [
            (extraction.forms or extraction.words) if extraction.language == TABLE_LANGUAGE else {}
            for extraction in extractions
        ]
        return [row if row.any() else None for row in self.table.vectors(counts)]


class FunctionVectors:
    """Vectors from a function of the user.

    Raises:
        InputError: The scheme names a function that does not exist.
    """

    def __init__(self, scheme: SemanticScheme, path: str) -> None:
        self._scheme = scheme
        self._embed = _imported(path)

    def vectors(
        self, texts: Sequence[str], extractions: Sequence[Extraction]
    ) -> list[Vector | None]:
        """Return the vector of each text, scaled to length 1; None for a vector of zeros.

        Raises:
            InputError: The function returned something else than a finite vector for each text.
        """
        rows = self._call(texts)
        return [self._unit(row) for row in rows]

    def _call(self, texts: Sequence[str]) -> list[Vector]:
        name = self._scheme.vectors
        try:
            rows = [np.asarray(row, np.float32) for row in self._embed(texts)]
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{name} gave no vectors ({error}); a list of numbers for each text is needed."
            ) from error
        if len(rows) != len(texts):
            raise InputError(
                f"{name} gave {len(rows)} vectors for {len(texts)} texts; one each is needed."
            )
        return rows

    def _unit(self, row: Vector) -> Vector | None:
        require_dimensions(row, self._scheme.dims, self._scheme.vectors)
        if not np.isfinite(row).all():
            raise InputError(
                f"{self._scheme.vectors} gave a vector with NaN or an infinite number; "
                "repair the function."
            )
        norm = float(np.linalg.norm(row.astype(np.float64)))
        return (row / norm).astype(np.float32) if norm > 0 else None


def vector_source(scheme: SemanticScheme) -> VectorSource:
    """Return the source of the vectors of a scheme.

    Raises:
        InputError: The scheme names a function that does not exist.
    """
    if scheme.vector_function is not None:
        return FunctionVectors(scheme, scheme.vector_function)
    return TableVectors() if scheme.vectors == WORD_VECTORS else NoVectors()


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
            f"{source} gave a vector of shape {vector.shape}, but the index has {dims} dimensions; "
            "install the fields with as many dimensions as the vectors have."
        )
