"""Weights of the concepts of semantic profiles."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

from es_simhash.semantics.languages.chinese import characters, word_parts, words_and_names
from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.rarity import rarity
from es_simhash.semantics.semantic_profile import (
    MAX_CONCEPTS,
    SHORT_WORDS,
    Entity,
    Extraction,
)

# A word of an entity counts this much more than another word of its frequency
# (docs/semantic-neighbours.md).
ENTITY_BOOST = 0.3
# A word of the title counts this much more, as if it stood in the text once again
# (docs/semantic-neighbours.md).
TITLE_WEIGHT = 1.0
# What the rarity of words is greater by as a text comes down to no content word: people who call
# two sentences alike have most of their words in mind (docs/semantic-neighbours.md).
SHORT_RARITY = 3.0
# More mentions of an entity add nothing to the weights of its words.
MAX_MENTIONS = 50
# How much more a Chinese word counts that is repeated (docs/semantic-neighbours.md).
CHINESE_POWER = 0.7
# A Chinese word within a longer one counts this much of a word of its frequency, and none is
# rarer than this: what jieba's dictionary has seldom or lacks is new rather than rare
# (docs/semantic-neighbours.md).
CHINESE_PART_WEIGHT, MAX_CHINESE_RARITY = 0.6, 3.0


def profile_weights(
    extractions: Sequence[Extraction],
    language: str,
    titles: Sequence[str],
    vocabulary_weights: Sequence[Mapping[str, float]],
    packages: frozenset[str],
) -> Iterator[dict[str, float]]:
    """Yield the concepts of each text with their weights, heaviest first.

    A word has (1 + ln frequency) x rarity, words of the title and of entities more; in Chinese,
    words within longer words are added. The fewer words a text has, the less their rarity makes of
    a difference, and a short text has its stop words too. The squares of the weights of all
    concepts of a text add up to 1.

    Args:
        extractions: Extractions of texts of one language.
        language: ISO 639-1 code of that language.
        titles: Title of each text; empty for none.
        vocabulary_weights: Concepts of the vocabulary in each text, as shares of all its words.
        packages: Packages whose word frequencies may be used.
    """
    added_words = [_added_words(extraction, language, packages) for extraction in extractions]
    counts_of = [_all_words(extraction) for extraction in extractions]
    # Parts of words, and words of entities that come with the document, may be new to the text.
    words_of = [
        [*counted, *(word for word in added if word not in counted)]
        for counted, added in zip(counts_of, added_words, strict=True)
    ]
    words = list(chain.from_iterable(words_of))
    counts = chain.from_iterable(
        chain(counted.values(), repeat(0, len(words) - len(counted)))
        for counted, words in zip(counts_of, words_of, strict=True)
    )
    added_counts = _counts_of(added_words, words_of)
    share = CHINESE_PART_WEIGHT if language == "zh" else ENTITY_BOOST
    weights = _damped(counts, len(words), language)
    weights += share * _damped(added_counts, len(words), language)
    weights += TITLE_WEIGHT * _title_weights(titles, language, packages, share, words_of)
    evenness = np.repeat(text_evenness(extractions), list(map(len, words_of)))
    weights *= weighed_rarities(words, language, packages) + evenness
    bounds = np.cumsum([0, *map(len, words_of)])
    for number, concepts in enumerate(vocabulary_weights):
        rows = slice(bounds[number], bounds[number + 1])
        yield _heaviest(words[rows], weights[rows], concepts)


def _all_words(extraction: Extraction) -> Mapping[str, int]:
    """Return the content words of a text, and of a short one all others."""
    others = extraction.other_words
    return {**extraction.words, **others} if others else extraction.words


def text_evenness(extractions: Sequence[Extraction]) -> NDArray[np.float32]:
    """Return what is added to the rarities of the words of each text; 0 but for short ones."""
    more = [
        SHORT_RARITY * max(0.0, 1 - len(extraction.words) / SHORT_WORDS)
        for extraction in extractions
    ]
    return np.array(more, np.float32)


def _title_weights(
    titles: Sequence[str],
    language: str,
    packages: frozenset[str],
    share: float,
    words_of: Sequence[Sequence[str]],
) -> NDArray[np.float32]:
    """Return what the words of titles count there, parts of Chinese words too."""
    size = sum(map(len, words_of))
    if not any(titles):
        return np.zeros(size, np.float32)
    counts = [_title_words(title, language, packages) for title in titles]
    weights = _damped(_counts_of(counts, words_of), size, language)
    if language == "zh" and "jieba" in packages:
        parts = list(map(word_parts, counts))
        weights += share * _damped(_counts_of(parts, words_of), size, language)
    return weights


def _title_words(title: str, language: str, packages: frozenset[str]) -> dict[str, int]:
    if language == "zh" and "jieba" in packages:
        return dict(words_and_names(title)[0])
    return count_words(title, language) if title else {}


def weighed_rarities(
    words: Sequence[str], language: str, packages: frozenset[str]
) -> NDArray[np.float32]:
    """Return the rarities of words, as weights have them."""
    rarities = rarity(words, language, packages)
    return np.minimum(rarities, MAX_CHINESE_RARITY) if language == "zh" else rarities


def _counts_of(
    counts: Sequence[Mapping[str, int]], words_of: Sequence[Sequence[str]]
) -> Iterator[int]:
    """Yield the count of each word of each text; 0 for a word that is not counted."""
    return chain.from_iterable(
        map(counted.get, words, repeat(0)) if counted else repeat(0, len(words))
        for counted, words in zip(counts, words_of, strict=True)
    )


def _damped(counts: Iterable[int], size: int, language: str) -> NDArray[np.float32]:
    return damped(np.fromiter(counts, np.float32, size), language)


def damped(frequencies: NDArray[np.float32], language: str) -> NDArray[np.float32]:
    """Return 1 + ln of each count, of Chinese words its power of 0.7; 0 for a count of 0."""
    if language == "zh":
        weights = frequencies**CHINESE_POWER
    else:
        weights = np.where(frequencies > 0, 1 + np.log(np.maximum(frequencies, 1)), 0)
    return weights.astype(np.float32)


def _added_words(extraction: Extraction, language: str, packages: frozenset[str]) -> dict[str, int]:
    """Return the words that count more: those of entities, or in Chinese those within words."""
    if language == "zh":
        # Names are words there, segmented by jieba; a higher weight does not help.
        return _chinese_parts(extraction) if "jieba" in packages else {}
    return _entity_words(extraction.entities, language)


def _chinese_parts(extraction: Extraction) -> dict[str, int]:
    """Return the words within the words of a text, and of a short one their characters."""
    parts = word_parts(extraction.words)
    if extraction.other_words:
        parts |= characters(_all_words(extraction))
    return parts


def _entity_words(entities: Sequence[Entity], language: str) -> dict[str, int]:
    mentions = " ".join(f"{entity.text} " * min(entity.count, MAX_MENTIONS) for entity in entities)
    return count_words(mentions, language) if mentions else {}


def _heaviest(
    words: Sequence[str], weights: NDArray[np.float32], vocabulary: Mapping[str, float]
) -> dict[str, float]:
    """Return the heaviest concepts, scaled by the norm of all; ties in the order of the text."""
    norm = float(np.sqrt(np.square(weights).sum()))
    if vocabulary:
        # Weights of vocabulary concepts are shares of the norm of all words.
        words = [*words, *vocabulary]
        weights = np.concatenate([weights, norm * np.array([*vocabulary.values()], np.float32)])
        norm = float(np.sqrt(np.square(weights).sum()))
    if not norm:
        return {}
    order = np.argsort(-weights, kind="stable")[:MAX_CONCEPTS]
    order = order[weights[order] > 0]
    scaled = (weights[order] / norm).tolist()
    return {words[index]: weight for index, weight in zip(order.tolist(), scaled, strict=True)}
