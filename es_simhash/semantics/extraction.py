"""What an extractor gives: the same output whatever extracts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Entity:
    """A person, an organisation, a place, or another thing with a name.

    Attributes:
        text: Its surface form, the most frequent one when it has several.
        count: How often it is mentioned.
        spans: Offsets of the mentions in the original text, in characters; empty when the entity
            comes from a field that has none.
        label: Its type in the words of whoever found it, such as PERSON; empty when unknown.
    """

    text: str
    count: int = 1
    spans: Spans = ()
    label: str = ""


@dataclass(frozen=True)
class Phrase:
    """Words that stand together as one idea, in their normal forms joined by a space."""

    text: str
    count: int = 1
    spans: Spans = ()


@dataclass(frozen=True)
class Extraction:
    """What one text is about.

    Attributes:
        language: ISO 639-1 code of the language it was read as; empty when unknown.
        words: Content words in normal form (lower case, without inflection where the language is
            known), and how often each occurs.
        forms: The same words as they stand in the text, in lower case, which word vectors know;
            empty when the extractor keeps none.
        entities: Named entities, each once, in the order of their first mention.
        phrases: Key phrases, each once, in the order of their first mention.
    """

    language: str = ""
    words: Mapping[str, int] = field(default_factory=dict)
    forms: Mapping[str, int] = field(default_factory=dict)
    entities: tuple[Entity, ...] = ()
    phrases: tuple[Phrase, ...] = ()


class Extractor(Protocol):
    """Anything that reads texts."""

    @property
    def name(self) -> str:
        """Published name, which says what the output depends on."""

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Read a batch of texts; one extraction for each, in order."""
