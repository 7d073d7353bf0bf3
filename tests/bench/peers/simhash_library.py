"""PyPI `simhash`: one 64-bit fingerprint of the counted four-character runs of a text."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.bench.peers.in_memory import InMemory
from tests.bench.peers.library import require
from tests.bench.peers.signatures import by_bits

_OVERFLOW = "OverflowError under numpy 2: a run of characters occurs more than 255 times"


def sign(texts: Sequence[str]) -> list[Any]:
    """Return the fingerprints; None of a text that the library fails on."""
    library = require("simhash")
    return [_fingerprint(library, text) for text in texts]


def _fingerprint(library: Any, text: str) -> Any:
    try:
        return library.Simhash(text)
    except OverflowError:
        return None


class PypiSimhash:
    """PyPI `simhash` with its defaults."""

    engine = None
    name = "simhash"
    tool = "PyPI simhash, 64 bits of four-character runs; default: 2 bits differ"

    def build(self, texts: Sequence[str]) -> InMemory:
        """Fingerprint texts and put them into the library's index."""
        library = require("simhash")
        signed = sign(texts)
        known = {number: each for number, each in enumerate(signed) if each is not None}
        index = library.SimhashIndex([(str(number), each) for number, each in known.items()])
        values = np.array([each.value if each else 0 for each in signed], np.uint64)
        return InMemory.of_signatures(
            known,
            lambda number: map(int, index.get_near_dups(known[number])),
            by_bits,
            values,
            _OVERFLOW,
        )
