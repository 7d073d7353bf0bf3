"""Decided batches are counted, and remembered, as if each document had come alone."""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from es_simhash.ingestion.bulk.json_documents import Document
from es_simhash.ingestion.bulk.lookup import Lookup
from es_simhash.ingestion.bulk.outcomes import Displaced, Failure, IngestReport, Outcome
from es_simhash.ingestion.bulk.prepared_batches import Prepared
from es_simhash.ingestion.bulk.run_documents import (
    CONFLICT,
    FAILED_CONFLICT,
    REPEATED,
    REROUTED,
    OnConflict,
    RunDocuments,
    Standing,
    key_of,
    mark_of,
)
from es_simhash.ingestion.deduplication.version_decisions import Decision, IncomingDocument
from es_simhash.ingestion.deduplication.write_decided import (
    DecidedDocuments,
    QueriedBatch,
    WriteDecided,
)
from es_simhash.relation.loss import LostText
from es_simhash.store.fields import FAMILY
from tests.ingestion.deduplication.test_decision_parts import incoming, original, relation

IDS = "abc"
# The index had this document before the run.
STORED = "o"
FIRST = incoming("a")


def document(
    id: str, text: str = "A", position: int = 0, routing: str | None = None
) -> IncomingDocument:
    read = Document(0, id, text, b"{}", "{}", routing)
    return replace(FIRST, id=id, position=position, routing=routing, mark=mark_of(read))


def decided(
    id: str, action: Any = "write", other: str | None = None, text: str = "A", **more: Any
) -> Decision:
    found = {} if other is None else {"original": original(other), "relation": relation()}
    return Decision(id, action, document=document(id, text), **{**found, **more})


def at(position: int, decision: Decision) -> Decision:
    """Return a decision about the document at a position of a batch."""
    return replace(decision, document=replace(decision.document, position=position))


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "write", "skip", "flag", "replace", "fails"]),
        st.sampled_from(IDS),
        st.sampled_from("AB"),
        st.integers(0, 4),
        st.booleans(),
    ),
    max_size=14,
)


def decisions_of(steps: Iterable[tuple[str, str, str, int, bool]]) -> Iterable[list[Decision]]:
    """Yield batches of decisions that may follow each other; what failed has no `relation`."""
    standing, batch = {STORED}, list[Decision]()
    for action, id, text, choice, is_last in steps:
        others = sorted(standing - {id})
        other = others[choice % len(others)] if others else None
        if action in ("skip", "flag", "replace") and other is None:
            continue
        if action == "replace":
            standing.discard(str(other))
        if action not in ("skip", "fails"):
            standing.add(id)
        needs_other = action in ("skip", "flag", "replace")
        batch.append(
            decided(id, "write", text=text, family="fails")
            if action == "fails"
            else decided(id, action, other if needs_other else None, text)
        )
        if is_last:
            yield batch
            batch = []
    yield batch


def reported(run: RunDocuments, batches: Iterable[Sequence[Decision]]) -> IngestReport:
    """Return what a run counts, and check that its records are what it knows."""
    report, again = IngestReport(), RunDocuments(run.on_conflict)
    for batch in batches:
        counted = DecidedDocuments(run)
        placed = [at(position, decision) for position, decision in enumerate(batch)]
        failed = {n: "no" for n, each in enumerate(placed) if each.family == "fails"}
        counted.add(placed, failed)
        assert list(counted.outcomes) == list(range(len(batch)))
        report += IngestReport.of(counted.outcomes.values())
        again.load(counted.records)
    keys = [key_of(id) for id in (*IDS, STORED)]
    assert again.standing(keys) == run.standing(keys)
    return report


@pytest.mark.long
@settings(max_examples=150)
@given(STEPS)
def test_a_batch_counts_as_if_each_document_had_come_alone(
    steps: list[tuple[str, str, str, int, bool]],
) -> None:
    batches = list(decisions_of(steps))
    together, alone = RunDocuments(), RunDocuments()
    report = reported(together, batches)
    one_by_one = reported(alone, [[one] for each in batches for one in each])
    assert report.to_dict() == one_by_one.to_dict()
    keys = [key_of(id) for id in (*IDS, STORED)]
    ours, theirs = together.standing(keys), alone.standing(keys)
    assert [each and each.mark for each in ours] == [each and each.mark for each in theirs]


def outcomes(*decisions: Decision, run: RunDocuments | None = None) -> list[Outcome]:
    counted = DecidedDocuments(run or RunDocuments())
    counted.add([at(n, decision) for n, decision in enumerate(decisions)], {})
    return [counted.outcomes[n] for n in range(len(decisions))]


def test_what_was_decided_is_said_of_each_document() -> None:
    lost = LostText(share=0.25)
    undated = replace(document("a"), is_undated=True)
    skipped = replace(decided("a", "skip", STORED, lost=lost), document=undated)
    retained = replace(decided("a", "retain", STORED, lost=lost), document=undated)
    (one,), (other,) = outcomes(skipped), outcomes(retained)
    assert (one.status, one.version_of, one.undated, one.lost) == ("skipped", "o", ("a",), lost)
    assert (other.status, other.version_of, other.undated) == ("written", "o", ("a",))
    assert (one.retained, other.retained, other.lost) == (False, True, lost)
    assert "Skipped" in str(one.reason)
    assert "Written and flagged" in str(other.reason)
    assert outcomes(decided("a"))[0] == Outcome("a", "written")


def test_the_last_of_one_id_stands_and_says_what_the_others_are() -> None:
    same, another = (
        outcomes(decided("a"), decided("a")),
        outcomes(decided("a"), decided("a", text="B")),
    )
    assert [(each.status, each.reason) for each in same] == [
        ("unchanged", REPEATED),
        ("written", None),
    ]
    assert [(each.status, each.reason) for each in another] == [
        ("conflicting", CONFLICT),
        ("written", None),
    ]


def test_what_is_replaced_is_named_where_it_was_counted() -> None:
    first, second = outcomes(decided("a"), decided("b", "replace", "a"))
    assert (first.status, first.reason) == ("replaced", "Replaced by 'b'.")
    assert second.displaced == ()
    (stored,) = outcomes(decided("b", "replace", STORED))
    assert stored.displaced == (Displaced(None, "replaced"),)
    run = RunDocuments()
    outcomes(decided("a"), run=run)
    (later,) = outcomes(decided("b", "replace", "a"), run=run)
    assert later.displaced == (Displaced("written", "replaced"),)
    # It is gone: one with its id takes the place of nothing.
    (again,) = outcomes(decided("a"), run=run)
    assert again.displaced == ()


def unchanged(run: RunDocuments, text: str) -> tuple[Outcome, Standing | None]:
    """Return what becomes of a document that the index has as it is, and what the run knows."""
    counted = DecidedDocuments(run)
    prepared = Prepared(unchanged=[(0, "a")], marks={0: mark_of(Document(0, "a", text, b"", "{}"))})
    counted.add_unchanged(prepared)
    (standing,) = run.standing([key_of("a")])
    return counted.outcomes[0], standing


@pytest.mark.parametrize(
    ("on_conflict", "same", "another"),
    [
        (
            "last",
            ("unchanged", None, ()),
            ("unchanged", None, (Displaced("written", "conflicting"),)),
        ),
        ("first", ("unchanged", REPEATED, ()), ("conflicting", CONFLICT, ())),
        ("fail", ("unchanged", REPEATED, ()), ("failed", FAILED_CONFLICT, ())),
    ],
)
def test_documents_that_the_index_has_meet_those_of_the_run(
    on_conflict: OnConflict, same: Any, another: Any
) -> None:
    for text, expected in (("A", same), ("B", another)):
        run = RunDocuments(on_conflict)
        outcome, standing = unchanged(run, "A")
        assert (outcome.status, standing and standing.status) == ("unchanged", "unchanged")
        run = RunDocuments(on_conflict)
        outcomes(decided("a"), run=run)
        outcome, standing = unchanged(run, text)
        assert (outcome.status, outcome.reason, outcome.displaced) == expected
        takes_place = on_conflict == "last" and text == "B"
        assert standing is not None
        assert standing.status == ("unchanged" if takes_place else "written")


def test_a_document_of_the_batch_may_replace_one_that_the_index_has() -> None:
    run = RunDocuments()
    counted = DecidedDocuments(run)
    mark = mark_of(Document(0, "a", "A", b"", "{}"))
    counted.add_unchanged(Prepared(unchanged=[(0, "a")], marks={0: mark}))
    counted.add([at(1, decided("b", "replace", "a"))], {})
    assert [counted.outcomes[n].status for n in (0, 1)] == ["replaced", "written"]
    assert counted.removed == {"a"}
    assert run.standing([key_of("a")]) == [None]


def test_a_document_that_the_run_wrote_itself_is_replaced_where_it_was_counted() -> None:
    run = RunDocuments()
    report = IngestReport.of(outcomes(decided("a"), run=run))
    counted = DecidedDocuments(run)
    mark = mark_of(Document(0, "a", "A", b"", "{}"))
    counted.add_unchanged(Prepared(unchanged=[(0, "a")], marks={0: mark}))
    counted.add([at(1, decided("b", "replace", "a"))], {})
    report += IngestReport.of(counted.outcomes.values())
    assert report.summary == "1 written, 1 unchanged, 1 replaced, 0 failed"


class Versions:
    """Returns prepared decisions, and records what it is asked to settle, write and confirm.

    Args:
        decide: Returns the decision about a document.
        rejected: Reasons of documents that the index rejects, by id; each once.
    """

    def __init__(
        self, decide: Callable[[IncomingDocument], Decision], rejected: dict[str, str] | None = None
    ) -> None:
        self.decide = decide
        self.rejected = dict(rejected or {})
        self.asked: list[list[str]] = []
        self.sent: list[list[str]] = []
        self.known: list[list[str]] = []
        self.confirmed: list[tuple[list[str], list[str]]] = []
        self.under_way: list[object] = []
        self.target: Any = SimpleNamespace(
            has_routings=False, config=SimpleNamespace(simhash_field="simhash"), write=self.write
        )

    def keep_for(self, batch: object) -> None:
        self.under_way.append(batch)

    def release(self, batch: object) -> None:
        self.under_way.remove(batch)

    def settle(
        self, documents: Sequence[IncomingDocument], originals: Sequence[Any]
    ) -> list[Decision]:
        assert self.under_way
        assert len(originals) == len(documents)
        self.asked.append([f"{each.id}{each.position}" for each in documents])
        made = [self.decide(each) for each in documents]
        return [replace(one, document=each) for one, each in zip(made, documents, strict=True)]

    def write(
        self, prepared: Prepared, known: Collection[str], kept: Collection[str]
    ) -> dict[int, str]:
        assert set(kept) == {FAMILY}
        self.known.append(sorted(known))
        self.sent.append(
            [json.loads(line)["index"]["_id"] for line in prepared.body.split(b"\n")[::2] if line]
        )
        ids = enumerate(prepared.ids)
        return {number: self.rejected.pop(id) for number, id in ids if id in self.rejected}

    def confirm(self, decisions: Sequence[Decision], failed: Any = ()) -> None:
        self.confirmed.append(([each.id for each in decisions], sorted(failed)))


def written(
    versions: Versions, documents: Sequence[IncomingDocument], run: RunDocuments | None = None
) -> tuple[list[tuple[str, str | None]], Any]:
    """Return status and reason of each document of a batch, and what was passed on."""
    passed: Any = SimpleNamespace(pass_on=lambda *ids: passed.__dict__.update(ids=ids))
    batch: Any = SimpleNamespace(location=lambda position: ("file", position + 1))
    ready = QueriedBatch(
        Prepared(failures=[Failure(90, "unread", "no JSON")]),
        list(documents),
        [[] for _ in documents],
    )
    versions.keep_for(batch)
    policy = WriteDecided(versions, run or RunDocuments())  # type: ignore[arg-type]
    report = policy.write(batch, ready, passed)
    assert not versions.under_way
    assert (report.outcomes[-1].id, report.outcomes[-1].place) == ("unread", "file:91")
    return [(each.status, each.reason) for each in report.outcomes[:-1]], passed.ids


def test_of_one_id_the_last_is_sent_and_all_are_decided_together() -> None:
    versions = Versions(lambda document: decided(document.id))
    batch = [document("a", "A"), document("b", position=1), document("a", "B", 2)]
    statuses, (ids, read) = written(versions, batch)
    assert statuses == [("conflicting", CONFLICT), ("written", None), ("written", None)]
    assert versions.asked == [["a0", "b1", "a2"]]
    assert versions.sent == [["a", "b"]]
    assert (ids, read) == ([], set())


@pytest.mark.parametrize(
    ("on_conflict", "outcome"),
    [("first", ("conflicting", CONFLICT)), ("fail", ("failed", FAILED_CONFLICT))],
)
def test_where_the_first_is_kept_the_next_waits_until_it_is_written(
    on_conflict: OnConflict, outcome: Any
) -> None:
    versions = Versions(lambda document: decided(document.id))
    batch = [
        document("a", "A"),
        document("b", position=1),
        document("a", "B", 2),
        document("c", position=3),
    ]
    statuses, _ = written(versions, batch, RunDocuments(on_conflict))
    assert statuses == [("written", None), ("written", None), outcome, ("written", None)]
    assert versions.asked == [["a0", "b1"], ["c3"]]
    # A first one that was skipped leaves the id to the next.
    versions = Versions(
        lambda each: decided(each.id, "skip", STORED) if each.position == 0 else decided(each.id)
    )
    statuses, _ = written(versions, batch, RunDocuments(on_conflict))
    assert [status for status, _ in statuses] == ["skipped", "written", "written", "written"]
    assert versions.asked == [["a0", "b1"], ["a2", "c3"]]


def test_a_document_with_the_id_of_another_routing_fails() -> None:
    run = RunDocuments()
    written(Versions(lambda each: decided(each.id)), [document("a", routing="r")], run)
    versions = Versions(lambda each: decided(each.id))
    batch = [document("a", routing="s"), document("a", position=1, routing="r")]
    statuses, _ = written(versions, batch, run)
    assert statuses == [("failed", REROUTED), ("written", None)]
    assert versions.asked == [["a1"]]


def test_what_builds_on_a_document_that_failed_is_decided_again() -> None:
    answers = iter(
        [
            decided("a"),
            decided("b", "skip", "a"),
            decided("c", superseded="a"),
            decided("d", "flag", STORED),
            decided("b"),
            decided("c"),
        ]
    )
    versions = Versions(lambda each: next(answers), {"a": "the mapping"})
    batch = [document(id, position=n) for n, id in enumerate("abcd")]
    statuses, _ = written(versions, batch)
    assert [status for status, _ in statuses] == ["failed", "written", "written", "written"]
    assert statuses[0] == ("failed", "the mapping")
    assert versions.asked == [["a0", "b1", "c2", "d3"], ["b1", "c2"]]
    assert versions.sent == [["a", "d"], ["b", "c"]]
    assert versions.confirmed == [(["a", "b", "c", "d"], ["a"]), (["b", "c"], [])]


def test_what_was_superseded_by_a_document_that_failed_is_decided_again_with_its_versions() -> None:
    answers = iter(
        [
            decided("a", superseded="b"),
            decided("d", "skip", "a"),
            decided("b", "replace", "a"),
            decided("a"),
            decided("d", "skip", "a"),
            decided("d"),
        ]
    )
    versions = Versions(lambda each: next(answers), {"b": "the mapping", "a": "the mapping"})
    batch = [document(id, position=n) for n, id in enumerate("adb")]
    statuses, _ = written(versions, batch)
    assert statuses == [("failed", "the mapping"), ("written", None), ("failed", "the mapping")]
    assert versions.asked == [["a0", "d1", "b2"], ["a0", "d1"], ["d1"]]


def test_one_that_is_written_at_the_second_attempt_did_not_fail() -> None:
    answers = iter([decided("a"), decided("b", "flag", "a"), decided("b", "flag", "a")])
    versions = Versions(lambda each: next(answers), {"a": "no"})
    versions.rejected["b"] = "built on a"
    batch = [document("a"), document("b", position=1)]
    statuses, _ = written(versions, batch)
    # Whatever was itself rejected is not sent again.
    assert statuses == [("failed", "no"), ("failed", "built on a")]
    assert versions.sent == [["a", "b"]]


def test_what_is_sent_says_which_ids_were_sent_before() -> None:
    run = RunDocuments()
    run.put([Standing(mark_of(Document(0, "z", "A", b"{}", "{}", None)), "written")])
    versions = Versions(
        lambda each: decided(each.id, "replace", "a") if each.id == "b" else decided(each.id),
        {"a": "no"},
    )
    batch = [document(id, position=position) for position, id in enumerate("abz")]
    written(versions, batch, run)
    assert versions.sent == [["a", "b", "z"], ["b"]]
    assert versions.known == [["z"], ["a", "b", "z"]]


def test_the_ids_of_what_was_replaced_and_is_stored_are_passed_on() -> None:
    versions = Versions(lambda each: decided(each.id, "replace", STORED))
    _, (ids, read) = written(versions, [document("a")])
    assert (ids, read) == ([STORED], set())


def test_a_batch_is_outdated_by_what_was_written_since() -> None:
    policy = WriteDecided(Versions(lambda each: decided(each.id)), RunDocuments())  # type: ignore[arg-type]
    ready = QueriedBatch(Prepared(unchanged=[(0, "a")]), [], [])

    def turn(*ids: str) -> Any:
        return SimpleNamespace(written_recently=lambda stored: not stored.isdisjoint(ids))

    assert policy.is_outdated(ready, turn("a"))
    assert not policy.is_outdated(ready, turn("b"))


@pytest.mark.parametrize("rewrite", [True, False])
def test_a_document_whose_date_cannot_be_read_fails_and_the_others_are_asked_about(
    rewrite: bool,
) -> None:
    unread, read = document("a"), document("b", position=1)
    versions: Any = Versions(lambda each: decided(each.id))
    batch: Any = SimpleNamespace()
    looked_up_for: list[object] = []
    versions.target.lookup = lambda identities: looked_up_for.extend(versions.under_way) or Lookup()
    versions.dated = lambda documents: ([read], [(unread, "no date")])
    versions.ask = lambda documents: [[] for _ in documents]
    compared = []

    def submit(step: Any, batch: Any, config: Any, lookup: Lookup | None = None) -> Any:
        if lookup is not None:
            compared.append(lookup.is_compared)
        undecided = SimpleNamespace(prepared=Prepared(), items=lambda ids: [unread, read])
        return SimpleNamespace(result=lambda: undecided)

    workers: Any = SimpleNamespace(submit=submit)
    policy = WriteDecided(versions, RunDocuments(), rewrite=rewrite)
    ready = policy.prepare(batch, workers)
    assert looked_up_for == versions.under_way == [batch]
    assert ready.prepared.failures == [Failure(0, "a", "no date")]
    assert (ready.items, ready.originals) == ([read], [[]])
    assert compared == [not rewrite]
