"""Unicode tables that come with the package, as classes of code points.

A version of Unicode is fixed by the files, so that every version of Python gives the same tokens.
"""

from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

# Classes of data/characters.txt.
WORD, STANDALONE, MARK, IGNORED = 1, 2, 3, 4
# Code points after this plane are left out of regular expressions, see `class_ranges`.
FIRST_PLANE = 0x10000
CODE_POINTS = 0x110000
BEYOND_ASCII = 0x80
_LAST_SPACE = 0x3000


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text; surrogates that stand alone are among them."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


@lru_cache(maxsize=1)
def space_table() -> NDArray[np.bool_]:
    """Return whether each code point is white space, as `str.isspace` knows it.

    It ends with the first that is none after the last, so that all after that are like it.
    """
    return np.array([chr(code).isspace() for code in range(_LAST_SPACE + 2)])


@lru_cache(maxsize=3)
def class_table(name: str) -> NDArray[np.uint8]:
    """Return the class of each code point, from a data file of runs."""
    runs = _runs(name)
    bounds = [first for first, _ in runs] + [CODE_POINTS]
    return np.repeat(np.array([value for _, value in runs], np.uint8), np.diff(bounds))


def class_ranges(*classes: int) -> str:
    """Return the inside of a character class of `re` for classes of data/characters.txt.

    Only of the first plane: with them a search costs the same for each character, and beyond it
    are no marks of living scripts.
    """
    runs = _runs("characters.txt")
    ranges = "".join(
        f"{chr(first)}-{chr(after - 1)}"
        for (first, value), (after, _) in pairwise(runs)
        if value in classes and after <= FIRST_PLANE
    )
    # A zero width space separates words, in Khmer and Burmese on purpose.
    return ranges.replace("\u200b-", "\u200c-")


def _runs(name: str) -> list[tuple[int, int]]:
    """First code point and class of each run of code points of one class."""
    lines = (files("es_simhash") / "data" / name).read_text("ascii").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return [(int(first, 16), int(value)) for first, value in rows]
