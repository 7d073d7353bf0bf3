"""The exact-k guarantee through a real index: pairs at exactly k bits, all of them found.

python -m tests.bench.guarantee [--pairs 10000]
"""

import argparse
from collections.abc import Sequence

import elasticsearch
import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.store.codec import simhash_object
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.candidates import similar_bodies
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.installation.install import install
from es_simhash.store.intents import FindSimilar, Where
from tests.bench.engines import bench_client
from tests.bench.program import run

_INDEX = "bench-guarantee"
_BATCH = 500
# Scheme and distance: the default at its greatest k, and finer blocks for a greater one.
CASES = ((DEFAULT, 7), (Scheme(blocks=16), 12), (Scheme(bits=64, blocks=4), 3))


def _stored(document: NDArray[np.uint8], scheme: Scheme, name: int) -> TextFingerprints:
    """Fingerprints of a made-up document: one chunk, no passages."""
    return TextFingerprints(
        scheme.name,
        f"{name:032x}",
        document,
        np.zeros((1, 16), np.uint8),
        np.ones(1, np.int64),
        np.zeros(0, np.uint32),
        np.zeros(0, np.uint8),
        1,
    )


def flipped(documents: NDArray[np.uint8], k: int, seed: int) -> NDArray[np.uint8]:
    """Flip exactly k random bits of each fingerprint."""
    generator = np.random.default_rng(seed)
    bits = np.unpackbits(documents, axis=1)
    places = generator.permuted(np.tile(np.arange(bits.shape[1]), (len(bits), 1)), axis=1)[:, :k]
    np.put_along_axis(bits, places, 1 - np.take_along_axis(bits, places, 1), 1)
    return np.packbits(bits, axis=1)


def missed(client: elasticsearch.Elasticsearch, scheme: Scheme, k: int, pairs: int) -> int:
    """Index random fingerprints, ask for each with k bits flipped, and count those not found."""
    generator = np.random.default_rng(k)
    documents = generator.integers(0, 256, (pairs, scheme.bits // 8), np.uint8)
    client.indices.delete(index=_INDEX, ignore_unavailable=True)
    install(client, _INDEX, scheme=scheme)
    for start in range(0, pairs, _BATCH):
        operations: list[dict[str, object]] = []
        for name in range(start, min(start + _BATCH, pairs)):
            simhash = simhash_object(_stored(documents[name], scheme, name))
            operations += [{"index": {"_id": str(name)}}, {DEFAULT_FIELD: simhash}]
        client.bulk(index=_INDEX, operations=operations)
    client.indices.refresh(index=_INDEX)
    config = IndexConfig(scheme)
    asked = flipped(documents, k, seed=k + 1)
    lost = 0
    for start in range(0, pairs, _BATCH):
        names = range(start, min(start + _BATCH, pairs))
        searches: list[dict[str, object]] = []
        for name in names:
            prints = _stored(asked[name], scheme, -name % 2**64)
            searches += [{}, similar_bodies(FindSimilar(prints, k=k), config, Where())[1]]
        answers = client.msearch(index=_INDEX, searches=searches)["responses"]
        for name, answer in zip(names, answers, strict=True):
            lost += str(name) not in {hit["_id"] for hit in answer["hits"]["hits"]}
    client.indices.delete(index=_INDEX)
    return lost


def main(argv: Sequence[str] | None = None) -> int:
    """Print the recall of each case; the exit status is 1 when a pair was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000)
    options = parser.parse_args(argv)
    total = 0
    with bench_client() as client:
        for scheme, k in CASES:
            lost = missed(client, scheme, k, options.pairs)
            total += lost
            print(
                f"{scheme.bits} bits in {scheme.blocks} blocks, {options.pairs} pairs at exactly "
                f"k = {k}: recall {1 - lost / options.pairs:.4f}"
            )
    return 1 if total else 0


if __name__ == "__main__":
    run(main)
