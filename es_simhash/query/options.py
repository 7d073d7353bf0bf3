"""What to ask for, of a cluster or of an index in memory."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from es_simhash.errors import InputError
from es_simhash.relation.model import KINDS, Kind, Relation
from es_simhash.relation.thresholds import SHOWN_SCORE

Query = Mapping[str, Any]

_DAY = 86_400_000
# What a server takes as k of a kNN search at the most.
MAX_NEIGHBOURS = 10_000


@dataclass(frozen=True)
class Limits:
    """Bounds of one search; where one cuts, the answer says `truncated`.

    Attributes:
        candidates: Candidates fetched for each query and each way of finding them.
        clauses: Passages asked for; of a longer text those with the smallest numbers, which is a
            sample of its passages (docs/guarantee.md gives the error).
        shared: Passages a candidate must share; texts of fewer than five passages need one.
    """

    candidates: int = 100
    clauses: int = 512
    shared: int = 2

    def __post_init__(self) -> None:
        for name in ("candidates", "clauses", "shared"):
            if getattr(self, name) < 1:
                raise InputError(f"A limit of {getattr(self, name)} {name} must be at least 1.")


@dataclass(frozen=True)
class Recency:
    """Newer neighbours first, as far as the weight says.

    Attributes:
        field: A date field of the documents.
        half_life: Days after which a document counts half.
        weight: How much of the score depends on the date, from 0 to 1.
        origin: Milliseconds since 1970 from which the age is counted; None for now.
    """

    field: str
    half_life: float = 30.0
    weight: float = 0.3
    origin: float | None = None

    def __post_init__(self) -> None:
        if not self.half_life > 0:
            raise InputError(f"A half-life of {self.half_life} days must be more than 0.")
        if not 0 <= self.weight <= 1:
            raise InputError(f"A weight of the date of {self.weight} is not from 0 to 1.")

    def factor(self, date: float | None) -> float:
        """Return what a score is multiplied by; documents without a date count as very old."""
        if date is None:
            return 1 - self.weight
        origin = time.time() * 1000 if self.origin is None else self.origin
        age = max(0.0, origin - date) / _DAY
        return float(1 - self.weight + self.weight * 0.5 ** (age / self.half_life))


@dataclass(frozen=True)
class SearchOptions:
    """What to ask for, the same for every document of a batch.

    Attributes:
        size: Relations a document at the most.
        kinds: Kinds to show; all when empty.
        min_score: Least score to show, from 0 to 1.
        filters: Elasticsearch queries every hit must match, before any cut.
        evidence: Whether to fetch the texts and lay the shared passages side by side.
        fields: Fields of the hits to bring along in `source`.
        k: Hamming distance promised for document fingerprints; None for the most there is.
        limits: Bounds of the searches.
        collapse: Whether neighbours that are versions of each other are shown once.
        recency: How much newer neighbours are preferred; None for not at all.
    """

    size: int = 10
    kinds: tuple[Kind, ...] = ()
    min_score: float = SHOWN_SCORE
    filters: tuple[Query, ...] = ()
    evidence: bool = True
    fields: tuple[str, ...] = ()
    k: int | None = None
    limits: Limits = field(default_factory=Limits)
    collapse: bool = True
    recency: Recency | None = None

    def __post_init__(self) -> None:
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        if unknown:
            raise InputError(f"Unknown kind {unknown[0]!r}; there are {', '.join(KINDS)}.")
        if not 0 <= self.min_score <= 1:
            raise InputError(f"A least score of {self.min_score} is not from 0 to 1.")
        if self.size < 1:
            raise InputError(f"A size of {self.size} must be at least 1.")

    @property
    def wants_neighbours(self) -> bool:
        """True when semantic neighbours are to be shown."""
        return not self.kinds or "semantic" in self.kinds

    def shows(self, relation: Relation) -> bool:
        """Check whether a relation is wanted."""
        wanted = relation.kind in (self.kinds or KINDS)
        return wanted and relation.score >= self.min_score

    def select(self, relations: Iterable[Relation]) -> list[Relation]:
        """Return the relations that are wanted, best first, no more than `size`."""
        return sorted(filter(self.shows, relations), key=best_first)[: self.size]


def best_first(relation: Relation) -> tuple[float, int, str]:
    """Return the key that sorts relations: the higher score, then the closer kind, then the id."""
    return -relation.score, KINDS.index(relation.kind), str(relation.id)
