"""Weighted simhash of words (Zhang and He 2020), for English and Chinese.

The weight of a word is TF x IDF x (1 + part of speech + length + marker + title), as
`concept_simhash.zhang_he_weights` says it; the title is a first line of up to 100 characters that
another line follows. The fingerprint has 64 bits and k = 3.

IDF is log(N / df + 0.01). By default N / df comes from a background list and not from the texts, so
that a text has one fingerprint: it is 10 to the power of the word's rarity (`semantics.rarity`), of
how many texts of a hundred words one has the word. With `corpus` N and df are those of the texts
that are read, so fingerprints are only comparable within one reading.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from es_simhash.lab.methods.close_pairs import MaskTables, permuted_masks
from es_simhash.lab.methods.concept_simhash import (
    ConceptScheme,
    concept_fingerprints,
    zhang_he_idf,
    zhang_he_weights,
)
from es_simhash.lab.methods.document_fingerprints import DocumentFingerprints
from es_simhash.lab.methods.method_protocol import Method
from es_simhash.lab.methods.method_scheme import FingerprintMethod, FingerprintScheme
from es_simhash.lab.methods.parts_of_speech import kinds_of
from es_simhash.semantics.languages import chinese
from es_simhash.semantics.languages.detection import detect_language
from es_simhash.semantics.languages.word_lists import words_of_kind
from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.rarity import word_rarities
from es_simhash.store.indexed_methods import NO_WORDS

LANGUAGES = ("en", "zh")
SPACY_NAME = "weighted-simhash-spacy"
_HASHING = ConceptScheme(64, 0, "origins-c")
_MAX_DISTANCE = 3
_THRESHOLD = 1 - _MAX_DISTANCE / 64
_TABLES = MaskTables(64, permuted_masks(64, 6, _MAX_DISTANCE), _MAX_DISTANCE)
_MAX_TITLE = 100


class Tagger(Protocol):
    """Tags the words of English texts in place of the lexicon."""

    @property
    def name(self) -> str:
        """Its name and version."""

    def kinds_of(self, texts: Sequence[str]) -> list[dict[str, str]]:
        """Return the part of speech of each word of each text."""


@dataclass(frozen=True)
class _Words:
    """The words of a text by their counts, those of its title, its language, and the text."""

    text: str
    counts: Mapping[str, int]
    title: frozenset[str]
    language: str


def idf_of_rarity(language: str) -> Callable[[str], float]:
    """Return the idf of the background list of a language, as a function of words."""
    rarities = word_rarities(language, None, default=0.0)
    return lambda word: math.log(10 ** rarities[word] + 0.01)


def weighted_fingerprints(
    texts: Sequence[str], *, corpus: bool = False, tagger: Tagger | None = None
) -> DocumentFingerprints:
    """Return the fingerprints of texts; of languages that the method does not know it has none.

    Args:
        texts: The texts.
        corpus: Whether IDF comes from the texts; from a background list if not.
        tagger: Tags English words; without one a lexicon does.

    Raises:
        MissingExtra: jieba is not installed, for Chinese texts.
    """
    read = [_words_of(text) for text in texts]
    unread = {
        number: words if isinstance(words, str) else NO_WORDS
        for number, words in enumerate(read)
        if isinstance(words, str) or not words.counts
    }
    known = [words for words in read if not isinstance(words, str) and words.counts]
    weights = _weights(known, _kinds(known, tagger), corpus=corpus)
    rows = concept_fingerprints(weights, _HASHING)
    return DocumentFingerprints.of_read(rows, len(texts), unread, _TABLES)


def _kinds(texts: Sequence[_Words], tagger: Tagger | None) -> list[dict[str, str]]:
    """Return the part of speech of each word of each text."""
    english = [words.text for words in texts if words.language == "en"]
    tagged = iter(() if tagger is None else tagger.kinds_of(english))
    return [
        next(tagged)
        if tagger is not None and words.language == "en"
        else kinds_of(words.counts, words.language)
        for words in texts
    ]


def _words_of(text: str) -> _Words | str:
    """Return the words of a text, or why there are none."""
    language = detect_language(text)
    if language not in LANGUAGES:
        if not any(map(str.isalnum, text)):
            return NO_WORDS
        shown = f"language {language!r}" if language else "an unknown language"
        return f"is in {shown}, and the method reads {' and '.join(LANGUAGES)}"
    first, _, rest = text.strip().partition("\n")
    title = first if rest and len(first) <= _MAX_TITLE else ""
    counts = _counts(text, language)
    return _Words(text, counts, frozenset(_counts(title, language)), language)


def _counts(text: str, language: str) -> Mapping[str, int]:
    return Counter(chinese.words(text)) if language == "zh" else count_words(text, language)


def _weights(
    texts: Sequence[_Words], kinds: Sequence[Mapping[str, str]], *, corpus: bool
) -> list[dict[str, float]]:
    frequencies = Counter(word for words in texts for word in words.counts) if corpus else None
    weights = []
    for words, of_words in zip(texts, kinds, strict=True):
        if frequencies is None:
            idf = idf_of_rarity(words.language)
        else:
            idf = _corpus_idf(frequencies, len(texts))
        weighted = zhang_he_weights(
            words.counts,
            idf,
            kinds=of_words,
            title=words.title,
            markers=words_of_kind("marker"),
        )
        weights.append(_positive(weighted))
    return weights


def _corpus_idf(frequencies: Mapping[str, int], texts: int) -> Callable[[str], float]:
    return lambda word: zhang_he_idf(texts, frequencies[word])


def _positive(weights: dict[str, float]) -> dict[str, float]:
    """Return weights of which one is above 0: a text of only the commonest words has some too."""
    return weights if any(weights.values()) else dict.fromkeys(weights, 1.0)


def _note(idf: str, kinds: str) -> str:
    return f"IDF from {idf}, English parts of speech from {kinds}"


WEIGHTED_SIMHASH = FingerprintMethod(
    "weighted-simhash",
    _THRESHOLD,
    note=_note("a background list", "a lexicon"),
    read=weighted_fingerprints,
    scheme=FingerprintScheme(
        "weighted-simhash64.v1",
        "weighted-simhash",
        8,
        partial(DocumentFingerprints, tables=_TABLES),
        packages=("jieba",),
    ),
)
# What depends on other texts, or on a model, is no scheme.
CORPUS_WEIGHTED_SIMHASH = Method(
    "weighted-simhash-corpus",
    _THRESHOLD,
    partial(weighted_fingerprints, corpus=True),
    _note("the texts themselves", "a lexicon"),
)


def tagged_simhash(tagger: Tagger) -> Method:
    """Return the method with the parts of speech of a tagger in place of a lexicon."""
    return Method(
        SPACY_NAME,
        _THRESHOLD,
        partial(weighted_fingerprints, tagger=tagger),
        _note("a background list", tagger.name),
    )
