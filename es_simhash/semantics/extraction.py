"""The output of extractors: words, entities and phrases of a text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Entity:
    """A named entity: a person, an organisation, a place or another thing with a name.

    Attributes:
        text: Its surface form, the most frequent one when it has several.
        count: Number of mentions.
        spans: Offsets of the mentions in the original text, in characters; empty when the entity
            comes from a field without offsets.
        label: Its type by the extractor, such as PERSON; empty when unknown.
    """

    text: str
    count: int = 1
    spans: Spans = ()
    label: str = ""


@dataclass(frozen=True)
class Phrase:
    """A key phrase: words in their normal forms, joined by a space."""

    text: str
    count: int = 1
    spans: Spans = ()


@dataclass(frozen=True)
class Extraction:
    """Words, entities and phrases of one text.

    Attributes:
        language: ISO 639-1 code of the language; empty when unknown.
        words: Content words in normal form (lower case, without inflection where the language is
            known), with their counts.
        forms: The same words as written, in lower case, by which word vectors are looked up;
            empty when the extractor returns none.
        entities: Named entities, each once, in the order of their first mention.
        phrases: Key phrases, each once, in the order of their first mention.
    """

    language: str = ""
    words: Mapping[str, int] = field(default_factory=dict)
    forms: Mapping[str, int] = field(default_factory=dict)
    entities: tuple[Entity, ...] = ()
    phrases: tuple[Phrase, ...] = ()


class Extractor(Protocol):
    """Anything that extracts words, entities and phrases from texts."""

    @property
    def name(self) -> str:
        """Published name, with everything that the output depends on."""

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Return one extraction for each text of a batch, in order."""
