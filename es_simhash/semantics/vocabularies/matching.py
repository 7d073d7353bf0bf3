"""Matching of the labels of a vocabulary in a text: longest first, in linear time."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import log
from typing import TypeVar

from es_simhash.semantics.languages.word_lists import is_stop_word
from es_simhash.semantics.languages.words import Word, words_with_offsets

# A short label in capitals is an abbreviation, matched in capitals only: AIDS is not aid.
MAX_ABBREVIATION_LENGTH = 5

_DIGITS = re.compile(r"\d+")
# Between two words these separate phrases, so that no label spans them.
_BREAK = re.compile(r"[.,;:!?…()\[\]،؛؟。，、；：！？।]|\n\s*\n")
_POSSESSIVE = re.compile(r"['’]s$|(?<=[A-Z])s$")
# Before a unit that begins inside the one before it: 東京都 is not 東京 and 京都 side by side.
_INSIDE = "+"
# Labels are analysed in batches of this many; larger ones would only cost memory.
_BATCH = 4096

Units = tuple[str, ...]
Key = TypeVar("Key")


@dataclass(frozen=True)
class Mention:
    """Offsets of a label in a text, and its concepts: several when they share the label."""

    concepts: tuple[str, ...]
    start: int
    end: int


@dataclass
class ConceptMentions:
    """The mentions of one concept.

    Attributes:
        spans: Their offsets, in order.
        shares: Sum of its shares in them: one half of a mention whose label two concepts share.
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
        language: ISO 639-1 code of the language of labels and texts.
        concepts: Ids of the concepts of each label, by its words in normal form (`_joined`).
        lengths: Numbers of words of the labels that begin with a word.
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

        Of overlapping ones the one of more words wins, then the one that begins first.
        """
        units = _units(text, self.language)
        # Abbreviations first, so that CAP is the policy and not a cap.
        candidates = [*self._abbreviations(text, units), *self._phrases(text, units)]
        candidates.sort(key=lambda candidate: (-candidate[0], candidate[1].start))
        taken = bytearray(len(text))
        chosen = []
        for _, mention in candidates:
            if taken.find(1, mention.start, mention.end) < 0:
                taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
                chosen.append(mention)
        return sorted(chosen, key=lambda mention: mention.start)

    def _phrases(self, text: str, units: list[Word]) -> Iterator[tuple[int, Mention]]:
        """Yield mentions by words, with their number of words; they may overlap."""
        normals = [unit.normal for unit in units]
        joined = _joined(units)
        lengths, concepts = self.lengths, self.concepts
        starts = [first for first, normal in enumerate(normals) if normal in lengths]
        for first in starts:
            for length in lengths[normals[first]]:
                key = (normals[first], *joined[first + 1 : first + length])
                if key in concepts and len(key) == length:
                    run = units[first : first + length]
                    if length == 1 or key in self.punctuated or not _is_broken(text, run):
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
    """Return the index of (label, concept id) pairs in one language.

    Stop words and single letters are left out, since every text has them.
    """
    pairs = list(dict.fromkeys(labels))
    # Where most labels are in capitals, capitals do not mark abbreviations.
    has_abbreviations = sum(label.isupper() for label, _ in pairs) * 2 < len(pairs)
    index = LabelIndex(language)
    lengths: dict[str, set[int]] = {}
    for (label, concept), units in zip(pairs, _label_units(pairs, language), strict=True):
        if has_abbreviations and _is_abbreviation(label, units):
            _add(index.abbreviations, label, concept)
        elif units and not _is_too_common(units, language):
            _add(index.concepts, units, concept)
            lengths.setdefault(units[0], set()).add(len(units))
            if len(units) > 1 and _BREAK.search(label):
                index.punctuated.add(units)
    index.lengths = {
        first: tuple(sorted(of_first, reverse=True)) for first, of_first in lengths.items()
    }
    return index


def group_mentions(mentions: Iterable[Mention]) -> dict[str, ConceptMentions]:
    """Return the mentions of each concept, in the order of its first mention."""
    named: dict[str, ConceptMentions] = {}
    for mention in mentions:
        for id in mention.concepts:
            of_concept = named.setdefault(id, ConceptMentions())
            of_concept.spans.append((mention.start, mention.end))
            of_concept.shares += 1 / len(mention.concepts)
    return named


def _add(table: dict[Key, tuple[str, ...]], key: Key, concept: str) -> None:
    known = table.get(key, ())
    if concept not in known:
        table[key] = (*known, concept)


def _label_units(pairs: list[tuple[str, str]], language: str) -> Iterator[Units]:
    """Yield the words of each label; in batches this is several times faster."""
    for first in range(0, len(pairs), _BATCH):
        labels = [label for label, _ in pairs[first : first + _BATCH]]
        units = iter(_units("\n".join(labels), language))
        unit = next(units, None)
        end = 0
        for label in labels:
            end += len(label) + 1
            own = []
            while unit and unit.start < end:
                own.append(unit)
                unit = next(units, None)
            yield tuple(_joined(own))


def _units(text: str, language: str) -> list[Word]:
    """Return words and numbers of a text, in order: COVID-19 is more than Covid."""
    words = words_with_offsets(text, language)
    numbers = [Word(match.group(), *match.span()) for match in _DIGITS.finditer(text)]
    return sorted([*words, *numbers], key=lambda unit: unit.start) if numbers else words


def _joined(units: list[Word]) -> list[str]:
    """Return the units in normal form, marked where they begin inside the one before."""
    end = 0
    joined = []
    for normal, start, after in units:
        joined.append(normal if start >= end else _INSIDE + normal)
        end = after
    return joined


def _is_broken(text: str, run: list[Word]) -> bool:
    """Check whether punctuation or an empty line separates the words."""
    return any(
        _BREAK.search(text, before.end, after.start) is not None for before, after in pairwise(run)
    )


def _is_abbreviation(label: str, units: Units) -> bool:
    short = len(units) == 1 and 1 < len(label) <= MAX_ABBREVIATION_LENGTH
    return short and label.isupper() and label.isalpha()


def _is_too_common(units: Units, language: str) -> bool:
    """Check whether a label is a stop word, or a letter of a script that has letters."""
    if len(units) > 1:
        return False
    (unit,) = units
    return is_stop_word(unit, language) or (len(unit) == 1 and unit.lower() != unit.upper())
