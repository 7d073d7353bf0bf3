"""The words that are behind the similarity of two vectors, as each text writes them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from es_simhash.semantics.languages.words import count_written, has_no_spaces, normals_of
from es_simhash.semantics.semantic_similarity import NearWord, NearWords, SharedConcept
from es_simhash.semantics.spellings import Spellings

# More of one text are not readable as evidence.
MAX_NEAR_WORDS = 5
# Of scripts without spaces, pairs of characters are joined where they overlap: of this many words.
_JOINED_WORDS = 4 * MAX_NEAR_WORDS
# Words that are looked at: some are shared, and two forms of one word count together.
_LOOKED_AT = 2 * _JOINED_WORDS
_NEAR_DIGITS = 4
# Sums of two machines differ behind this digit.
_ORDER_DIGITS = 9


def near_words(
    parts: Sequence[Mapping[str, float]],
    vector: float,
    shared: Sequence[SharedConcept],
    spellings: Spellings,
) -> NearWords:
    """Return the words of two texts that add most to the similarity of their vectors.

    Words of what both texts share, which are named there, are left out; so are units of numbers.

    Args:
        parts: What each word of the query, and each of the hit, adds to the dot product.
        vector: What the vectors add to the similarity.
        shared: Concepts and entities that both texts share.
        spellings: Spellings of words in both texts.
    """
    whole = sum(parts[0].values())
    if vector <= 0 or whole <= 0 or not parts[1]:
        return NearWords()
    named = _Named.of([concept.text for concept in shared], spellings.language)
    of_query, of_hit = (
        _of_text(side, of_text, vector / whole, named, spellings)
        for side, of_text in enumerate(parts)
    )
    return NearWords(of_query, of_hit)


class _Named(NamedTuple):
    """What is named already: words in normal form, and texts of scripts without spaces."""

    words: frozenset[str]
    spaceless: tuple[str, ...]

    @classmethod
    def of(cls, texts: Sequence[str], language: str) -> "_Named":
        """Return the words of texts."""
        words = count_written(" ".join(texts), language)
        spaceless = tuple(text for text in texts if has_no_spaces(text))
        return cls(frozenset(normals_of(words, language)), spaceless)

    def has(self, word: str) -> bool:
        """Check whether a word in normal form is named."""
        if word in self.words:
            return True
        return bool(self.spaceless) and any(word in text for text in self.spaceless)


def _of_text(
    side: int,
    parts: Mapping[str, float],
    scale: float,
    named: _Named,
    spellings: Spellings,
) -> tuple[NearWord, ...]:
    largest = sorted(parts.items(), key=itemgetter(1), reverse=True)[:_LOOKED_AT]
    first = _by_normal(dict(largest), spellings.language)
    left = [item for item in first.items() if item[1] > 0 and not named.has(item[0])]
    written = _as_written(side, sorted(left, key=_order), spellings)
    return tuple(
        NearWord(text, round(scale * part, _NEAR_DIGITS)) for text, part in written[:MAX_NEAR_WORDS]
    )


def _order(word: tuple[str, float]) -> tuple[float, str]:
    return -round(word[1], _ORDER_DIGITS), word[0]


def _by_normal(parts: Mapping[str, float], language: str) -> dict[str, float]:
    """Return the parts of words by normal form; some are looked up as they are inflected."""
    of_normal: dict[str, float] = defaultdict(float)
    for normal, part in zip(normals_of(parts, language), parts.values(), strict=True):
        of_normal[normal] += part
    return of_normal


def _as_written(
    side: int, ranked: Sequence[tuple[str, float]], spellings: Spellings
) -> list[tuple[str, float]]:
    """Return the first words as a text writes them, equal ones once, with their parts."""
    first = dict(ranked[:_JOINED_WORDS])
    written: dict[str, float] = {}
    for text, inside in spellings.joined_in(side, first):
        written[text] = sum(first.pop(word) for word in inside)
    words = (word for word in first if not spellings.is_unit(word))
    for word in islice(words, MAX_NEAR_WORDS):
        text = spellings.form_in(side, word)
        written[text] = written.get(text, 0.0) + first[word]
    return sorted(written.items(), key=_order)
