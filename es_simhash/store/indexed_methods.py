"""Methods whose fingerprints an index can hold: what the core needs of one, and how it is loaded.

The methods themselves, their evaluation and tuning are in the room `lab`, which an installation can
leave out. An index with fingerprints of a method is read and searched without it; computing and
comparing such fingerprints needs it.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError, MissingExtra

Ints = NDArray[np.int64]
Scores = NDArray[np.float64]
# Fingerprints as rows of bytes, the highest first.
Rows = NDArray[np.uint8]
# Block keys of a text, a list for each of its fingerprints.
Keys = list[list[str]]

NO_WORDS = "has no words"

_LAB = "es_simhash.lab"


class ScoredTexts(Protocol):
    """A batch of texts whose pairs have scores; texts are named by their position in it."""

    @property
    def unreadable(self) -> Mapping[int, str]:
        """Texts that the method cannot read, each with the reason; they score 0 with any other."""

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the score of each pair of texts, from 0 to 1, the same from either side.

        Args:
            first: Numbers of texts.
            second: Numbers of the texts to compare them with, as many.
        """


class MethodFingerprints(ScoredTexts, Protocol):
    """Fingerprints of a batch of texts."""

    @property
    def unit(self) -> str:
        """Unit in which two texts differ: bits, values or sentences."""

    def rows(self, text: int) -> Rows:
        """Return the fingerprints of one text, a row of bytes each; none where it is unreadable."""

    def block_keys(self) -> list[Keys]:
        """Return the block keys of each text; only texts that share one can be candidates."""

    def candidates_of(self, text: int) -> Ints:
        """Return the texts that are candidates for one, exactly and whatever others there are."""

    def units(self, first: Ints, second: Ints) -> Ints:
        """Return in how many units each pair is compared; a score is 1 - differing / units."""


class MethodScheme(Protocol):
    """How the fingerprints of a method are published."""

    @property
    def name(self) -> str:
        """Published name, which says all parameters."""

    @property
    def restore(self) -> Callable[[Sequence[Rows]], MethodFingerprints]:
        """Returns what was read of texts from their fingerprints."""

    def rows(self, stored: bytes | None) -> Rows | None:
        """Return the fingerprints of a text from their bytes; None where these cannot be any."""

    def require_packages(self) -> None:
        """Check that texts have the same fingerprints here as everywhere.

        Raises:
            MissingExtra: A package is not installed.
        """


class IndexedMethod(Protocol):
    """A method whose fingerprints an index can hold."""

    @property
    def name(self) -> str:
        """Name by which it is chosen."""

    @property
    def threshold(self) -> float:
        """Score from which on two texts are versions."""

    @property
    def scheme(self) -> MethodScheme:
        """How its fingerprints are published."""

    def read(self, texts: Sequence[str]) -> MethodFingerprints:
        """Return the fingerprints of texts, computed in whole batches."""


def require_lab() -> None:
    """Check that methods, evaluation and tuning are part of this installation.

    Raises:
        MissingExtra: They were left out.
    """
    if find_spec(_LAB) is None:
        raise MissingExtra(
            "Methods, evaluation and tuning are not part of this installation. Run "
            "`pip install --force-reinstall --no-deps es-simhash`."
        )


def _registry() -> Any:
    require_lab()
    return import_module(f"{_LAB}.methods.method_registry")


def indexed_methods() -> list[str]:
    """Return the names of the methods whose fingerprints an index can hold.

    Raises:
        MissingExtra: This installation has no methods.
    """
    return list(_registry().FINGERPRINT_METHODS)


def indexed_method(name: str) -> IndexedMethod:
    """Return a method that makes fingerprints, by its name or that of its scheme.

    Raises:
        InputError: There is none of that name: no method, or one that makes no fingerprints.
        MissingExtra: This installation has no methods.
    """
    method: IndexedMethod = _registry().fingerprint_method(name)
    return method


def method_of_scheme(name: str, scheme: str) -> IndexedMethod:
    """Return the method that computes a scheme an index was installed with.

    Args:
        name: Name of the method.
        scheme: Published name of the scheme.

    Raises:
        SchemeError: This version of the package computes another scheme, or none.
        MissingExtra: This installation has no methods, or not a package that this one needs.
    """
    method: IndexedMethod = _registry().method_of_scheme(name, scheme)
    return method


def require_readable(
    unreadable: Mapping[int, str], method: str, names: Sequence[str], *, advice: str = ""
) -> None:
    """Reject texts that a method cannot read; one without words it can.

    Args:
        unreadable: Texts that the method cannot read, each with the reason.
        method: Its name.
        names: Names of the texts, for errors.
        advice: What to do, as a sentence of its own.

    Raises:
        InputError: There is such a text.
    """
    for number, reason in unreadable.items():
        if reason != NO_WORDS:
            message = f"Method {method!r} cannot read {names[number]}: it {reason}."
            raise InputError(f"{message} {advice}".rstrip())
