"""How rare a word is in its language, from word frequencies that come with the package.

They are general ones rather than those of an index: as good or better in retrieval, without state,
and a word weighs the same in every index.
"""

import gzip
import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from es_simhash.semantics.languages.words import normal_form
from es_simhash.semantics.profile import installed_packages

# Words that occur less than once in ten million are all as rare as each other.
UNKNOWN = 5.0
_SHIPPED = ("de", "en", "es")
_ALIASES = {"no": "nb", "nn": "nb", "hr": "sh", "sr": "sh", "bs": "sh", "tl": "fil"}


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
    # itemgetter asks for all at once, and for words the list lacks through __missing__.
    found = itemgetter(*words, "", "")(_rarities(language, packages))
    return np.array(found[:-2], np.float32)


def frequency_source(language: str, packages: frozenset[str] | None = None) -> str:
    """Name where the frequencies of a language come from: es-simhash, jieba, wordfreq, none."""
    allowed = installed_packages() if packages is None else packages
    if language in _SHIPPED:
        return "es-simhash"
    if language == "zh" and "jieba" in allowed:
        return "jieba"
    if "wordfreq" in allowed and _wordfreq_code(language):
        return "wordfreq"
    return "none"


class _Rarities(dict[str, float]):
    """Rarity of the words of a language; also of forms, by the normal form they have."""

    def __init__(self, rarities: Mapping[str, float], language: str) -> None:
        super().__init__(rarities)
        self._language = language

    def __missing__(self, form: str) -> float:
        return self.get(normal_form(form, self._language), UNKNOWN)


@lru_cache(maxsize=16)
def _rarities(language: str, packages: frozenset[str] | None) -> _Rarities:
    source = frequency_source(language, packages)
    if source == "es-simhash":
        return _Rarities(_shipped(language), language)
    if source == "jieba":
        chinese = import_module("es_simhash.semantics.languages.chinese")
        return _Rarities(_of_frequencies(chinese.frequencies()), language)
    if source == "wordfreq":
        found = import_module("wordfreq").get_frequency_dict(_wordfreq_code(language))
        return _Rarities(_of_frequencies(found), language)
    return _Rarities({}, language)


def _shipped(language: str) -> dict[str, float]:
    """Read a list that scripts/build_background.py wrote."""
    name = f"rarity_{language}.txt.gz"
    content = gzip.decompress((files("es_simhash.semantics") / "data" / name).read_bytes())
    found: dict[str, float] = {}
    for line in content.decode().splitlines():
        hundredths, *words = line.split(" ")
        found.update(dict.fromkeys(words, int(hundredths) / 100))
    return found


def frequent_words(language: str) -> list[str]:
    """Return the words of a list that comes with the package, the most frequent first."""
    rarities = _shipped(language)
    return sorted(rarities, key=lambda word: rarities[word])


def _of_frequencies(frequencies: Mapping[str, float]) -> dict[str, float]:
    return {
        word: max(0.0, 7 - max(2.0, 9 + math.log10(frequency)))
        for word, frequency in frequencies.items()
        if frequency > 0
    }


def _wordfreq_code(language: str) -> str:
    """Code under which wordfreq has the language; empty when it has not."""
    code = _ALIASES.get(language, language)
    return code if code in import_module("wordfreq").available_languages() else ""
