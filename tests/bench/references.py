"""What semantic neighbours are compared with: `more_like_this`, and TF-IDF of character pairs."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import elasticsearch
import numpy as np

from tests.support import rankings

_HAN_RUN = re.compile("[㐀-䶿一-鿿豈-﫿]+")


def more_like_this(client: elasticsearch.Elasticsearch, index: str, id: str) -> list[str]:
    """Ask for ten similar documents the way the engine offers, with its defaults."""
    like = {"more_like_this": {"fields": ["text"], "like": [{"_id": id}]}}
    answer = client.search(index=index, size=10, source=False, query=like)
    return [hit["_id"] for hit in answer["hits"]["hits"]]


def character_pairs(texts: Sequence[str]) -> rankings.Matrix:
    """Return the cosines of all texts by TF-IDF of their pairs of Chinese characters.

    A pair weighs (1 + ln count) x (ln((1 + N) / (1 + df)) + 1), counted in these N texts.
    """
    counts = [
        Counter(pair for run in _HAN_RUN.findall(text) for pair in pairwise(run)) for text in texts
    ]
    frequencies = Counter(pair for counted in counts for pair in counted)
    columns = {pair: column for column, pair in enumerate(frequencies)}
    rows = np.zeros((len(texts), max(1, len(columns))), np.float32)
    for row, counted in zip(rows, counts, strict=True):
        for pair, count in counted.items():
            idf = math.log((1 + len(texts)) / (1 + frequencies[pair])) + 1
            row[columns[pair]] = (1 + math.log(count)) * idf
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    cosines: rankings.Matrix = rows @ rows.T
    return cosines
