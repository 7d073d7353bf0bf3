"""Which document another is a version of, and which of two is kept; nothing is sent here."""

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from es_simhash.ingestion.deduplication.version_decisions import (
    Decision,
    IncomingDocument,
    Original,
)
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.relation.candidate import Candidate
from es_simhash.relation.relation import Coverage, Relation, as_joined
from es_simhash.relation.scoring import score_candidates

_EXACT = Coverage(1.0, 1.0)


def best_original(
    document: IncomingDocument,
    candidates: Iterable[Original],
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
    scored = [(relation_of(document, candidate, threshold), candidate) for candidate in candidates]
    wanted = [
        (as_joined(relation) if candidate.id in joined else relation, candidate)
        for relation, candidate in scored
        if candidate.id in joined
        or (relation.kind in rules.kinds and relation.score >= rules.least_score)
    ]
    return min(wanted, key=_rank, default=None)


def _rank(pair: tuple[Relation, Original]) -> tuple[bool, bool, float, str]:
    """Return what comes first: of two with one score the id decides, wherever they were found."""
    relation, candidate = pair
    return relation.kind != "exact", not relation.joined, -relation.score, candidate.id


def relation_of(document: IncomingDocument, candidate: Original, threshold: float) -> Relation:
    """Return the relation of a document to a candidate, from the two alone."""
    ref, text = candidate.ref, candidate.text
    if document.content_hash == text.content_hash:
        return Relation(ref.id, "exact", 1.0, _EXACT, index=ref.index)
    shared = np.intersect1d(document.text.shingles, text.shingles, assume_unique=True)
    scored = Candidate(ref.id, text.chunks, text.sketch, shared, index=ref.index)
    (relation,) = score_candidates(document.text, [scored], threshold)
    return relation


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
