"""Concepts of texts, and their simhash: one of the whole document, or one of each paragraph.

The way of the first of the origins for meaning. Concepts are the words of a text, without stop
words, and its entities of several words; weighted by frequency and rarity, or not. Two texts are
alike when their fingerprints are, or those of two of their paragraphs, each checked against each.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from es_simhash.lab.methods.close_pairs import MaskTables, close_rows
from es_simhash.lab.methods.concept_simhash import (
    ConceptFingerprints,
    ConceptScheme,
    Weights,
    concept_similarities,
    fingerprint_concepts,
    tfidf_weights,
)
from es_simhash.lab.methods.document_fingerprints import BitFingerprints
from es_simhash.lab.methods.method_protocol import (
    FingerprintFeatures,
    Ints,
    Pairs,
    Scores,
    by_first,
    ordered_pairs,
)
from es_simhash.lab.methods.method_scheme import FingerprintMethod, FingerprintScheme
from es_simhash.semantics.entities.entity_rules import find_entities
from es_simhash.semantics.languages import chinese
from es_simhash.semantics.languages.detection import detect_language
from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.rarity import word_rarities

_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
# Paragraphs with fewer characters are joined with the next.
_LEAST_CHARACTERS = 80
_DEFAULT_RARITY = 3.0
# Similarity from which on two texts are alike.
ALIKE = 0.8
# The word frequencies that weights depend on, whatever else is installed.
_PACKAGES = ("jieba",)


def paragraphs_of(text: str) -> list[str]:
    """Return the parts of a text that blank lines separate; short ones join the next."""
    parts: list[str] = []
    for part in filter(str.strip, _PARAGRAPHS.split(text)):
        if parts and len(parts[-1]) < _LEAST_CHARACTERS:
            parts[-1] = f"{parts[-1]}\n{part}"
        else:
            parts.append(part)
    return parts


def concepts_of(text: str, language: str) -> Counter[str]:
    """Count the concepts of a text: its words and its entities of several words."""
    if language == "zh" and chinese.is_available():
        return Counter(chinese.words(text))
    counts = Counter(count_words(text, language))
    for entity in find_entities(text, language):
        if " " in entity.text:
            counts[entity.text.casefold()] += entity.count
    return counts


def weighted_concepts(text: str, language: str, scheme: ConceptScheme) -> Weights:
    """Return the concepts of a text with the weights of a scheme."""
    counts = Counter(chinese.words(text)) if language == "zh" else concepts_of(text, language)
    if scheme.weights == "plain":
        return dict.fromkeys(counts, 1.0)
    rarities = word_rarities(language, frozenset(_PACKAGES), default=_DEFAULT_RARITY)
    return tfidf_weights(counts, lambda concept: max(rarities[word] for word in concept.split()))


@dataclass(frozen=True)
class ConceptFeatures(BitFingerprints):
    """Concept fingerprints of texts, of each paragraph with concepts or of the whole.

    Attributes:
        hashing: Bits, paragraphs and weights.
    """

    hashing: ConceptScheme = field(default_factory=ConceptScheme)

    def _of_text(self, text: int) -> ConceptFingerprints:
        return ConceptFingerprints(self.hashing, self.rows(text))

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the similarity of each pair, as `concept_similarities` defines it."""
        scores = np.zeros(len(first))
        for text, positions in by_first(first):
            others = list(map(self._of_text, second[positions].tolist()))
            scores[positions] = concept_similarities(self._of_text(text), others)
        return scores

    def candidates(self) -> Pairs:
        """Return the pairs with close fingerprints, or with one pair of close paragraphs."""
        rows = close_rows(self.fingerprints, self.tables.k)
        return ordered_pairs(self.owners[rows[:, 0]], self.owners[rows[:, 1]])


def concept_simhash(variant: str, hashing: ConceptScheme) -> FingerprintMethod:
    """Return a method of fingerprints of concepts.

    Args:
        variant: What its name says of the scheme.
        hashing: Bits, paragraphs and weights.
    """
    bits = hashing.bits
    tables = MaskTables.of_pairs(bits, int(bits * (1 - ALIKE)))
    scheme = FingerprintScheme(
        hashing.name.replace("concept", "concept-simhash", 1),
        f"concept-simhash-{variant}",
        bits // 8,
        partial(ConceptFeatures, tables=tables, hashing=hashing),
        several=hashing.close_pairs > 0,
        packages=_PACKAGES,
    )

    def read(texts: Sequence[str]) -> FingerprintFeatures:
        documents = [_parts(text, hashing) for text in texts]
        prints = fingerprint_concepts(documents, hashing)
        return scheme.restore([of_text.rows for of_text in prints])

    return FingerprintMethod(scheme.method, ALIKE, read=read, scheme=scheme)


def _parts(text: str, hashing: ConceptScheme) -> list[Weights]:
    language = detect_language(text)
    parts = paragraphs_of(text) if hashing.close_pairs else [text]
    return [weighted_concepts(part, language, hashing) for part in parts]
