"""Weights of the concepts of a whole batch of texts, by arrays; `concept_weights` has the rules."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import ranks_within
from es_simhash.semantics.concept_weights import (
    ENTITY_BOOST,
    MAX_MENTIONS,
    TITLE_WEIGHT,
    damped,
    text_evenness,
    weighed_rarities,
)
from es_simhash.semantics.languages.counted_words import (
    GroupedWords,
    content_words,
    numbered_texts,
)
from es_simhash.semantics.languages.lexicon import (
    Lexicon,
    NumberedWords,
    equal_keys,
    stable_order,
)
from es_simhash.semantics.semantic_profile import MAX_CONCEPTS, Extraction, names_and_counts
from es_simhash.text.tokens import Ints

# Bits of a floating-point number that is not negative, and the greatest of them.
_FLOAT_BITS, _GREATEST_FLOAT = 31, (1 << 31) - 1


class _WordParts(NamedTuple):
    """Words of several texts, each once, with what makes up their weights.

    Attributes:
        texts: Number of the text of each word, ascending.
        numbers: Number of the word in the lexicon; those that the text itself has come first.
        parts: How often the text has each word; how often it has it as one that counts more; the
            same of its title; one row each.
    """

    texts: Ints
    numbers: Ints
    parts: Ints


def are_numbered(extractions: Sequence[Extraction]) -> bool:
    """Check whether texts were read as a batch of a language that `batch_weights` is for."""
    return any(
        isinstance(extraction.words, NumberedWords) and extraction.language != "zh"
        for extraction in extractions
    )


def batch_weights(
    extractions: Sequence[Extraction],
    lexicon: Lexicon,
    titles: Sequence[str],
    packages: frozenset[str],
) -> Iterator[NumberedWords[float]]:
    """Yield what `profile_weights` does of texts of one language other than Chinese.

    Args:
        extractions: The texts.
        lexicon: The lexicon of their language.
        titles: Title of each text; empty for none.
        packages: Packages whose word frequencies may be used.
    """
    own = _own_words(extractions, lexicon)
    entities, of_titles = _entity_words(extractions, lexicon), content_words(titles, lexicon)
    words = _joined([own, entities, of_titles])
    language = lexicon.language
    own_part, entity_part, title_part = damped(words.parts.astype(np.float32), language)
    weights = own_part + ENTITY_BOOST * entity_part
    weights += TITLE_WEIGHT * title_part
    rarities = lexicon.column(
        (weighed_rarities, packages),
        partial(weighed_rarities, language=language, packages=packages),
    )
    weights *= rarities.take(words.numbers) + text_evenness(extractions).take(words.texts)
    yield from _heaviest(words, weights, len(extractions), lexicon)


def _own_words(extractions: Sequence[Extraction], lexicon: Lexicon) -> GroupedWords:
    """Return the content words of each text, and of a short one all others."""
    return numbered_texts(
        [
            {**extraction.words, **others}
            if (others := extraction.other_words)
            else extraction.words
            for extraction in extractions
        ],
        lexicon,
    )


def _joined(parts: Sequence[GroupedWords]) -> _WordParts:
    """Return the words of texts, whose parts are their own, more of them, and those of titles."""
    texts = np.concatenate([part.texts for part in parts])
    numbers = np.concatenate([part.numbers for part in parts])
    counts = np.zeros((len(parts), len(texts)), np.int64)
    ends = list(accumulate(len(part.texts) for part in parts))
    for of_part, part, end in zip(counts, parts, ends, strict=True):
        of_part[end - len(part.counts) : end] = part.counts
    order, firsts = equal_keys(texts * (len(texts) and int(numbers.max()) + 1) + numbers)
    places = order[firsts]
    # What a title alone has, as when its last word is cut off, is no word of the text.
    is_of_text = places < ends[1]
    places = places[is_of_text]
    by_place = stable_order(texts[places] * len(texts) + places)
    places = places[by_place]
    sums = np.add.reduceat(counts[:, order], firsts, axis=1) if len(texts) else counts
    return _WordParts(texts[places], numbers[places], sums[:, is_of_text][:, by_place])


def _entity_words(extractions: Sequence[Extraction], lexicon: Lexicon) -> GroupedWords:
    """Return the words of the entities of each text, once for each mention."""
    of_texts = [names_and_counts(extraction.entities) for extraction in extractions]
    texts = np.repeat(np.arange(len(of_texts)), [len(counts) for _, counts in of_texts])
    mentions = np.array([*chain.from_iterable(counts for _, counts in of_texts)], np.int64)
    np.minimum(mentions, MAX_MENTIONS, out=mentions)
    numbers: dict[str, int] = {}
    all_names = chain.from_iterable(names for names, _ in of_texts)
    names = np.array([numbers.setdefault(name, len(numbers)) for name in all_names], np.int64)
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
        end = start + min(weighty[end] - weighty[start], MAX_CONCEPTS)
        yield NumberedWords(lexicon, numbers[start:end], scaled[start:end])
