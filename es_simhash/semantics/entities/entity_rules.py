"""Named entities by rules: which of the runs of words with a capital are names.

An uncertain candidate is a name only when the same text shows it as a name elsewhere or when it is
rare. German gives every noun a capital, so more is required there: several words, the surname of
such a name, capitals throughout, a well known place, or a word that the background list does not
know and no determiner introduces. Scripts without capitals (Arabic, Hebrew, Hindi, Thai, Chinese,
Japanese, Korean) yield only the Latin, Greek or Cyrillic names in them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from es_simhash.semantics.entities.capital_runs import MAX_RUN_LENGTH, capital_runs
from es_simhash.semantics.entities.run_words import NameRules, is_acronym, name_rules, trimmed
from es_simhash.semantics.languages.word_lists import LANGUAGE_ALIASES
from es_simhash.semantics.rarity import word_rarities
from es_simhash.semantics.semantic_profile import Entity
from es_simhash.text.memo import Memo

# These languages write every noun with a capital.
NOUN_CAPITALS = frozenset({"de", "lb"})
# Verbs and adverbs open a sentence in English, rare as they may be.
_INFLECTED = re.compile(r"^\w+(?:ed|ing|ly)$")
# Scripts without capitals: names of other scripts in them are read as English ones.
_WITHOUT_CAPITALS = frozenset(
    {"am", "ar", "bn", "bo", "fa", "gu", "he", "hi", "ja", "ka", "km", "kn", "ko", "lo", "ml", "mr"}
    | {"my", "ne", "pa", "si", "ta", "te", "th", "ti", "ur", "zh"}
)
# A word rarer than 3e-6 that opens a sentence is a name (rarity is 7 - zipf; flat optima on WNUT17
# dev and every other text of WikiGold).
_RARE = 3.52
# A German noun rarer than this is in no list.
_UNLISTED = 4.9
_MAX_GERMAN_NAME_LENGTH = 11
_GERMAN_NOUN = re.compile(
    r"(?:ung|heit|keit|schaft|tät|ion|ismus|ment|nis|tum|ling|chen)(?:e?[ns])?$"
)
# A lone word of less rarity, more frequent than 3e-4, is never a name (rarity is 7 - zipf; flat
# optima on WNUT17 dev and every other text of WikiGold).
_MIN_RARITY = 1.5
# A word and a number open the lines of tables: Sales 374.6. What is named so (Apollo 13) is a name
# only if the text names it elsewhere.
_COUNTED = re.compile(r"[^\W\d]+ \d[\d.]*")
# Several words in capitals are emphasis when one of them is more frequent than 3e-5.
_MIN_CAPITALS_RARITY = 2.5
# Rarity of every word of a language without frequencies: neither common nor rare.
_UNDECIDED = 2.0
MAX_NAME_LENGTH = 100
# Of a run of more words, as headlines have, only parts are names; of one in capitals already where
# it has four.
_MAX_NAME_WORDS = {True: 3, False: 5}
# Two capitals are rather an abbreviation (CD, KO, AM) than a name, but for those listed.
_SHORT_ACRONYM = 2

# What a word is where nouns have a capital: one of them, a name behind no determiner, or a name.
_NOUN, _UNDETERMINED, _NAME = range(3)


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
    return _merged(find_names(text, language, packages))


def find_names(
    text: str, language: str = "", packages: frozenset[str] | None = None
) -> list[Candidate]:
    """Return each mention of a named entity of a text, in order; arguments as `find_entities`."""
    rules = name_rules(rules_language(language), packages)
    return names_among(list(name_candidates(text, rules)), text, rules)


def rules_language(language: str) -> str:
    """Return the language by whose rules names are found in texts of another one."""
    return "en" if language in _WITHOUT_CAPITALS else LANGUAGE_ALIASES.get(language, language)


def names_among(candidates: list[Candidate], text: str, rules: NameRules) -> list[Candidate]:
    """Return the candidates of a text that are names."""
    select = _names_among_nouns if rules.language in NOUN_CAPITALS else _names
    return select(candidates, text, rules)


def name_rarities(rules: NameRules) -> Memo[str, float]:
    """Return the rarities of the words of the language of the rules."""
    return word_rarities(rules.language, rules.packages, default=_UNDECIDED)


def name_candidates(text: str, rules: NameRules) -> Iterator[Candidate]:
    """Yield the candidates of each line of a text, in order."""
    candidates = run_candidates(rules)
    for runs, in_headline in capital_runs(text):
        for start, words, is_initial in runs:
            candidate = candidates[words, is_initial]
            if candidate:
                offset, name, is_sure = candidate
                yield Candidate(start + offset, name, is_sure and not in_headline)


@lru_cache(maxsize=128)
def run_candidates(rules: NameRules) -> Memo[tuple[str, bool], Candidate | None]:
    """Return what may be a name of each run, by its words and whether it opens a sentence.

    Runs recur between texts.
    """
    return Memo(lambda run: _candidate_in(*run, rules))


def _candidate_in(run: str, initial: bool, rules: NameRules) -> Candidate | None:
    """Return what may be a name of a run; None when nothing is left."""
    if len(run) > MAX_RUN_LENGTH:
        return None
    start, name = trimmed(run.replace("\u00a0", " "), initial, rules)
    if not 1 < len(name) <= MAX_NAME_LENGTH:
        return None
    if " " in name:
        is_counted = initial and not start and _COUNTED.fullmatch(name)
        return Candidate(start, name, not is_counted and not _is_emphasis(name, rules))
    if not may_name(name, rules):
        return None
    opens = initial and not start and name[1:].islower()
    return Candidate(start, name, not opens)


def _is_emphasis(name: str, rules: NameRules) -> bool:
    """Check whether several words, all in capitals, include an everyday one."""
    if not name.isupper():
        return False
    rarities = name_rarities(rules)
    return min(rarities[word] for word in name.lower().split()) < _MIN_CAPITALS_RARITY


def may_name(word: str, rules: NameRules) -> bool:
    """Check whether a lone word can be a name, wherever it is in a sentence."""
    if word.isupper() and (len(word) <= _SHORT_ACRONYM or is_acronym(word, rules)):
        return is_acronym(word, rules)
    lower = word.lower()
    if lower in rules.words("company"):
        return False
    return lower not in rules.words("everyday") and name_rarities(rules)[lower] > _MIN_RARITY


def _merged(mentions: list[Candidate]) -> tuple[Entity, ...]:
    groups: dict[str, list[Candidate]] = {}
    for mention in mentions:
        groups.setdefault(mention.name.casefold(), []).append(mention)
    return tuple([_entity(group) for group in groups.values()])


def _entity(group: list[Candidate]) -> Entity:
    start, surface, _ = group[0]
    if len(group) == 1:
        return Entity(surface, 1, ((start, start + len(surface)),))
    forms = [text for _, text, _ in group]
    spans = tuple([(start, start + len(text)) for start, text, _ in group])
    if len(set(forms)) > 1:
        surface = Counter(forms).most_common(1)[0][0]
    return Entity(surface, len(group), spans)


def _names(candidates: list[Candidate], text: str, rules: NameRules) -> list[Candidate]:
    """Return the sure candidates, and those that they or their own rarity confirm."""
    confirmed = {name.casefold() for _, name, is_sure in candidates if is_sure}
    words = words_of_names(confirmed)
    names: list[Candidate] = []
    for candidate in candidates:
        if candidate.is_sure or candidate.name.casefold() in confirmed:
            names.append(candidate)
        else:
            names += unconfirmed_names(candidate, words, rules)
    return names


def words_of_names(names: Iterable[str]) -> frozenset[str]:
    """Return the words of names, case folded."""
    return frozenset(" ".join(names).casefold().split())


def unconfirmed_names(
    candidate: Candidate, confirmed: frozenset[str], rules: NameRules
) -> Iterator[Candidate]:
    """Yield what is a name of a candidate that is not sure: itself where it is rare, or parts.

    Args:
        candidate: The candidate.
        confirmed: The words of the names that are sure in its text, case folded.
        rules: The word lists of the language.
    """
    key = candidate.name.casefold()
    if _COUNTED.fullmatch(key):
        return
    if key.count(" ") >= _MAX_NAME_WORDS[candidate.name.isupper()]:
        yield from _names_within(candidate, confirmed, rules)
    elif is_rare_name(key, rules):
        yield candidate


def _names_within(
    candidate: Candidate, confirmed: frozenset[str], rules: NameRules
) -> Iterator[Candidate]:
    """Yield the names in a run of capitals that is half of a headline.

    They are its words that are names elsewhere in the text, or rare; neighbours are one name.
    """
    is_name = [
        word in confirmed or _is_lone_name(word, rules)
        for word in candidate.name.casefold().split(" ")
    ]
    words, position = candidate.name.split(" "), candidate.start
    for named, group in groupby(zip(is_name, words, strict=True), key=itemgetter(0)):
        name = " ".join(word for _, word in group)
        if named:
            yield Candidate(position, name, False)
        position += len(name) + 1


def _is_lone_name(word: str, rules: NameRules) -> bool:
    return word.isalpha() and may_name(word.upper(), rules) and is_rare_name(word, rules)


def is_rare_name(name: str, rules: NameRules) -> bool:
    """Check whether a name that nothing else confirms is one for its rarity."""
    key = name.casefold()
    return not _COUNTED.fullmatch(key) and _is_rare(key, rules.language, rules.packages)


@lru_cache(maxsize=1 << 14)
def _is_rare(name: str, language: str, packages: frozenset[str] | None) -> bool:
    """Check whether words are rare enough for a name. Names recur between texts."""
    rules = name_rules(language, packages)
    return _rarest(name, rules) > _RARE and not _INFLECTED.search(name)


def _rarest(name: str, rules: NameRules) -> float:
    return max(map(name_rarities(rules).__getitem__, name.split()))


def _names_among_nouns(candidates: list[Candidate], text: str, rules: NameRules) -> list[Candidate]:
    """Return names of several words, their surnames, and words that can be no common noun."""
    several = {name for _, name, is_sure in candidates if is_sure and " " in name}
    surnames = {name.rpartition(" ")[2].casefold() for name in several}
    return [
        candidate
        for candidate in candidates
        if candidate.name in several
        or candidate.name.casefold() in surnames
        or _is_name_among_nouns(candidate, text, rules)
    ]


def _is_name_among_nouns(candidate: Candidate, text: str, rules: NameRules) -> bool:
    word = _words_among_nouns(rules)[candidate.name]
    if word != _UNDETERMINED:
        return word == _NAME
    before = text[max(0, candidate.start - 20) : candidate.start].split()
    return not (before and before[-1].lower() in rules.words("determiner"))


@lru_cache(maxsize=16)
def _words_among_nouns(rules: NameRules) -> Memo[str, int]:
    """Return what a word with a capital is where nouns have one; most are in every text."""
    return Memo(lambda name: _word_among_nouns(name, rules))


def _word_among_nouns(name: str, rules: NameRules) -> int:
    if name.isupper() or name.lower() in rules.words("name"):
        return _NAME
    may_name = (
        name.isalpha()
        and len(name) <= _MAX_GERMAN_NAME_LENGTH
        and not _GERMAN_NOUN.search(name)
        and name_rarities(rules)[name.lower()] > _UNLISTED
    )
    return _UNDETERMINED if may_name else _NOUN
