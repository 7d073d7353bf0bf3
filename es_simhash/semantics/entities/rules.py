"""Named entities by rules: runs of words with a capital, and what speaks for or against a name.

A run is cut at weekdays, months, titles and stop words. A lone word at the start of a sentence,
or in a line where nearly every word has a capital, counts only when the same text shows it as a
name elsewhere or when it is rare. German gives every noun a capital, so that more is asked there:
several words, the surname of such a name, capitals throughout, a well known place, or a word that
the background list does not know and no determiner introduces. Scripts without capitals (Arabic,
Hebrew, Hindi, Thai, Chinese, Japanese, Korean) yield only the Latin, Greek or Cyrillic names in
them.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from es_simhash.semantics.entities.word_lists import Rules, capital_runs, rules_of
from es_simhash.semantics.extraction import Entity
from es_simhash.semantics.rarity import frequency_source, rarity

# Where capitals say least: these languages write every noun with one.
_NOUN_CAPITALS = frozenset({"de", "lb"})
_ELIDING = frozenset({"ca", "fr", "it"})
# Verbs and adverbs open a sentence in English, rare as they may be.
_INFLECTED = re.compile(r"^\w+(?:ed|ing|ly)$")
_ELIDED = re.compile(r"^(?:[CDJLMNST]|Qu|Dell|Nell|All|Sull|Dall|Un)['’]")
_ALIASES = {"no": "nb", "nn": "nb"}
# Scripts without capitals: names of other scripts within are read as English ones.
_WITHOUT_CAPITALS = frozenset(
    {"am", "ar", "bn", "bo", "fa", "gu", "he", "hi", "ja", "ka", "km", "kn", "ko", "lo", "ml", "mr"}
    | {"my", "ne", "pa", "si", "ta", "te", "th", "ti", "ur", "zh"}
)
# A word rarer than 3e-6 that opens a sentence is a name, one more frequent than 3e-4 never is when
# it stands alone (rarity is 7 - zipf; flat optima on WNUT17 dev and every other text of WikiGold).
_RARE, _COMMON, _UNKNOWN, _UNDECIDED = 3.52, 1.5, 4.9, 2.0
# Several words in capitals are shouted when one of them is more frequent than 3e-5.
_SHOUTED = 2.5
_MOST_REMEMBERED = 1 << 18
# A line is a headline when more than this share of its words has a capital.
_HEADLINE_SHARE, _HEADLINE_WORDS = 0.7, 4
_LONGEST_NAME, _LONGEST_RUN = 100, 500
# Two capitals are rather an abbreviation (CD, KO, AM) than a name, but for those listed.
_SHORT_ACRONYM = 2
# What may stand before the first word of a line.
_OPENING = " \t\u00a0\"'“‘«„([-–—•*#>"
_LONGEST_GERMAN_NAME = 11
_GERMAN_NOUN = re.compile(
    r"(?:ung|heit|keit|schaft|tät|ion|ismus|ment|nis|tum|ling|chen)(?:e?[ns])?$"
)


# Where words with a capital start, the words, and whether nothing but a name explains them; plain
# tuples, because there are dozens in every text.
_Mention: TypeAlias = tuple[int, str, bool]


class _Rarities(dict[str, float]):
    """Rarity of each word asked so far; without frequencies it speaks neither for nor against."""

    def __init__(self, language: str, packages: frozenset[str] | None) -> None:
        super().__init__()
        self._language, self._packages = language, packages
        self._known = frequency_source(language, packages) != "none"

    def __missing__(self, word: str) -> float:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        asked = rarity([word], self._language, self._packages) if self._known else [_UNDECIDED]
        self[word] = value = float(asked[0])
        return value


def find_entities(
    text: str, language: str = "", packages: frozenset[str] | None = None
) -> tuple[Entity, ...]:
    """Return the named entities of a text, in the order of their first mention.

    Mentions that differ only in case are one entity, shown in its most frequent form.

    Args:
        text: The text.
        language: ISO 639-1 code; empty when unknown.
        packages: Packages whose word frequencies may be used; by default those installed.
    """
    known = "en" if language in _WITHOUT_CAPITALS else _ALIASES.get(language, language)
    rules = rules_of(known, packages)
    found = list(_mentions(text, rules))
    choose = _choose_among_nouns if language in _NOUN_CAPITALS else _choose
    return _joined(choose(found, text, rules))


def _joined(mentions: list[_Mention]) -> tuple[Entity, ...]:
    groups: dict[str, list[_Mention]] = {}
    for mention in mentions:
        groups.setdefault(mention[1].casefold(), []).append(mention)
    return tuple([_entity(group) for group in groups.values()])


def _entity(group: list[_Mention]) -> Entity:
    start, surface, _ = group[0]
    if len(group) == 1:
        return Entity(surface, 1, ((start, start + len(surface)),))
    forms = [text for _, text, _ in group]
    spans = tuple([(start, start + len(text)) for start, text, _ in group])
    if len(set(forms)) > 1:
        surface = Counter(forms).most_common(1)[0][0]
    return Entity(surface, len(group), spans)


def _choose(found: list[_Mention], text: str, rules: Rules) -> list[_Mention]:
    """Keep what is sure, and what it or its rarity proves."""
    proven = {name.casefold() for _, name, sure in found if sure}
    return [
        mention
        for mention in found
        if mention[2]
        or (key := mention[1].casefold()) in proven
        or (_rarest(key, rules) > _RARE and not _INFLECTED.search(key))
    ]


def _rarest(name: str, rules: Rules) -> float:
    return max(map(_rarities(rules).__getitem__, name.split()))


def _choose_among_nouns(found: list[_Mention], text: str, rules: Rules) -> list[_Mention]:
    """Keep names of several words, their surnames, and words that can be no common noun."""
    several = {name for _, name, sure in found if sure and " " in name}
    surnames = {name.rpartition(" ")[2].casefold() for name in several}
    return [
        mention
        for mention in found
        if mention[1] in several
        or mention[1].casefold() in surnames
        or _is_name_among_nouns(mention, text, rules)
    ]


def _is_name_among_nouns(mention: _Mention, text: str, rules: Rules) -> bool:
    start, name, _ = mention
    if name.isupper() or name.lower() in rules.names:
        return True
    before = text[max(0, start - 20) : start].split()
    return (
        name.isalpha()
        and len(name) <= _LONGEST_GERMAN_NAME
        and not (before and before[-1].lower() in rules.determiners)
        and not _GERMAN_NOUN.search(name)
        and _rarities(rules)[name.lower()] > _UNKNOWN
    )


def _mentions(text: str, rules: Rules) -> Iterator[_Mention]:
    """Cut the runs of capitals of each line to what may be a name."""
    find = capital_runs().finditer
    language, packages = rules.language, rules.packages
    position = 0
    for line in text.splitlines(keepends=True):
        end = position + len(line)
        runs = list(find(text, position, end))
        if runs:
            opening = position + len(line) - len(line.lstrip(_OPENING))
            headline = _is_headline(line, runs)
            for run in runs:
                start, whole = run.start(), run.group()
                if len(whole) > _LONGEST_RUN:
                    continue
                initial = start == opening or run.lastgroup == "initial"
                name = _name_in(whole, initial, language, packages)
                if name:
                    shift, words, sure = name
                    yield start + shift, words, sure and not headline
        position = end


def _is_headline(line: str, runs: list[re.Match[str]]) -> bool:
    words = line.count(" ") + 1
    if words < _HEADLINE_WORDS:
        return False
    capitals = len(runs) + sum([run.group().count(" ") for run in runs])
    return capitals > _HEADLINE_SHARE * words


@lru_cache(maxsize=1 << 14)
def _name_in(
    run: str, initial: bool, language: str, packages: frozenset[str] | None
) -> _Mention | None:
    """Cut a run to what may be a name; None when nothing is left. Runs recur between texts."""
    rules = rules_of(language, packages)
    run = run.replace("\u00a0", " ")
    cut = _without_leading(run, initial, rules)
    start = len(run) - len(cut)
    name = _without_trailing(cut, rules)
    if not 1 < len(name) <= _LONGEST_NAME:
        return None
    if " " in name:
        return start, name, not _is_shouted(name, rules)
    if not _may_name(name, rules):
        return None
    opens = initial and not start and name[1:].islower()
    return start, name, not opens


def _is_shouted(name: str, rules: Rules) -> bool:
    """Check whether several words in capitals throughout hold an everyday one."""
    if not name.isupper():
        return False
    rarities = _rarities(rules)
    return min(rarities[word] for word in name.lower().split()) < _SHOUTED


def _may_name(word: str, rules: Rules) -> bool:
    """Check whether a lone word can be a name, wherever it stands."""
    if word.isupper() and (len(word) <= _SHORT_ACRONYM or _is_acronym(word, rules)):
        return _is_acronym(word, rules)
    lower = word.lower()
    return lower not in rules.everyday and _rarities(rules)[lower] > _COMMON


def _is_acronym(word: str, rules: Rules) -> bool:
    return word.isupper() and word.lower() in rules.acronyms


def _without_leading(name: str, initial: bool, rules: Rules) -> str:
    """Take titles, days, months and stop words off the front, and what they leave in lower case."""
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


def _without_trailing(name: str, rules: Rules) -> str:
    """Take days and months with their numbers, stop words and small words off the end."""
    while name:
        rest, _, last = name.rpartition(" ")
        lower = last.lower()
        date = last[0].isdigit() and rest.rpartition(" ")[2].lower() in rules.times
        stop = rest and lower in rules.trailing and not _is_acronym(last, rules)
        if not (date or stop or lower in rules.times or last.islower()):
            break
        name = rest
    return name


def _rarities(rules: Rules) -> _Rarities:
    return _rarities_of(rules.language, rules.packages)


@lru_cache(maxsize=128)
def _rarities_of(language: str, packages: frozenset[str] | None) -> _Rarities:
    return _Rarities(language, packages)
