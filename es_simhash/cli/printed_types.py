"""The types of what commands print as JSON; docs/output.schema.json is made of them."""

from dataclasses import dataclass
from typing import Any, TypedDict

from es_simhash.differences.difference import Change, ChangeSummary, KeyChange, MovedBlock
from es_simhash.differences.history import BlamedSentence, Version
from es_simhash.maintenance.families.dismissals_and_joins import ManualPair
from es_simhash.maintenance.families.version_pairs import VersionPair
from es_simhash.pairs.copies import CopiesReport
from es_simhash.questions.method_steps import MethodRelation
from es_simhash.relation.family_history import FamilyHistory
from es_simhash.relation.loss import LostText
from es_simhash.relation.references import LeftOutIndex
from es_simhash.relation.relation import Relation
from es_simhash.relation.thresholds import SCORING
from es_simhash.store.config import DocumentSettings
from es_simhash.store.index_counts import Status


class RelatedAnswer(TypedDict):
    """The answer to one query of `related`; `relations` by kind or family with `--group`."""

    query: str
    total: int
    is_estimate: bool
    next: int | None
    truncated: bool
    relations: list[Relation] | dict[str, list[Relation]]
    left_out: list[LeftOutIndex]
    scoring: str


@dataclass(frozen=True)
class ComparedRelation(Relation):
    """How two documents or files are related, and the name of the score."""

    scoring: str = SCORING


class MethodQueryAnswer(TypedDict):
    """The answer to one query of `related --method`."""

    query: str
    total: int
    is_estimate: bool
    next: int | None
    truncated: bool
    relations: list[MethodRelation]


class ListedFamily(TypedDict):
    """A family; its first member represents it."""

    family: str
    members: list[str]


class JoinedFamilies(TypedDict):
    """Families of which one became the family of all."""

    families: list[str]
    into: str


class SplitFamily(TypedDict):
    """A family of which several became."""

    family: str
    into: list[str]


# `from` is a word of Python.
MovedMember = TypedDict(
    "MovedMember", {"id": str, "index": str | None, "from": str | None, "to": str}
)
MovedMember.__doc__ = "A document that is in another family than before."


class FoundFamilies(TypedDict):
    """What a run of `families run` found and wrote."""

    families: list[ListedFamily]
    documents: int
    queried: int
    written: int
    skipped: list[str]
    truncated: list[str]
    undated: list[str]
    dry_run: bool
    contradicted: list[tuple[str, str]]
    within: str | None
    parted: list[tuple[str, str]]
    valueless: list[str]
    joined: list[JoinedFamilies]
    split: list[SplitFamily]
    moved: list[MovedMember]
    scoring: str


@dataclass(frozen=True)
class SummaryWithText(ChangeSummary):
    """Amount of change, in sections and words, and as one sentence."""

    text: str


class ChangesOfTexts(TypedDict):
    """What changed from one text to another."""

    summary: SummaryWithText
    key_changes: list[KeyChange]
    changes: list[Change]
    moves: list[MovedBlock]


class BlamedText(TypedDict):
    """Since when each sentence of a version has been there."""

    family: str
    date_field: str | None
    undated: list[str]
    version: Version
    versions: list[Version]
    sentences: list[BlamedSentence]


class PrintedDecision(TypedDict):
    """What would become of a version in a dry run of `ingest`."""

    id: str | None
    version_of: str | None
    status: str
    retained: bool
    reason: str | None
    lost: LostText | None


class IngestCounts(TypedDict):
    """What became of the documents of `ingest`."""

    documents: int
    written: int
    unchanged: int
    skipped: int
    replaced: int
    conflicting: int
    failed: int
    versions: int | None
    retained: int | None
    replaced_stored: int
    undated: list[str]
    documents_before: int
    text_fields: str | None
    seconds: float
    audit: str | None
    run: str | None
    dry_run: bool
    decisions: list[PrintedDecision] | None


class FailedDocument(TypedDict):
    """A document that could not be restored."""

    id: str
    reason: str


class UndoneRuns(TypedDict):
    """What `undo` restored."""

    runs: list[str]
    restored: int
    present: int
    unmarked: int
    unchanged: int
    failed: list[FailedDocument]


# The type of what each command prints with `--format json`; of `pairs`, of each line.
PRINTED: dict[str, Any] = {
    "related": list[RelatedAnswer],
    "related --method": list[MethodQueryAnswer],
    "explain": ComparedRelation,
    "changes": ChangesOfTexts,
    "blame": BlamedText,
    "config": DocumentSettings,
    "copies": CopiesReport,
    "families run": FoundFamilies,
    "families list": list[ListedFamily],
    "families show": FamilyHistory,
    "families decisions": list[ManualPair],
    "files compare": ComparedRelation,
    "ingest": IngestCounts,
    "pairs": VersionPair,
    "status": Status,
    "undo": UndoneRuns,
}
