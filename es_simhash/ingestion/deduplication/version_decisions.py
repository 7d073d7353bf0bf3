"""Documents that decisions are about, what is decided for one and why; nothing is sent here."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.ingestion.bulk.json_documents import loads, splice
from es_simhash.ingestion.bulk.lookup import with_members
from es_simhash.ingestion.bulk.run_documents import Mark
from es_simhash.ingestion.deduplication.shingle_query import ShingleQuery
from es_simhash.ingestion.deduplication.version_rules import FLAGGING, OnVersion
from es_simhash.pairs.parted_texts import Values, claim_of, names_in_part
from es_simhash.relation.candidate import Candidate, StoredText
from es_simhash.relation.loss import LostText
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.relation import Relation, as_joined
from es_simhash.relation.scoring import score_candidates
from es_simhash.relation.stored_text import FingerprintedText
from es_simhash.store import fields
from es_simhash.store.dates import Date
from es_simhash.text.counting import score_text

_FAMILY_NAME_LENGTH = 16


@dataclass(frozen=True)
class Original:
    """A document that others may be versions of.

    Attributes:
        ref: Where it is; without an index when this run writes it.
        text: Its stored parts.
        date: Its date, as the engine reads it; None without one.
        family: Its family; None without one.
        order: Its place among those that were written.
        values: What keeps it apart from the documents of others.
    """

    ref: DocumentRef
    text: StoredText
    date: Date | None = None
    family: str | None = None
    order: int = 0
    values: Values = ()

    @property
    def id(self) -> str:
        """Its id."""
        return self.ref.id

    @property
    def claim(self) -> str:
        """Key under which its text is reserved."""
        return claim_of(self.text.content_hash, self.values)

    @property
    def family_name(self) -> str:
        """Name of its family, also before it has one; `families` names them the same way."""
        (name,) = names_in_part([self.text.content_hash], self.values)
        return self.family or name[:_FAMILY_NAME_LENGTH]


@dataclass(frozen=True)
class IncomingDocument:
    """A document that is to be decided.

    Attributes:
        id: Its id.
        position: Its number in the batch.
        fingerprints: Fingerprints of its text.
        source: Its JSON, without id and `simhash` object.
        simhash: Its `simhash` object, as JSON.
        exists: True when the index has a document of this id.
        date: Its date, as the engine reads it; None without one, or when dates do not matter.
        is_undated: True when it has no date, and dates matter.
        routing: What it is routed by; None for its id.
        mark: How the run remembers it; None when it does not.
        family: Family of the document that the index has, with the same text; None without one.
        values: What keeps it apart from the documents of others; None where that is not known, and
            it may be a version of any.
    """

    id: str
    position: int
    fingerprints: TextFingerprints
    source: bytes
    simhash: bytes
    exists: bool = False
    date: Date | None = None
    is_undated: bool = False
    routing: str | None = None
    mark: Mark | None = field(default=None, repr=False)
    family: str | None = None
    values: Values | None = None

    @property
    def content_hash(self) -> str:
        """Hash of its normalised text."""
        return self.fingerprints.content_hash

    @property
    def claim(self) -> str:
        """Key under which its text is reserved."""
        return claim_of(self.content_hash, self.values or ())

    def may_be_version_of(self, original: Original) -> bool:
        """Check that no field keeps them apart."""
        return self.values is None or self.values == original.values

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The document, parsed."""
        fields: dict[str, Any] = loads(self.source.decode())
        return fields

    @cached_property
    def query(self) -> ShingleQuery:
        """What it is queried by."""
        return ShingleQuery.of(self.fingerprints)

    @cached_property
    def text(self) -> FingerprintedText:
        """The parts of its text that a stored document has, so that both compare alike."""
        return FingerprintedText(self.fingerprints)

    def as_original(self, order: int = 0) -> Original:
        """Return the document as later ones are compared with it."""
        ref = DocumentRef(None, self.id, self.routing)
        return Original(ref, self.text, self.date, self.family, order, self.values or ())


@dataclass(frozen=True)
class Decision:
    """What was decided for one document.

    Attributes:
        id: Id of the document.
        action: `write` it as it is, `skip` it, `flag` it, `link` it, `replace` the original, or
            `retain` both and flag it, as text would be lost.
        relation: To the original; None when it is a version of nothing.
        family: Family it gets, for `link`.
        kept: Rule by which one of the two was kept, for `replace`.
        document: The document.
        original: What it is a version of; None without one.
        lost: What is lost where one of the two is removed, or would be; None where nothing is
            compared.
        superseded: Id of the document of the same batch that is written in its place: what replaces
            it, or what replaces that; None where it is written itself.
        exists: True when the index has a document of this id.
    """

    id: str
    action: Literal["write", "skip", "flag", "link", "replace", "retain"]
    relation: Relation | None = None
    family: str | None = None
    kept: str | None = None
    document: IncomingDocument = field(repr=False, compare=False, kw_only=True)
    original: Original | None = field(default=None, repr=False, compare=False, kw_only=True)
    lost: LostText | None = field(default=None, repr=False, compare=False, kw_only=True)
    superseded: str | None = field(default=None, repr=False, compare=False, kw_only=True)
    exists: bool = field(default=False, repr=False, compare=False, kw_only=True)

    @property
    def other(self) -> str | None:
        """Id of the original; None without one."""
        return None if self.original is None else self.original.id

    @property
    def routing(self) -> str | None:
        """What the document is routed by; None for its id."""
        return self.document.routing

    @property
    def writes(self) -> bool:
        """False when the document is not written."""
        return self.action != "skip" and self.superseded is None

    @property
    def stands_for_it(self) -> str:
        """Id of the document that is written: its own, or what superseded it."""
        return self.superseded or self.id

    @property
    def is_new_original(self) -> bool:
        """True when later documents may be versions of this one."""
        return self.action in ("write", "replace") and not self.document.fingerprints.is_empty

    @property
    def undated(self) -> tuple[str, ...]:
        """Ids of the document and its original, as far as they have no date but needed one."""
        ids = [self.id] if self.document.is_undated else []
        if self.kept == "newest" and self.original is not None and self.original.date is None:
            ids.append(self.original.id)
        return tuple(ids)

    @property
    def summary(self) -> str | None:
        """One sentence about it; None when the document is a version of nothing."""
        if self.superseded is not None:
            return f"Replaced by {self.superseded!r} before it was written."
        if self.relation is None:
            return None
        what = {
            "write": "Written, as the index had a document of this id",
            "skip": "Skipped",
            "flag": "Flagged",
            "link": f"Linked as family {self.family}",
            "replace": f"Written in place of {self.other!r}",
            "retain": f"Written and flagged, as text would be lost{self._loss}",
        }[self.action]
        kind = "copy" if self.relation.kind == "exact" else self.relation.kind
        return f"{what}: {kind} of {self.other!r}, score {score_text(self.relation.score)}."

    @property
    def _loss(self) -> str:
        """What would be lost, in parentheses."""
        if self.lost is None:
            return ""
        named = f"; {', '.join(self.lost.facts)}" if self.lost.facts else ""
        return f" ({self.lost.share:.1%} of the words{named})"

    @property
    def simhash_fields(self) -> dict[str, Any]:
        """Fields that the `simhash` object of the document gets by the decision."""
        added: dict[str, Any] = {}
        if self.action in FLAGGING and self.relation is not None:
            added = {
                fields.DUPLICATE_OF: self.other,
                fields.DUPLICATE_SCORE: self.relation.score,
            }
        family = self.family or self.document.family
        return added if family is None else {**added, fields.FAMILY: family}

    def source(self, simhash_field: str) -> bytes:
        """Return the JSON of the document as it is written."""
        simhash = with_members(self.document.simhash, self.simhash_fields)
        return splice(self.document.source, json.dumps(simhash_field).encode(), simhash)

    def to_write(self, simhash_field: str = fields.DEFAULT_FIELD) -> dict[str, Any]:
        """Return the document to write, with its `simhash` object, for a bulk of your own."""
        source: dict[str, Any] = loads(self.source(simhash_field).decode())
        return source


def best_original(
    document: IncomingDocument,
    candidates: Sequence[Original],
    rules: OnVersion,
    threshold: float,
    joined: Collection[str] = (),
) -> tuple[Relation, Original] | None:
    """Return what a document is a version of, with their relation; None without one.

    Args:
        document: The document.
        candidates: What it may be a version of.
        rules: What counts as a version.
        threshold: Where versions begin in the index.
        joined: Ids of documents that a person joined with it: they count, whatever the rules say.
    """
    relations = relations_of(document, candidates, threshold)
    wanted = [
        (as_joined(relation) if candidate.id in joined else relation, candidate)
        for relation, candidate in zip(relations, candidates, strict=True)
        if candidate.id in joined
        or (relation.kind in rules.kinds and relation.score >= rules.least_score)
    ]
    return min(wanted, key=_rank, default=None)


def _rank(pair: tuple[Relation, Original]) -> tuple[bool, bool, float, str]:
    """Return what comes first: of two with one score the id decides, wherever they were found."""
    relation, candidate = pair
    return relation.kind != "exact", not relation.joined, -relation.score, candidate.id


def relations_of(
    document: IncomingDocument, candidates: Sequence[Original], threshold: float
) -> list[Relation]:
    """Return the relation of a document to each candidate, which does not depend on the others."""
    scored = [
        Candidate.of(document.text, each.text, each.ref.id, each.ref.index) for each in candidates
    ]
    return score_candidates(document.text, scored, threshold)


def decide_version(
    document: IncomingDocument,
    relation: Relation,
    original: Original,
    rules: OnVersion,
    *,
    exists: bool,
) -> Decision:
    """Decide what becomes of a version.

    Args:
        document: The document.
        relation: To the original.
        original: What it is a version of.
        rules: What is to be done.
        exists: True when the index had a document of this id before.
    """
    decision = Decision(
        document.id, "write", relation, document=document, original=original, exists=exists
    )
    if rules.action == "flag":
        return replace(decision, action="flag")
    if rules.action == "link":
        return replace(decision, action="link", family=original.family_name)
    if exists:
        # To leave out a new text of a document that is there would keep its old one.
        return decision
    if rules.action == "skip":
        return replace(decision, action="skip")
    decision = replace(decision, action="skip", kept=rules.keep)
    return replace(decision, action="replace") if _is_ahead(document, original, rules) else decision


def _is_ahead(document: IncomingDocument, original: Original, rules: OnVersion) -> bool:
    """Check whether the document is kept rather than its original."""
    if rules.keep == "newest":
        ours, theirs = (
            -np.inf if date is None else date for date in (document.date, original.date)
        )
        return bool(ours > theirs)
    if rules.keep == "longest":
        return document.text.characters > original.text.characters
    return False
