"""Rarity of words, an idf from general word frequencies instead of those of an index.

As good or better in retrieval, without state, and a word has the same weight in every index.
"""

import gzip
import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from operator import itemgetter

import numpy as np
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
    # itemgetter looks up all words in one call, unlisted ones through __missing__.
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


class _Rarities(dict[str, float]):
    """Rarity of the words of a language; inflected forms have that of their normal form."""

    def __init__(self, rarities: Mapping[str, float], language: str) -> None:
        super().__init__(rarities)
        self._language = language
        self._added: set[str] = set()

    def __missing__(self, form: str) -> float:
        if len(self._added) >= _MAX_WORDS_CACHED:
            for added in list(self._added):
                self.pop(added, None)
            self._added.clear()
        normal = normal_form(form, self._language)
        # What was added is no normal form of the list.
        is_listed = normal in self and normal not in self._added
        found = self[normal] if is_listed else UNKNOWN_RARITY
        # Among the others, the next lookup need not call this.
        self[form] = found
        self._added.add(form)
        return found


@lru_cache(maxsize=128)
def _rarities(language: str, packages: frozenset[str] | None) -> _Rarities:
    with LOADING:
        return _of_source(frequency_source(language, packages), language)


# Indices that have other packages have the same words where their source is the same.
@lru_cache(maxsize=16)
def _of_source(source: str, language: str) -> _Rarities:
    if source == "es-simhash":
        return _Rarities(shipped_rarities(language), language)
    if source == "jieba":
        return _Rarities(_from_frequencies(word_frequencies()), language)
    if source == "wordfreq":
        return _Rarities(_wordfreq_rarities(language), language)
    return _Rarities({}, language)


def _wordfreq_rarities(language: str) -> dict[str, float]:
    wordfreq = import_module("wordfreq")
    rarities: dict[str, float] = {}
    # Words that are equally frequent together: a language has 300,000.
    for centibels, words in enumerate(wordfreq.get_frequency_list(_wordfreq_code(language))):
        rarities.update(dict.fromkeys(words, _rarity_of(wordfreq.cB_to_freq(-centibels))))
    # It would keep them without a bound, beside the rarities that are made of them.
    wordfreq.get_frequency_list.cache_clear()
    return rarities


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


def _from_frequencies(frequencies: Mapping[str, float]) -> dict[str, float]:
    # Many words are equally frequent.
    found = set(frequencies.values())
    rarities = {frequency: _rarity_of(frequency) for frequency in found if frequency > 0}
    return {word: rarities[frequency] for word, frequency in frequencies.items() if frequency > 0}


def _rarity_of(frequency: float) -> float:
    return max(0.0, 7 - max(2.0, 9 + math.log10(frequency)))


def _wordfreq_code(language: str) -> str:
    """Return the code under which wordfreq has the language; empty when it has not."""
    code = _WORDFREQ_CODES.get(language, language)
    return code if code in WORDFREQ_LANGUAGES else ""
