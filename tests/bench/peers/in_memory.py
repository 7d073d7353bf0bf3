"""What the libraries have in common: texts, and what each of them is found by, in this process."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from es_simhash.lab.methods.method_protocol import Ints, Pairs, ordered_pairs
from es_simhash.lab.methods.shingle_sets import words_of
from tests.bench.peers.model import Scored
from tests.bench.peers.signatures import Signatures

# Runs of words for libraries that leave the features to their caller.
RUN = 3


class InMemory:
    """A collection of a library.

    Args:
        known: Positions of the texts that the library has taken in.
        find: Returns the positions of the texts that the library brings about one.
        score: Returns pairs with scores.
        nbytes: Bytes of all signatures.
        failures: How many texts the library fails on, by the reason.
    """

    def __init__(
        self,
        known: Iterable[int],
        find: Callable[[int], Iterable[int]],
        score: Callable[[Ints], Scored],
        nbytes: int,
        failures: Counter[str] | None = None,
    ) -> None:
        self.failures: Counter[str] = failures or Counter()
        self._known = np.array(sorted(known), np.int64)
        self._find = find
        self._score = score
        self._nbytes = nbytes

    @classmethod
    def of_signatures(
        cls,
        known: Collection[int],
        find: Callable[[int], Iterable[int]],
        compare: Callable[[Signatures, Ints], Scored],
        signatures: Signatures,
        failure: str,
    ) -> "InMemory":
        """Return a collection whose signatures are computed already.

        Args:
            known: Positions of the texts that the library has taken in.
            find: Returns the positions of the texts that the library brings about one.
            compare: Returns pairs with scores.
            signatures: A row for each text.
            failure: Why the library fails on the other texts.
        """
        kept = np.array(sorted(known), np.int64)
        return cls(
            known,
            find,
            partial(compare, signatures),
            signatures[kept].nbytes,
            +Counter({failure: len(signatures) - len(known)}),
        )

    def called(self) -> Pairs:
        """Return the pairs that the library's own index brings."""
        first: list[int] = []
        second: list[int] = []
        for number in self._known.tolist():
            found = list(self._find(number))
            first.extend([number] * len(found))
            second.extend(found)
        return ordered_pairs(np.array(first, np.int64), np.array(second, np.int64))

    def scored(self) -> Scored:
        """Return the pairs of signatures that are alike, each text compared with all others."""
        return self._score(self._known)

    def query(self, number: int) -> object:
        """Ask the library's own index."""
        return list(self._find(number))

    def nbytes(self) -> int:
        """Return the bytes of the signatures."""
        return self._nbytes

    def close(self) -> None:
        """Nothing is outside of this process."""


def word_runs(texts: Sequence[str]) -> list[list[bytes]]:
    """Return the runs of three words of each text as bytes, each once; Chinese characters count.

    Words are those of this project, which is more than a caller of these libraries gets from
    splitting at white space.
    """
    runs = words_of(texts).runs(RUN)
    shingles = np.ascontiguousarray(runs.features).view("V8")
    bounds = runs.bounds.tolist()
    return [
        [bytes(shingle) for shingle in dict.fromkeys(shingles[start:end].tolist())]
        for start, end in pairwise(bounds)
    ]
