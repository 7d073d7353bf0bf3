"""How many documents the families of an index have, added up by the first digits of their names.

Names of families are digests, so that each sum is of as many families as any other: what a run has
left is known by 65,537 numbers, however many families there are.
"""

import base64
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

# Digits of a name that say where it is counted, and those by which the sums are first compared.
_DIGITS, _FIRST_DIGITS = 4, 2
_LEAVES = 16**_DIGITS
_PER_PREFIX = 16 ** (_DIGITS - _FIRST_DIGITS)
# What the names of families begin with.
PREFIXES = tuple(f"{number:0{_FIRST_DIGITS}x}" for number in range(16**_FIRST_DIGITS))
# Where names are counted that are no digests.
_OTHERS = ""
_HEX = frozenset("0123456789abcdef")

Numbers = NDArray[np.int64]


def leaf_of(name: str) -> str:
    """Return the first digits of the name of a family, by which it is counted."""
    leaf = name[:_DIGITS]
    return leaf if len(leaf) == _DIGITS and _HEX.issuperset(leaf) else _OTHERS


def is_digest(name: str) -> bool:
    """Check whether a name is one of those that runs give; others are counted all together."""
    return leaf_of(name) != _OTHERS


def leaves_of(prefix: str) -> list[str]:
    """Return the beginnings of names, as `leaf_of` returns them, that begin with a prefix."""
    rest = _DIGITS - _FIRST_DIGITS
    return [f"{prefix}{number:0{rest}x}" for number in range(_PER_PREFIX)]


class FamilyCounts:
    """Documents of families by the first digits of the names.

    Args:
        numbers: The counts; None for no documents.
    """

    def __init__(self, numbers: Numbers | None = None) -> None:
        self._numbers = np.zeros(_LEAVES + 1, np.int64) if numbers is None else numbers

    @classmethod
    def of_sizes(cls, sizes: Mapping[str, int]) -> "FamilyCounts":
        """Return the counts of families of these sizes."""
        counts = cls()
        for name, size in sizes.items():
            counts.add(name, size)
        return counts

    @classmethod
    def decoded(cls, encoded: str) -> "FamilyCounts":
        """Return counts from the form in which they are stored."""
        numbers = np.frombuffer(zlib.decompress(base64.b64decode(encoded)), "<u4")
        return cls(numbers.astype(np.int64))

    def encoded(self) -> str:
        """Return them as they are stored; many are nothing, or alike."""
        return base64.b64encode(zlib.compress(self._numbers.astype("<u4").tobytes())).decode()

    def copy(self) -> "FamilyCounts":
        """Return counts that change by themselves."""
        return FamilyCounts(self._numbers.copy())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FamilyCounts) and np.array_equal(self._numbers, other._numbers)

    __hash__ = None  # type: ignore[assignment]

    @property
    def documents(self) -> int:
        """All documents."""
        return int(self._numbers.sum())

    @property
    def others(self) -> int:
        """Documents of families whose names are no digests."""
        return int(self._numbers[_LEAVES])

    def add(self, name: str, documents: int) -> None:
        """Count documents of a family; a negative number takes them away."""
        place = _place(leaf_of(name))
        self._numbers[place] = max(0, self._numbers[place] + documents)

    def of_leaves(self, leaves: Collection[str]) -> int:
        """Return how many documents are counted by these first digits."""
        return int(self._numbers[[_place(leaf) for leaf in leaves]].sum())

    def set_leaves(self, leaves: Iterable[str], measured: "FamilyCounts") -> None:
        """Take over what was measured of these first digits."""
        places = [_place(leaf) for leaf in leaves]
        self._numbers[places] = measured._numbers[places]

    def differing_prefixes(self, measured: Sequence[int]) -> list[str]:
        """Return the prefixes that have another number of documents, measured by `PREFIXES`."""
        known = self._numbers[:_LEAVES].reshape(len(PREFIXES), _PER_PREFIX).sum(axis=1)
        return [PREFIXES[place] for place in np.flatnonzero(known != np.asarray(measured))]

    def differing_leaves(self, prefix: str, measured: Sequence[int]) -> list[str]:
        """Return the first digits with another number, measured by the `leaves_of` a prefix."""
        leaves = leaves_of(prefix)
        known = self._numbers[[_place(leaf) for leaf in leaves]]
        return [leaves[place] for place in np.flatnonzero(known != np.asarray(measured))]


def _place(leaf: str) -> int:
    return int(leaf, 16) if leaf else _LEAVES
