"""Vocabularies: concepts with labels in several languages, and those that a text is about.

Labels and texts are read as the same words, so `interest rates` is found as `Interest rate`, and
the longest label counts. Stop words and single letters are no labels, short capitals are found in
capitals only, and a label of one Chinese character only where it stands alone. A concept that is
found makes the broader ones count too, less at each level.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import hypot
from typing import Any, NamedTuple

from es_simhash.errors import InputError
from es_simhash.semantics.extraction import Spans
from es_simhash.semantics.vocabulary.labels import primary_language
from es_simhash.semantics.vocabulary.matching import LabelIndex, Named, group_mentions, index_labels

LANGUAGE = "en"
DECAY = 0.5
LEVELS = 2
FORMAT = "es-simhash-vocabulary-v1"


@dataclass(frozen=True)
class Concept:
    """An identified meaning.

    Attributes:
        id: Its name in the file it comes from.
        preferred: The label to show, by language; an empty language is every language.
        labels: All labels to look for by language, the preferred ones among them.
        broader: Ids of the concepts right above it.
    """

    id: str
    preferred: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    broader: tuple[str, ...] = ()


@dataclass(frozen=True)
class FoundConcept:
    """A concept that a text is about.

    Attributes:
        id: Its id in the vocabulary.
        label: Its preferred label.
        count: How often the text names it; 0 when only narrower concepts are named.
        spans: Offsets of the mentions in the text, in characters.
        weight: 1 + ln(count) when it is named, divided by the number of concepts that share the
            label; decay ** level of that of a narrower concept named. Several make the root of
            the sum of their squares, or else what is above everything would weigh most.
        via: Preferred labels of the narrower concepts named, those that weigh most first.
        level: How many levels below it the nearest mention is; 0 when it is named itself.
    """

    id: str
    label: str
    count: int
    spans: Spans
    weight: float
    via: tuple[str, ...] = ()
    level: int = 0


@dataclass(frozen=True, repr=False)
class Vocabulary:
    """Concepts to find in texts.

    Attributes:
        concepts: The concepts by id.
        language: Language of texts whose own is unknown or not in the vocabulary.
        decay: What a broader concept gets of a narrower one's weight, for each level.
        levels: How many levels up concepts count.
        problems: What was strange in the file and how it was handled, a sentence each.

    Raises:
        InputError: The decay is not from 0 to 1, or the levels are negative.
    """

    concepts: Mapping[str, Concept]
    language: str = LANGUAGE
    decay: float = DECAY
    levels: int = LEVELS
    problems: tuple[str, ...] = ()
    # What was made of the concepts already: it is made when it is first needed.
    _readings: dict[str, "_Reading"] = field(default_factory=dict, init=False, compare=False)
    _above: dict[str, tuple[tuple[str, int], ...]] = field(
        default_factory=dict, init=False, compare=False
    )

    def __post_init__(self) -> None:
        if not 0 <= self.decay <= 1:
            raise InputError(f"The decay per level is {self.decay}: give a number from 0 to 1.")
        if self.levels < 0:
            raise InputError(f"The levels are {self.levels}: give 0 or more.")

    def __repr__(self) -> str:
        return (
            f"Vocabulary({len(self.concepts)} concepts, language={self.language!r}, "
            f"decay={self.decay}, levels={self.levels}, {len(self.problems)} problems)"
        )

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Languages that labels are in; an empty one stands for labels of no language."""
        return tuple(sorted({tag for each in self.concepts.values() for tag in each.labels}))

    def label(self, id: str, language: str = "") -> str:
        """Return the label to show for a concept: in the language, or else in another one."""
        concept = self.concepts[id]
        preferred = concept.preferred or {tag: some[0] for tag, some in concept.labels.items()}
        return preferred.get(self._nearest(preferred, primary_language(language)), id)

    def find(self, text: str, language: str = "") -> list[FoundConcept]:
        """Return the concepts that a text is about, and those above them, heaviest first.

        The first call for a language reads all labels of that language.
        """
        reading = self._reading(language)
        named = group_mentions(reading.index.mentions(text))
        lower = self._lower(named)
        found = [
            _found(id, named.get(id, Named()), lower.get(id, []), reading.shown)
            for id in dict.fromkeys([*named, *lower])
        ]
        return sorted(found, key=lambda each: (-each.weight, each.level, each.id))

    def to_json(self) -> str:
        """Return the vocabulary in a form that loads many times faster than a taxonomy."""
        return json.dumps(
            {
                "format": FORMAT,
                "language": self.language,
                "decay": self.decay,
                "levels": self.levels,
                "problems": self.problems,
                "concepts": [
                    [each.id, each.preferred, each.labels, each.broader]
                    for each in self.concepts.values()
                ],
            },
            ensure_ascii=False,
            separators=(",", ":"),
        )

    @staticmethod
    def from_json(text: str) -> "Vocabulary":
        """Return the vocabulary that `to_json` wrote.

        Raises:
            InputError: It did not write this.
        """
        try:
            return _from_object(json.loads(text))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise InputError(
                f"This is not a vocabulary in the form {FORMAT}: write it again with to_json."
            ) from error

    def _reading(self, language: str) -> "_Reading":
        wanted = primary_language(language)
        if not wanted or wanted not in self.languages:
            wanted = self.language
        if wanted not in self._readings:
            shown = {id: self.label(id, wanted) for id in self.concepts}
            self._readings[wanted] = _Reading(index_labels(self._labels(wanted), wanted), shown)
        return self._readings[wanted]

    def _nearest(self, tags: Iterable[str], language: str) -> str:
        """Which of some languages to take for the one wanted; it does not say "none"."""
        wanted = (language or self.language, "", self.language)
        present = sorted(tags)
        return next((tag for tag in wanted if tag in present), present[0] if present else "")

    def _labels(self, language: str) -> Iterator[tuple[str, str]]:
        """Labels to look for with the id of each: of one language, or else of another one."""
        for concept in self.concepts.values():
            tags = {self._nearest(concept.labels, language), ""}
            yield from (
                (label, concept.id) for tag in sorted(tags) for label in concept.labels.get(tag, ())
            )

    def _lower(self, named: Mapping[str, Named]) -> dict[str, list["_Narrower"]]:
        """For each concept above those named: what each of them gives it."""
        lower: dict[str, list[_Narrower]] = {}
        for id, mentions in named.items():
            own = mentions.weight
            for above, level in self._broader(id):
                weight = own * self.decay**level
                lower.setdefault(above, []).append(_Narrower(-weight, level, id))
        return lower

    def _broader(self, id: str) -> tuple[tuple[str, int], ...]:
        """Concepts above one, each with its level on the shortest way; cycles do no harm."""
        if id not in self._above:
            levels = {id: 0}
            row = [id]
            for level in range(1, self.levels + 1 if self.decay else 1):
                above = dict.fromkeys(each for low in row for each in self.concepts[low].broader)
                row = [each for each in above if each not in levels and each in self.concepts]
                levels.update(dict.fromkeys(row, level))
            self._above[id] = tuple(levels.items())[1:]
        return self._above[id]


@dataclass(frozen=True)
class _Reading:
    """A vocabulary in one language: where to find its labels, and the one to show of each."""

    index: LabelIndex
    shown: Mapping[str, str]


class _Narrower(NamedTuple):
    """What a narrower concept gives; as tuples they sort the heaviest first."""

    minus_weight: float
    level: int
    id: str


def _found(id: str, named: Named, lower: list[_Narrower], shown: Mapping[str, str]) -> FoundConcept:
    heaviest = sorted(lower) if len(lower) > 1 else lower
    return FoundConcept(
        id,
        shown[id],
        len(named.spans),
        tuple(named.spans),
        hypot(named.weight, *[each.minus_weight for each in lower]),
        tuple(dict.fromkeys([shown[each.id] for each in heaviest])),
        0 if named.spans else min([each.level for each in lower]),
    )


def _from_object(content: Mapping[str, Any]) -> Vocabulary:
    if content["format"] != FORMAT:
        raise ValueError
    concepts = (
        Concept(id, preferred, {tag: tuple(some) for tag, some in labels.items()}, tuple(broader))
        for id, preferred, labels, broader in content["concepts"]
    )
    return Vocabulary(
        {each.id: each for each in concepts},
        content["language"],
        content["decay"],
        content["levels"],
        tuple(content["problems"]),
    )
