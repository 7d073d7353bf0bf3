"""The similarity of two semantic profiles as it is returned: values alone."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SharedConcept:
    """A word, an entity or a vocabulary concept that two texts share.

    Attributes:
        text: The concept as it is written in the texts, an entity in full.
        contribution: Its part of the similarity.
        is_entity: True when both texts name a person, a place, an organisation or another thing.
        in_query: Where the query has it: `title`, `text`, or `field:NAME` for a field of entities
            that alone has it.
        in_hit: Where the hit has it.
    """

    text: str
    contribution: float
    is_entity: bool = False
    in_query: str = "text"
    in_hit: str = "text"


@dataclass(frozen=True)
class NearWord:
    """A word of one text that is near the other text in meaning.

    Attributes:
        text: The word as it is written there.
        contribution: What it adds to the part of the vectors.
    """

    text: str
    contribution: float


@dataclass(frozen=True)
class NearWords:
    """The words that are behind the part of the vectors in a similarity.

    Attributes:
        of_query: Words of the query, those that add most first.
        of_hit: Words of the hit. The words of each text add up to the part of the vectors by
            themselves.
    """

    of_query: tuple[NearWord, ...] = ()
    of_hit: tuple[NearWord, ...] = ()


@dataclass(frozen=True)
class SemanticSimilarity:
    """Similarity of two semantic profiles, with its parts and evidence.

    Attributes:
        similarity: h, from 0 to 1.
        vector: Contribution of the vectors.
        concepts: Contribution of the shared concepts.
        entities: Contribution of the shared entities.
        others: Contribution of what is shared and not among these; that of the vectors, those of
            `shared` and this one add up to the similarity. Of a hit of an index it may be a little
            below 0, as weights are stored with fewer digits.
        score: Score that this similarity has by itself, from 0 to below that of versions.
        shared: The concepts that contribute most, entities first; empty without evidence.
        shared_vocabulary: Sentences on the concepts of the user's vocabulary that both texts
            have, and on the narrower concepts through which they have them.
        background: Name of the background of the index that weighed concepts and entities; None
            where general word frequencies count alone.
        near: The words that are behind the part of the vectors and not among `shared`; none
            without evidence, or where the vectors are not made of words.
    """

    similarity: float
    vector: float
    concepts: float
    entities: float = 0.0
    others: float = 0.0
    score: float = 0.0
    shared: tuple[SharedConcept, ...] = ()
    shared_vocabulary: tuple[str, ...] = ()
    background: str | None = None
    near: NearWords = NearWords()
