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

# Headings of help.
_FILTERS, _SEARCH, _OUTPUT = "Filters", "Ranking and limits", "Output"

Query = Mapping[str, Any]
FamilyFilter = Literal["any", "same", "other"]

_DAY = 86_400_000
# The greatest k of a kNN search that the engine accepts.
MAX_NEIGHBOURS = 10_000


@dataclass(frozen=True)
class Limits:
    """Bounds of one search; where one cuts, the answer says `truncated`.

    Attributes:
        candidates: Candidates fetched by each search. A query makes one for each way of finding
            them, and one for twice as many neighbours where it may lack one of the ten best.
    """

    candidates: int = field(default=100, metadata=constraints(1, group=_SEARCH))

    def __post_init__(self) -> None:
        require_valid(self)


@dataclass(frozen=True)
class Recency:
    """How much newer neighbours are preferred; what is shown and its score do not depend on it.

    Attributes:
        field: Date field; newer neighbours rank higher.
        half_life: Age at which the weight of the date is halved. It is counted in days from the
            newest document.
        weight: Weight of the date in the rank, from 0 to 1.
        origin: Milliseconds since 1970 from which the age is counted; None for the newest date
            of the documents that may be found, but no later than now.
    """

    field: str = dataclasses.field(metadata=constraints(called="recency", group=_SEARCH))
    half_life: float = dataclasses.field(
        default=30.0,
        metadata=constraints(above=0, unit="days", called="recency-half-life", group=_SEARCH),
    )
    weight: float = dataclasses.field(
        default=0.3, metadata=constraints(0, 1, called="recency-weight", group=_SEARCH)
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
        size: Maximum relations for each query.
        kinds: Kinds to show; all when empty.
        min_score: Minimum score to show, from 0 to 1; None for what the index is configured with,
            else 0.3.
        filters: Elasticsearch queries every hit must match. They filter before any cut.
        evidence: Return the shared passages and concepts.
        passages: Read and align the texts of candidates. Without, relations come from what is
            stored of the texts: faster, but reworded passages are not found, and nothing says how
            passages were changed. Evidence needs them.
        fields: Fields of the hits to return in `source`.
        k: Maximum Hamming distance of two documents; None for the greatest that the
            blocks of the scheme promise.
        limits: Bounds of the searches.
        collapse: Return versions among the neighbours once.
        recency: How newer neighbours rank higher, among those that pass `min_score`; None for no
            influence of the date.
        dismissed: Also return versions that a person dismissed.
        distinctive: Leave out what shares only common passages.
        sort: Order of the relations: `score`, best first; `date`, oldest first; or `-date`, newest
            first, by the date field of the index. All that was found is sorted before the cut.
        offset: Relations to skip; pages fit together only where `size` is the same.
        exclude: Ids of documents to leave out.
        family: Families of the hits: `any`; `same` for the query's own; or `other` for none of it,
            nor another version of the query unless `kinds` names versions.
        context: Whether the title, date, family and so on of each hit are read; None where the
            index is configured with fields of these.
    """

    size: int = field(default=10, metadata=constraints(1))
    kinds: tuple[Kind, ...] = field(default=(), metadata=constraints(choices=KINDS))
    min_score: float | None = field(default=None, metadata=constraints(0, 1))
    filters: tuple[Query, ...] = field(default=(), metadata=constraints(group=_FILTERS))
    evidence: bool = True
    fields: tuple[str, ...] = field(default=(), metadata=constraints(group=_OUTPUT))
    k: int | None = field(default=None, metadata=constraints(group=_SEARCH))
    limits: Limits = field(default_factory=Limits)
    collapse: bool = field(default=True, metadata=constraints(group=_FILTERS))
    recency: Recency | None = None
    dismissed: bool = field(default=False, metadata=constraints(group=_FILTERS))
    distinctive: bool = field(default=False, metadata=constraints(group=_FILTERS))
    passages: bool = field(default=True, metadata=constraints(group=_SEARCH))
    sort: Sort = field(default="score", metadata=constraints(group=_SEARCH))
    offset: int = field(default=0, metadata=constraints(0, called="from", group=_SEARCH))
    exclude: tuple[str, ...] = field(default=(), metadata=constraints(group=_FILTERS))
    family: FamilyFilter = field(default="any", metadata=constraints(group=_FILTERS))
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
