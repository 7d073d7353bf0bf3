"""Language detection: by script, then by the stop words that cover most of the text."""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from es_simhash.semantics.languages.word_lists import stop_lists

# Enough for stop words to decide, however long the text is.
_SAMPLE_CHARACTERS = 1500
# A text in a language without a stop list still holds a few words of some list by chance.
_LEAST_COVERED = 0.12
# Some of their letters are enough for these, whatever stands around them.
_LEAST_KANA = 0.05
_LEAST_VIETNAMESE = 0.05
# A Han character says about as much as this many letters of an alphabet.
_HAN_WEIGHT = 3
# Short texts are rather in a language that many texts are in.
_PRIOR = {
    **dict.fromkeys(("en", "de", "fr", "es", "it", "pt", "nl"), 1.3),
    **dict.fromkeys(("sv", "da", "nb", "fi", "pl", "cs", "ro", "hu", "tr", "id"), 1.1),
    **dict.fromkeys(("ru", "ar", "hi"), 1.1),
}

# First code point of the blocks that matter (Unicode, Blocks.txt); "" has no letters.
_BLOCKS = [
    (0x0, ""),
    (0x41, "latin"),
    (0x5B, ""),
    (0x61, "latin"),
    (0x7B, ""),
    (0xC0, "latin"),
    (0x250, ""),
    (0x370, "greek"),
    (0x400, "cyrillic"),
    (0x530, "armenian"),
    (0x590, "hebrew"),
    (0x600, "arabic"),
    (0x700, ""),
    (0x750, "arabic"),
    (0x780, ""),
    (0x900, "devanagari"),
    (0x980, "bengali"),
    (0xA00, "gurmukhi"),
    (0xA80, "gujarati"),
    (0xB00, ""),
    (0xB80, "tamil"),
    (0xC00, "telugu"),
    (0xC80, "kannada"),
    (0xD00, "malayalam"),
    (0xD80, "sinhala"),
    (0xE00, "thai"),
    (0xE80, "lao"),
    (0xF00, "tibetan"),
    (0x1000, "burmese"),
    (0x10A0, "georgian"),
    (0x1100, "hangul"),
    (0x1200, "ethiopic"),
    (0x13A0, ""),
    (0x1780, "khmer"),
    (0x1800, ""),
    (0x1E00, "latin"),
    (0x1EA0, "vietnamese"),
    (0x1EFA, "latin"),
    (0x1F00, "greek"),
    (0x2000, ""),
    (0x3040, "kana"),
    (0x3100, ""),
    (0x3130, "hangul"),
    (0x3190, ""),
    (0x3400, "han"),
    (0xA000, ""),
    (0xAC00, "hangul"),
    (0xD7B0, ""),
    (0xF900, "han"),
    (0xFB00, ""),
    (0xFB50, "arabic"),
    (0xFE00, ""),
    (0xFE70, "arabic"),
    (0xFF00, ""),
    (0xFF66, "kana"),
    (0xFFA0, ""),
    (0x20000, "han"),
    (0x32000, ""),
]
_STARTS = [start for start, _ in _BLOCKS]
# Languages of a script. The first is the result when no stop list decides (empty: unknown); of the
# others the commonest come first and win a draw.
_LANGUAGES = {
    "latin": (
        "",
        *("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "fi", "pl", "cs", "ro"),
        *("hu", "tr", "id", "hr", "sk", "sl", "lt", "lv", "et", "ca", "sq", "is", "eu", "af"),
        *("az", "tl", "ga", "lb"),
    ),
    "cyrillic": ("", "ru", "uk", "bg", "sr", "mk", "ky", "tt"),
    "arabic": ("", "ar", "fa", "ur"),
    "devanagari": ("", "hi", "mr", "ne"),
    "ethiopic": ("am", "ti"),
    "greek": ("el",),
    "armenian": ("hy",),
    "hebrew": ("he",),
    "bengali": ("bn",),
    "gurmukhi": ("pa",),
    "gujarati": ("gu",),
    "tamil": ("ta",),
    "telugu": ("te",),
    "kannada": ("kn",),
    "malayalam": ("ml",),
    "sinhala": ("si",),
    "thai": ("th",),
    "vietnamese": ("vi",),
    "lao": ("lo",),
    "tibetan": ("bo",),
    "burmese": ("my",),
    "georgian": ("ka",),
    "hangul": ("ko",),
    "khmer": ("km",),
    "han": ("zh",),
    "kana": ("ja",),
}
_WORDS = re.compile(r"[^\s\d!-/:-@\[-`{-¿‐-⁞،؛؟۔।॥]+")


def detect_language(text: str) -> str:
    """Return the ISO 639-1 code of the language a text is written in; empty when nothing fits."""
    start = unicodedata.normalize("NFC", text[:_SAMPLE_CHARACTERS])
    languages = _LANGUAGES.get(_script_of(start), ("",))
    if len(languages) == 1:
        return languages[0]
    return _best_covered(_WORDS.findall(start.lower()), languages)


def _script_of(text: str) -> str:
    """Return the script of most letters; Vietnamese and Japanese by the letters only they have."""
    if text.isascii():
        return "latin"
    counts: Counter[str] = Counter()
    for character, count in Counter(text).items():
        counts[_BLOCKS[bisect_right(_STARTS, ord(character)) - 1][1]] += count
    del counts[""]
    counts["han"] *= _HAN_WEIGHT
    _merge(counts, "kana", "han", _LEAST_KANA)
    _merge(counts, "vietnamese", "latin", _LEAST_VIETNAMESE)
    script, count = counts.most_common(1)[0]
    return script if count else ""


def _merge(counts: Counter[str], part: str, whole: str, least: float) -> None:
    """Count the letters of the whole to its part where the part is frequent enough, else back."""
    joined = counts[part] + counts[whole]
    is_frequent = counts[part] > least * joined
    counts[part], counts[whole] = (joined, 0) if is_frequent else (0, joined)


def _best_covered(words: list[str], languages: tuple[str, ...]) -> str:
    """Return the language whose stop words cover most of the words; rarer ones count more."""
    table = _stop_table()
    columns = [table.columns[language] for language in languages if language]
    rows = np.fromiter(map(table.rows.get, words, repeat(0)), np.int64, len(words))
    scores = table.scores[rows][:, columns]
    best = int((scores.sum(0) * table.priors[columns]).argmax())
    covered = np.count_nonzero(scores[:, best])
    enough = covered >= max(1, _LEAST_COVERED * len(words))
    return table.languages[columns[best]] if enough else languages[0]


@dataclass(frozen=True)
class _StopTable:
    """Score of each stop word (row 0: of any other word) for each language."""

    languages: list[str]
    columns: dict[str, int]
    rows: dict[str, int]
    scores: NDArray[np.float32]
    priors: NDArray[np.float32]


@lru_cache(maxsize=1)
def _stop_table() -> _StopTable:
    lists = stop_lists()
    columns = {language: column for column, language in enumerate(lists)}
    words = sorted(set().union(*lists.values()))
    rows = {word: row for row, word in enumerate(words, 1)}
    listed = np.zeros((len(words) + 1, len(lists)), np.float32)
    for language, members in lists.items():
        listed[[rows[word] for word in members], columns[language]] = 1
    scores = listed * (1 + 1 / np.maximum(listed.sum(1, keepdims=True), 1))
    priors = np.array([_PRIOR.get(language, 1.0) for language in lists], np.float32)
    return _StopTable(list(lists), columns, rows, scores.astype(np.float32), priors)
