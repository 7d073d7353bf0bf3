"""Semantic profiles: the weighted concepts, entities and vector of a text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from es_simhash.semantics.extraction import Entity

# Concepts stored of a document, and in a query; the tail adds little
# (docs/semantic-neighbours.md). Texts without a vector store twice as many in its place.
STORED_CONCEPTS, QUERY_CONCEPTS = 40, 160
# Entities stored of a document, the most frequent ones.
STORED_ENTITIES = 12
# Elasticsearch rejects terms of more than 32,766 bytes; no concept or name is longer than this.
MAX_TERM_LENGTH = 120
# Terms of vocabulary concepts start with this, which no word does.
VOCABULARY_PREFIX = "#"


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
        stored_limit: How many concepts the index stores.
    """

    language: str = ""
    concepts: Mapping[str, float] = field(default_factory=dict)
    entities: tuple[Entity, ...] = ()
    vector: NDArray[np.float32] | None = None
    packages: frozenset[str] = frozenset()
    stored_limit: int = STORED_CONCEPTS

    @property
    def is_empty(self) -> bool:
        """True when there is nothing to compare."""
        return not self.concepts and self.vector is None

    def stored_concepts(self) -> dict[str, float]:
        """Return the concepts that are stored, scaled so that the squares add up to 1."""
        heaviest = dict(islice(self.concepts.items(), self.stored_limit))
        norm = sum(weight * weight for weight in heaviest.values()) ** 0.5
        return {concept: weight / norm for concept, weight in heaviest.items()}

    def query_concepts(self) -> dict[str, float]:
        """Return the concepts to query: twice as many as are stored of such a text."""
        return dict(islice(self.concepts.items(), 2 * self.stored_limit))

    def stored_entities(self) -> list[str]:
        """Return the names of the entities that are stored, the most frequent first."""
        ranked = sorted(self.entities, key=lambda entity: -entity.count)
        names = (safe_name(entity.text) for entity in ranked)
        return list(islice(dict.fromkeys(name for name in names if name), STORED_ENTITIES))


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
