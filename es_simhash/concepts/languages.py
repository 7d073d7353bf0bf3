"""Which language a text is in: by its script, then by the stop words that cover most of it."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from functools import lru_cache

from es_simhash.concepts.words import stop_lists

# Enough for stop words to tell, however long the text is.
_READ = 2000
# A text in a language without a stop list still holds a few words of some list by chance.
_LEAST_COVERED = 0.12
_KANA_SHARE = 0.05

# First code point of the blocks that matter (Unicode, Blocks.txt); "" holds no letters to judge by.
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
# Languages of a script, the one to take when no stop list tells first; scripts with one language
# have no choice to make. An empty first one says that the script alone tells nothing.
_LANGUAGES = {
    "latin": (
        "",
        *("af", "ca", "cs", "da", "de", "en", "es", "et", "eu", "fi", "fr", "ga", "gd", "hr"),
        *("ht", "hu", "id", "is", "it", "lb", "lt", "lv", "nb", "nl", "pl", "pt", "ro", "sk"),
        *("sl", "sq", "sv", "tl", "tr", "az", "vi", "yo"),
    ),
    "cyrillic": ("", "bg", "ky", "mk", "ru", "sr", "tt", "uk"),
    "arabic": ("", "ar", "fa", "ur"),
    "devanagari": ("", "hi", "mr", "ne"),
    "ethiopic": ("", "am", "ti"),
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


def language_of(text: str) -> str:
    """Give the ISO 639-1 code of the language a text is written in; empty when nothing fits."""
    start = text[:_READ]
    languages = _LANGUAGES.get(_script_of(start), ("",))
    if len(languages) == 1:
        return languages[0]
    return _covering(_WORDS.findall(start.lower()), languages)


def _script_of(text: str) -> str:
    """Script of most letters; Japanese is recognised by some kana among its Han characters."""
    if text.isascii():
        return "latin"
    counts: Counter[str] = Counter()
    for character, count in Counter(text).items():
        counts[_BLOCKS[bisect_right(_STARTS, ord(character)) - 1][1]] += count
    del counts[""]
    if not counts:
        return ""
    if counts["kana"] > _KANA_SHARE * counts["han"]:
        counts["kana"] += counts.pop("han", 0)
    return counts.most_common(1)[0][0]


def _covering(words: list[str], languages: tuple[str, ...]) -> str:
    """Language whose stop words weigh most among the words; a word of many lists weighs less."""
    covered: Counter[str] = Counter()
    weight: dict[str, float] = defaultdict(float)
    lists = _lists_with()
    for word, count in Counter(words).items():
        listed = lists.get(word, ())
        for language in listed:
            covered[language] += count
            weight[language] += count / len(listed)
    best = max(languages, key=lambda language: weight.get(language, 0.0))
    return best if covered[best] >= max(1, _LEAST_COVERED * len(words)) else ""


@lru_cache(maxsize=1)
def _lists_with() -> dict[str, tuple[str, ...]]:
    """Languages whose stop list holds a word."""
    found: dict[str, list[str]] = defaultdict(list)
    for language, words in stop_lists().items():
        for word in words:
            found[word].append(language)
    return {word: tuple(languages) for word, languages in found.items()}
