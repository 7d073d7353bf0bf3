"""What is decided as a function of texts, dates and rules, without an engine."""

import json
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.ingestion.deduplication.lost_texts import LostTexts
from es_simhash.ingestion.deduplication.version_decisions import (
    Decision,
    IncomingDocument,
    Original,
    best_original,
    decide_version,
    relations_of,
)
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.relation.loss import LostText
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.relation import Coverage, Relation
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.store.config import DocumentFields, IndexConfig
from tests.support.made_up_texts import make_text, revise

FIRST = make_text(1)


def incoming(id: str, text: str = FIRST, **more: Any) -> IncomingDocument:
    source = json.dumps({"text": text}).encode()
    return IncomingDocument(id, 0, fingerprint(text), source, b'{"scheme": "s"}', **more)


def original(id: str, text: str = FIRST, **more: Any) -> Original:
    return replace(incoming(id, text).as_original(), **more)


def relation(kind: Any = "version", score: float = 0.8, **more: Any) -> Relation:
    return Relation("o", kind, score, Coverage(1.0, 1.0), **more)


def decision(action: Any = "write", *, has_original: bool = True, **more: Any) -> Decision:
    """Return a decision about a version of another document, or of none."""
    made = Decision("d", action, document=incoming("d"))
    if has_original:
        made = replace(made, relation=relation(), original=original("o"))
    return replace(made, **more)


def test_a_family_that_has_no_name_yet_is_called_by_the_text() -> None:
    assert original("o", family="mine").family_name == "mine"
    assert original("o").family_name == original("o").text.content_hash[:16]
    assert len(original("o").family_name) == 16


def test_the_other_is_the_original() -> None:
    assert decision().other == "o"
    assert decision(has_original=False).other is None


@pytest.mark.parametrize(
    ("action", "superseded", "writes"),
    [
        ("write", None, True),
        ("write", "later", False),
        ("skip", None, False),
        ("skip", "later", False),
        ("replace", None, True),
    ],
)
def test_what_is_skipped_or_superseded_is_not_written(
    action: Any, superseded: Any, writes: bool
) -> None:
    assert decision(action, superseded=superseded).writes is writes


@pytest.mark.parametrize(
    ("action", "text", "is_new"),
    [
        ("write", FIRST, True),
        ("replace", FIRST, True),
        ("write", "…", False),
        ("replace", "…", False),
        ("flag", FIRST, False),
        ("skip", FIRST, False),
        ("skip", "…", False),
    ],
)
def test_later_ones_may_be_versions_of_what_is_none_itself(
    action: Any, text: str, is_new: bool
) -> None:
    assert decision(action, document=incoming("d", text)).is_new_original is is_new


def date(year: int) -> Any:
    return datetime(year, 1, 1).timestamp()


@pytest.mark.parametrize(
    ("is_undated", "kept", "dated", "has_original", "ids"),
    [
        (False, "newest", 2020, True, ()),
        (True, "newest", 2020, True, ("d",)),
        (False, "newest", None, True, ("o",)),
        (True, "newest", None, True, ("d", "o")),
        (False, "longest", None, True, ()),
        (True, None, None, True, ("d",)),
        (False, "newest", None, False, ()),
        (True, None, None, False, ("d",)),
    ],
)
def test_those_without_a_date_are_named_where_it_decided(
    is_undated: bool, kept: Any, dated: Any, has_original: bool, ids: tuple[str, ...]
) -> None:
    made = decision(
        "skip",
        has_original=has_original,
        kept=kept,
        document=incoming("d", is_undated=is_undated),
    )
    if has_original:
        made = replace(made, original=original("o", date=dated and date(dated)))
    assert made.undated == ids


def test_a_decision_is_one_sentence() -> None:
    assert decision(has_original=False).summary is None
    assert decision(superseded="x").summary == "Replaced by 'x' before it was written."
    assert decision("skip").summary == "Skipped: version of 'o', score 0.80."
    exact = decision("flag", relation=relation("exact", 1.0))
    assert exact.summary == "Flagged: copy of 'o', score 1.00."
    assert decision("link", family="f").summary == "Linked as family f: version of 'o', score 0.80."
    assert decision("replace").summary == "Written in place of 'o': version of 'o', score 0.80."
    kept = "Written and flagged, as text would be lost"
    assert decision("retain").summary == f"{kept}: version of 'o', score 0.80."
    lost = decision("retain", lost=LostText(0.25, ("1987", "Rome")))
    assert lost.summary == f"{kept} (25.0% of the words; 1987, Rome): version of 'o', score 0.80."
    lost = decision("retain", lost=LostText(0.25))
    assert lost.summary == f"{kept} (25.0% of the words): version of 'o', score 0.80."


def test_fields_of_a_decision_are_flags_and_a_family() -> None:
    flags = {"duplicate_of": "o", "duplicate_score": 0.8}
    for action in ("flag", "retain"):
        assert decision(action).simhash_fields == flags
    assert decision("link", family="f").simhash_fields == {**flags, "family": "f"}
    for action in ("write", "replace", "skip"):
        assert decision(action).simhash_fields == {}
    assert decision("flag", has_original=False).simhash_fields == {}
    of_before = incoming("d", family="before")
    assert decision(document=of_before).simhash_fields == {"family": "before"}
    assert decision("link", family="f", document=of_before).simhash_fields["family"] == "f"
    assert decision("link", family="f").to_write()["simhash"]["family"] == "f"


def test_the_best_original_has_the_same_text_then_the_score_then_the_id() -> None:
    near, far = revise(FIRST, 2, 0.02), revise(FIRST, 3, 0.06)
    candidates = [original("far", far), original("near", near), original("stranger", make_text(9))]
    document, rules = incoming("d"), OnVersion("skip")

    def best(*more: Original, rules: OnVersion = rules, joined: Any = ()) -> tuple[str, str] | None:
        found = best_original(document, [*candidates, *more], rules, VERSION_SCORE, joined)
        return None if found is None else (found[1].id, found[0].kind)

    assert best() == ("near", "version")
    farther, nearer, stranger = relations_of(document, candidates, VERSION_SCORE)
    assert (farther.kind, nearer.kind, stranger.kind) == ("version", "version", "none")
    assert [nearer] == relations_of(document, candidates[1:2], VERSION_SCORE)
    assert best(original("anear", near)) == ("anear", "version")
    assert best(original("znear", near)) == ("near", "version")
    assert best(original("z", FIRST.upper())) == ("z", "exact")
    # What a person joined is a version whatever it shares, but a copy comes first.
    assert best(joined={"stranger"}) == ("stranger", "version")
    assert best(original("z", FIRST), joined={"stranger"}) == ("z", "exact")
    assert best(rules=OnVersion("skip", kinds=("exact",))) is None
    assert best(rules=OnVersion("skip", kinds=("exact",)), joined={"far"}) == ("far", "version")
    score = nearer.score
    assert VERSION_SCORE < score < 1
    assert best(rules=OnVersion("skip", min_score=score)) == ("near", "version")
    assert best(rules=OnVersion("skip", min_score=score + 0.0001)) is None
    assert best_original(document, [], rules, VERSION_SCORE) is None


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize(
    ("action", "decided", "of_existing"),
    [
        ("flag", "flag", "flag"),
        ("link", "link", "link"),
        ("skip", "skip", "write"),
        ("replace", "replace", "write"),
    ],
)
def test_each_action_decides_as_it_is_called(
    action: Any, decided: str, of_existing: str, exists: bool
) -> None:
    longer = incoming("d", f"{FIRST} and more")
    made = decide_version(longer, relation(), original("o"), OnVersion(action), exists=exists)
    assert made.action == (of_existing if exists else decided)
    assert (made.exists, made.other, made.relation) == (exists, "o", relation())
    assert made.family == (original("o").family_name if action == "link" else None)
    assert made.kept == ("longest" if (action, exists) == ("replace", False) else None)


@pytest.mark.parametrize(
    ("keep", "ours", "theirs", "action"),
    [
        ("newest", 2021, 2020, "replace"),
        ("newest", 2020, 2020, "skip"),
        ("newest", 2019, 2020, "skip"),
        ("newest", 1960, None, "replace"),
        ("newest", None, 1960, "skip"),
        ("newest", None, None, "skip"),
        ("existing", 2021, 2020, "skip"),
        ("longest", 2021, 2020, "skip"),
    ],
)
def test_the_newest_has_the_later_date(keep: Any, ours: Any, theirs: Any, action: str) -> None:
    rules = OnVersion("replace", keep=keep, date_field="date")
    document = incoming("d", date=ours and date(ours))
    stored = original("o", date=theirs and date(theirs))
    made = decide_version(document, relation(), stored, rules, exists=False)
    assert (made.action, made.kept) == (action, keep)


@pytest.mark.parametrize(("keep", "replaces"), [("longest", True), ("existing", False)])
def test_the_longest_has_more_characters(keep: Any, replaces: bool) -> None:
    rules = OnVersion("replace", keep=keep)
    longer = f"{FIRST} x"
    for text, stored, is_longer in ((longer, FIRST, True), (FIRST, longer, False)):
        made = decide_version(
            incoming("d", text), relation(), original("o", stored), rules, exists=False
        )
        assert made.action == ("replace" if replaces and is_longer else "skip")


def test_a_date_field_of_the_index_counts_where_the_rules_name_none() -> None:
    dated = IndexConfig(documents=DocumentFields(date="published"))
    assert OnVersion().configured(dated).date_field == "published"
    assert OnVersion(date_field="mine").configured(dated).date_field == "mine"
    assert OnVersion().configured(IndexConfig()).date_field is None
    newest = OnVersion("replace", keep="newest")
    assert newest.configured(dated).date_field == "published"


@pytest.mark.parametrize(
    ("action", "kind", "lose", "concerns"),
    [
        ("skip", "version", 0.5, True),
        ("replace", "version", 0.99, True),
        ("skip", "contains", 0.0, True),
        ("skip", "version", 1.0, False),
        ("skip", "exact", 0.0, False),
        ("flag", "version", 0.0, False),
        ("write", "version", 0.0, False),
    ],
)
def test_losses_concern_removals_of_other_texts(
    action: Any, kind: Any, lose: float, concerns: bool
) -> None:
    losses = LostTexts(OnVersion("skip", lose=lose), IndexConfig())
    assert losses.concerns(decision(action, relation=relation(kind))) is concerns
    assert not losses.concerns(decision(action, has_original=False))
    assert not losses.concerns(decision(action, relation=None))
    assert not losses.concerns(decision(action, original=None))


@pytest.mark.parametrize(("action", "is_kept"), [("skip", False), ("replace", True)])
def test_what_is_removed_is_compared_with_what_stays(action: Any, is_kept: bool) -> None:
    # The document has a sentence that its original lacks: to skip it would lose that.
    losses = LostTexts(OnVersion("skip", lose=0.01), IndexConfig())
    longer = f"{FIRST} {make_text(2, 30)}"
    made = decision(action, document=incoming("d", longer))
    for _ in range(2):
        checked = losses.checked(made, longer, FIRST)
        assert checked.action == (action if is_kept else "retain")
        assert checked.lost is not None
        assert (checked.lost.share == 0.0) is is_kept
    # What was compared is remembered, by which of the two is removed.
    turned = decision("replace" if action == "skip" else "skip", document=incoming("d", longer))
    assert losses.checked(turned, longer, FIRST).lost != checked.lost
    other = losses.checked(replace(made, document=incoming("e", FIRST)), FIRST, FIRST)
    assert other.lost == LostText(0.0)


def test_the_text_of_a_document_of_the_batch_is_that_of_its_field() -> None:
    losses = LostTexts(OnVersion("skip"), IndexConfig())
    assert losses.text_of(incoming("d", "Some words.")) == "Some words."
    assert losses.text_of(replace(incoming("d"), source=b'{"n": 1}')) == ""


def test_a_loss_at_the_bound_is_within_it() -> None:
    assert LostText(0.2).is_within(0.2)
    assert not LostText(0.2).is_within(0.19)
    assert LostText(0.9, ("1987",)).is_within(1.0)
    assert not LostText(0.0, ("1987",)).is_within(0.99)


def test_a_place_of_this_run_has_no_index() -> None:
    assert incoming("d", routing="r").as_original(7).ref == DocumentRef(None, "d", "r")
    assert incoming("d").as_original(7).order == 7
    assert incoming("d").as_original().order == 0
