"""Named entities of a whole batch of texts, by arrays; `entity_rules` has the rules.

Most runs of words with a capital are names as they stand. Whether they are follows from their
first and their last word, which recur where the runs do not.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import compress, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.semantics.entities.capital_runs import (
    HEADLINE_SHARE,
    HEADLINE_WORDS,
    OPENING_CHARACTERS,
    split_at_runs,
)
from es_simhash.semantics.entities.entity_rules import (
    MAX_NAME_LENGTH,
    NOUN_CAPITALS,
    Candidate,
    is_rare_name,
    may_name,
    names_among,
    rules_language,
    run_candidates,
    unconfirmed_names,
    words_of_names,
)
from es_simhash.semantics.entities.run_words import (
    CUT_BEHIND,
    ELIDING,
    LEADING,
    OPENING,
    NameRules,
    name_rules,
    run_words,
)
from es_simhash.semantics.languages.lexicon import equal_keys
from es_simhash.semantics.semantic_profile import Entity, NamedEntities, Spans
from es_simhash.text.characters import CODE_POINTS, code_points
from es_simhash.text.lines import unwrapped
from es_simhash.text.memo import Memo
from es_simhash.text.tokens import Ints

_BETWEEN_TEXTS = "\n"
# Those of `str.splitlines`.
_LINE_BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
# What a character is to a line, as bits.
_BREAK, _OPENS_LINE, _SPACE = 1, 2, 4
# What a lone word is, as bits: it can be a name; it is rare enough for one; behind its first letter
# it is in lower case.
_MAY_NAME, _RARE, _LOWER = 1, 2, 4


class _Runs(NamedTuple):
    """Runs of words with a capital of a batch of texts, as `capital_runs` finds them.

    Attributes:
        texts: Number of the text of each.
        starts: Offset of its first word in the text.
        words: Its words.
        is_initial: Whether it opens a sentence.
        in_headline: Whether its line is a headline.
    """

    texts: Ints
    starts: Ints
    words: list[str]
    is_initial: NDArray[np.bool_]
    in_headline: NDArray[np.bool_]


@dataclass(frozen=True)
class _Mentions:
    """Runs, or parts of them, that are names or may be, in the order of the texts.

    Attributes:
        texts: Number of the text of each.
        starts: Offset of its first word in the text.
        names: The words.
        is_sure: Whether the capital has no other explanation.
        is_rare: Of a lone word, whether it is rare enough for a name.
    """

    texts: Ints
    starts: Ints
    names: list[str]
    is_sure: NDArray[np.bool_]
    is_rare: NDArray[np.bool_]

    @classmethod
    def of(cls, candidates: Sequence[tuple[int, Candidate]]) -> "_Mentions":
        """Return those of candidates, each with the number of its text."""
        texts = [text for text, _ in candidates]
        starts = [candidate.start for _, candidate in candidates]
        is_sure = [candidate.is_sure for _, candidate in candidates]
        return cls(
            np.array(texts, np.int64),
            np.array(starts, np.int64),
            [candidate.name for _, candidate in candidates],
            np.array(is_sure, bool),
            np.zeros(len(candidates), bool),
        )

    def part(self, start: int, end: int) -> list[Candidate]:
        """Return some of them as candidates."""
        rows = (self.starts[start:end].tolist(), self.names[start:end], self.is_sure[start:end])
        return list(map(Candidate, *rows))

    def sure_words(self, text: int) -> frozenset[str]:
        """Return the words of the sure names of a text, case folded."""
        start, end = np.searchsorted(self.texts, [text, text + 1]).tolist()
        return words_of_names(compress(self.names[start:end], self.is_sure[start:end]))

    def at(self, places: Ints) -> "_Mentions":
        """Return those at some places."""
        return _Mentions(
            self.texts[places],
            self.starts[places],
            [self.names[place] for place in places.tolist()],
            self.is_sure[places],
            self.is_rare[places],
        )

    @cached_property
    def by_name(self) -> "_Names":
        """Which of the mentions of a text are of one name, whatever its case."""
        numbers: dict[str, int] = {}
        keys = [numbers.setdefault(name.casefold(), len(numbers)) for name in self.names]
        return _Names(*equal_keys(self.texts * len(numbers) + np.array(keys, np.int64)))


class _Names(NamedTuple):
    """Mentions by name.

    Attributes:
        order: The mentions, those of one name of a text together.
        firsts: Where the mentions of each name begin in that order.
    """

    order: Ints
    firsts: Ints

    @property
    def counts(self) -> Ints:
        """Mentions of each name."""
        return np.diff(self.firsts, append=len(self.order))

    def differ(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Return which of them are not written alike everywhere.

        Args:
            names: How each mention is written.
        """
        if not names:
            return np.zeros(0, bool)
        hashes = np.fromiter(map(hash, names), np.int64, len(names))[self.order]
        least = np.minimum.reduceat(hashes, self.firsts)
        return np.asarray(least != np.maximum.reduceat(hashes, self.firsts))


def find_batch_entities(
    texts: Sequence[str], languages: Sequence[str], packages: frozenset[str]
) -> list[Sequence[Entity]]:
    """Return the named entities of each text of a batch, as `find_entities` does.

    Args:
        texts: The texts.
        languages: Language of each, an ISO 639-1 code; empty when unknown.
        packages: Packages whose word frequencies may be used.
    """
    entities: list[Sequence[Entity]] = [()] * len(texts)
    by_rules: dict[str, list[int]] = defaultdict(list)
    for number, language in enumerate(languages):
        by_rules[rules_language(language)].append(number)
    for language, numbers in by_rules.items():
        some = [texts[number] for number in numbers]
        rules = name_rules(language, packages)
        mentions = _selected(_candidates(_runs(some), rules), some, rules)
        for number, of_text in zip(numbers, _merged(mentions, len(some)), strict=True):
            entities[number] = of_text
    return entities


def _runs(texts: Sequence[str]) -> _Runs:
    joined = _BETWEEN_TEXTS.join([*map(unwrapped, texts), ""])
    pieces = split_at_runs(joined)
    words = pieces[1::3]
    count = len(words)
    sizes = _lengths(words)
    ends = np.cumsum(_lengths(pieces[:-1:3]) + sizes)
    starts = ends - sizes
    kinds = _line_kinds().take(code_points(joined))
    places = np.flatnonzero(kinds)
    kinds = kinds[places]
    breaks, opening, spaces = (
        places[(kinds & np.uint8(bit)) > 0] for bit in (_BREAK, _OPENS_LINE, _SPACE)
    )
    lines = np.searchsorted(breaks, starts)
    bounds = np.concatenate([[-1], breaks])
    begins, closes = bounds[lines] + 1, bounds[lines + 1]
    # What opens a line is all that is before its first word.
    opened = np.searchsorted(opening, starts) - np.searchsorted(opening, begins)
    opens = np.fromiter((each is not None for each in pieces[2::3]), bool, count)
    words_of_lines = np.searchsorted(spaces, closes) - np.searchsorted(spaces, begins) + 1
    capitals = np.searchsorted(spaces, ends) - np.searchsorted(spaces, starts) + 1
    capitals_of_lines = np.bincount(lines, capitals)[lines] if count else capitals
    in_headline = (words_of_lines >= HEADLINE_WORDS) & (
        capitals_of_lines > HEADLINE_SHARE * words_of_lines
    )
    first = np.cumsum([0, *(len(text) + 1 for text in texts)])
    texts_of = np.searchsorted(first, starts, side="right") - 1
    is_initial = opens | (opened == starts - begins)
    return _Runs(texts_of, starts - first[texts_of], words, is_initial, in_headline)


def _lengths(strings: Sequence[str]) -> Ints:
    return np.fromiter(map(len, strings), np.int64, len(strings))


@lru_cache(maxsize=1)
def _line_kinds() -> NDArray[np.uint8]:
    kinds = np.zeros(CODE_POINTS, np.uint8)
    for bit, characters in (
        (_BREAK, _LINE_BREAKS),
        (_OPENS_LINE, OPENING_CHARACTERS),
        (_SPACE, " "),
    ):
        kinds[list(map(ord, characters))] |= np.uint8(bit)
    return kinds


def _lone_word(word: str, rules: NameRules) -> int:
    """Return what a word is as a name of its own, as bits."""
    may, is_rare = may_name(word, rules), is_rare_name(word, rules)
    return _MAY_NAME * may + _RARE * is_rare + _LOWER * word[1:].islower()


@lru_cache(maxsize=128)
def _lone_words(rules: NameRules) -> Memo[str, int]:
    return Memo(lambda word: _lone_word(word, rules))


def _bits(words: Sequence[str], kinds: dict[str, int]) -> Ints:
    return np.fromiter(map(kinds.__getitem__, words), np.int64, len(words))


def _candidates(runs: _Runs, rules: NameRules) -> _Mentions:
    """Return what may be a name of each run, as `run_candidates` has it."""
    words, count = runs.words, len(runs.words)
    sizes = _lengths(words)
    firsts = [run.partition(" ")[0] for run in words]
    first = _bits(firsts, run_words(rules))
    last = _bits([run.rpartition(" ")[2] for run in words], run_words(rules))
    is_lone, is_led = _lengths(firsts) == sizes, (first & LEADING) > 0
    is_upper = np.fromiter(map(str.isupper, words), bool, count)
    # Nothing is cut off: several words are a name then, and one may be.
    is_whole = ~is_led & ((last & CUT_BEHIND) == 0) & (sizes > 1) & (sizes <= MAX_NAME_LENGTH)
    is_whole &= is_lone | (((first & OPENING) == 0) & ~is_upper)
    if rules.language in ELIDING:
        is_whole &= ~runs.is_initial
    if "\u00a0" in "".join(words):
        is_whole &= np.fromiter(("\u00a0" not in run for run in words), bool, count)
    alone = np.zeros(count, np.int64)
    lone = np.flatnonzero(is_lone & is_whole)
    alone[lone] = _bits([words[place] for place in lone.tolist()], _lone_words(rules))
    is_name = is_whole & (~is_lone | ((alone & _MAY_NAME) > 0))
    is_sure = ~(runs.is_initial & ((alone & _LOWER) > 0))
    is_rare = (alone & _RARE) > 0
    starts, names = runs.starts.copy(), words.copy()
    others = run_candidates(rules)
    for place in np.flatnonzero(~is_whole & ~(is_lone & is_led)).tolist():
        candidate = others[words[place], bool(runs.is_initial[place])]
        if candidate is not None:
            offset, names[place], is_sure[place] = candidate
            starts[place] += offset
            is_name[place] = True
            is_rare[place] = " " not in candidate.name and is_rare_name(candidate.name, rules)
    is_sure &= ~runs.in_headline
    mentions = _Mentions(runs.texts, starts, names, is_sure, is_rare)
    return mentions.at(np.flatnonzero(is_name))


def _selected(candidates: _Mentions, texts: Sequence[str], rules: NameRules) -> _Mentions:
    """Return the candidates that are names, as `names_among` selects them."""
    if rules.language in NOUN_CAPITALS:
        bounds = np.searchsorted(candidates.texts, np.arange(len(texts) + 1)).tolist()
        return _Mentions.of(
            [
                (number, candidate)
                for number, (start, end) in enumerate(pairwise(bounds))
                for candidate in names_among(candidates.part(start, end), texts[number], rules)
            ]
        )
    is_name = _are_confirmed(candidates) | candidates.is_rare
    # A lone word is a name or none, of several words some may be.
    is_lone = np.array([" " not in name for name in candidates.names], bool)
    parts: list[tuple[int, Candidate]] = []
    confirmed = Memo(candidates.sure_words)
    for place in np.flatnonzero(~is_name & ~is_lone).tolist():
        text, (candidate,) = int(candidates.texts[place]), candidates.part(place, place + 1)
        for name in unconfirmed_names(candidate, confirmed[text], rules):
            if name is candidate:
                is_name[place] = True
            else:
                parts.append((text, name))
    names = candidates.at(np.flatnonzero(is_name))
    return _joined(names, _Mentions.of(parts)) if parts else names


def _joined(some: _Mentions, others: _Mentions) -> _Mentions:
    """Return all mentions of both, in the order of the texts."""
    mentions = _Mentions(
        np.concatenate([some.texts, others.texts]),
        np.concatenate([some.starts, others.starts]),
        some.names + others.names,
        np.concatenate([some.is_sure, others.is_sure]),
        np.concatenate([some.is_rare, others.is_rare]),
    )
    return mentions.at(np.lexsort((mentions.starts, mentions.texts)))


def _are_confirmed(candidates: _Mentions) -> NDArray[np.bool_]:
    """Return which candidates are sure, or named by one of the same text that is."""
    is_confirmed: NDArray[np.bool_] = candidates.is_sure.copy()
    names = candidates.by_name
    if len(names.order):
        has_sure = np.logical_or.reduceat(is_confirmed[names.order], names.firsts)
        is_confirmed[names.order] = np.repeat(has_sure, names.counts)
    return is_confirmed


def _merged(mentions: _Mentions, count: int) -> Iterator[NamedEntities]:
    """Yield the entities of each of so many texts, in the order of their first mentions."""
    names = mentions.by_name
    counts, first = names.counts, names.order[names.firsts]
    by_place = np.argsort(first)
    shown = [mentions.names[place] for place in first.tolist()]
    for name in np.flatnonzero(names.differ(mentions.names)).tolist():
        start = names.firsts[name]
        forms = [mentions.names[place] for place in names.order[start : start + counts[name]]]
        shown[name] = Counter(forms).most_common(1)[0][0]
    ordered = [shown[name] for name in by_place.tolist()]
    counts_of = counts[by_place].tolist()
    bounds = np.searchsorted(mentions.texts[first[by_place]], np.arange(count + 1)).tolist()
    for start, end in pairwise(bounds):
        spans = partial(_spans, mentions, names, by_place[start:end])
        yield NamedEntities(ordered[start:end], counts_of[start:end], spans)


def _spans(mentions: _Mentions, names: _Names, chosen: Ints) -> Iterator[Spans]:
    """Yield the offsets of the mentions of each of some names."""
    for name in chosen.tolist():
        start = names.firsts[name]
        places = names.order[start : start + names.counts[name]].tolist()
        starts = mentions.starts[places].tolist()
        yield tuple(
            (start, start + len(mentions.names[place]))
            for start, place in zip(starts, places, strict=True)
        )
