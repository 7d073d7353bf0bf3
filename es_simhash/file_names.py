"""Names of files that follow from the name of an index."""


def file_name(index: str) -> str:
    """Give the start of a file name; index names hold no slash, but what is given may be anything.

    Returns:
        The name with `_` for what is neither letter, digit, dot, hyphen nor `_`.
    """
    return "".join(each if each.isalnum() or each in "._-" else "_" for each in index)
