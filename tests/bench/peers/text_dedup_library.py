"""PyPI `text-dedup`: its fingerprints and its clusters, without the data sets it works on.

Its commands read and write data sets of Hugging Face; what they do with a text is imported here,
and their loops over buckets, which cannot be imported, are repeated.
"""

import multiprocessing
import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tests.bench.peers.in_memory import InMemory
from tests.bench.peers.library import require
from tests.bench.peers.signatures import by_bits, by_equal_values

INSTALL = "pip install 'es-simhash[peers]' && pip install --no-deps text-dedup==0.4.0"
# Its defaults.
_PERMUTATIONS, _THRESHOLD, _WORDS, _LEAST = 250, 0.7, 5, 5
_BITS, _BIT_DIFFERENCE, _BLOCKS, _CHARACTERS = 64, 3, 4, 3
_SHORT = f"left out by text-dedup: fewer than {_LEAST} words"
_SHORT_SIMHASH = f"fails with an error: fewer than {_LEAST} characters"


def _module(name: str) -> Any:
    method = multiprocessing.get_start_method(allow_none=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = require(f"text_dedup.{name}", INSTALL)
    # It makes every process of whoever imports it fork.
    multiprocessing.set_start_method(method, force=True)
    return module


def _minhash_function() -> Any:
    """Return its `embed_func` with the arguments that its command passes by default."""
    library = _module("minhash")
    bands, rows = library.optimal_param(_THRESHOLD, _PERMUTATIONS, 0.5, 0.5)
    prime = np.uint64((1 << 61) - 1)
    random = np.random.RandomState(library.SEED)
    shape = (_PERMUTATIONS,)
    permutations = (
        random.randint(1, prime, size=shape, dtype=np.uint64),
        random.randint(0, prime, size=shape, dtype=np.uint64),
    )
    return partial(
        library.embed_func,
        idx=0,
        num_perm=_PERMUTATIONS,
        ngram_size=_WORDS,
        min_length=_LEAST,
        hashranges=[(band * rows, (band + 1) * rows) for band in range(bands)],
        permutations=permutations,
        hash_func=partial(library.sha1_hash, d=32),
        dtype=np.uint64,
        max_hash=np.uint32((1 << 32) - 1),
        modulo_prime=prime,
    )


def sign_minhash(texts: Sequence[str]) -> list[Any]:
    """Return the bands of each text; None of a text that its command leaves out."""
    embed, library = _minhash_function(), _module("minhash")
    return [
        embed(text)[library.SIGNATURE_COLUMN]
        if len(library.NON_ALPHA.split(text.lower())) >= _LEAST
        else None
        for text in texts
    ]


class TextDedupMinHash:
    """Its `minhash` command with its defaults: all texts that share a band are one cluster."""

    engine = None
    name = "text-dedup-minhash"
    tool = "text-dedup MinHash, 250 permutations, runs of 5 words; default: clusters for 0.7"

    def build(self, texts: Sequence[str]) -> InMemory:
        """Fingerprint texts and join those that share a band."""
        bands = sign_minhash(texts)
        known = [number for number, signature in enumerate(bands) if signature is not None]
        tables: dict[Any, list[int]] = defaultdict(list)
        for number in known:
            for band, key in enumerate(bands[number]):
                tables[band, key].append(number)
        clusters = _Clusters("minhash")
        for numbers in tables.values():
            for number in numbers[1:]:
                clusters.join(numbers[0], number)
        joined = [b"".join(signature or ()) for signature in bands]
        length = max(map(len, joined), default=0)
        rows = np.array([np.frombuffer(each.ljust(length, b"\0"), ">u8") for each in joined])
        return InMemory.of_signatures(known, clusters.finder(known), by_equal_values, rows, _SHORT)


def sign_simhash(texts: Sequence[str]) -> list[Any]:
    """Return what its `embed_func` returns of each text; None where it fails."""
    library = _module("simhash")
    permutations = library._create_permutations(_BITS, k=_BIT_DIFFERENCE, b=_BLOCKS)
    embed = partial(
        library.embed_func,
        idx=0,
        ngram=_CHARACTERS,
        permutations=permutations,
        hash_func=library.xxh3_64_digest,
    )
    return [embed(text) if len(text) >= _LEAST else None for text in texts]


class TextDedupSimhash:
    """Its `simhash` command with its defaults: texts within 3 bits are joined to clusters."""

    engine = None
    name = "text-dedup-simhash"
    tool = "text-dedup simhash, 64 bits of 3-character runs; default: clusters within 3 bits"

    def build(self, texts: Sequence[str]) -> InMemory:
        """Fingerprint texts and join those within 3 bits that share a bucket."""
        library, clusters = _module("simhash"), _Clusters("simhash")
        embedded = sign_simhash(texts)
        known = [number for number, each in enumerate(embedded) if each is not None]
        values = np.zeros(len(texts), np.uint64)
        buckets: dict[Any, list[int]] = defaultdict(list)
        for number in known:
            signature = embedded[number][library.SIGNATURE_COLUMN]
            values[number] = int.from_bytes(signature, "big")
            for key in embedded[number][library.KEY_COLUMN]:
                for other in buckets[key]:
                    distance = int(values[number] ^ values[other]).bit_count()
                    if distance <= _BIT_DIFFERENCE:
                        clusters.join(other, number)
                buckets[key].append(number)
        return InMemory.of_signatures(
            known, clusters.finder(known), by_bits, values, _SHORT_SIMHASH
        )


class _Clusters:
    """Texts joined by the library's union find."""

    def __init__(self, module: str) -> None:
        self._joined = _module(module).UnionFind()

    def join(self, one: int, other: int) -> None:
        """Put two texts into one cluster."""
        self._joined.union(one, other)

    def finder(self, known: Iterable[int]) -> Any:
        """Return a function that returns the cluster of a text."""
        members: dict[int, list[int]] = defaultdict(list)
        for number in known:
            members[self._joined.find(number)].append(number)
        return lambda number: members[self._joined.find(number)]
