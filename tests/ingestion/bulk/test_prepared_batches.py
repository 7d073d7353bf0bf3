"""What becomes of documents of one id, as a function of the batch and of what the run has."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.ingestion.bulk.json_documents import Document
from es_simhash.ingestion.bulk.outcomes import Displaced, IngestReport, Outcome
from es_simhash.ingestion.bulk.prepared_batches import (
    BatchConflicts,
    Prepared,
    displaced_by,
    loser,
)
from es_simhash.ingestion.bulk.run_documents import (
    CONFLICT,
    FAILED_CONFLICT,
    NOT_KEPT,
    REPEATED,
    REROUTED,
    Mark,
    OnConflict,
    RunDocuments,
    Standing,
    key_of,
    mark_of,
)

WRITTEN, UNCHANGED = Outcome("x", "written"), Outcome("x", "unchanged")
FAILED = Outcome("x", "failed", "the mapping")


def mark(text: str = "A", id: str = "x", routing: str | None = None) -> Mark:
    return mark_of(Document(0, id, text, b"{}", "{}", routing))


def batch(texts: str, *, sent: int | None = None, **more: Any) -> Prepared:
    """Return a batch of documents with one id; only the one with this number is sent."""
    prepared = Prepared(marks={n: mark(text) for n, text in enumerate(texts)}, **more)
    for number in range(len(texts)):
        if number == sent:
            prepared.positions.append(number)
            prepared.ids.append("x")
        elif not any(position == number for position, _ in prepared.unchanged):
            prepared.repeats.append((number, "x"))
    return prepared


def outcomes(
    prepared: Prepared, run: RunDocuments, results: Mapping[int, Outcome]
) -> list[tuple[str, str | None, Displaced | None]]:
    """Return what becomes of each document, in order."""
    found = dict(BatchConflicts(prepared, run).outcomes(results))
    assert sorted(found) == list(range(len(prepared.marks)))
    assert {outcome.id for outcome in found.values()} == {"x"}
    in_order = [outcome for _, outcome in sorted(found.items())]
    # Of the documents of one id, at most one stands before the batch.
    assert all(len(each.displaced) <= 1 for each in in_order)
    return [(each.status, each.reason, next(iter(each.displaced), None)) for each in in_order]


def run_with(on_conflict: Any, *standing: Standing) -> RunDocuments:
    run = RunDocuments(on_conflict)
    run.put(standing)
    return run


def test_actions_are_left_out_by_their_places() -> None:
    prepared = Prepared(ids=["a", "b", "c"], positions=[1, 4, 6], unchanged=[(2, "d"), (3, "e")])
    prepared.fill([b"one\n", b"second\n", b"3\n"])
    assert (prepared.body, prepared.ends) == (b"one\nsecond\n3\n", [4, 11, 13])
    assert prepared.actions([2, 0, 1]) == [b"3\n", b"one\n", b"second\n"]
    prepared.leave_out([])
    assert prepared.ends == [4, 11, 13]
    prepared.leave_out([4, 2, 9])
    assert (prepared.body, prepared.ends) == (b"one\n3\n", [4, 6])
    assert (prepared.ids, prepared.positions) == (["a", "c"], [1, 6])
    assert (prepared.unchanged, prepared.stored_ids) == ([(3, "e")], {"e"})
    prepared.leave_out([1])
    assert (prepared.body, prepared.ends, prepared.ids) == (b"3\n", [2], ["c"])


@pytest.mark.parametrize(
    ("on_conflict", "text", "outcome"),
    [
        ("last", "A", ("unchanged", REPEATED)),
        ("fail", "A", ("unchanged", REPEATED)),
        ("last", "B", ("conflicting", CONFLICT)),
        ("first", "B", ("conflicting", CONFLICT)),
        ("fail", "B", ("failed", FAILED_CONFLICT)),
    ],
)
def test_who_is_not_kept_is_a_repeat_or_a_conflict(
    on_conflict: Any, text: str, outcome: tuple[str, str]
) -> None:
    found = loser("x", mark(text), mark("A"), RunDocuments(on_conflict))
    assert (found.id, found.status, found.reason) == ("x", *outcome)


def test_what_is_displaced_keeps_how_it_was_counted() -> None:
    assert displaced_by(mark(), None) == ()
    assert displaced_by(mark(), Standing(mark(), "written")) == (Displaced("written", "unchanged"),)
    other = Standing(mark("B"), "unchanged")
    assert displaced_by(mark(), other) == (Displaced("unchanged", "conflicting"),)


def test_of_one_batch_the_last_is_kept() -> None:
    found = outcomes(batch("AABA", sent=3), RunDocuments("last"), {3: WRITTEN})
    assert found == [
        ("unchanged", REPEATED, None),
        ("conflicting", CONFLICT, None),
        ("conflicting", CONFLICT, None),
        ("written", None, None),
    ]


@pytest.mark.parametrize("rule", ["first", "fail"])
def test_of_one_batch_the_first_is_kept(rule: Any) -> None:
    found = outcomes(batch("ABA", sent=0), RunDocuments(rule), {0: WRITTEN})
    lost = ("conflicting", CONFLICT) if rule == "first" else ("failed", FAILED_CONFLICT)
    assert found == [("written", None, None), (*lost, None), ("unchanged", REPEATED, None)]


@pytest.mark.parametrize("rule", ["last", "first"])
def test_when_the_one_that_is_kept_fails_all_do(rule: Any) -> None:
    kept, others = (2, [0, 1]) if rule == "last" else (0, [1, 2])
    found = outcomes(batch("ABA", sent=kept), RunDocuments(rule), {kept: FAILED})
    assert found[kept] == ("failed", "the mapping", None)
    assert [found[number] for number in others] == [("failed", NOT_KEPT, None)] * 2
    # It may also have failed before it could be sent: then it is counted elsewhere.
    gone = batch("ABA")
    del gone.marks[kept]
    gone.repeats.remove((kept, "x"))
    found_without = dict(BatchConflicts(gone, RunDocuments(rule)).outcomes({}))
    assert [(each.status, each.reason) for each in found_without.values()] == [
        ("failed", NOT_KEPT)
    ] * 2


def test_an_earlier_batch_is_displaced_by_the_first_of_this_one() -> None:
    run = run_with("last", Standing(mark("A"), "written"))
    assert outcomes(batch("BA", sent=1), run, {1: WRITTEN}) == [
        ("conflicting", CONFLICT, Displaced("written", "conflicting")),
        ("written", None, None),
    ]
    assert outcomes(batch("AB", sent=1), run, {1: WRITTEN}) == [
        ("conflicting", CONFLICT, Displaced("written", "unchanged")),
        ("written", None, None),
    ]
    assert outcomes(batch("B", sent=0), run, {0: WRITTEN}) == [
        ("written", None, Displaced("written", "conflicting"))
    ]
    assert outcomes(batch("A", sent=0), run, {0: WRITTEN}) == [
        ("written", None, Displaced("written", "unchanged"))
    ]


def test_what_the_index_has_as_it_was_displaces_nothing_but_another_text() -> None:
    same = batch("A", unchanged=[(0, "x")])
    run = run_with("last", Standing(mark("A"), "written"))
    assert outcomes(same, run, {0: UNCHANGED}) == [("unchanged", None, None)]
    run = run_with("last", Standing(mark("B"), "written"))
    assert outcomes(same, run, {0: UNCHANGED}) == [
        ("unchanged", None, Displaced("written", "conflicting"))
    ]


def test_what_the_run_wrote_before_counts_as_written_while_it_stands() -> None:
    run = run_with("last", Standing(mark("A"), "written"))
    for texts in ("AA", "BA"):
        prepared = batch(texts, unchanged=[(1, "x")])
        lost = ("unchanged", REPEATED) if texts == "AA" else ("conflicting", CONFLICT)
        found = outcomes(prepared, run, {1: UNCHANGED})
        assert found == [(*lost, None), ("unchanged", None, None)]


RULES: tuple[OnConflict, ...] = ("last", "first", "fail")
BATCHES = st.lists(
    st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("AB")), min_size=1, max_size=4),
    max_size=4,
)


def read_in(rule: OnConflict, batches: list[list[tuple[str, str]]]) -> tuple[Any, ...]:
    """Return what a run counts as written and as failed, what the index has, and what stands."""
    run, report, index = RunDocuments(rule), IngestReport(), dict[str, str]()
    for documents in batches:
        prepared, kept = Prepared(), dict[str, int]()
        for number, (id, text) in enumerate(documents):
            prepared.marks[number] = mark(text, id)
            kept[id] = number if rule == "last" else kept.get(id, number)
        for number, (id, text) in enumerate(documents):
            if kept[id] != number:
                prepared.repeats.append((number, id))
            elif index.get(id) == text:
                prepared.unchanged.append((number, id))
            else:
                prepared.positions.append(number)
                prepared.ids.append(id)
        conflicts = BatchConflicts(prepared, run)
        sent = dict(zip(prepared.positions, prepared.ids, strict=True))
        results = {n: Outcome(id, "written") for n, id in sent.items()}
        results |= {n: Outcome(id, "unchanged") for n, id in prepared.unchanged}
        results = {n: each for n, each in results.items() if n not in conflicts.left_out}
        index |= {id: documents[n][1] for n, id in sent.items() if n in results}
        report += IngestReport.of(each for _, each in conflicts.outcomes(results))
        run.put(conflicts.standing_after(results))
    standing = [each and each.mark for each in run.standing([key_of("x"), key_of("y")])]
    return report.documents, report.counts["written"], report.counts["failed"], index, standing


@given(st.sampled_from(RULES), BATCHES)
def test_as_many_are_written_as_where_each_document_is_read_alone(
    rule: OnConflict, batches: list[list[tuple[str, str]]]
) -> None:
    alone = [[document] for documents in batches for document in documents]
    assert read_in(rule, batches) == read_in(rule, alone)


@pytest.mark.parametrize("rule", ["first", "fail"])
def test_one_of_an_earlier_batch_is_kept(rule: Any) -> None:
    run = run_with(rule, Standing(mark("A"), "written"))
    prepared = batch("AB", sent=0)
    assert BatchConflicts(prepared, run).left_out == {0, 1}
    lost = ("conflicting", CONFLICT) if rule == "first" else ("failed", FAILED_CONFLICT)
    assert outcomes(prepared, run, {}) == [("unchanged", REPEATED, None), (*lost, None)]
    assert BatchConflicts(prepared, RunDocuments(rule)).left_out == set()


@pytest.mark.parametrize("rule", ["last", "first", "fail"])
@pytest.mark.parametrize("routing", ["one", None])
def test_another_routing_than_that_of_an_earlier_batch_fails(
    rule: Any, routing: str | None
) -> None:
    run = run_with(rule, Standing(mark("A", routing="other"), "written"))
    prepared = Prepared(ids=["x"], positions=[0], marks={0: mark("A", routing=routing)})
    assert BatchConflicts(prepared, run).left_out == {0}
    assert outcomes(prepared, run, {}) == [("failed", REROUTED, None)]
    same = run_with(rule, Standing(mark("B", routing=routing), "written"))
    assert (BatchConflicts(prepared, same).left_out == {0}) is (rule != "last")
    assert outcomes(prepared, same, {0: WRITTEN})[0][1] != REROUTED


def test_documents_that_the_run_does_not_remember_are_passed_over() -> None:
    prepared = Prepared(ids=["x", "y"], positions=[0, 1], marks={0: mark()})
    conflicts = BatchConflicts(prepared, RunDocuments("last"))
    assert dict(conflicts.outcomes({0: WRITTEN})) == {0: WRITTEN}


def standing_after(prepared: Prepared, run: RunDocuments, results: Mapping[int, Outcome]) -> Any:
    conflicts = BatchConflicts(prepared, run)
    return [(each.mark.value >> 18, each.status) for each in conflicts.standing_after(results)]


def test_what_was_written_stands_and_what_failed_does_not() -> None:
    text = mark("A").value >> 18
    one = batch("A", sent=0)
    run = RunDocuments("last")
    assert standing_after(one, run, {0: WRITTEN}) == [(text, "written")]
    assert standing_after(one, run, {0: UNCHANGED}) == [(text, "unchanged")]
    assert standing_after(one, run, {0: FAILED}) == []
    assert standing_after(one, run, {}) == []
    # What the run wrote and finds unchanged stays counted as written.
    known = run_with("last", Standing(mark("A"), "written"))
    assert standing_after(one, known, {0: UNCHANGED}) == []
    assert standing_after(one, known, {0: WRITTEN}) == [(text, "written")]
    other = run_with("last", Standing(mark("B"), "written"))
    assert standing_after(one, other, {0: UNCHANGED}) == [(text, "unchanged")]


@pytest.mark.parametrize("status", ["written", "unchanged"])
def test_a_run_knows_what_stands_by_the_digest_of_the_id(status: Any) -> None:
    run = RunDocuments("fail")
    one, other = mark("A", routing="r"), mark("B", id="y")
    records = run.put([Standing(one, status), Standing(other, "written")])
    again = RunDocuments("fail")
    again.load(records)
    for known in (run, again):
        found, none = known.standing([key_of("x"), key_of("z")])
        assert found is not None
        assert none is None
        assert (found.status, found.mark.key) == (status, one.key)
        assert found.mark.has_text_of(one)
        assert found.mark.has_routing_of(one)
        assert not found.mark.has_text_of(other)
        assert not found.mark.has_routing_of(other)
    run.put([], [key_of("x")])
    assert run.standing([key_of("x")]) == [None]


def test_the_last_alone_gives_way() -> None:
    assert RunDocuments("last").keeps_last
    assert not RunDocuments("first").keeps_last
    assert not RunDocuments("fail").keeps_last
