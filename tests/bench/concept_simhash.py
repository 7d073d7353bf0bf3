"""The origins' concept simhash beside the exact overlap of the same concepts, on lee50.

    python -m tests.bench.concept_simhash

Prints Pearson's correlation with the judgements of people over 1,225 pairs, for fingerprints of 16
to 256 bits, with weights and without, of whole documents and of their parts: the mean over hashes
and its standard deviation, for one hash alone is luck. The texts have one paragraph each, so
sentences stand in for paragraphs. It shows why this is not the default.
"""

import csv
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from es_simhash.lab.methods.concept_simhash import (
    CONCEPT_BITS,
    ConceptScheme,
    Weights,
    concept_similarities,
    fingerprint_concepts,
    tfidf_weights,
)
from es_simhash.semantics.entities.entity_rules import find_entities
from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.rarity import rarity
from tests.bench.program import run
from tests.support import datasets

SET = "lee50"
LANGUAGE = "en"
HASHES = 10
_SENTENCE = re.compile(r"(?<=[.!?])\s+")

Matrix = NDArray[np.float64]


def concepts_of(text: str) -> Counter[str]:
    """Count the words of a text, and its entities of several words."""
    counts = Counter(count_words(text, LANGUAGE))
    for entity in find_entities(text, LANGUAGE):
        if " " in entity.text:
            counts[entity.text.casefold()] += entity.count
    return counts


def concept_rarity(concept: str) -> float:
    """Return the rarity of a concept: that of its rarest word."""
    return float(rarity(concept.split(), LANGUAGE).max())


def weighted(text: str, scheme: ConceptScheme) -> Weights:
    """Return the concepts of a text with the weights a scheme asks for."""
    counts = concepts_of(text)
    if scheme.weights == "plain":
        return dict.fromkeys(counts, 1.0)
    return tfidf_weights(counts, concept_rarity)


def parts_of(text: str, scheme: ConceptScheme) -> list[Weights]:
    """Return the weighted concepts of the parts of a text that have fingerprints of their own."""
    parts = _SENTENCE.split(text) if scheme.close_pairs else [text]
    return [weighted(part, scheme) for part in parts]


def similarities(documents: Sequence[Sequence[Weights]], scheme: ConceptScheme) -> Matrix:
    """Compare each document with each by their fingerprints."""
    fingerprints = fingerprint_concepts(documents, scheme)
    return np.stack([concept_similarities(each, fingerprints) for each in fingerprints])


def hashed_anew(documents: Sequence[Sequence[Weights]], number: int) -> list[list[Weights]]:
    """Rename all concepts, which is as good as another hash; number 0 leaves them."""
    salt = f"{number}:" if number else ""
    return [
        [{salt + concept: weight for concept, weight in part.items()} for part in document]
        for document in documents
    ]


def exact_overlap(texts: Sequence[str], scheme: ConceptScheme) -> Matrix:
    """Compare each text with each by the cosine of the same weighted concepts."""
    documents = [weighted(text, scheme) for text in texts]
    columns = {concept: place for place, concept in enumerate({c for d in documents for c in d})}
    vectors = np.zeros((len(documents), len(columns)))
    for row, document in zip(vectors, documents, strict=True):
        row[[columns[concept] for concept in document]] = list(document.values())
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    overlap: Matrix = vectors @ vectors.T
    return overlap


def judgements(ids: Sequence[str]) -> tuple[NDArray[np.int64], Matrix]:
    """Return the judged pairs as places in `ids`, and how similar people called them."""
    with datasets.data_file(SET, "pairs.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    place = {id: number for number, id in enumerate(ids)}
    pairs = np.array([[place[row["doc1"]], place[row["doc2"]]] for row in rows])
    return pairs, np.array([float(row["human"]) for row in rows])


def correlation(matrix: Matrix, pairs: NDArray[np.int64], human: Matrix) -> float:
    """Return Pearson's correlation over the judged pairs."""
    return float(np.corrcoef(matrix[pairs[:, 0], pairs[:, 1]], human)[0, 1])


def measured(
    texts: Sequence[str], scheme: ConceptScheme, pairs: NDArray[np.int64], human: Matrix
) -> str:
    """Return the mean correlation of a scheme over several hashes, and its standard deviation."""
    documents = [parts_of(text, scheme) for text in texts]
    found = [
        correlation(similarities(hashed_anew(documents, number), scheme), pairs, human)
        for number in range(HASHES)
    ]
    return f"{np.mean(found):7.3f} ±{np.std(found):.3f}"


def main() -> None:
    """Print one line for each kind of scheme, the overlap of the whole texts at its end."""
    documents = datasets.documents(SET)
    texts = [each["text"] for each in documents]
    pairs, human = judgements([each["id"] for each in documents])
    print(f"{SET}: Pearson over {len(pairs)} pairs, mean of {HASHES} hashes")
    print(f"{'bits':20s}" + "".join(f"{bits:14d}" for bits in CONCEPT_BITS) + "   exact overlap")
    for near in (0, 1, 2):
        for weights in ("tfidf", "plain"):
            schemes = [ConceptScheme(bits, near, weights) for bits in CONCEPT_BITS]
            figures = [measured(texts, scheme, pairs, human) for scheme in schemes]
            exact = correlation(exact_overlap(texts, schemes[0]), pairs, human)
            kind = schemes[0].name.partition("-")[2]
            print(f"{kind:20s}" + "".join(f"{each:>14s}" for each in figures) + f"{exact:16.3f}")


if __name__ == "__main__":
    run(main)
