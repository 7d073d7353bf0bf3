"""Where the labels of a vocabulary stand in a text: the longest first, in linear time."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import log
from typing import TypeVar

from es_simhash.semantics.languages.words import Word, is_stop, read_words

# A short label in capitals is an abbreviation, found in capitals only: AIDS is not aid.
LONGEST_ABBREVIATION = 5

_DIGITS = re.compile(r"\d+")
# Between the words of a label these mean that the text has ended one thing and begun another.
_BREAK = re.compile(r"[.,;:!?…()\[\]،؛؟。，、；：！？।]|\n\s*\n")
_POSSESSIVE = re.compile(r"['’]s$|(?<=[A-Z])s$")
# Labels are read together; more at a time would only cost memory.
_TOGETHER = 4096

Units = tuple[str, ...]
Key = TypeVar("Key")


@dataclass(frozen=True)
class Mention:
    """A place where a text names concepts: several when a label belongs to several."""

    concepts: tuple[str, ...]
    start: int
    end: int


@dataclass
class Named:
    """The mentions of one concept.

    Attributes:
        spans: Their offsets, in order.
        shares: Sum of its shares in them: a half of a mention whose label belongs to two.
    """

    spans: list[tuple[int, int]] = field(default_factory=list)
    shares: float = 0

    @property
    def weight(self) -> float:
        """Weight of the concept in the text, by its own mentions."""
        count = len(self.spans)
        return (1 + log(count)) * self.shares / count if count else 0


@dataclass
class LabelIndex:
    """The labels of a vocabulary as the words of one language.

    Attributes:
        language: ISO 639-1 code of the language that labels and texts are read as.
        concepts: Ids of the concepts of each label, by its words in normal form.
        lengths: How many words the labels that begin with a word have.
        abbreviations: Ids of the concepts of each abbreviation.
        punctuated: Labels that hold punctuation, which their mentions may then hold too.
    """

    language: str
    concepts: dict[Units, tuple[str, ...]] = field(default_factory=dict)
    lengths: dict[str, tuple[int, ...]] = field(default_factory=dict)
    abbreviations: dict[str, tuple[str, ...]] = field(default_factory=dict)
    punctuated: set[Units] = field(default_factory=set)

    def mentions(self, text: str) -> list[Mention]:
        """Return the mentions in the order of the text; none overlaps another.

        Of two that would overlap the one of more words is taken, then the one that begins first.
        """
        units = _units(text, self.language)
        # Abbreviations first, so that CAP is the policy and not a cap.
        found = [*self._abbreviations(text, units), *self._phrases(text, units)]
        found.sort(key=lambda each: (-each[0], each[1].start))
        taken = bytearray(len(text))
        chosen = []
        for _, mention in found:
            if taken.find(1, mention.start, mention.end) < 0:
                taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
                chosen.append(mention)
        return sorted(chosen, key=lambda mention: mention.start)

    def _phrases(self, text: str, units: list[Word]) -> Iterator[tuple[int, Mention]]:
        """Mentions by words, each with their number, overlapping ones too."""
        normals = tuple([unit.normal for unit in units])
        lengths, concepts = self.lengths, self.concepts
        starts = [first for first, normal in enumerate(normals) if normal in lengths]
        for first in starts:
            for length in lengths[normals[first]]:
                key = normals[first : first + length]
                if key in concepts and len(key) == length:
                    run = units[first : first + length]
                    if length == 1 or key in self.punctuated or not _broken(text, run):
                        yield length, Mention(concepts[key], run[0].start, run[-1].end)

    def _abbreviations(self, text: str, units: list[Word]) -> Iterator[tuple[int, Mention]]:
        if not self.abbreviations:
            return
        for _, start, end in units:
            # An abbreviation has two capitals at least, which few words of a text have.
            if text[start : start + 2].isupper():
                form = _POSSESSIVE.sub("", text[start:end])
                if form in self.abbreviations:
                    yield 1, Mention(self.abbreviations[form], start, start + len(form))


def index_labels(labels: Iterable[tuple[str, str]], language: str) -> LabelIndex:
    """Return the index of (label, concept id) pairs, read as one language.

    Stop words and single letters are left out, since every text has them.
    """
    pairs = list(dict.fromkeys(labels))
    # In a vocabulary that is in capitals throughout they say nothing about a label.
    capitals = sum(label.isupper() for label, _ in pairs) * 2 < len(pairs)
    index = LabelIndex(language)
    lengths: dict[str, set[int]] = {}
    for (label, concept), units in zip(pairs, _read_labels(pairs, language), strict=True):
        if capitals and _is_abbreviation(label, units):
            _add(index.abbreviations, label, concept)
        elif units and not _is_everywhere(units, language):
            _add(index.concepts, units, concept)
            lengths.setdefault(units[0], set()).add(len(units))
            if len(units) > 1 and _BREAK.search(label):
                index.punctuated.add(units)
    index.lengths = {first: tuple(sorted(some, reverse=True)) for first, some in lengths.items()}
    return index


def group_mentions(mentions: Iterable[Mention]) -> dict[str, Named]:
    """Return the mentions of each concept, in the order of the first ones."""
    named: dict[str, Named] = {}
    for mention in mentions:
        for id in mention.concepts:
            each = named.setdefault(id, Named())
            each.spans.append((mention.start, mention.end))
            each.shares += 1 / len(mention.concepts)
    return named


def _add(table: dict[Key, tuple[str, ...]], key: Key, concept: str) -> None:
    known = table.get(key, ())
    if concept not in known:
        table[key] = (*known, concept)


def _read_labels(pairs: list[tuple[str, str]], language: str) -> Iterator[Units]:
    """Words of each label; many are read at once, which is several times faster than each."""
    for first in range(0, len(pairs), _TOGETHER):
        labels = [label for label, _ in pairs[first : first + _TOGETHER]]
        units = iter(_units("\n".join(labels), language))
        unit = next(units, None)
        end = 0
        for label in labels:
            end += len(label) + 1
            own = []
            while unit and unit.start < end:
                own.append(unit.normal)
                unit = next(units, None)
            yield tuple(own)


def _units(text: str, language: str) -> list[Word]:
    """Words and numbers of a text, in order: COVID-19 is more than Covid."""
    words = read_words(text, language)
    numbers = [Word(match.group(), *match.span()) for match in _DIGITS.finditer(text)]
    return sorted([*words, *numbers], key=lambda unit: unit.start) if numbers else words


def _broken(text: str, run: list[Word]) -> bool:
    """Whether punctuation or an empty line stands between the words."""
    return any(
        _BREAK.search(text, before.end, after.start) is not None for before, after in pairwise(run)
    )


def _is_abbreviation(label: str, units: Units) -> bool:
    short = len(units) == 1 and 1 < len(label) <= LONGEST_ABBREVIATION
    return short and label.isupper() and label.isalpha()


def _is_everywhere(units: Units, language: str) -> bool:
    """Whether a label is a stop word, or a letter of a script that has letters."""
    if len(units) > 1:
        return False
    (unit,) = units
    return is_stop(unit, language) or (len(unit) == 1 and unit.lower() != unit.upper())
