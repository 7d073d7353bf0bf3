"""Untrusted text made safe: for file names, terminals and messages."""

import re
import unicodedata

_URL_SCHEME = re.compile("[a-z]+://")
# White space, and signs without a form of their own: joiners, soft hyphens, marks of direction.
_WRITTEN = ("Zs", "Cf")
# Those that order a whole stretch otherwise, so that it seems to say something else.
_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def file_name(index: str) -> str:
    """Return the start of a file name for an index.

    Names of indices hold no slash, other input may.

    Returns:
        The name with `_` for what is neither letter, digit, dot, hyphen nor `_`.
    """
    return "".join(
        character if character.isalnum() or character in "._-" else "_" for character in index
    )


def printable(value: str) -> str:
    """Return a value with what could steer a terminal, or deceive its reader, escaped.

    Ids and reasons come from untrusted documents.
    """
    if value.isprintable():
        return value
    return "".join(
        character if is_harmless(character) else _escaped(character) for character in value
    )


def is_harmless(character: str) -> bool:
    """Check whether a character may be shown as it is: Persian is not written without joiners."""
    if character.isprintable():
        return True
    return character not in _REORDERING and unicodedata.category(character) in _WRITTEN


def one_line(value: str) -> str:
    """Return text as one printable line: white space as single spaces, the rest escaped."""
    return printable(" ".join(value.split()))


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def masked_url(url: str) -> str:
    """Return a URL with `***` for its user and password, which may hold any character."""
    # Not by urlsplit, which ends the host at a # or / of the password.
    scheme = _URL_SCHEME.match(url)
    start = scheme.group() if scheme else ""
    _, at, rest = url[len(start) :].rpartition("@")
    return f"{start}***@{rest}" if at else url
