"""Search options: what to return, of how many candidates, in which order."""

import dataclasses
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from es_simhash.constraints import constraints
from es_simhash.described import require_valid
from es_simhash.errors import InputError
from es_simhash.relation.relation import KINDS, VERSION_KINDS, Kind, Relation
from es_simhash.relation.thresholds import SHOWN_SCORE
from es_simhash.store.order import Order, Sort, best_first

Query = Mapping[str, Any]
FamilyFilter = Literal["any", "same", "other"]

_DAY = 86_400_000
# The greatest k of a kNN search that the engine accepts.
MAX_NEIGHBOURS = 10_000


@dataclass(frozen=True)
class Limits:
    """Bounds of one search; where one cuts, the answer says `truncated`.

    Attributes:
        candidates: Candidates fetched for each query and each way of finding them.
    """

    candidates: int = field(default=100, metadata=constraints(1))

    def __post_init__(self) -> None:
        require_valid(self)


@dataclass(frozen=True)
class Recency:
    """How much newer neighbours are preferred; what is shown and its score do not depend on it.

    Attributes:
        field: A date field of the documents.
        half_life: Age in days, counted from the newest document, at which the weight of the date is
            halved.
        weight: Share of the rank that depends on the date, from 0 to 1.
        origin: Milliseconds since 1970 from which the age is counted; None for the newest date
            of the documents that may be found, but no later than now.
    """

    field: str = dataclasses.field(metadata=constraints(called="recency"))
    half_life: float = dataclasses.field(
        default=30.0, metadata=constraints(above=0, unit="days", called="recency-half-life")
    )
    weight: float = dataclasses.field(
        default=0.3, metadata=constraints(0, 1, called="recency-weight")
    )
    origin: float | None = None

    def __post_init__(self) -> None:
        require_valid(self)

    def factor(self, date: float | None) -> float:
        """Return what a score is multiplied by to rank; a document without a date is very old."""
        if date is None:
            return 1 - self.weight
        origin = time.time() * 1000 if self.origin is None else self.origin
        age = max(0.0, origin - date) / _DAY
        return float(1 - self.weight + self.weight * 0.5 ** (age / self.half_life))


@dataclass(frozen=True)
class SearchOptions:
    """What a search returns; the same for every document of a batch.

    Attributes:
        size: Maximum number of relations for each query.
        kinds: Kinds to show; all when empty.
        min_score: Minimum score to show, from 0 to 1; None for what the index is configured with,
            else 0.3.
        filters: Elasticsearch queries every hit must match, before any cut.
        evidence: Whether to return the shared passages side by side, and the shared concepts.
        passages: Whether the texts of candidates are read and aligned. Without, relations come
            from what is stored of the texts: faster, but reworded passages are not found, and
            nothing says how passages were changed. Evidence needs them.
        fields: Fields of the hits to bring along in `source`.
        k: Maximum Hamming distance between document fingerprints; None for the greatest that the
            blocks of the scheme promise.
        limits: Bounds of the searches.
        collapse: Whether neighbours that are versions of each other are returned once.
        recency: How newer neighbours rank higher, among those that pass `min_score`; None for no
            influence of the date.
        dismissed: Whether versions that a person dismissed are returned as well.
        distinctive: Whether documents are left out that share nothing but common passages.
        sort: Order of the relations: `score`, best first; `date`, oldest first; or `-date`, newest
            first, by the date field of the index. All that was found is sorted before the cut.
        offset: Relations to pass over, of the same list in pages of `size`.
        exclude: Ids of documents to leave out.
        family: Whether only documents of the query's family are returned (`same`), or none of it
            (`other`), nor another version of the query unless `kinds` names versions.
        context: Whether the title, date, family and so on of each hit are read; None where the
            index is configured with fields of these.
    """

    size: int = field(default=10, metadata=constraints(1))
    kinds: tuple[Kind, ...] = field(default=(), metadata=constraints(choices=KINDS))
    min_score: float | None = field(default=None, metadata=constraints(0, 1))
    filters: tuple[Query, ...] = ()
    evidence: bool = True
    fields: tuple[str, ...] = ()
    k: int | None = None
    limits: Limits = field(default_factory=Limits)
    collapse: bool = True
    recency: Recency | None = None
    dismissed: bool = False
    distinctive: bool = False
    passages: bool = True
    sort: Sort = "score"
    offset: int = field(default=0, metadata=constraints(0, called="from"))
    exclude: tuple[str, ...] = ()
    family: FamilyFilter = "any"
    context: bool | None = None

    def __post_init__(self) -> None:
        require_valid(self)
        if self.evidence and not self.passages:
            raise InputError(
                "evidence needs passages: set evidence to False as well, or passages to True.",
                parameter="passages",
            )
        if self.sorts_by_date and self.recency is not None:
            raise InputError(
                "recency ranks by score and date; it cannot be combined with a sort by date.",
                parameter="sort",
            )

    @property
    def sorts_by_date(self) -> bool:
        """True when relations are ordered by date."""
        return self.sort != "score"

    @property
    def end(self) -> int:
        """How many relations are needed, from the first of the list to the last that is shown."""
        return self.offset + self.size

    @property
    def least_score(self) -> float:
        """The minimum score that counts."""
        return SHOWN_SCORE if self.min_score is None else self.min_score

    def configured(self, min_score: float | None) -> "SearchOptions":
        """Return them with the minimum score of an index, where they name none."""
        return self if self.min_score is not None else replace(self, min_score=min_score)

    @property
    def wants_neighbours(self) -> bool:
        """Whether semantic neighbours are looked for; they may share reworded passages."""
        return not self.kinds or "semantic" in self.kinds or self.wants_passages

    @property
    def wants_passages(self) -> bool:
        """Whether texts are aligned, and documents with a shared passage are among the kinds."""
        return self.passages and (not self.kinds or "shares_passages" in self.kinds)

    @property
    def _default_kinds(self) -> tuple[Kind, ...]:
        """The kinds where none are named: versions that are in no family are of this one too."""
        return KINDS[len(VERSION_KINDS) :] if self.family == "other" else KINDS

    def shows(self, relation: Relation) -> bool:
        """Check whether a relation is wanted."""
        return relation.kind in (self.kinds or self._default_kinds) and self._passes(relation)

    def may_show(self, relation: Relation) -> bool:
        """Check whether a relation is wanted, or may be when its passages are aligned."""
        return self.shows(relation) or (self.may_change(relation) and self._passes(relation))

    def may_change(self, relation: Relation) -> bool:
        """Check whether a relation may become of another kind when its passages are aligned."""
        return self.wants_passages and relation.kind in ("semantic", "shares_passages")

    def _passes(self, relation: Relation) -> bool:
        if relation.dismissed and relation.kind in VERSION_KINDS and not self.dismissed:
            return False
        if self.distinctive and relation.is_boilerplate:
            return False
        return relation.score >= self.least_score

    def select(self, relations: Iterable[Relation], order: Order = best_first) -> list[Relation]:
        """Return the relations that are wanted, in order.

        Args:
            relations: All that were found.
            order: The key that sorts them.
        """
        return sorted(filter(self.shows, relations), key=order)
