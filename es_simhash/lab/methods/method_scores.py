"""Scores that a method gives two texts, and fingerprints as strings, without an index."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from es_simhash.errors import SchemeMismatch
from es_simhash.lab.methods.method_protocol import Method
from es_simhash.lab.methods.method_registry import (
    FINGERPRINT_METHODS,
    fingerprint_method,
    method_named,
)
from es_simhash.lab.methods.method_scheme import FingerprintMethod, scheme_of
from es_simhash.store.indexed_methods import require_readable
from es_simhash.text.limits import require_text_size


def method_schemes() -> dict[str, str]:
    """Return the published scheme of each method whose fingerprints can be stored."""
    return {name: method.scheme.name for name, method in FINGERPRINT_METHODS.items()}


def method_fingerprint(text: str, method: str) -> str | None:
    """Return the fingerprints of a text by a method, as a string that needs no text to compare.

    Args:
        text: The text.
        method: Name of the method, or of its scheme; see `method_schemes`.

    Returns:
        The name of the scheme and, behind a colon, base32; None for a text without words.

    Raises:
        InputError: There is no such method, or it cannot read the language of the text.
        MissingExtra: A package that it needs is not installed.
    """
    maker = fingerprint_method(method)
    features = maker.read([require_text_size(text)])
    require_readable(features.unreadable, maker.name, ["the text"])
    return None if features.unreadable else maker.scheme.string(features.rows(0))


def compare_fingerprints(first: str, second: str) -> float:
    """Return the score of two texts by the strings of their fingerprints, from 0 to 1.

    Raises:
        SchemeMismatch: They are of different schemes, or of one that is not known.
        SchemeError: One of them is no fingerprint.
    """
    method = _method_of(first)
    features = method.scheme.restore([method.scheme.parse(string) for string in (first, second)])
    (score,) = features.score(np.array([0]), np.array([1]))
    return float(score)


def _method_of(string: str) -> FingerprintMethod:
    """Return the method that made a string; for what is no fingerprint, any will say so."""
    name = scheme_of(string)
    methods = list(FINGERPRINT_METHODS.values())
    for method in methods:
        if name in (None, method.scheme.name):
            return method
    raise SchemeMismatch(
        f"Unknown scheme {name!r} of a fingerprint. Give a string of one of "
        f"{', '.join(method.scheme.name for method in methods)}."
    )


@dataclass(frozen=True)
class MethodScore:
    """The score of two texts.

    Attributes:
        method: Name of the method.
        score: From 0 to 1; 0 where one text has no words.
        threshold: Score from which on the method calls two texts versions.
    """

    method: str
    score: float
    threshold: float

    @property
    def is_version(self) -> bool:
        """Whether the method calls the two texts versions."""
        return self.score >= self.threshold

    def to_dict(self) -> dict[str, Any]:
        """Return the score as `es-simhash files compare --method` prints it in JSON."""
        return {
            "method": self.method,
            "score": round(self.score, 4),
            "threshold": self.threshold,
            "version": self.is_version,
        }


def method_score(text_a: str, text_b: str, method: str) -> MethodScore:
    """Return the score that a method of near-duplicate detection gives two texts.

    Args:
        text_a: A text.
        text_b: The other; the score is the same from either side.
        method: Name of the method, one of `method_names()`.

    Raises:
        InputError: There is no such method, or it cannot read one of the texts.
        MissingExtra: The method needs a package that is not installed.

    >>> method_score("The port opens at six.", "The port opens at 6.", "jaccard-words-3").score
    0.5
    """
    return score_of(method_named(method), [text_a, text_b], ["text a", "text b"])


def score_of(method: Method, texts: Sequence[str], names: Sequence[str]) -> MethodScore:
    """Return the score that a method gives two texts.

    Args:
        method: The method.
        texts: The two texts.
        names: Names of the texts, for errors.

    Raises:
        InputError: The method cannot read one of them.
    """
    features = method.read(texts)
    require_readable(features.unreadable, method.name, names)
    (score,) = features.score(np.array([0]), np.array([1]))
    return MethodScore(method.name, float(score), method.threshold)
