"""Candidates for names: runs of words with a capital, and word lists of what is no name."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby
from typing import NamedTuple

from es_simhash.semantics.languages.word_lists import ANY_LANGUAGE, rule_words, stop_words
from es_simhash.semantics.rarity import WordRarities, word_rarities

# Languages that elide articles before names: d'Estaing.
_ELIDING = frozenset({"ca", "fr", "it"})
_ELIDED = re.compile(r"^(?:[CDJLMNST]|Qu|Dell|Nell|All|Sull|Dall|Un)['’]")
# A lone word of less rarity, more frequent than 3e-4, is never a name (rarity is 7 - zipf; flat
# optima on WNUT17 dev and every other text of WikiGold).
_MIN_RARITY = 1.5
# Several words in capitals are emphasis when one of them is more frequent than 3e-5.
_MIN_CAPITALS_RARITY = 2.5
# Rarity of every word of a language without frequencies: neither common nor rare.
_UNDECIDED = 2.0
# A line is a headline when more than this share of its words has a capital.
_HEADLINE_SHARE, _HEADLINE_WORDS = 0.7, 4
_MAX_NAME_LENGTH, _MAX_RUN_LENGTH = 100, 500
# Two capitals are rather an abbreviation (CD, KO, AM) than a name, but for those listed.
_SHORT_ACRONYM = 2
# What may precede the first word of a line.
_OPENING = " \t\u00a0\"'“‘«„([-–—•*#>"


@dataclass(frozen=True)
class NameRules:
    """The word lists of one language, all in lower case."""

    language: str
    packages: frozenset[str] | None
    leading: frozenset[str]
    opening: frozenset[str]
    times: frozenset[str]
    trailing: frozenset[str]
    articles: frozenset[str]
    acronyms: frozenset[str]
    everyday: frozenset[str]
    determiners: frozenset[str]
    names: frozenset[str]


@lru_cache(maxsize=128)
def name_rules(language: str, packages: frozenset[str] | None = None) -> NameRules:
    """Return the word lists of a language, to be used with the frequencies of these packages."""
    words = partial(rule_words, language=language)
    times = words("time")
    stops = stop_words(language)
    return NameRules(
        language=language,
        packages=packages,
        leading=stops | times | words("title"),
        opening=words("opening"),
        times=times,
        trailing=stops - {"a"},
        articles=words("article"),
        acronyms=words("acronym"),
        everyday=words("everyday"),
        determiners=words("determiner"),
        names=words("name"),
    )


class Candidate(NamedTuple):
    """A run of words with a capital that may be a name.

    Attributes:
        start: Offset of its first word.
        name: The words.
        is_sure: True when the capital has no other explanation.
    """

    start: int
    name: str
    is_sure: bool


def name_rarities(rules: NameRules) -> WordRarities:
    """Return the rarities of the words of the language of the rules."""
    return word_rarities(rules.language, rules.packages, default=_UNDECIDED)


def name_candidates(text: str, rules: NameRules) -> Iterator[Candidate]:
    """Yield the candidates of each line of a text, in order."""
    find = _capital_runs().finditer
    language, packages = rules.language, rules.packages
    position = 0
    for line in text.splitlines(keepends=True):
        end = position + len(line)
        runs = list(find(text, position, end))
        if runs:
            opening = position + len(line) - len(line.lstrip(_OPENING))
            headline = _is_headline(line, runs)
            for run in runs:
                start, words = run.start(), run.group()
                if len(words) > _MAX_RUN_LENGTH:
                    continue
                initial = start == opening or run.lastgroup == "initial"
                candidate = _candidate_in(words, initial, language, packages)
                if candidate:
                    offset, name, is_sure = candidate
                    yield Candidate(start + offset, name, is_sure and not headline)
        position = end


def _is_headline(line: str, runs: list[re.Match[str]]) -> bool:
    words = line.count(" ") + 1
    if words < _HEADLINE_WORDS:
        return False
    capitals = len(runs) + sum([run.group().count(" ") for run in runs])
    return capitals > _HEADLINE_SHARE * words


@lru_cache(maxsize=1 << 14)
def _candidate_in(
    run: str, initial: bool, language: str, packages: frozenset[str] | None
) -> Candidate | None:
    """Return what may be a name of a run; None when nothing is left. Runs recur between texts."""
    rules = name_rules(language, packages)
    run = run.replace("\u00a0", " ")
    cut = _without_leading(run, initial, rules)
    start = len(run) - len(cut)
    name = _without_trailing(cut, rules)
    if not 1 < len(name) <= _MAX_NAME_LENGTH:
        return None
    if " " in name:
        return Candidate(start, name, not _is_emphasis(name, rules))
    if not _may_name(name, rules):
        return None
    opens = initial and not start and name[1:].islower()
    return Candidate(start, name, not opens)


def _is_emphasis(name: str, rules: NameRules) -> bool:
    """Check whether several words, all in capitals, include an everyday one."""
    if not name.isupper():
        return False
    rarities = name_rarities(rules)
    return min(rarities[word] for word in name.lower().split()) < _MIN_CAPITALS_RARITY


def _may_name(word: str, rules: NameRules) -> bool:
    """Check whether a lone word can be a name, wherever it is in a sentence."""
    if word.isupper() and (len(word) <= _SHORT_ACRONYM or _is_acronym(word, rules)):
        return _is_acronym(word, rules)
    lower = word.lower()
    return lower not in rules.everyday and name_rarities(rules)[lower] > _MIN_RARITY


def _is_acronym(word: str, rules: NameRules) -> bool:
    return word.isupper() and word.lower() in rules.acronyms


def _without_leading(name: str, initial: bool, rules: NameRules) -> str:
    """Return a run without leading titles, days, months, stop words and lower-case words."""
    while name:
        first, _, rest = name.partition(" ")
        lower = first.lower().rstrip(".")
        if not (first[0].isupper() or first[0].istitle()):
            name = rest
            continue
        opens = initial and rest and lower in rules.opening
        if not opens and (lower not in rules.leading or _is_acronym(first, rules)):
            break
        if rest and not initial and lower in rules.articles:
            break
        name = rest
    if initial and rules.language in _ELIDING:
        name = _ELIDED.sub("", name)
    return name


def _without_trailing(name: str, rules: NameRules) -> str:
    """Return a run without trailing days, months, their numbers, stop words, lower-case words."""
    while name:
        rest, _, last = name.rpartition(" ")
        lower = last.lower()
        date = last[0].isdigit() and rest.rpartition(" ")[2].lower() in rules.times
        stop = rest and lower in rules.trailing and not _is_acronym(last, rules)
        if not (date or stop or lower in rules.times or last.islower()):
            break
        name = rest
    return name


@lru_cache(maxsize=1)
def _capital_runs() -> re.Pattern[str]:
    """Return the expression of a run of words with a capital; `initial` opens a sentence.

    Nothing follows the parts that repeat, so that it never goes back: its time is linear.
    The capital comes first, before what is looked up behind it, because the search then skips
    everything else at once. That holds only for classes below U+10000, beyond which few scripts
    have capitals (Deseret, Osage, Adlam).
    """
    capital = f"[{category_ranges('Lu', 'Lt')}]"
    letter = f"[{category_ranges('Lu', 'Lt', 'Ll')}\u0300-\u036f0-9_]"
    space = "[ \u00a0]"
    small = "|".join(sorted(rule_words("join", ANY_LANGUAGE), key=len, reverse=True)).replace(
        "%", space
    )
    dotted = rf"(?:\.{capital})+\.?"  # U.S.
    initials = rf"\.(?= ?{capital})"  # J. Smith
    short = r"(?:[trs]|rs)\.(?=[ ])(?<=\b(?:St|Mt|Ft|Dr|Mr|Ms)\.)"
    plain = rf"{letter}*(?:(?:['’](?!s?(?!{letter}))|[-‐&]){letter}+)*(?:(?<= Jr)\.)?"
    rest = rf"(?:{dotted}|{initials}|{short}|{plain})"
    number = rf"\d+(?:\.\d+)*{letter}*"
    initial = (
        rf"(?:(?:(?<=[.!?:…•*|]{space}.)|(?<=[.!?][\"”’')]{space}.)|(?<=[ ][\"“‘'«„(].))"
        r"(?P<initial>))?"
    )
    return re.compile(
        rf"{capital}(?<!{letter}.){initial}{rest}"
        rf"(?:{space}(?:(?:{small}){space})?(?:{capital}{rest}|{number})){{0,9}}"
    )


def category_ranges(*categories: str, below: int = 0x10000) -> str:
    """Return the inside of a character class: all characters of some categories.

    Args:
        categories: Unicode categories.
        below: The first code point that is not looked at.
    """
    points = [point for point in range(below) if unicodedata.category(chr(point)) in categories]
    runs = groupby(enumerate(points), key=lambda pair: pair[1] - pair[0])
    bounds = [[point for _, point in run] for _, run in runs]
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in bounds)
