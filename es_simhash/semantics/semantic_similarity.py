"""The similarity of two semantic profiles as it is returned: values alone."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SharedConcept:
    """A word, an entity or a vocabulary concept that two texts share.

    Attributes:
        text: The concept as it is written in the texts, an entity in full.
        contribution: Its part of the similarity.
        is_entity: True when both texts name a person, a place, an organisation or another thing.
    """

    text: str
    contribution: float
    is_entity: bool = False


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
        shared: The concepts that contribute most; empty without evidence.
        shared_vocabulary: Sentences on the concepts of the user's vocabulary that both texts
            have, and on the narrower concepts through which they have them.
        background: Name of the background of the index that weighed concepts and entities; None
            where general word frequencies count alone.
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
