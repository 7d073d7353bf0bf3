"""Where versions of an index begin: which values can be compared with scores."""

from es_simhash.errors import InputError


def require_threshold(value: object) -> None:
    """Check that a value can be where versions begin.

    Raises:
        InputError: It is no number above 0 and below 1.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1:
        return
    raise InputError(
        f"version_threshold must be above 0 and below 1, got {value!r}.",
        parameter="version_threshold",
    )
