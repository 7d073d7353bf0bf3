"""Which document another is a version of, and which of two is kept; nothing is sent here."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from es_simhash.deduplication.candidates import CANDIDATES, Asked
from es_simhash.deduplication.decision import Decision, Item, Known
from es_simhash.deduplication.recent import Recent
from es_simhash.deduplication.rules import OnVersion
from es_simhash.relation.model import Coverage, Relation
from es_simhash.relation.scoring import Candidate, score_candidates
from es_simhash.relation.version_score import link_score

_EXACT = Coverage(1.0, 1.0)
# Of more that resemble, those that do so less are no better.
_VERIFIED = 5


def choose(
    item: Item,
    stored: Iterable[Known],
    recent: Recent,
    rules: OnVersion,
    *,
    exists: bool,
    without: Collection[str] = (),
) -> Decision:
    """Decide what to do with one document.

    What is found depends on the document and the others alone, not on whether these are in the
    index already or were written a moment ago.

    Args:
        item: The document.
        stored: What the index answered.
        recent: What was written lately.
        rules: What counts, and what is to be done.
        exists: True when the index has a document of this id.
        without: Ids that are known to be gone.
    """
    if item.prints.is_empty:
        return Decision(item.id, "write", item=item, exists=exists)
    asked = Asked.of(item.prints)
    gone = {item.id, *without}
    known = [each for each in stored if each.id not in recent and each.id not in gone]
    known += [each for each in recent.find(asked) if each.id not in gone]
    found = best(item, _most_shared(asked, known), rules)
    if found is None:
        return Decision(item.id, "write", item=item, exists=exists)
    relation, other = found
    return decided(item, relation, other, rules, exists=exists)


def _most_shared(asked: Asked, known: Sequence[Known]) -> list[Known]:
    """Cut as the search cuts: by what is shared, then what was written first."""
    if len(known) <= CANDIDATES:
        return list(known)

    def key(each: Known) -> tuple[bool, int, bool, int]:
        same = each.content_hash == asked.content_hash
        return not same, -asked.shared(each), each.index is None, each.order

    return sorted(known, key=key)[:CANDIDATES]


def best(item: Item, known: Iterable[Known], rules: OnVersion) -> tuple[Relation, Known] | None:
    """Return the document that another is a version of, with their relation; None without one."""
    for relation, other in nearest(item, known, rules):
        if relation.kind != "version" or _are_of_one_family(item.known, other):
            return relation, other
    return None


def nearest(item: Item, known: Iterable[Known], rules: OnVersion) -> list[tuple[Relation, Known]]:
    """Return the few whose relation counts by the fingerprints, best first."""
    judged = [(relation_of(item, each), each) for each in known]
    wanted = [
        (relation, each)
        for relation, each in judged
        if relation.kind in rules.kinds and relation.score >= rules.min_score
    ]
    return sorted(wanted, key=_rank)[:_VERIFIED]


def _are_of_one_family(one: Known, other: Known) -> bool:
    """Check whether `families` would link two texts: forms filled in differently are none."""
    ours, theirs = one.content, other.content
    return ours is not None and theirs is not None and link_score(ours, theirs) > 0


def _rank(pair: tuple[Relation, Known]) -> tuple[bool, float, str]:
    """Return what comes first: of two with one score the id decides, wherever they were found."""
    relation, other = pair
    return relation.kind != "exact", -relation.score, other.id


def relation_of(item: Item, other: Known) -> Relation:
    """Return the relation of a document to another, from the two alone."""
    if item.prints.content_hash == other.content_hash:
        return Relation(other.id, "exact", 1.0, _EXACT, index=other.index)
    shared = np.flatnonzero(np.isin(item.prints.shingles, other.shingles, assume_unique=True))
    candidate = Candidate(other.id, other.chunks, shared, index=other.index)
    return score_candidates(item.prints, len(item.prints.shingles), [candidate])[0]


def decided(
    item: Item, relation: Relation, other: Known, rules: OnVersion, *, exists: bool
) -> Decision:
    """Decide what becomes of a version.

    Args:
        item: The document.
        relation: To the other.
        other: What it is a version of.
        rules: What is to be done.
        exists: True when the index had a document of this id before.
    """
    decision = Decision(
        item.id, "write", relation, other.id, item=item, target=other, exists=exists
    )
    if rules.action == "flag":
        return replace(decision, action="flag")
    if rules.action == "link":
        return replace(decision, action="link", family=other.own_family)
    if exists:
        # To leave out a new text of a document that is there would keep its old one.
        return decision
    if rules.action == "skip":
        return replace(decision, action="skip")
    wins, why = _wins(item, other, rules)
    return replace(decision, action="replace" if wins else "skip", kept=why)


def _wins(item: Item, other: Known, rules: OnVersion) -> tuple[bool, str]:
    if rules.keep == "newest":
        ours, theirs = (-np.inf if m is None else m for m in (item.moment, other.moment))
        return bool(ours > theirs), "newest"
    if rules.keep == "longest":
        return item.known.characters > other.characters, "longest"
    return False, "first"
