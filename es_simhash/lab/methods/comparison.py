"""The score that a method gives two texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from es_simhash.lab.methods.model import Method
from es_simhash.lab.methods.readable import require_readable
from es_simhash.lab.methods.registry import method_named


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
        """Return the score as `es-simhash compare --method` prints it in JSON."""
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
        names: Of the texts, for errors.

    Raises:
        InputError: The method cannot read one of them.
    """
    features = method.read(texts)
    require_readable(features, method.name, names)
    (score,) = features.score(np.array([0]), np.array([1]))
    return MethodScore(method.name, float(score), method.threshold)
