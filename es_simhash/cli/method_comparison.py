"""Texts compared by a named method, and their fingerprints as strings, which need no texts."""

import click
import numpy as np

from es_simhash.cli.files import read_text
from es_simhash.cli.output import print_json, print_result
from es_simhash.errors import InputError, SchemeError, nearest_note
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.lab.methods.method_protocol import Method
from es_simhash.lab.methods.method_registry import (
    fingerprint_method,
    method_named,
    method_names,
)
from es_simhash.lab.methods.method_scheme import FingerprintMethod, is_fingerprint
from es_simhash.lab.methods.method_scores import MethodScore, method_schemes, score_of
from es_simhash.lab.methods.token_simhash import CLOSE, LOOSE, TOKENS
from es_simhash.store.indexed_methods import Rows, require_readable
from es_simhash.text.escaping import one_line


def print_method_comparison(a: str, b: str, name: str, output_format: str) -> None:
    """Print the score that a method gives two files.

    With a method that makes fingerprints, each of the two may be a string of them.

    Raises:
        InputError: There is no such method, or it cannot read one of the files.
        SchemeMismatch: A fingerprint is of another scheme.
        MissingExtra: The method needs a package that is not installed.
    """
    method = method_named(name)
    if is_fingerprint(a) or is_fingerprint(b):
        found = MethodScore(name, _of_fingerprints(method, a, b), method.threshold)
    else:
        found = score_of(method, [read_text(a), read_text(b)], [repr(a), repr(b)])
    print_result(
        found, output_format, lambda score: click.echo(one_line(f"{a} and {b}: {_verdict(score)}"))
    )


def _of_fingerprints(method: Method, a: str, b: str) -> float:
    """Return the score of two strings of fingerprints, or of one and a file."""
    if not isinstance(method, FingerprintMethod):
        string = a if is_fingerprint(a) else b
        raise InputError(
            f"Method {method.name!r} compares texts, not fingerprints such as "
            f"{string[:80]!r}. Give two files."
        )
    features = method.scheme.restore([fingerprints_of(method, name) for name in (a, b)])
    return float(features.score(np.array([0]), np.array([1]))[0])


def fingerprints_of(method: FingerprintMethod, name: str) -> Rows:
    """Return the fingerprints of a string of them, or of the file of that name.

    Raises:
        InputError: The file has no words, or the method cannot read it.
        SchemeMismatch: The string is of another scheme.
        SchemeError: The string is no fingerprint.
    """
    if is_fingerprint(name):
        return method.scheme.parse(name)
    features = method.read([read_text(name)])
    require_readable(features.unreadable, method.name, [repr(name)])
    if features.unreadable:
        raise InputError(f"File {name!r} has no words to fingerprint. Give another text.")
    return features.rows(0)


def print_fingerprint(name: str, file: str, output_format: str) -> None:
    """Print the fingerprints of a file as one string.

    Args:
        name: Of a method, or of its scheme.
        file: Name of the file.
        output_format: `table` for the string alone, or `json`.

    Raises:
        SchemeError: There is no method of that name.
        InputError: It makes no fingerprints, or cannot read the file.
    """
    schemes = method_schemes()
    if name not in {*schemes, *schemes.values(), *method_names()}:
        raise SchemeError(
            f"Unknown scheme {name!r}: neither a published one nor that of a method. Choose "
            f"{DEFAULT.name}, or one of {', '.join(schemes)}{nearest_note(name, schemes)}."
        )
    method = fingerprint_method(name)
    string = method.scheme.string(fingerprints_of(method, file))
    if output_format == "table":
        click.echo(string)
    else:
        print_json({"scheme": method.scheme.name, "fingerprint": string})


def _verdict(found: MethodScore) -> str:
    called = "versions" if found.is_version else "no versions"
    if found.method == TOKENS.method and found.score >= LOOSE:
        called = "closely alike" if found.score >= CLOSE else "loosely alike"
    return (
        f"{called}, score {found.score:.4f} of method {found.method}, threshold "
        f"{found.threshold:.4g}."
    )
