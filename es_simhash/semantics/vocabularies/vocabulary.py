"""Vocabularies: concepts with labels in several languages, and how they are matched in texts.

Labels and texts are analysed into the same words, so `interest rates` matches `Interest rate`, and
the longest label wins. Stop words and single letters are no labels, short capitals match capitals
only, and a label of one Chinese character only a word of its own. A matched concept adds weight to
the broader ones, less at each level.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import hypot
from typing import Any, NamedTuple

from es_simhash.errors import InputError
from es_simhash.semantics.semantic_profile import Spans
from es_simhash.semantics.vocabularies.label_texts import primary_language
from es_simhash.semantics.vocabularies.matching import (
    ConceptMentions,
    LabelIndex,
    group_mentions,
    index_labels,
)

DEFAULT_LANGUAGE = "en"
DEFAULT_DECAY = 0.5
DEFAULT_LEVELS = 2
VOCABULARY_FORMAT = "es-simhash-vocabulary-v1"
# Codes of one language for our purpose: texts are recognised as nb, and many thesauri say no.
_ALIKE = {"nb": ("no", "nn"), "no": ("nb", "nn"), "nn": ("no", "nb")}


@dataclass(frozen=True)
class Concept:
    """A concept of a vocabulary.

    Attributes:
        id: Identifier in the file.
        preferred: The label to show, by language; an empty language is every language.
        labels: All labels by language, including the preferred ones.
        broader: Ids of the next broader concepts.
    """

    id: str
    preferred: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    broader: tuple[str, ...] = ()


@dataclass(frozen=True)
class ConceptMatch:
    """A concept of a vocabulary that a text mentions, itself or by narrower ones.

    Attributes:
        id: Its id in the vocabulary.
        label: Its preferred label.
        count: Number of mentions; 0 when only narrower concepts are mentioned.
        spans: Offsets of the mentions in the text, in characters.
        weight: 1 + ln(count) when it is mentioned, divided by the number of concepts that share the
            label; decay ** level of that of a narrower concept mentioned. Several add up to the
            root of the sum of squares, or else the root of the hierarchy would weigh most.
        via: Preferred labels of the narrower concepts mentioned, the heaviest first.
        level: Levels down to the nearest mention; 0 when it is mentioned itself.
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
    """Concepts to match in texts.

    Attributes:
        concepts: The concepts by id.
        language: Language of texts whose own is unknown or not in the vocabulary.
        decay: Share of a narrower concept's weight that a broader one gets, for each level.
        levels: Number of levels up to which weight is added.
        problems: Irregularities of the file and how they were handled, a sentence each.

    Raises:
        InputError: The decay is not from 0 to 1, or the levels are negative.
    """

    concepts: Mapping[str, Concept]
    language: str = DEFAULT_LANGUAGE
    decay: float = DEFAULT_DECAY
    levels: int = DEFAULT_LEVELS
    problems: tuple[str, ...] = ()
    # Computed when first needed.
    _indexes: dict[str, "_LanguageIndex"] = field(default_factory=dict, init=False, compare=False)
    _above: dict[str, tuple[tuple[str, int], ...]] = field(
        default_factory=dict, init=False, compare=False
    )

    def __post_init__(self) -> None:
        if not 0 <= self.decay <= 1:
            raise InputError(f"decay must be between 0 and 1, got {self.decay}.")
        if self.levels < 0:
            raise InputError(f"levels must be 0 or more, got {self.levels}.")

    def __repr__(self) -> str:
        return (
            f"Vocabulary({len(self.concepts)} concepts, language={self.language!r}, "
            f"decay={self.decay}, levels={self.levels}, {len(self.problems)} problems)"
        )

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Languages of the labels; empty for labels without a language."""
        return tuple(sorted({tag for concept in self.concepts.values() for tag in concept.labels}))

    def label(self, id: str, language: str = "") -> str:
        """Return the preferred label of a concept: in the language, or else in another one."""
        concept = self.concepts[id]
        preferred = concept.preferred or {tag: labels[0] for tag, labels in concept.labels.items()}
        return preferred.get(self._nearest(preferred, primary_language(language)), id)

    def find(self, text: str, language: str = "") -> list[ConceptMatch]:
        """Return the concepts that a text mentions, and their broader ones, heaviest first.

        The first call for a language indexes all labels of that language.
        """
        index = self._index(language)
        named = group_mentions(index.labels.mentions(text))
        narrower = self._narrower(named)
        matches = [
            _match(id, named.get(id, ConceptMentions()), narrower.get(id, []), index.preferred)
            for id in dict.fromkeys([*named, *narrower])
        ]
        return sorted(matches, key=lambda match: (-match.weight, match.level, match.id))

    def to_json(self) -> str:
        """Return the vocabulary as JSON, which loads many times faster than a taxonomy."""
        return json.dumps(
            {
                "format": VOCABULARY_FORMAT,
                "language": self.language,
                "decay": self.decay,
                "levels": self.levels,
                "problems": self.problems,
                "concepts": [
                    [concept.id, concept.preferred, concept.labels, concept.broader]
                    for concept in self.concepts.values()
                ],
            },
            ensure_ascii=False,
            separators=(",", ":"),
        )

    @staticmethod
    def from_json(text: str) -> "Vocabulary":
        """Return the vocabulary that `to_json` wrote.

        Raises:
            InputError: The text is something else.
        """
        try:
            return _from_object(json.loads(text))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise InputError(
                f"This is not a vocabulary in the form {VOCABULARY_FORMAT}: "
                "write it again with to_json."
            ) from error

    def _index(self, language: str) -> "_LanguageIndex":
        known = [tag for tag in _tags(primary_language(language)) if tag in self.languages]
        wanted = next(filter(None, known), self.language)
        if wanted not in self._indexes:
            preferred = {id: self.label(id, wanted) for id in self.concepts}
            self._indexes[wanted] = _LanguageIndex(
                index_labels(self._labels(wanted), wanted), preferred
            )
        return self._indexes[wanted]

    def _nearest(self, tags: Iterable[str], language: str) -> str:
        """Return the best of some languages for a preferred one; empty when there are none."""
        wanted = (*_tags(language or self.language), "", *_tags(self.language))
        present = sorted(tags)
        return next((tag for tag in wanted if tag in present), present[0] if present else "")

    def _labels(self, language: str) -> Iterator[tuple[str, str]]:
        """Yield labels with their concept ids: of one language, or else of another one."""
        for concept in self.concepts.values():
            tags = {self._nearest(concept.labels, language), ""}
            yield from (
                (label, concept.id) for tag in sorted(tags) for label in concept.labels.get(tag, ())
            )

    def _narrower(self, named: Mapping[str, ConceptMentions]) -> dict[str, list["_Narrower"]]:
        """Return what each concept mentioned adds to each of its broader ones."""
        narrower: dict[str, list[_Narrower]] = {}
        for id, mentions in named.items():
            own = mentions.weight
            for above, level in self._broader(id):
                weight = own * self.decay**level
                narrower.setdefault(above, []).append(_Narrower(-weight, level, id))
        return narrower

    def _broader(self, id: str) -> tuple[tuple[str, int], ...]:
        """Return the broader concepts with their levels on the shortest path; cycles are safe."""
        if id not in self._above:
            levels = {id: 0}
            narrower = [id]
            for level in range(1, self.levels + 1 if self.decay else 1):
                above = dict.fromkeys(
                    broad for narrow in narrower for broad in self.concepts[narrow].broader
                )
                narrower = [id for id in above if id not in levels and id in self.concepts]
                levels.update(dict.fromkeys(narrower, level))
            self._above[id] = tuple(levels.items())[1:]
        return self._above[id]


def _tags(language: str) -> tuple[str, ...]:
    """Return the codes under which labels of a language may be, its own first."""
    return (language, *_ALIKE.get(language, ()))


@dataclass(frozen=True)
class _LanguageIndex:
    """A vocabulary in one language: its labels, and the preferred one of each concept."""

    labels: LabelIndex
    preferred: Mapping[str, str]


class _Narrower(NamedTuple):
    """Weight that a narrower concept adds; as tuples they sort the heaviest first."""

    minus_weight: float
    level: int
    id: str


def _match(
    id: str, named: ConceptMentions, narrower: list[_Narrower], preferred: Mapping[str, str]
) -> ConceptMatch:
    heaviest = sorted(narrower) if len(narrower) > 1 else narrower
    return ConceptMatch(
        id,
        preferred[id],
        len(named.spans),
        tuple(named.spans),
        hypot(named.weight, *[concept.minus_weight for concept in narrower]),
        tuple(dict.fromkeys([preferred[concept.id] for concept in heaviest])),
        0 if named.spans else min([concept.level for concept in narrower]),
    )


def _from_object(content: Mapping[str, Any]) -> Vocabulary:
    if content["format"] != VOCABULARY_FORMAT:
        raise ValueError
    concepts = (
        Concept(
            id, preferred, {tag: tuple(of_tag) for tag, of_tag in labels.items()}, tuple(broader)
        )
        for id, preferred, labels, broader in content["concepts"]
    )
    return Vocabulary(
        {concept.id: concept for concept in concepts},
        content["language"],
        content["decay"],
        content["levels"],
        tuple(content["problems"]),
    )
