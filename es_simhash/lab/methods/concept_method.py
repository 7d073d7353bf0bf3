"""Concepts of texts, and their simhash: one of the whole document, or one of each paragraph.

The way of the first of the origins for meaning. Concepts are the words of a text, without stop
words, and its entities of several words; weighted by frequency and rarity, or not. Two texts are
alike when their fingerprints are, or those of two of their paragraphs, each checked against each.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from es_simhash.fingerprints.hashing import Fingerprints
from es_simhash.lab.methods.close_pairs import MaskTables, as_numbers, close_rows, rows_near
from es_simhash.lab.methods.concept_simhash import (
    ConceptFingerprints,
    ConceptScheme,
    Weights,
    concept_similarities,
    fingerprint_concepts,
    tfidf_weights,
)
from es_simhash.lab.methods.method_protocol import (
    Ints,
    Pairs,
    Scores,
    by_first,
    ordered_pairs,
)
from es_simhash.lab.methods.method_scheme import FingerprintScheme
from es_simhash.semantics.entities.entity_rules import find_entities
from es_simhash.semantics.languages import chinese
from es_simhash.semantics.languages.detection import detect_language
from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.rarity import word_rarities
from es_simhash.store.indexed_methods import NO_WORDS, Keys

_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
# Paragraphs with fewer characters are joined with the next.
_LEAST_CHARACTERS = 80
_DEFAULT_RARITY = 3.0
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
class ConceptFeatures:
    """Concept fingerprints of texts.

    Attributes:
        fingerprints: Fingerprints of each text.
        tables: Finds candidates.
        unit: Unit in which two fingerprints differ.
    """

    fingerprints: Sequence[ConceptFingerprints]
    tables: MaskTables
    unit: str = "bits"

    def rows(self, text: int) -> Fingerprints:
        """Return the fingerprints of one text, of each paragraph with concepts or of the whole."""
        return self.fingerprints[text].rows

    def block_keys(self) -> list[Keys]:
        """Return the block keys of each text, of each of its fingerprints."""
        rows, bounds = self._all_rows
        keys = self.tables.keys(as_numbers(rows))
        return [keys[start:end] for start, end in pairwise(bounds.tolist())]

    def candidates_of(self, text: int) -> Ints:
        """Return the texts with a fingerprint that is close to one of a text."""
        rows, bounds = self._all_rows
        near = rows_near(self.rows(text), rows, self.tables.k)
        owners = np.searchsorted(bounds, near, side="right") - 1
        return np.setdiff1d(owners, [text])

    def units(self, first: Ints, second: Ints) -> Ints:
        """Return the bits of a fingerprint for each pair."""
        return np.full(len(first), self.tables.bits)

    @cached_property
    def _all_rows(self) -> tuple[Fingerprints, Ints]:
        """The fingerprints of all texts, and the bounds of the texts in them."""
        empty = np.zeros((0, self.tables.bits // 8), np.uint8)
        rows = np.concatenate([empty, *(prints.rows for prints in self.fingerprints)])
        return rows, np.cumsum([0, *(len(prints.rows) for prints in self.fingerprints)])

    @cached_property
    def unreadable(self) -> Mapping[int, str]:
        """Texts without concepts."""
        return {
            number: NO_WORDS
            for number, prints in enumerate(self.fingerprints)
            if not len(prints.rows)
        }

    @property
    def nbytes(self) -> int:
        """Bytes of the fingerprints."""
        return sum(prints.rows.size for prints in self.fingerprints)

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the similarity of each pair, as `concept_similarities` defines it."""
        scores = np.zeros(len(first))
        for text, positions in by_first(first):
            others = [self.fingerprints[other] for other in second[positions].tolist()]
            scores[positions] = concept_similarities(self.fingerprints[text], others)
        return scores

    def candidates(self) -> Pairs:
        """Return the pairs with close fingerprints, or with one pair of close paragraphs."""
        all_rows, bounds = self._all_rows
        owners = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        rows = close_rows(all_rows, self.tables.k)
        return ordered_pairs(owners[rows[:, 0]], owners[rows[:, 1]])


@dataclass(frozen=True)
class ConceptSimhash:
    """Simhash of concepts.

    Attributes:
        name: Name of the method.
        hashing: Bits, paragraphs and weights.
        threshold: Similarity from which on two texts are alike.
        note: Empty.
    """

    name: str
    hashing: ConceptScheme
    threshold: float = 0.8
    note: str = ""

    def read(self, texts: Sequence[str]) -> ConceptFeatures:
        """Return the concept fingerprints of texts."""
        documents = [self._parts(text) for text in texts]
        return ConceptFeatures(fingerprint_concepts(documents, self.hashing), self._tables)

    def _parts(self, text: str) -> list[Weights]:
        language = detect_language(text)
        parts = paragraphs_of(text) if self.hashing.close_pairs else [text]
        return [weighted_concepts(part, language, self.hashing) for part in parts]

    @property
    def scheme(self) -> FingerprintScheme:
        """How the fingerprints are published."""
        return FingerprintScheme(
            self.hashing.name.replace("concept", "concept-simhash", 1),
            self.name,
            self.hashing.bits // 8,
            partial(_restored, self.hashing, self._tables),
            several=self.hashing.close_pairs > 0,
            packages=_PACKAGES,
        )

    @property
    def _tables(self) -> MaskTables:
        bits = self.hashing.bits
        return MaskTables.of_pairs(bits, int(bits * (1 - self.threshold)))


def _restored(
    hashing: ConceptScheme, tables: MaskTables, rows: Sequence[Fingerprints]
) -> ConceptFeatures:
    return ConceptFeatures([ConceptFingerprints(hashing, own) for own in rows], tables)
