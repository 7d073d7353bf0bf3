"""Fingerprints of methods as strings, computed and compared without an index."""

import numpy as np

from es_simhash.errors import SchemeMismatch
from es_simhash.lab.methods.fingerprint_registry import fingerprint_method, fingerprint_methods
from es_simhash.lab.methods.readable import require_readable
from es_simhash.lab.methods.scheme import FingerprintMethod, scheme_of
from es_simhash.text.limits import require_text_size


def method_schemes() -> dict[str, str]:
    """Return the published scheme of each method whose fingerprints can be stored."""
    return {name: method.scheme.name for name, method in fingerprint_methods().items()}


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
    require_readable(features, maker.name, ["the text"])
    return None if features.unreadable else maker.scheme.string(features.rows(0))


def compare_fingerprints(first: str, second: str) -> float:
    """Return the score of two texts by the strings of their fingerprints, from 0 to 1.

    Raises:
        SchemeMismatch: They are of different schemes, or of one that is not known.
        SchemeError: One of them is no fingerprint.
    """
    method = _method_of(first)
    features = method.scheme.restore([method.scheme.parse(each) for each in (first, second)])
    (score,) = features.score(np.array([0]), np.array([1]))
    return float(score)


def _method_of(string: str) -> FingerprintMethod:
    """Return the method that made a string; for what is no fingerprint, any will say so."""
    name = scheme_of(string)
    methods = list(fingerprint_methods().values())
    for method in methods:
        if name in (None, method.scheme.name):
            return method
    raise SchemeMismatch(
        f"Unknown scheme {name!r} of a fingerprint. Give a string of one of "
        f"{', '.join(method.scheme.name for method in methods)}."
    )
