"""Rarity of words, an idf from general word frequencies instead of those of an index.

As good or better in retrieval, without state, and a word has the same weight in every index.
"""

import gzip
import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from operator import itemgetter

import numpy as np
import xxhash
from numpy.typing import NDArray

from es_simhash.errors import MissingExtra
from es_simhash.semantics.languages.chinese_segmentation import word_frequencies
from es_simhash.semantics.languages.word_lists import LANGUAGE_ALIASES
from es_simhash.semantics.languages.words import normal_form
from es_simhash.semantics.semantic_scheme import OPTIONAL_PACKAGES, installed_packages
from es_simhash.text.memo import LOADING, Memo

# Words that occur less than once in ten million are all as rare as each other.
UNKNOWN_RARITY = 5.0
# Words whose rarity is cached; dropping them all at once is cheap and rare.
_MAX_WORDS_CACHED = 1 << 18
_SHIPPED = ("de", "en", "es")
# The languages of wordfreq, whose data no longer change: where it is not installed, they tell which
# texts need it.
WORDFREQ_LANGUAGES = frozenset({
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "fa",
    "fi", "fil", "fr", "he", "hi", "hu", "id", "is", "it", "ja", "ko",
    "lt", "lv", "mk", "ms", "nb", "nl", "pl", "pt", "ro", "ru", "sh",
    "sk", "sl", "sv", "ta", "tr", "uk", "ur", "vi", "zh",
})  # fmt: skip
_WORDFREQ_CODES = {**LANGUAGE_ALIASES, "hr": "sh", "sr": "sh", "bs": "sh", "tl": "fil"}


def rarity(
    words: Iterable[str], language: str, packages: frozenset[str] | None = None
) -> NDArray[np.float32]:
    """Return the rarity of words in lower case, from 0 (the commonest) to 5 (rare, or unknown).

    It is max(0, 7 - max(2, zipf)), where zipf is the decimal logarithm of how often the word
    occurs in a billion words. Without frequencies of the language all words are equally rare.

    Args:
        words: The words.
        language: ISO 639-1 code.
        packages: Packages whose frequencies may be used; by default those that are installed.
    """
    # itemgetter looks up all words in one call, unknown ones through __missing__.
    rarities = itemgetter(*words, "", "")(_rarities(language, packages))
    return np.array(rarities[:-2], np.float32)


def frequency_source(language: str, packages: frozenset[str] | None = None) -> str:
    """Return the source of the frequencies of a language: es-simhash, jieba, wordfreq or none."""
    allowed = installed_packages() if packages is None else packages
    if language in _SHIPPED:
        return "es-simhash"
    if language == "zh" and "jieba" in allowed:
        return "jieba"
    if "wordfreq" in allowed and _wordfreq_code(language):
        return "wordfreq"
    return "none"


def require_package(language: str, packages: frozenset[str]) -> None:
    """Check that the package is here by which texts of a language are read.

    Args:
        language: ISO 639-1 code.
        packages: Packages that the scheme of an index has.

    Raises:
        MissingExtra: It is not; without it the same text would be read in another way.
    """
    package = frequency_source(language, packages)
    if package in OPTIONAL_PACKAGES and find_spec(package) is None:
        raise MissingExtra.of(
            OPTIONAL_PACKAGES[package],
            f"Texts in language {language!r} need {package}, by which the index reads them",
        )


class _Listed:
    """Rarities of the words of a long list, which are found by their hashes.

    The list of Russian takes 117 MiB as a dictionary, and 8 here. One lookup in 10^13 of another
    word meets the hash of one of its 700,000 words.

    Args:
        groups: Rarities, and the words that have each.
    """

    def __init__(self, groups: Iterable[tuple[float, Collection[str]]]) -> None:
        self._rarities: list[float] = []
        numbers, hashes = [np.zeros(0, np.uint32)], [np.zeros(0, np.uint64)]
        for of_group, words in groups:
            numbers.append(np.full(len(words), len(self._rarities), np.uint32))
            hashes.append(np.fromiter(map(_hash, words), np.uint64, len(words)))
            self._rarities.append(of_group)
        order = np.argsort(all_hashes := np.concatenate(hashes))
        # One by one they are compared in half of the time without arrays.
        self._hashes = all_hashes[order].data
        self._numbers = np.concatenate(numbers)[order].data

    def get(self, word: str) -> float | None:
        """Return the rarity of a word; None where the list lacks it."""
        place = bisect_left(self._hashes, hashed := _hash(word))
        if place == len(self._hashes) or self._hashes[place] != hashed:
            return None
        return self._rarities[self._numbers[place]]


def _hash(word: str) -> int:
    return xxhash.xxh64_intdigest(word.encode("utf-8", "surrogatepass"))


def _rarity_of_form(form: str, listed: _Listed | Mapping[str, float], language: str) -> float:
    """Return the rarity of a word; inflected forms that are not listed have that of the normal."""
    found = listed.get(form)
    if found is None:
        found = listed.get(normal_form(form, language))
    return UNKNOWN_RARITY if found is None else found


@lru_cache(maxsize=128)
def _rarities(language: str, packages: frozenset[str] | None) -> Memo[str, float]:
    with LOADING:
        return _of_source(frequency_source(language, packages), language)


# Indices that have other packages have the same words where their source is the same.
@lru_cache(maxsize=64)
def _of_source(source: str, language: str) -> Memo[str, float]:
    listed = _listed(source, language)
    return Memo(lambda form: _rarity_of_form(form, listed, language), _MAX_WORDS_CACHED)


def _listed(source: str, language: str) -> _Listed | Mapping[str, float]:
    if source == "es-simhash":
        return shipped_rarities(language)
    if source == "jieba":
        return _Listed(_from_frequencies(word_frequencies()))
    return _Listed(_of_wordfreq(language)) if source == "wordfreq" else {}


def _of_wordfreq(language: str) -> Iterator[tuple[float, Collection[str]]]:
    wordfreq = import_module("wordfreq")
    # Words that are equally frequent together: a language has 300,000.
    for centibels, words in enumerate(wordfreq.get_frequency_list(_wordfreq_code(language))):
        yield _rarity_of(wordfreq.cB_to_freq(-centibels)), words
    # It would keep them without a bound, beside the rarities that are made of them.
    wordfreq.get_frequency_list.cache_clear()


@lru_cache(maxsize=128)
def word_rarities(
    language: str, packages: frozenset[str] | None, *, default: float
) -> Memo[str, float]:
    """Return the rarities of single words of a language, cached.

    Args:
        language: ISO 639-1 code.
        packages: Packages whose frequencies may be used; by default those that are installed.
        default: Rarity of every word of a language without frequencies.
    """
    if frequency_source(language, packages) == "none":
        return Memo(lambda word: default)
    return Memo(lambda word: float(rarity([word], language, packages)[0]), _MAX_WORDS_CACHED)


def shipped_rarities(language: str) -> dict[str, float]:
    """Return the rarities of a list that scripts/build_background.py wrote."""
    name = f"rarity_{language}.txt.gz"
    content = gzip.decompress((files("es_simhash.semantics") / "data" / name).read_bytes())
    rarities: dict[str, float] = {}
    for line in content.decode().splitlines():
        hundredths, *words = line.split(" ")
        rarities.update(dict.fromkeys(words, int(hundredths) / 100))
    return rarities


def _from_frequencies(
    frequencies: Mapping[str, float],
) -> Iterator[tuple[float, Collection[str]]]:
    # Many words are equally frequent.
    words_of: dict[float, list[str]] = defaultdict(list)
    for word, frequency in frequencies.items():
        words_of[frequency].append(word)
    return ((_rarity_of(one), words) for one, words in words_of.items() if one > 0)


def _rarity_of(frequency: float) -> float:
    return max(0.0, 7 - max(2.0, 9 + math.log10(frequency)))


def _wordfreq_code(language: str) -> str:
    """Return the code under which wordfreq has the language; empty when it has not."""
    code = _WORDFREQ_CODES.get(language, language)
    return code if code in WORDFREQ_LANGUAGES else ""
