"""What the address of an explorer's page may choose."""

import math
from collections.abc import Mapping

from es_simhash.service.parameters import whole
from es_simhash.service.problems import Problem

# Entries of one page of a list, and pages of a list that can be opened.
PAGE, MAX_PAGES = 20, 50
MAX_QUERY = 500
_MAX_SIZE = 999_999_999
# Each has a sample of its own, which takes seconds.
MAX_SEED = 1_000


def search_words(given: Mapping[str, str]) -> str:
    """Return the query, without white space around it.

    Raises:
        Problem: 400, when it is too long.
    """
    words = " ".join(given.get("q", "").split())
    if len(words) > MAX_QUERY:
        raise Problem(400, f"A query may have at most {MAX_QUERY} characters.")
    return words


def page_number(given: Mapping[str, str]) -> int:
    """Return the number of the page, from 1.

    Raises:
        Problem: 400, when it is none, or beyond the last that can be opened.
    """
    return _whole(given, "page", MAX_PAGES, 1)


def size_range(given: Mapping[str, str]) -> tuple[int, int | None]:
    """Return the least and the greatest size of families; None for any.

    Raises:
        Problem: 400, when one is no number.
    """
    low = _whole(given, "from", _MAX_SIZE, 2)
    return low, _whole(given, "to", _MAX_SIZE, 0) or None


def score_range(given: Mapping[str, str]) -> tuple[float, float]:
    """Return the least and the greatest score.

    Raises:
        Problem: 400, when one is not from 0 to 1.
    """
    return _score(given, "from", 0.0), _score(given, "to", 1.0)


def pair_place(given: Mapping[str, str]) -> int:
    """Return the place among the pairs to label at which to go on, from 0.

    Raises:
        Problem: 400, when it is no number.
    """
    return whole("from", given.get("from", "0"), 0, _MAX_SIZE)


def sample_seed(given: Mapping[str, str]) -> int:
    """Return the seed of the sample of pairs to label.

    Raises:
        Problem: 400, when it is no number.
    """
    return _whole(given, "seed", MAX_SEED, 1)


def _whole(given: Mapping[str, str], name: str, high: int, default: int) -> int:
    value = given.get(name)
    return default if value is None else whole(name, value, 1, high)


def _score(given: Mapping[str, str], name: str, default: float) -> float:
    try:
        value = float(given.get(name, default))
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise Problem(400, f"{name} must be a number from 0 to 1.")
    return value
