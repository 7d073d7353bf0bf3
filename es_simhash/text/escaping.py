"""Untrusted text made safe: for file names, terminals and messages."""

import re

_URL_SCHEME = re.compile("[a-z]+://")


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
    """Return a value with its unprintable characters escaped.

    Ids and reasons come from untrusted documents, and control characters could steer a terminal.
    """
    return "".join(
        character if character.isprintable() else _escaped(character) for character in value
    )


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
