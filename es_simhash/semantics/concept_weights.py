"""Weights of the concepts of semantic profiles."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import ranks_within
from es_simhash.semantics.languages.chinese import characters, word_parts, words_and_names
from es_simhash.semantics.languages.counted_words import (
    GroupedWords,
    content_words,
    numbered_texts,
    stable_order,
)
from es_simhash.semantics.languages.lexicon import Lexicon, NumberedWords, lexicon_of
from es_simhash.semantics.rarity import rarity
from es_simhash.semantics.semantic_profile import QUERY_CONCEPTS, SHORT_WORDS, Extraction
from es_simhash.text.tokens import Ints

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
_MAX_MENTIONS = 50
# How much more a Chinese word counts that is repeated (docs/semantic-neighbours.md).
CHINESE_POWER = 0.7
# A Chinese word within a longer one counts this much of a word of its frequency, and none is
# rarer than this: what jieba's dictionary has seldom or lacks is new rather than rare
# (docs/semantic-neighbours.md).
CHINESE_PART_WEIGHT, MAX_CHINESE_RARITY = 0.6, 3.0
# Bits of a floating-point number that is not negative, and the greatest of them.
_FLOAT_BITS, _GREATEST_FLOAT = 31, (1 << 31) - 1


class _WordParts(NamedTuple):
    """Words of several texts, each once, with what makes up their weights.

    Attributes:
        texts: Number of the text of each word, ascending.
        numbers: Number of the word in the lexicon; those that the text itself has come first.
        parts: How often the text has each word; how often it has it as one that counts more; the
            same of its title.
    """

    texts: Ints
    numbers: Ints
    parts: list[Ints]


def profile_weights(
    extractions: Sequence[Extraction],
    language: str,
    titles: Sequence[str],
    vocabulary_weights: Sequence[Mapping[str, float]],
    packages: frozenset[str],
) -> Iterator[Mapping[str, float]]:
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
    lexicon = lexicon_of(language)
    own = numbered_texts(list(map(_all_words, extractions)), lexicon)
    of_title = _title_words(titles, lexicon, packages)
    words = _joined([own, _added_words(extractions, lexicon, packages), *of_title])
    share = CHINESE_PART_WEIGHT if language == "zh" else ENTITY_BOOST
    counted, added, titled, added_to_title = (_damped(part, language) for part in words.parts)
    weights = counted + share * added
    weights += TITLE_WEIGHT * (titled + share * added_to_title)
    rarities = lexicon.column(("rarity", packages), partial(_rarities, language, packages))
    weights *= rarities.take(words.numbers) + _evenness(extractions).take(words.texts)
    heaviest = _heaviest(words, weights, len(extractions), lexicon)
    for text, (concepts, vocabulary) in enumerate(zip(heaviest, vocabulary_weights, strict=True)):
        if not vocabulary:
            yield concepts
            continue
        of_text = words.texts == text
        names = [lexicon.words[number] for number in words.numbers[of_text].tolist()]
        yield _with_vocabulary(names, weights[of_text], vocabulary)


def _all_words(extraction: Extraction) -> Mapping[str, int]:
    """Return the content words of a text, and of a short one all others."""
    others = extraction.other_words
    return {**extraction.words, **others} if others else extraction.words


def _joined(parts: Sequence[GroupedWords]) -> _WordParts:
    """Return the words of texts, whose parts are their own, more of them, and those of titles."""
    texts = np.concatenate([part.texts for part in parts])
    numbers = np.concatenate([part.numbers for part in parts])
    keys = texts * (int(numbers.max(initial=0)) + 1) + numbers
    order = stable_order(keys)
    firsts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    places, ends = order[firsts], np.cumsum([len(part.texts) for part in parts])
    # What a title alone has, as when its last word is cut off, is no word of the text.
    of_text = places < ends[1]
    by_place = stable_order(texts[places[of_text]] * len(keys) + places[of_text])
    sums = []
    for end, part in zip(ends.tolist(), parts, strict=True):
        of_part = np.zeros(len(keys), np.int64)
        of_part[end - len(part.counts) : end] = part.counts
        added = np.add.reduceat(of_part[order], firsts) if len(firsts) else of_part
        sums.append(added[of_text][by_place])
    places = places[of_text][by_place]
    return _WordParts(texts[places], numbers[places], sums)


def _evenness(extractions: Sequence[Extraction]) -> NDArray[np.float32]:
    """Return what is added to the rarities of the words of each text; 0 but for short ones."""
    more = [
        SHORT_RARITY * max(0.0, 1 - len(extraction.words) / SHORT_WORDS)
        for extraction in extractions
    ]
    return np.array(more, np.float32)


def _title_words(
    titles: Sequence[str], lexicon: Lexicon, packages: frozenset[str]
) -> tuple[GroupedWords, GroupedWords]:
    """Return the words of titles, and the words within Chinese words of them."""
    if lexicon.language != "zh" or "jieba" not in packages:
        return content_words(titles, lexicon), numbered_texts([], lexicon)
    counts = [dict(words_and_names(title)[0]) for title in titles]
    return numbered_texts(counts, lexicon), numbered_texts(list(map(word_parts, counts)), lexicon)


def _rarities(language: str, packages: frozenset[str], words: Sequence[str]) -> NDArray[np.float32]:
    rarities = rarity(words, language, packages)
    return np.minimum(rarities, MAX_CHINESE_RARITY) if language == "zh" else rarities


def _damped(counts: Ints, language: str) -> NDArray[np.float32]:
    """Return 1 + ln of each count, of Chinese words its power of 0.7; 0 for a count of 0."""
    frequencies = counts.astype(np.float32)
    if language == "zh":
        damped = frequencies**CHINESE_POWER
    else:
        damped = np.where(frequencies > 0, 1 + np.log(np.maximum(frequencies, 1)), 0)
    return damped.astype(np.float32)


def _added_words(
    extractions: Sequence[Extraction], lexicon: Lexicon, packages: frozenset[str]
) -> GroupedWords:
    """Return the words that count more: those of entities, or in Chinese those within words."""
    if lexicon.language != "zh":
        return _entity_words(extractions, lexicon)
    # Names are words there, segmented by jieba; a higher weight does not help.
    has_words = "jieba" in packages
    parts = [_chinese_parts(each) for each in extractions] if has_words else []
    return numbered_texts(parts, lexicon)


def _chinese_parts(extraction: Extraction) -> dict[str, int]:
    """Return the words within the words of a text, and of a short one their characters."""
    parts = word_parts(extraction.words)
    if extraction.other_words:
        parts |= characters(_all_words(extraction))
    return parts


def _entity_words(extractions: Sequence[Extraction], lexicon: Lexicon) -> GroupedWords:
    """Return the words of the entities of each text, once for each mention."""
    entities = [entity for extraction in extractions for entity in extraction.entities]
    texts = np.repeat(np.arange(len(extractions)), [len(each.entities) for each in extractions])
    mentions = np.array([min(entity.count, _MAX_MENTIONS) for entity in entities], np.int64)
    numbers: dict[str, int] = {}
    names = np.array([numbers.setdefault(each.text, len(numbers)) for each in entities], np.int64)
    words = content_words(list(numbers), lexicon)
    bounds = np.searchsorted(words.texts, np.arange(len(numbers) + 1))
    sizes = np.diff(bounds)[names]
    rows = np.repeat(bounds[names], sizes) + ranks_within(sizes)
    counts = words.counts[rows] * np.repeat(mentions, sizes)
    return GroupedWords(np.repeat(texts, sizes), words.numbers[rows], counts)


def _heaviest(
    words: _WordParts, weights: NDArray[np.float32], count: int, lexicon: Lexicon
) -> Iterator[NumberedWords[float]]:
    """Yield the heaviest words of each text, scaled by the norm of all; ties as in the text."""
    bounds = np.searchsorted(words.texts, np.arange(count + 1)).tolist()
    squares = np.square(weights)
    norms = np.array([squares[start:end].sum() for start, end in pairwise(bounds)], np.float32)
    # As numbers, the bits of floating-point numbers that are not negative are in their order.
    lighter = _GREATEST_FLOAT - weights.view(np.int32)
    order = stable_order((words.texts << _FLOAT_BITS) + lighter)
    heaviest = weights[order]
    scaled = heaviest / np.sqrt(np.where(norms, norms, np.float32(1))).take(words.texts)
    numbers, weighty = words.numbers[order], [0, *np.cumsum(heaviest > 0).tolist()]
    for start, end in pairwise(bounds):
        end = start + min(weighty[end] - weighty[start], QUERY_CONCEPTS)
        yield NumberedWords(lexicon, numbers[start:end], scaled[start:end])


def _with_vocabulary(
    words: Sequence[str], weights: NDArray[np.float32], vocabulary: Mapping[str, float]
) -> dict[str, float]:
    """Return the heaviest concepts of a text that has some of the vocabulary."""
    norm = float(np.sqrt(np.square(weights).sum()))
    # Weights of vocabulary concepts are shares of the norm of all words.
    names = [*words, *vocabulary]
    weights = np.concatenate([weights, norm * np.array([*vocabulary.values()], np.float32)])
    norm = float(np.sqrt(np.square(weights).sum()))
    if not norm:
        return {}
    order = np.argsort(-weights, kind="stable")[:QUERY_CONCEPTS]
    order = order[weights[order] > 0]
    scaled = (weights[order] / norm).tolist()
    return {names[index]: weight for index, weight in zip(order.tolist(), scaled, strict=True)}
