"""Plain TF-IDF of pairs of Chinese characters, the reference for Chinese neighbours."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from es_simhash.evaluation import metrics

_HAN_RUN = re.compile("[㐀-䶿一-鿿豈-﫿]+")


def character_pairs(texts: Sequence[str]) -> metrics.Matrix:
    """Return the cosines of all texts: (1 + ln count) x (ln((1 + N) / (1 + df)) + 1)."""
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
    cosines: metrics.Matrix = rows @ rows.T
    return cosines
