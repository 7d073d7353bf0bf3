"""What the service answers; these types are encoded, and the OpenAPI document is made of them."""

import json
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import msgspec

from es_simhash.differences.difference import Change, Changes, ChangeSummary, KeyChange, MovedBlock
from es_simhash.relation.family_history import FamilyMember, NearDocument, Reason
from es_simhash.relation.loss import LostText
from es_simhash.relation.relation import DocumentContext, Kind, Relation
from es_simhash.relation.thresholds import SCORING


@dataclass(frozen=True)
class Related:
    """Documents related to a document, or to a text.

    Attributes:
        document: Title, date and so on of the document; null for a text.
        relations: The relations of this page, in order.
        total: Relations that were found in all.
        is_estimate: Whether `total` may change with further pages.
        next: The next page, relative to this address; null after the last that may be read.
        truncated: Whether there were more candidates than were examined, so that there may be
            better ones.
        left_out: How many of the indices that are served were not searched, as they have no
            fingerprints yet, or those of another scheme.
        scoring: Name of the score of versions.
    """

    document: DocumentContext | None
    relations: tuple[Relation, ...]
    total: int
    is_estimate: bool
    next: str | None
    truncated: bool
    left_out: int
    scoring: str = SCORING


@dataclass(frozen=True)
class SummaryOfChanges(ChangeSummary):
    """Amount of change, in sections and words.

    Attributes:
        sections: Kind of the sections: paragraphs, lines or sentences.
        sections_a: Sections of the older text.
        sections_b: Sections of the newer text.
        changed: Sections of the newer text that are in the older as well, and differ from there.
        new: Sections of the newer text that are not in the older.
        removed: Sections of the older text that are not in the newer.
        moved: Sections of the newer text that are in another place than in the older.
        words_a: Words of the older text.
        words_b: Words of the newer text.
        kept_words: Words of the older text that the newer still has, in moved blocks too.
        kept: The share of these of the words of both, from 0 to 1.
        identical: Whether no word and no mark differs, or is in another place.
        text: It as one sentence.
    """

    text: str


@dataclass(frozen=True)
class ChangesOfVersions:
    """Changes from an older text to a newer one.

    Attributes:
        summary: Amount of change.
        key_changes: Numbers, dates and names that differ.
        changes: All of both texts, in order.
        moves: The moved blocks.
    """

    summary: SummaryOfChanges
    key_changes: tuple[KeyChange, ...]
    changes: tuple[Change, ...]
    moves: tuple[MovedBlock, ...]

    @classmethod
    def of(cls, changes: Changes) -> "ChangesOfVersions":
        """Return changes with the sentence of their summary."""
        summary = SummaryOfChanges(**vars(changes.summary), text=str(changes.summary))
        return cls(summary, changes.key_changes, changes.changes, changes.moves)


@dataclass(frozen=True)
class Comparison:
    """Two documents compared.

    Attributes:
        relation: Relation of `b` to `a`.
        changes: What changed from `a` to `b`; null where texts may not leave the service.
        a: Title, date and so on of the one document.
        b: Those of the other.
        scoring: Name of the score of versions.
    """

    relation: Relation
    changes: ChangesOfVersions | None
    a: DocumentContext
    b: DocumentContext
    scoring: str = SCORING


@dataclass(frozen=True)
class Evidence:
    """Why two documents are related.

    Attributes:
        relation: Relation of the second to the first, with its evidence.
        scoring: Name of the score of versions.
    """

    relation: Relation
    scoring: str = SCORING


@dataclass(frozen=True)
class NearFamily:
    """A document that is near a family, and not in it.

    Attributes:
        id: Id of the document.
        index: Its index.
        title: Its title.
        date: Its date.
        family: Its family; null without one.
        member: Id of the member that it was compared with.
        kind: Kind of its relation to that member.
        score: Score of that relation, from 0 to 1.
        reason: Why it is not in the family.
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

    @classmethod
    def of(cls, near: NearDocument) -> "NearFamily":
        """Return a near document without the sentence, which is for whoever runs the families."""
        values = vars(near)
        return cls(**{name: values[name] for name in cls.__dataclass_fields__})


@dataclass(frozen=True)
class Family:
    """A version family, its members in the order of their dates.

    Attributes:
        name: Its name.
        representative: Id of the document that represents it; null where no run has chosen one.
        members: The members of this page.
        documents: Number of its documents, of all pages.
        near: Documents that are near and not in the family, nearest first.
        date_field: Field of the dates; null without one, or where it may not leave the service.
        undated: Ids of members without a date.
        several_dates: Ids of members with several dates, of which the latest counts.
        truncated: Whether the family has more documents than were read.
        next: The next page, relative to this address; null after the last.
    """

    name: str
    representative: str | None
    members: tuple[FamilyMember, ...]
    documents: int
    near: tuple[NearFamily, ...]
    date_field: str | None
    undated: tuple[str, ...]
    several_dates: tuple[str, ...]
    truncated: bool
    next: str | None


@dataclass(frozen=True)
class Document:
    """A document with its allowed fields.

    Attributes:
        id: Its id.
        document: Its title, date and so on.
        source: Its allowed fields.
    """

    id: str
    document: DocumentContext
    source: dict[str, Any]


@dataclass(frozen=True)
class ListedFamily:
    """A family in a list.

    Attributes:
        name: Its name, which `/v1/families/{id}` takes.
        documents: Number of its documents.
        oldest: Date of its oldest document; null without dates that may leave the service.
        newest: Date of its newest document.
    """

    name: str
    documents: int
    oldest: str | None
    newest: str | None


@dataclass(frozen=True)
class FamilyList:
    """Some families.

    Attributes:
        families: The families of this page.
        next: The next page, relative to this address; null after the last.
    """

    families: tuple[ListedFamily, ...]
    next: str | None


@dataclass(frozen=True)
class Duplicate:
    """Whether a text is in the index already.

    Attributes:
        action: What `ingest --on-version skip` would do: `write` it, as it is new; `skip` it, as it
            is here already; or `retain` it, as a version of it is here and text would be lost.
        relation: Relation of the text to the document that it is a version of; null where it is
            new.
        lost: What only the text has; null where nothing was compared: the text is new, or the same.
        scoring: Name of the score of versions.
    """

    action: Literal["write", "skip", "retain"]
    relation: Relation | None
    lost: LostText | None
    scoring: str = SCORING


@dataclass(frozen=True)
class ProblemDocument:
    """Why a request was not answered (RFC 9457).

    Attributes:
        type: `about:blank`: the status says what it is.
        title: The status in words.
        status: Status of the answer.
        detail: One sentence.
    """

    type: str
    title: str
    status: int
    detail: str


@dataclass(frozen=True)
class RelatedToOne:
    """Documents related to one of several documents, or why there are none.

    Attributes:
        id: Id of the document.
        related: The documents related to it; null where there is a problem.
        problem: Why it was not answered for; null where it was.
    """

    id: str
    related: Related | None
    problem: ProblemDocument | None


@dataclass(frozen=True)
class RelatedToEach:
    """Documents related to each of several documents.

    Attributes:
        answers: An answer for each id, in the order of the request; for one that is there twice
            once.
    """

    answers: tuple[RelatedToOne, ...]


@dataclass(frozen=True)
class Status:
    """The state of the service.

    Attributes:
        status: `ok` or `ready`.
    """

    status: str


def _number(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"{type(value).__name__} is nothing that an answer has.")


_ENCODER = msgspec.json.Encoder(enc_hook=_number)


def encoded(answer: Any) -> bytes:
    """Return an answer as JSON."""
    try:
        return _ENCODER.encode(answer)
    except (OverflowError, UnicodeEncodeError):
        # Fields of documents may have numbers beyond 64 bits, and halves of characters.
        return json.dumps(plain(answer), separators=(",", ":")).encode()


def plain(answer: Any) -> Any:
    """Return an answer as JSON has it: of objects, arrays and values."""
    return msgspec.to_builtins(answer, enc_hook=_number)
