"""Text from elsewhere in a form that is safe: in file names, on a terminal, in messages."""

import re

_URL_SCHEME = re.compile("[a-z]+://")


def file_name(index: str) -> str:
    """Return the start of a file name; names of indices hold no slash, other input may.

    Returns:
        The name with `_` for what is neither letter, digit, dot, hyphen nor `_`.
    """
    return "".join(each if each.isalnum() or each in "._-" else "_" for each in index)


def printable(value: str) -> str:
    """Escape what could steer a terminal: ids and reasons come from untrusted documents."""
    return "".join(each if each.isprintable() else _escaped(each) for each in value)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def masked_url(url: str) -> str:
    """Return a URL with `***` for its user and password, which may hold any character."""
    # Not by urlsplit, which ends the host at a # or / of the password.
    scheme = _URL_SCHEME.match(url)
    start = scheme.group() if scheme else ""
    _, at, rest = url[len(start) :].rpartition("@")
    return f"{start}***@{rest}" if at else url
