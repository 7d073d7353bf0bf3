"""Two texts compared by a named method, or two fingerprints of the token scheme without texts."""

import click

from es_simhash.cli.inputs import read_text
from es_simhash.cli.output import print_json
from es_simhash.errors import InputError
from es_simhash.methods.comparison import MethodScore, score_of
from es_simhash.methods.registry import method_named
from es_simhash.methods.token_simhash import (
    CLOSE,
    LOOSE,
    TokenFingerprint,
    TokenSimhash,
    is_fingerprint,
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
        similarity = _fingerprint(a).similarity(_fingerprint(b))
        found = MethodScore(name, similarity, method.threshold)
    else:
        found = score_of(method, [read_text(a), read_text(b)], [repr(a), repr(b)])
    if output_format == "json":
        print_json(found.to_dict())
        return
    click.echo(one_line(f"{a} and {b}: {_verdict(found)}"))


def _fingerprint(name: str) -> TokenFingerprint:
    if is_fingerprint(name):
        return TokenFingerprint.parse(name)
    found = token_fingerprint(read_text(name))
    if found is None:
        raise InputError(f"File {name!r} has no token to fingerprint. Give another text.")
    return found


def _verdict(found: MethodScore) -> str:
    called = "versions" if found.is_version else "no versions"
    if found.method == _TOKENS and found.score >= LOOSE:
        called = "closely alike" if found.score >= CLOSE else "loosely alike"
    return (
        f"{called}, score {found.score:.4f} of method {found.method}, threshold "
        f"{found.threshold:.4g}."
    )
