"""Names of files that follow from the name of an index."""


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
