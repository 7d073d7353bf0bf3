"""What a relation is: kinds, the marks of the score, and the answer with its evidence."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from es_simhash.semantics.similarity import SemanticSimilarity

Kind = Literal["exact", "version", "contains", "excerpt_of", "shares_passages", "semantic", "none"]
KINDS: tuple[Kind, ...] = (
    "exact",
    "version",
    "contains",
    "excerpt_of",
    "shares_passages",
    "semantic",
)
VERSION_KINDS: tuple[Kind, ...] = KINDS[:4]

# From here on a relation is a version (or an excerpt, or its whole).
VERSION_SCORE = 0.6
# What `related` shows by default: in a large index less is shared by chance and by boilerplate.
SHOWN_SCORE = 0.3
# From here on two texts compared on request share passages.
SHARED_SCORE = 0.03
# Semantic scores are this power of the similarity in meaning, scaled to end where versions begin:
# half of the scale, 0.3, is the same story line in news (docs/meaning.md).
SEMANTIC_POWER = 0.58


@dataclass(frozen=True)
class Coverage:
    """Share of each text, by characters and from 0 to 1, that stands in the other."""

    of_query: float
    of_hit: float


@dataclass(frozen=True)
class Span:
    """A stretch of a text: offsets in characters of the original, and the words themselves."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class SharedPassage:
    """Two stretches that go together.

    Attributes:
        query: Where it stands in the query.
        hit: Where it stands in the hit.
        distance: Mean Hamming distance of their chunk fingerprints; 0 when word for word.
    """

    query: Span
    hit: Span
    distance: int


@dataclass(frozen=True)
class Relation:
    """One answer, the same from Python and the command line.

    Attributes:
        id: Of the hit; None when two texts were compared.
        kind: exact, version, contains (the query contains the hit), excerpt_of (the query is an
            excerpt of the hit), shares_passages, semantic (about the same in other words);
            `none` only from `compare`.
        score: From 0 to 1; versions start at 0.6, semantic neighbours end there.
        coverage: How much of each stands in the other.
        evidence: The passages they share, longest first; of a semantic neighbour the pair of
            passages that are nearest in meaning.
        index: Index of the hit.
        source: Fields of the hit that were asked for.
        truncated: True when a limit cut the candidates this relation was chosen from.
        meaning: What both are about, when meanings were compared.
        copies: Further neighbours, not shown, that are versions of this one.
    """

    id: str | None
    kind: Kind
    score: float
    coverage: Coverage
    evidence: tuple[SharedPassage, ...] = ()
    index: str | None = None
    source: dict[str, Any] = field(default_factory=dict)
    truncated: bool = False
    semantics: SemanticSimilarity | None = None
    copies: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the relation as it is printed in JSON."""
        return asdict(self)


class Answer(list[Relation]):
    """What is related to one query, best first; a list in every way.

    Attributes:
        truncated: True when a limit cut the candidates, even if nothing that was left is shown.
    """

    def __init__(self, relations: Iterable[Relation] = (), *, truncated: bool = False) -> None:
        super().__init__(relations)
        self.truncated = truncated


def semantic_score(similarity: float) -> float:
    """Return the score of a similarity in meaning, from 0 to just below that of versions."""
    score: float = round(VERSION_SCORE * similarity**SEMANTIC_POWER, 4)
    return min(score, VERSION_SCORE - 0.0001)
