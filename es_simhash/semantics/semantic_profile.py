"""Semantic profiles: what they are made of, and the similarity of two with what both share."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from operator import itemgetter
from typing import Any, Protocol, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = list[NDArray[np.float32] | None]
Spans = tuple[tuple[int, int], ...]
# Concepts stored of a document, and those of a profile; the tail adds little
# (docs/semantic-neighbours.md). Texts without a vector store twice as many in its place.
STORED_CONCEPTS, MAX_CONCEPTS = 40, 160
# A text of fewer content words is short: all of its words are concepts, if it has no more
# characters than this (docs/semantic-neighbours.md).
SHORT_WORDS, SHORT_CHARACTERS = 10, 400
# Entities stored of a document, the most frequent ones.
STORED_ENTITIES = 12
# Elasticsearch rejects terms of more than 32,766 bytes; no concept or name is longer than this.
MAX_TERM_LENGTH = 120
# Terms of vocabulary concepts start with this, which no word does.
VOCABULARY_PREFIX = "#"
MAX_NAME_LENGTH = 200
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# Halves of characters, and marks that turn the direction of what is shown after them. Joiners
# stay: Persian words, Indic ligatures and emoji are written with them.
_HIDDEN = re.compile("[\ud800-\udfff\ufeff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


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


class NamedEntities(Sequence[Entity]):
    """Entities whose names and counts are known before their places are needed.

    Args:
        names: Surface form of each.
        counts: Mentions of each.
        spans: Yields the offsets of the mentions of each.
    """

    def __init__(
        self, names: Sequence[str], counts: Sequence[int], spans: Callable[[], Iterable[Spans]]
    ) -> None:
        self.names = names
        self.counts = counts
        self._spans = spans

    @cached_property
    def _entities(self) -> tuple[Entity, ...]:
        return tuple(map(Entity, self.names, self.counts, self._spans()))

    @overload
    def __getitem__(self, index: int) -> Entity: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Entity, ...]: ...

    def __getitem__(self, index: int | slice) -> Entity | tuple[Entity, ...]:
        return self._entities[index]

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._entities == tuple(other)

    def __hash__(self) -> int:
        return hash(self._entities)

    def __repr__(self) -> str:
        return repr(self._entities)

    def __reduce__(self) -> Any:
        return tuple, (self._entities,)


def names_and_counts(entities: Sequence[Entity]) -> tuple[Sequence[str], Sequence[int]]:
    """Return the surface forms of entities, and their mentions."""
    if isinstance(entities, NamedEntities):
        return entities.names, entities.counts
    return [entity.text for entity in entities], [entity.count for entity in entities]


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
        forms: Those words as they are written, in lower case, to look up word vectors;
            empty when the extractor returns none.
        entities: Named entities, each once, in the order of their first mention.
        phrases: Key phrases, each once, in the order of their first mention.
        other_words: Words of a short text that are no content words, in normal form, with their
            counts: stop words, and in Chinese single characters.
    """

    language: str = ""
    words: Mapping[str, int] = field(default_factory=dict)
    forms: Mapping[str, int] = field(default_factory=dict)
    entities: Sequence[Entity] = ()
    phrases: tuple[Phrase, ...] = ()
    other_words: Mapping[str, int] = field(default_factory=dict)


class Extractor(Protocol):
    """Anything that extracts words, entities and phrases from texts."""

    @property
    def name(self) -> str:
        """Published name, with everything that the output depends on."""

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Return one extraction for each text of a batch, in order."""


class WordTable(Protocol):
    """Word vectors that were learned from the texts of an index."""

    def __hash__(self) -> int:
        """Return a hash by the name."""

    @property
    def name(self) -> str:
        """Name of the table."""

    @property
    def date(self) -> str:
        """When it was learned, in ISO 8601 and UTC."""

    @property
    def documents(self) -> int:
        """Different texts that it was learned from."""

    @property
    def words(self) -> int:
        """Words that have a vector."""

    def vectors(self, extractions: Sequence[Any]) -> tuple[Vectors, Vectors]:
        """Return the unit vectors of texts, by this table and by the shipped one.

        Args:
            extractions: Words of the texts, each an `Extraction`.

        Returns:
            The vector of each text by this table, and its vector by the shipped one; None where a
            table has nothing of it.
        """

    def trust(self, language: str) -> float:
        """Return how much vectors of texts of a language say, from 0 to 1.

        Args:
            language: ISO 639-1 code.
        """

    def word_parts(self, extraction: Any, vector: NDArray[np.float32]) -> dict[str, float]:
        """Return what each word of a text adds to the dot product of its vector and another one.

        Args:
            extraction: Words of the text, an `Extraction`.
            vector: The other vector, by this table.
        """


class TermWeights(Protocol):
    """What makes terms that are common in an index weigh less: its background."""

    @property
    def name(self) -> str:
        """Name of the background."""

    def weighed_concepts(self, concepts: Mapping[str, float], language: str) -> dict[str, float]:
        """Return weights of a text's concepts, so that their products with others weigh less."""

    def weighed_names(
        self, terms: Mapping[str, float], language: str, prefix: str
    ) -> dict[str, float]:
        """Return rarities of names and of their words, less of those that are common."""


@dataclass(frozen=True)
class SemanticProfile:
    """Semantic features of one text.

    Attributes:
        language: ISO 639-1 code of the language; empty when unknown.
        concepts: Weight of each concept, heaviest first, at most 160; the squares of the weights
            of all concepts of the text, not only of these, add up to 1.
        entities: Named entities in the order of their first mention.
        vector: Unit vector; None when no word has one.
        packages: Packages the extractor used.
        stored_limit: Number of concepts that the index stores.
        background: How common words and names are in the index that is queried; None where general
            word frequencies count alone. That of the query judges a pair.
        vector_table: Name of the table that the vector is by where an index learns its own: until
            then the shipped one. Empty for other vectors. Vectors of two tables are not compared,
            nor are those of two languages by one that was learned.
        has_learned_vector: Whether that table was learned.
        vector_trust: How much a learned vector says, from 0 to 1: less by a table that was learned
            from few texts, or from texts of few words.
        shipped_vector: Unit vector by the shipped table, where `vector` is by a learned one:
            documents that have not been given theirs yet are compared by it.
        extraction: What the profile was made of; None where that was not kept.
    """

    language: str = ""
    concepts: Mapping[str, float] = field(default_factory=dict)
    entities: Sequence[Entity] = ()
    vector: NDArray[np.float32] | None = None
    packages: frozenset[str] = frozenset()
    stored_limit: int = STORED_CONCEPTS
    background: TermWeights | None = field(default=None, repr=False)
    vector_table: str = ""
    has_learned_vector: bool = False
    vector_trust: float = 1.0
    shipped_vector: NDArray[np.float32] | None = None
    extraction: Extraction | None = field(default=None, repr=False, compare=False)

    @property
    def vector_space(self) -> tuple[str, str]:
        """The table of its vector and the language; vectors of another space are not compared."""
        return (self.vector_table, self.language if self.has_learned_vector else "")

    @property
    def is_empty(self) -> bool:
        """True when there is nothing to compare."""
        return not self.concepts and self.vector is None

    def stored_concepts(self) -> dict[str, float]:
        """Return the concepts that are stored, scaled so that the squares add up to 1."""
        return self._stored_concepts

    @cached_property
    def _stored_concepts(self) -> dict[str, float]:
        heaviest = dict(islice(self.concepts.items(), self.stored_limit))
        norm = sum([weight * weight for weight in heaviest.values()]) ** 0.5
        return {concept: weight / norm for concept, weight in heaviest.items()}

    def query_concepts(self) -> dict[str, float]:
        """Return the concepts to query: those that are stored of such a text.

        So a pair has one similarity from both sides. What is common in the index weighs less.
        """
        return self._query_concepts

    @cached_property
    def _query_concepts(self) -> dict[str, float]:
        if self.background is None:
            return self._stored_concepts
        return self.background.weighed_concepts(self._stored_concepts, self.language)

    def stored_entities(self) -> list[str]:
        """Return the names of the entities that are stored, the most frequent first."""
        return self._stored_entities

    @cached_property
    def _stored_entities(self) -> list[str]:
        texts, counts = names_and_counts(self.entities)
        ranked = sorted(zip(counts, texts, strict=True), key=itemgetter(0), reverse=True)
        names = (safe_name(text) for _, text in ranked)
        return list(islice(dict.fromkeys(name for name in names if name), STORED_ENTITIES))


@lru_cache(maxsize=1 << 14)
def safe_name(name: str) -> str:
    """Return a name on one line without control characters, cut to 120 characters."""
    line = " ".join(name.split())
    if not line.isprintable():
        line = "".join(character for character in line if character.isprintable())
    return line[:MAX_TERM_LENGTH].strip()


def concept_term(name: str) -> str:
    """Return the index term of a concept; empty when nothing of the name is left.

    Terms of a sparse vector have no dots, which would lead into objects.
    """
    return " ".join(safe_name(name).casefold().replace(".", " ").split())


def merge_mentions(mentions: Iterable[Entity]) -> tuple[Entity, ...]:
    """Return one entity for all mentions of a name, ignoring case; counts are added.

    It has the most frequent spelling, and the most frequent label that is not empty.
    """
    groups: dict[str, list[Entity]] = defaultdict(list)
    for mention in mentions:
        groups[unicodedata.normalize("NFKC", mention.text).casefold()].append(mention)
    return tuple(map(_merged, groups.values()))


def _merged(mentions: Sequence[Entity]) -> Entity:
    spellings: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    for mention in mentions:
        spellings[mention.text] += mention.count
        labels[mention.label] += mention.count
    del labels[""]
    return Entity(
        text=max(spellings, key=spellings.__getitem__),
        count=spellings.total(),
        spans=tuple(sorted({span for mention in mentions for span in mention.spans})),
        label=max(labels, key=labels.__getitem__, default=""),
    )


def clean_name(text: str) -> str:
    """Return a name on one line, without control characters, of at most 200 characters."""
    visible = _HIDDEN.sub("", _CONTROL.sub(" ", text))
    return " ".join(visible.split())[:MAX_NAME_LENGTH].rstrip()
