"""Synthetic documents: sentences of Zipf-distributed words, every tenth text a revision.

With semantic profiles the words are the most frequent English ones, which have word vectors.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import elasticsearch
import numpy as np

from es_simhash.semantics.rarity import shipped_rarities
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.encoding import encode
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.installation.install import install

VOCABULARY = 50_000
SENTENCE_WORDS = 17
# Every tenth document is its predecessor with one word in ten replaced.
REVISION_EVERY = 10
_REPLACED = 0.1
_SLICE = 500
_BATCH = 40
# Documents from one line of progress to the next.
_TOLD = 200_000
# Slices before the end of what an index has that may have been under way when its filling ended.
_UNSURE = 20

# Yields the texts of so many documents from this number on; sent to processes, so of a module.
Source = Callable[[int, int], Iterable[str]]


def vocabulary() -> list[str]:
    """Return the words, the most frequent first; frequent words are short, as in languages."""
    generator = np.random.default_rng(1)
    letters = np.frombuffer(b"etaoinshrdlucmfwypvbgkqjxz", np.uint8)
    shares = 1 / np.arange(1, len(letters) + 1)
    lengths = np.clip(2 + np.log2(np.arange(1, VOCABULARY + 1)) / 2, 2, 11).astype(int)
    lengths += generator.integers(0, 3, VOCABULARY)
    drawn = generator.choice(letters, int(lengths.sum()), p=shares / shares.sum()).tobytes()
    ends = np.cumsum(lengths).tolist()
    return [
        drawn[end - size : end].decode() for end, size in zip(ends, lengths.tolist(), strict=True)
    ]


def frequent_words(language: str) -> list[str]:
    """Return the words of a list that comes with the package, the most frequent first."""
    rarities = shipped_rarities(language)
    return sorted(rarities, key=lambda word: rarities[word])


def texts(
    start: int, count: int, sentences: int, *, english: bool = False, words: int | None = None
) -> Iterator[str]:
    """Yield the texts of documents start to start + count, the same for the same numbers.

    Args:
        start: Number of the first document.
        count: How many there are.
        sentences: In each.
        english: Whether the words are English.
        words: Of how many different words, the most frequent; None for all.
    """
    chosen_from = (frequent_words("en") if english else vocabulary())[:words]
    shares = 1 / np.arange(1, len(chosen_from) + 1)
    cumulated = np.cumsum(shares / shares.sum())
    generator = np.random.default_rng(start)
    drawn = np.searchsorted(cumulated, generator.random((count, sentences * SENTENCE_WORDS)))
    for row in range(count):
        if (start + row) % REVISION_EVERY == REVISION_EVERY - 1 and row:
            changed = generator.random(drawn.shape[1]) < _REPLACED
            drawn[row] = np.where(changed, drawn[row], drawn[row - 1])
        places = np.minimum(drawn[row], len(chosen_from) - 1)
        chosen = [chosen_from[place] for place in places.tolist()]
        yield ". ".join(
            " ".join(chosen[place : place + SENTENCE_WORDS]).capitalize()
            for place in range(0, len(chosen), SENTENCE_WORDS)
        )


def _send(
    url: str, index: str, start: int, count: int, source: Source, semantics: SemanticScheme | None
) -> int:
    """Make, fingerprint and index one slice of the documents."""
    made = list(source(start, count))
    config = IndexConfig(semantics=semantics)
    lines: list[Any] = []
    for first in range(0, count, _BATCH):
        batch = made[first : first + _BATCH]
        for place, simhash in enumerate(encode(batch, config).objects):
            text = json.dumps(batch[place])
            lines.append(b'{"index":{"_id":"%d"}}' % (start + first + place))
            lines.append(b'{"text":%s,"%s":%s}' % (text.encode(), DEFAULT_FIELD.encode(), simhash))
    with connect(url, timeout=600) as client:
        answer = client.bulk(index=index, operations=lines, filter_path="errors")
    if answer["errors"]:
        raise RuntimeError(f"Documents {start} to {start + count} were not all accepted.")
    return count


def grow(client: elasticsearch.Elasticsearch, url: str, index: str, start: int, end: int,
         sentences: int, semantics: SemanticScheme | None = None) -> None:  # fmt: skip
    """Add the documents from start to end to an index, in two processes, and refresh."""
    source = partial(texts, sentences=sentences, english=semantics is not None)
    grow_from(client, url, index, start, end, source=source, semantics=semantics)


def grow_from(
    client: elasticsearch.Elasticsearch,
    url: str,
    index: str,
    start: int,
    end: int,
    *,
    source: Source,
    semantics: SemanticScheme | None = None,
    shards: int = 1,
) -> None:
    """Add the texts that a function makes of the first number and their count."""
    if start == 0:
        client.indices.delete(index=index, ignore_unavailable=True)
        settings = {"refresh_interval": "-1", "number_of_replicas": 0, "number_of_shards": shards}
        client.indices.create(index=index, settings=settings)
        install(client, index, semantics=semantics)
    with ProcessPoolExecutor(2) as pool:
        waiting = [
            pool.submit(_send, url, index, first, min(_SLICE, end - first), source, semantics)
            for first in range(start, end, _SLICE)
        ]
        for number, each in enumerate(waiting, start=1):
            each.result()
            if number * _SLICE % _TOLD == 0:
                print(f"{start + number * _SLICE:,} of {end:,} documents", flush=True)
    client.indices.refresh(index=index)


def grown_until(client: elasticsearch.Elasticsearch, index: str, size: int) -> int:
    """Return the number from which an index whose filling ended early is filled; 0 without one."""
    if not client.indices.exists(index=index):
        return 0
    client.indices.refresh(index=index)
    count = int(client.count(index=index)["count"])
    if count == size:
        return size
    return max(0, count // _SLICE - _UNSURE) * _SLICE
