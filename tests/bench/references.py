"""What semantic neighbours are compared with: `more_like_this`, TF-IDF, and LSA alone."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import elasticsearch
import numpy as np

from tests.support import rankings

_WORD = re.compile(r"\w+")
_RUN = re.compile("[㐀-䶿一-鿿豈-﫿ぁ-ヿ]+")


def more_like_this(client: elasticsearch.Elasticsearch, index: str, id: str) -> list[str]:
    """Ask for ten similar documents the way the engine offers, with its defaults."""
    like = {"more_like_this": {"fields": ["text"], "like": [{"_id": id}]}}
    answer = client.search(index=index, size=10, source=False, query=like)
    return [hit["_id"] for hit in answer["hits"]["hits"]]


def tokens_of(text: str, *, in_pairs: bool) -> list[str]:
    """Return the words of a text, or its pairs of Chinese and Japanese characters.

    Args:
        text: The text.
        in_pairs: Whether pairs are taken: in scripts without spaces.
    """
    if not in_pairs:
        return _WORD.findall(text.casefold())
    return [one + other for run in _RUN.findall(text) for one, other in pairwise(run)]


def tf_idf(texts: Sequence[str], *, in_pairs: bool = False) -> rankings.Matrix:
    """Return the vectors of all texts by TF-IDF, of length one, as rows.

    A token weighs (1 + ln count) x (ln((1 + N) / (1 + df)) + 1), counted in these N texts.
    """
    counts = [Counter(tokens_of(text, in_pairs=in_pairs)) for text in texts]
    frequencies = Counter(token for counted in counts for token in counted)
    # A token of one text adds to its length alone.
    columns = {
        token: column
        for column, token in enumerate(t for t, frequency in frequencies.items() if frequency > 1)
    }
    rows = np.zeros((len(texts), max(1, len(columns))), np.float32)
    for row, counted in zip(rows, counts, strict=True):
        rest = 0.0
        for token, count in counted.items():
            idf = math.log((1 + len(texts)) / (1 + frequencies[token])) + 1
            weight = (1 + math.log(count)) * idf
            if token in columns:
                row[columns[token]] = weight
            else:
                rest += weight**2
        row /= max(math.sqrt(float(row @ row) + rest), 1e-9)
    return rows


def latent_semantics(rows: rankings.Matrix, dimensions: int = 100) -> rankings.Matrix:
    """Return the cosines of all texts in the space of their first singular vectors (LSA)."""
    values, vectors = np.linalg.eigh((rows @ rows.T).astype(np.float64))
    reduced = vectors[:, -dimensions:] * np.sqrt(np.maximum(values[-dimensions:], 0))
    reduced /= np.maximum(np.linalg.norm(reduced, axis=1, keepdims=True), 1e-9)
    cosines: rankings.Matrix = (reduced @ reduced.T).astype(np.float32)
    return cosines
