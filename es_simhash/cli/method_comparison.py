"""Two texts compared by a named method, or two fingerprints of the token scheme without texts."""

import click
import numpy as np

from es_simhash.cli.inputs import read_text
from es_simhash.cli.output import print_json
from es_simhash.errors import InputError
from es_simhash.methods.model import NO_WORDS, Method
from es_simhash.methods.registry import method_named
from es_simhash.methods.scheme import is_fingerprint
from es_simhash.methods.token_simhash import (
    CLOSE,
    LOOSE,
    TokenFingerprint,
    TokenSimhash,
    token_fingerprint,
)
from es_simhash.text.escaping import one_line

_TOKENS = TokenSimhash().name


def print_method_comparison(a: str, b: str, name: str, output_format: str) -> None:
    """Print the score that a method gives two files.

    With the token scheme, each of the two may be a fingerprint in place of a file.

    Raises:
        InputError: There is no such method, or it cannot read one of the files.
        SchemeMismatch: A fingerprint is of another scheme.
        MissingExtra: The method needs a package that is not installed.
    """
    method = method_named(name)
    if name == _TOKENS and (is_fingerprint(a) or is_fingerprint(b)):
        score = _fingerprint(a).similarity(_fingerprint(b))
    else:
        score = _score(method, a, b)
    if output_format == "json":
        is_version = score >= method.threshold
        found = {"method": name, "score": round(score, 4), "threshold": method.threshold}
        print_json({**found, "version": is_version})
        return
    click.echo(one_line(f"{a} and {b}: {_verdict(method, score)}"))


def _score(method: Method, a: str, b: str) -> float:
    features = method.read([read_text(a), read_text(b)])
    for number, reason in features.unreadable.items():
        if reason != NO_WORDS:
            raise InputError(f"Method {method.name!r} cannot read {(a, b)[number]!r}: it {reason}.")
    (score,) = features.score(np.array([0]), np.array([1]))
    return float(score)


def _fingerprint(name: str) -> TokenFingerprint:
    if is_fingerprint(name):
        return TokenFingerprint.parse(name)
    found = token_fingerprint(read_text(name))
    if found is None:
        raise InputError(f"File {name!r} has no token to fingerprint. Give another text.")
    return found


def _verdict(method: Method, score: float) -> str:
    called = "versions" if score >= method.threshold else "no versions"
    if method.name == _TOKENS and score >= LOOSE:
        called = "closely alike" if score >= CLOSE else "loosely alike"
    return f"{called}, score {score:.4f} of method {method.name}, threshold {method.threshold:.4g}."
