"""A version family in the order of time, with the share of each text that is still there."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from es_simhash.relation.relation import Kind

# Why a document that is near is not in the family.
Reason = Literal[
    "dismissed",
    "joined",
    "score",
    "length",
    "within",
    "no_family",
    "representative",
    "other_family",
]


@dataclass(frozen=True)
class FamilyMember:
    """A document of a family.

    Attributes:
        id: Id of the document.
        index: Its index.
        title: Value of the field of titles; None without one.
        date: Its date in ISO 8601, in UTC; of a field of numbers the number; of several dates the
            latest; None without one.
        is_representative: Whether it represents the family.
        characters: Characters of its normalised text.
        kept_from_previous: Share of the member before it, from 0 to 1, that appears in it; None for
            the first, and for one without a date where others have one.
        kept_from_first: Share of the first member that appears in it; None for the first.
        score: With the nearest member, from 0 to 1; None for one that is alone.
        nearest: Id of that member.
        kind: Kind of the relation to that member, as `related` has it: the member is the hit.
        joined: Whether a person joined it with another member.
    """

    id: str
    index: str | None
    title: str | None
    date: str | None
    is_representative: bool
    characters: int
    kept_from_previous: float | None = None
    kept_from_first: float | None = None
    score: float | None = None
    nearest: str | None = None
    kind: Kind | None = None
    joined: bool = False


@dataclass(frozen=True)
class NearDocument:
    """A document that is near a member of a family, and not in it.

    Attributes:
        id: Id of the document.
        index: Its index.
        title: Value of the field of titles; None without one.
        date: Its date, as in `FamilyMember`.
        family: Its family; None without one.
        member: Id of the member that it was compared with.
        kind: Kind of the relation of that member, the query, to it.
        score: Score of that relation, from 0 to 1.
        reason: Why it is not in the family: `dismissed` with a member; `joined` with one since the
            last run of families; its `score` is below that of versions; its `length` is more than
            eight times the other, or less than an eighth; another value of the field that keeps
            families apart (`within`); `no_family` yet; no version of the `representative`; a
            version that is in an `other_family` all the same.
        because: The reason as a sentence.
    """

    id: str
    index: str | None
    title: str | None
    date: str | None
    family: str | None
    member: str
    kind: Kind
    score: float
    reason: Reason
    because: str


@dataclass(frozen=True)
class FamilyHistory:
    """A version family, its members in order of their dates.

    Attributes:
        name: Name of the family.
        representative: Id of the document that represents it; None where no run has chosen one.
        members: The members, those without a date last; without a field of dates by their ids.
        documents: Number of documents of the family; more than the members where these were
            narrowed by a date, or are too many.
        near: Documents near the one that was named, or near the representative, which are of
            another family or of none; the nearest first.
        date_field: Field of the dates; None without one.
        undated: Ids of members without a date.
        several_dates: Ids of members with several dates, of which the latest counts.
        truncated: True when the family has more documents than were read.
    """

    name: str
    representative: str | None
    members: tuple[FamilyMember, ...]
    documents: int
    near: tuple[NearDocument, ...] = ()
    date_field: str | None = None
    undated: tuple[str, ...] = ()
    several_dates: tuple[str, ...] = ()
    truncated: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the family as it is printed in JSON."""
        return asdict(self)
