"""Words of runs of words with a capital: which of them are no part of a name."""

import re
from dataclasses import dataclass
from functools import lru_cache

from es_simhash.semantics.languages.word_lists import rule_words, stop_words
from es_simhash.text.memo import Memo

# Languages that elide articles before names: d'Estaing.
ELIDING = frozenset({"ca", "fr", "it"})
_ELIDED = re.compile(r"^(?:[CDJLMNST]|Qu|Dell|Nell|All|Sull|Dall|Un)['’]")
# What a word is, as bits. Leading words are no part of a name that they begin, trailing ones none
# of a name that they end, but for acronyms of names. Opening words and articles are leading ones
# where the run opens a sentence, and where it does not.
CAPITAL, LEADING, TRAILING, OPENING, ARTICLE, TIME, SMALL, NUMBER = (1 << bit for bit in range(8))
# What no last word of a name is.
CUT_BEHIND = TRAILING | TIME | SMALL | NUMBER


@dataclass(frozen=True)
class NameRules:
    """The word lists of one language, all in lower case.

    Attributes:
        language: ISO 639-1 code.
        packages: Packages whose word frequencies may be used.
        leading: Words that are no part of a name that they begin.
        trailing: Words that are no part of a name that they end.
    """

    language: str
    packages: frozenset[str] | None
    leading: frozenset[str]
    trailing: frozenset[str]

    def words(self, kind: str) -> frozenset[str]:
        """Return the words of a kind."""
        return rule_words(kind, self.language)


@lru_cache(maxsize=128)
def name_rules(language: str, packages: frozenset[str] | None = None) -> NameRules:
    """Return the word lists of a language, to be used with the frequencies of these packages."""
    stops = stop_words(language)
    leading = stops | rule_words("time", language) | rule_words("title", language)
    return NameRules(language, packages, leading, stops - {"a"})


def is_acronym(word: str, rules: NameRules) -> bool:
    """Check whether a word in capitals is a listed abbreviation of a name."""
    return word.isupper() and word.lower() in rules.words("acronym")


def _kinds(word: str, rules: NameRules) -> int:
    """Return what a word of a run is, as bits."""
    lower = word.lower()
    bare, acronym = lower.rstrip("."), is_acronym(word, rules)
    is_kind = {
        CAPITAL: word[:1].isupper() or word[:1].istitle(),
        LEADING: bare in rules.leading and not acronym,
        TRAILING: lower in rules.trailing and not acronym,
        OPENING: bare in rules.words("opening"),
        ARTICLE: bare in rules.words("article"),
        TIME: lower in rules.words("time"),
        SMALL: word.islower(),
        NUMBER: word[:1].isdigit(),
    }
    return sum(bit for bit, is_one in is_kind.items() if is_one)


@lru_cache(maxsize=128)
def run_words(rules: NameRules) -> Memo[str, int]:
    """Return what each word of a run is, as bits; they are cached."""
    return Memo(lambda word: _kinds(word, rules))


def trimmed(run: str, initial: bool, rules: NameRules) -> tuple[int, str]:
    """Return where the name of a run begins, and the name; empty when nothing is left.

    Args:
        run: The words of the run.
        initial: Whether it opens a sentence.
        rules: The word lists of the language.
    """
    kinds, words = run_words(rules), run.split(" ")
    first = _first_of_name(words, initial, kinds)
    if first == len(words):
        return len(run), ""
    start = sum(map(len, words[:first])) + first
    if initial and rules.language in ELIDING:
        elided = _ELIDED.sub("", words[first])
        start += len(words[first]) - len(elided)
        words[first] = elided
    last = _last_of_name(words, first, kinds)
    return start, " ".join(words[first:last])


def _first_of_name(words: list[str], initial: bool, kinds: Memo[str, int]) -> int:
    """Return the first word that is no title, day, month, stop word or lower-case word."""
    last = len(words) - 1
    for place, word in enumerate(words):
        kind = kinds[word]
        if not kind & CAPITAL:
            continue
        opens = initial and place < last and kind & OPENING
        if not opens and not kind & LEADING:
            return place
        if place < last and not initial and kind & ARTICLE:
            return place
    return len(words)


def _last_of_name(words: list[str], first: int, kinds: Memo[str, int]) -> int:
    """Return one past the last word that is no day, month, their number, stop or small word."""
    last = len(words)
    while last > first:
        kind = kinds[words[last - 1]]
        has_others = last - 1 > first
        is_date = kind & NUMBER and has_others and kinds[words[last - 2]] & TIME
        is_stop = has_others and kind & TRAILING
        if not (is_date or is_stop or kind & (TIME | SMALL)):
            break
        last -= 1
    return last
