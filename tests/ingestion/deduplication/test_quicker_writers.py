"""Other writers between a decision and what follows from it."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from es_simhash.ingestion.deduplication import recent_documents
from es_simhash.ingestion.deduplication.effects import WRITE_ATTEMPTS
from es_simhash.ingestion.deduplication.stored_documents import StoredDocuments
from es_simhash.ingestion.deduplication.version_decisions import Decision
from es_simhash.ingestion.deduplication.version_policy import VersionPolicy
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.store.changes import Change

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


@pytest.fixture
def pair(make_text: Make, revise: Make) -> list[dict[str, Any]]:
    """A text, and a longer version of it."""
    first = make_text(1)
    return [{"_id": "a", "text": first}, {"_id": "b", "text": f"{revise(first, 3)} and more"}]


def before_changes(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[], object], times: int = 1
) -> list[int]:
    """Let another writer act before the first changes of documents; give how often it did."""
    change, done = StoredDocuments.change, [0]

    def late(self: StoredDocuments, changes: Sequence[Change]) -> Any:
        if changes and done[0] < times:
            done[0] += 1
            act()
        return change(self, changes)

    monkeypatch.setattr(StoredDocuments, "change", late)
    return done


def update(desk: Any, **fields: Any) -> Callable[[], object]:
    """Return what changes fields of the first document, each time to other values."""
    count = iter(range(100))
    return lambda: desk.client.update(
        index=desk.name, id="a", doc={**fields, "n": next(count)}, refresh=True
    )


def unrefreshed(desk: Any, documents: Sequence[dict[str, Any]], *deleted: str) -> None:
    """Write documents, and delete some, of which searches do not know."""
    desk.put(documents)
    desk.client.indices.put_settings(index=desk.name, settings={"refresh_interval": -1})
    for id in deleted:
        desk.client.delete(index=desk.name, id=id)


def test_an_original_that_changes_meanwhile_gets_its_family(
    desk: Any, pair: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put(pair[:1])
    before_changes(monkeypatch, update(desk))
    assert desk.write(pair[1:], "link") == {"b": "written"}
    marks = desk.marks()
    assert marks["a"]["family"] == marks["b"]["family"]


@pytest.mark.parametrize("changed", [None, {"n": 3}, {"text": "Something else meanwhile."}])
def test_what_was_written_with_its_replacement_goes_as_the_log_has_it(
    desk: Any, pair: Any, changed: dict[str, Any] | None
) -> None:
    desk.put(pair[:1])
    written = [{**pair[0], "n": 2}, pair[1]]
    rules = OnVersion("replace", audit=desk.audit, lose=1)
    with VersionPolicy(desk.client, desk.name, rules) as policy:
        decisions = policy.decide(written)
        assert [each.action for each in decisions] == ["write", "replace"]
        for decision in decisions:
            document = decision.to_write()
            desk.client.index(index=desk.name, id=decision.id, document=document)
        if changed is not None:
            desk.put([{**written[0], **changed}])
        policy.confirm(decisions)
    expected = {**{name: written[0][name] for name in ("n", "text")}, **(changed or {})}
    is_kept = changed is not None and "text" in changed
    assert set(desk.documents()) == ({"a", "b"} if is_kept else {"b"})
    desk.undo()
    assert desk.documents()["a"] == expected


def test_an_original_that_gets_a_family_meanwhile_keeps_it(
    desk: Any, pair: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put(pair[:1])
    before_changes(monkeypatch, update(desk, simhash={"family": "mine"}))
    desk.write(pair[1:], "link")
    assert desk.marks()["a"]["family"] == "mine"


def test_an_original_that_changes_all_the_time_is_left_as_it_is(
    desk: Any, pair: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put(pair[:1])
    done = before_changes(monkeypatch, update(desk), times=100)
    desk.write(pair[1:], "link")
    assert done == [WRITE_ATTEMPTS]
    assert "family" not in desk.marks()["a"]
    assert desk.marks()["b"]["duplicate_of"] == "a"


def test_what_is_replaced_is_recorded_as_it_is_when_it_is_deleted(
    desk: Any, pair: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put(pair[:1])
    before_changes(monkeypatch, update(desk))
    desk.write(pair[1:], "replace")
    assert set(desk.documents()) == {"b"}
    assert [each["action"] for each in desk.records()] == ["replace", "replace"]
    assert desk.undo().restored == 1
    assert desk.documents()["a"] == {"text": pair[0]["text"], "n": 0}


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("what", ["another text", "deleted", "all the time"])
def test_what_another_writer_made_of_it_is_not_deleted(
    desk: Any, pair: Any, make_text: Make, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put(pair[:1])
    acts: dict[str, Callable[[], object]] = {
        "another text": lambda: desk.put([{"_id": "a", "text": make_text(7)}]),
        "deleted": lambda: desk.client.delete(index=desk.name, id="a", refresh=True),
        "all the time": update(desk),
    }
    before_changes(monkeypatch, acts[what], times=100)
    desk.write(pair[1:], "replace")
    left = desk.documents()
    assert set(left) == ({"b"} if what == "deleted" else {"a", "b"})
    if what == "another text":
        assert left["a"]["text"] == make_text(7)


def test_an_original_that_is_gone_is_none(desk: Any, pair: Any) -> None:
    unrefreshed(desk, pair[:1], "a")
    assert desk.client.count(index=desk.name)["count"] == 1
    assert desk.write(pair[1:], "skip") == {"b": "written"}
    assert desk.records() == []


def test_an_original_that_has_another_text_by_now_is_none(
    desk: Any, pair: Any, make_text: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put(pair[:1])
    search = VersionPolicy.ask

    def late(self: VersionPolicy, documents: Any) -> Any:
        answers = search(self, documents)
        desk.put([{"_id": "a", "text": make_text(7)}])
        return answers

    monkeypatch.setattr(VersionPolicy, "ask", late)
    assert desk.write(pair[1:], "flag") == {"b": "written"}
    assert desk.marks()["b"] == {}


def bulk(desk: Any, decisions: Sequence[Decision]) -> None:
    """Write what was decided, as a program of its own does."""
    lines: list[Any] = []
    for decision in decisions:
        if decision.writes:
            lines += [{"index": {"_id": decision.id}}, decision.to_write()]
    assert not desk.client.bulk(index=desk.name, operations=lines)["errors"]


def policy(desk: Any, action: Any, **rules: Any) -> VersionPolicy:
    chosen = OnVersion(action, **{"audit": desk.audit, "lose": 1, **rules})
    return VersionPolicy(desk.client, desk.name, chosen)


@pytest.mark.parametrize("is_deleted", [True, False])
def test_one_of_the_same_batch_is_deleted_if_it_is_still_there(
    desk: Any, pair: Any, make_text: Make, is_deleted: bool
) -> None:
    # The index has it with another text, so that the batch writes it before it is replaced.
    desk.put([{"_id": "a", "text": make_text(7)}])
    with policy(desk, "replace") as opened:
        assert opened.audit == str(desk.audit)
        decisions = opened.decide(pair)
        assert [decision.action for decision in decisions] == ["write", "replace"]
        bulk(desk, decisions)
        if is_deleted:
            desk.client.delete(index=desk.name, id="a")
        opened.confirm(decisions)
    assert set(desk.documents()) == {"b"}


def asked(opened: VersionPolicy, documents: Sequence[dict[str, Any]]) -> Any:
    """Return a batch with what the index answers now, to settle it later."""
    batches: list[Any] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(opened, "settle", lambda *batch: batches.append(batch))
        opened.decide(documents)
    return batches[0]


def write(desk: Any, opened: VersionPolicy, *documents: dict[str, Any]) -> None:
    """Decide a batch, and write it."""
    decisions = opened.decide(documents)
    bulk(desk, decisions)
    opened.confirm(decisions)


def test_what_is_written_while_a_batch_is_under_way_counts_whatever_was_refreshed_since(
    desk: Any, pair: Any, make_text: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What was written lately is forgotten with every batch.
    monkeypatch.setattr(recent_documents, "MAX_RECENT", 0)
    with policy(desk, "skip") as opened:
        opened.keep_for(pair)
        batch = asked(opened, pair[1:])
        for document in (pair[0], *({"_id": f"{n}", "text": make_text(n)} for n in (7, 8))):
            write(desk, opened, document)
        (decision,) = opened.settle(*batch)
        assert (decision.action, decision.other) == ("skip", "a")


def test_the_date_of_a_text_that_another_run_has_just_written_counts(
    desk: Any, make_text: Make
) -> None:
    desk.client.indices.put_mapping(index=desk.name, properties={"date": {"type": "date"}})
    newest = {"keep": "newest", "date_field": "date"}
    text = make_text(1)
    dates = {"older": "2020-01-01", "newer": "2022-01-01"}
    with policy(desk, "replace", audit=f"{desk.audit}2", **newest) as late:
        batches = [
            asked(late, [{"id": id, "text": text, "date": date}]) for id, date in dates.items()
        ]
        with policy(desk, "replace", **newest) as other:
            write(desk, other, {"id": "x", "text": text, "date": "2021-01-01"})
        # What was answered does not have it, but it has the reservation.
        made = [late.settle(*batch)[0] for batch in batches]
    assert [(each.action, each.other) for each in made] == [("skip", "x"), ("replace", "x")]


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("is_changed", [False, True])
def test_the_run_after_a_killed_one_deletes_what_is_as_it_was_recorded(
    desk: Any, pair: Any, make_text: Make, is_changed: bool
) -> None:
    desk.put(pair[:1])

    desk.write_killed(pair[1:], "replace")
    if is_changed:
        update(desk)()
    desk.write([{"_id": "c", "text": make_text(9)}], "replace")
    assert set(desk.documents()) == ({"a", "b", "c"} if is_changed else {"b", "c"})
