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
from typing import NamedTuple

from es_simhash.concepts.background import frequency_source, rarity
from es_simhash.concepts.entity_rules import Rules, capital_runs, rules_of
from es_simhash.concepts.extraction import Entity

# Where capitals say least: these languages write every noun with one.
_NOUN_CAPITALS = frozenset({"de", "lb"})
_ELIDING = frozenset({"ca", "fr", "it"})
_ELIDED = re.compile(r"^(?:[CDJLMNST]|Qu|Dell|Nell|All|Sull|Dall|Un)['’]")
_ALIASES = {"no": "nb", "nn": "nb"}
# Scripts without capitals: names of other scripts within are read as English ones.
_WITHOUT_CAPITALS = frozenset(
    {"am", "ar", "bn", "bo", "fa", "gu", "he", "hi", "ja", "ka", "km", "kn", "ko", "lo", "ml", "mr"}
    | {"my", "ne", "pa", "si", "ta", "te", "th", "ti", "ur", "zh"}
)
# A word rarer than 1e-5 that opens a sentence is a name, one more frequent than 3e-4 never is
# when it stands alone (rarity g = 7 - zipf; chosen on WNUT17 dev and every other WikiGold text).
_RARE, _COMMON, _UNKNOWN, _UNDECIDED = 3.0, 1.5, 4.9, 2.0
_MOST_REMEMBERED = 1 << 18
# A line is a headline when more than this share of its words has a capital.
_HEADLINE_SHARE, _HEADLINE_WORDS = 0.7, 4
_LONGEST_NAME = 100
_LONGEST_GERMAN_NAME = 11
_GERMAN_NOUN = re.compile(
    r"(?:ung|heit|keit|schaft|tät|ion|ismus|ment|nis|tum|ling|chen)(?:e?[ns])?$"
)


class _Mention(NamedTuple):
    """Words with a capital; sure when nothing but a name explains it."""

    start: int
    text: str
    sure: bool


class _Rarities(dict[str, float]):
    """Rarity of each word asked so far; without frequencies it speaks neither for nor against."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language
        self._known = frequency_source(language) != "none"

    def __missing__(self, word: str) -> float:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        value = float(rarity([word], self._language)[0]) if self._known else _UNDECIDED
        self[word] = value
        return value


def find_entities(text: str, language: str = "") -> tuple[Entity, ...]:
    """Give the named entities of a text, in the order of their first mention.

    Mentions that differ only in case are one entity, shown in its most frequent form.
    """
    rules = rules_of("en" if language in _WITHOUT_CAPITALS else _ALIASES.get(language, language))
    found = list(_mentions(text, rules))
    choose = _choose_among_nouns if language in _NOUN_CAPITALS else _choose
    return _joined(choose(found, text, rules))


def _joined(mentions: list[_Mention]) -> tuple[Entity, ...]:
    groups: dict[str, list[_Mention]] = {}
    for mention in mentions:
        groups.setdefault(mention.text.casefold(), []).append(mention)
    return tuple(_entity(group) for group in groups.values())


def _entity(group: list[_Mention]) -> Entity:
    spans = tuple((start, start + len(text)) for start, text, _ in group)
    if len(group) == 1:
        return Entity(group[0].text, 1, spans)
    surface = Counter(text for _, text, _ in group).most_common(1)[0][0]
    return Entity(surface, len(group), spans)


def _choose(found: list[_Mention], text: str, rules: Rules) -> list[_Mention]:
    """Keep what is sure, and what it or its rarity proves."""
    rarities = _rarities(rules.language)
    proven = {mention.text.casefold() for mention in found if mention.sure}
    return [
        mention
        for mention in found
        if mention.sure
        or (key := mention.text.casefold()) in proven
        or max(rarities[word] for word in key.split()) > _RARE
    ]


def _choose_among_nouns(found: list[_Mention], text: str, rules: Rules) -> list[_Mention]:
    """Keep names of several words, their surnames, and words that can be no common noun."""
    several = [mention for mention in found if mention.sure and " " in mention.text]
    surnames = {mention.text.rpartition(" ")[2].casefold() for mention in several}
    return [
        mention
        for mention in found
        if (mention.sure and " " in mention.text)
        or mention.text.casefold() in surnames
        or _is_name_among_nouns(mention, text, rules)
    ]


def _is_name_among_nouns(mention: _Mention, text: str, rules: Rules) -> bool:
    name = mention.text
    if name.isupper() or name.lower() in rules.names:
        return True
    before = text[max(0, mention.start - 20) : mention.start].split()
    return (
        name.isalpha()
        and len(name) <= _LONGEST_GERMAN_NAME
        and not (before and before[-1].lower() in rules.determiners)
        and not _GERMAN_NOUN.search(name)
        and _rarities(rules.language)[name.lower()] > _UNKNOWN
    )


def _mentions(text: str, rules: Rules) -> Iterator[_Mention]:
    """Cut the runs of capitals of each line to what may be a name."""
    find = capital_runs().finditer
    position = 0
    for line in text.splitlines(keepends=True):
        end = position + len(line)
        runs = list(find(text, position, end))
        if runs:
            opening = position + len(line) - len(line.lstrip(" \t\u00a0\"'“‘«„([-–—•*#>"))
            headline = _is_headline(line, runs)
            for run in runs:
                initial = run.start() == opening or run.start("initial") >= 0
                mention = _mention(run, initial, headline, rules)
                if mention:
                    yield mention
        position = end


def _is_headline(line: str, runs: list[re.Match[str]]) -> bool:
    words = line.count(" ") + 1
    if words < _HEADLINE_WORDS:
        return False
    capitals = sum(run.group().count(" ") + 1 for run in runs)
    return capitals > _HEADLINE_SHARE * words


def _mention(run: re.Match[str], initial: bool, headline: bool, rules: Rules) -> _Mention | None:
    start, whole = run.start(), run.group()
    name = _without_leading(whole, initial, rules)
    start += len(whole) - len(name)
    name = _without_trailing(name, rules)
    if not 1 < len(name) <= _LONGEST_NAME:
        return None
    if " " in name:
        return _Mention(start, name, not headline)
    lower = name.lower()
    if lower not in rules.acronyms and _rarities(rules.language)[lower] <= _COMMON:
        return None
    opens = initial and start == run.start() and name[1:].islower()
    return _Mention(start, name, not (headline or opens))


def _without_leading(name: str, initial: bool, rules: Rules) -> str:
    """Take titles, days, months and stop words off the front, and what they leave in lower case."""
    while name:
        first, _, rest = name.partition(" ")
        lower = first.lower().rstrip(".")
        if not (first[0].isupper() or first[0].istitle()):
            name = rest
            continue
        if lower not in rules.leading or (lower in rules.acronyms and first.isupper()):
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
        stop = rest and lower in rules.trailing and lower not in rules.acronyms
        if not (date or stop or lower in rules.times or last.islower()):
            break
        name = rest
    return name


@lru_cache(maxsize=128)
def _rarities(language: str) -> _Rarities:
    return _Rarities(language)
