"""The block search finds every document within k bits of a real index, and none beyond."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from es_simhash.fingerprints.blocks import block_sizes, block_terms
from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.store.codec import pack_chunks
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.candidates import similar_bodies
from es_simhash.store.intents import FindSimilar

pytestmark = pytest.mark.cluster

DOCUMENTS = 300
NO_PASSAGES = np.zeros(0, np.uint32)
NO_LEVELS = np.zeros(0, np.uint8)
CHUNK = np.zeros((1, 16), np.uint8)

Bits = NDArray[np.uint8]


def flipped(random: np.random.Generator, scheme: Scheme, query: Bits, count: int) -> Bits:
    """One bit in each of `count` blocks, so that as many blocks as possible are spoilt.

    With more flips than blocks, the rest lies anywhere.
    """
    sizes = block_sizes(scheme.bits, scheme.blocks)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    spoilt = random.permutation(scheme.blocks)[:count]
    places = [int(starts[block] + random.integers(sizes[block])) for block in spoilt]
    others = [place for place in random.permutation(scheme.bits).tolist() if place not in places]
    bits = np.unpackbits(query)
    bits[places + others[: count - len(places)]] ^= 1
    return np.packbits(bits)


def stored(scheme: Scheme, fingerprint: Bits) -> dict[str, Any]:
    """The object of a document with this fingerprint and no passage."""
    return {
        "scheme": scheme.name,
        "content_hash": "0" * 32,
        "fingerprint": fingerprint.tobytes().hex(),
        "blocks": block_terms(fingerprint[None], scheme.blocks)[0],
        "shingles": [],
        "chunks": pack_chunks(CHUNK, np.array([10]), NO_LEVELS),
    }


def question(scheme: Scheme, fingerprint: Bits) -> TextFingerprints:
    return TextFingerprints(
        scheme.name, "f" * 32, fingerprint, CHUNK, np.array([10]), NO_PASSAGES, NO_LEVELS, 2
    )


def distances(one: Bits, others: NDArray[np.uint8]) -> list[int]:
    differing: list[int] = np.unpackbits(one ^ others, axis=1).sum(axis=1).tolist()
    return differing


class Crafted:
    """An index with 300 documents at each distance from one query."""

    def __init__(self, client: Any, name: str, scheme: Scheme, most: int) -> None:
        self.client, self.name, self.scheme = client, name, scheme
        random = np.random.default_rng(20)
        self.query = random.integers(0, 256, scheme.bits // 8, np.uint8)
        self.at = {
            count: [flipped(random, scheme, self.query, count) for _ in range(DOCUMENTS)]
            for count in range(most + 1)
        }
        # Far documents too, which share a block now and then by chance.
        far = random.integers(0, 256, (DOCUMENTS, scheme.bits // 8), np.uint8)
        self.at[scheme.bits] = [row for row, d in zip(far, distances(self.query, far), strict=True)
                                if d > most]  # fmt: skip
        self._write()

    def _write(self) -> None:
        from elasticsearch.helpers import bulk

        from es_simhash.store.installation.install import install

        install(self.client, self.name, scheme=self.scheme)
        bulk(
            self.client,
            (
                {
                    "_index": self.name,
                    "_id": f"{count}-{number}",
                    "_source": {"simhash": stored(self.scheme, fingerprint)},
                }
                for count, fingerprints in self.at.items()
                for number, fingerprint in enumerate(fingerprints)
            ),
            refresh=True,
        )

    def found(self, k: int) -> list[str]:
        """Ids that the block search brings, all of them."""
        request = FindSimilar(question(self.scheme, self.query), k=k, candidates=9000)
        _, body = similar_bodies(request, IndexConfig(self.scheme), request.where)
        hits = self.client.search(index=self.name, **spelled(body))["hits"]["hits"]
        return sorted(hit["_id"] for hit in hits)

    def expected(self, k: int) -> list[str]:
        return sorted(f"{count}-{n}" for count in range(k + 1) for n in range(DOCUMENTS))


def spelled(body: dict[str, Any]) -> dict[str, Any]:
    """The body as arguments of the client."""
    return {{"_source": "source"}.get(name, name): value for name, value in body.items()}


@pytest.fixture(scope="module")
def crafted(cluster_url: str) -> Iterator[Any]:
    """Make an index for a scheme, once."""
    from es_simhash.store.elasticsearch.connection import connect

    made: dict[tuple[Scheme, int], Crafted] = {}
    with connect(cluster_url) as client:

        def make(scheme: Scheme, most: int) -> Crafted:
            key = scheme, most
            if key not in made:
                name = f"test-guarantee-{id(made):x}-{len(made)}"
                made[key] = Crafted(client, name, scheme, most)
            return made[key]

        yield make
        for each in made.values():
            client.indices.delete(index=each.name, ignore_unavailable=True)


def test_the_documents_lie_where_they_should(crafted: Any) -> None:
    # Without this, a mistake in the crafting could make the guarantee easy.
    index = crafted(Scheme(), 8)
    for count in range(9):
        rows = np.array(index.at[count])
        assert set(distances(index.query, rows)) == {count}
        terms = block_terms(rows, 8)
        same = [sum(a == b for a, b in zip(row, block_terms(index.query[None], 8)[0], strict=True))
                for row in terms]  # fmt: skip
        assert set(same) == {8 - count}


@pytest.mark.parametrize("k", range(8))
def test_all_documents_within_k_bits_are_found_and_none_beyond(crafted: Any, k: int) -> None:
    index = crafted(Scheme(), 8)
    assert index.found(k) == index.expected(k)


@pytest.mark.variants
@pytest.mark.parametrize("k", [0, 12, 15])
def test_sixteen_blocks_promise_twelve_bits(crafted: Any, k: int) -> None:
    index = crafted(Scheme(blocks=16), 16)
    assert index.found(k) == index.expected(k)


@pytest.mark.long
@pytest.mark.parametrize("k", [3, 12])
def test_thirteen_uneven_blocks_of_64_bits_promise_twelve(crafted: Any, k: int) -> None:
    index = crafted(Scheme(64, 13), 13)
    assert index.found(k) == index.expected(k)
