"""What was decided is taken back from the audit log."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import pytest

from es_simhash.errors import IndexMissing, InputError
from es_simhash.ingestion.bulk.target_index import TargetIndex
from es_simhash.ingestion.undo import UndoReport, undo
from es_simhash.store.changes import Change
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.installation.install import install
from tests.support.desk import Desk
from tests.support.proxy import Proxy

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


@pytest.fixture
def documents(make_text: Make, revise: Make) -> list[dict[str, Any]]:
    """Three texts, each with a longer version and a copy."""
    made = []
    for seed in range(3):
        first = make_text(seed)
        made.append({"_id": f"{seed}", "n": 1.5, "text": first})
        made.append({"_id": f"{seed}v", "a": [1, None], "text": revise(first, 9) + " and so on"})
        made.append({"_id": f"{seed}c", "o": {"a": "é\n"}, "text": first.upper()})
    return made


def without_ids(documents: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {
        each["_id"]: {name: value for name, value in each.items() if name != "_id"}
        for each in documents
    }


@pytest.mark.variants
@pytest.mark.parametrize("batch", [1, 4, 1000])
@pytest.mark.parametrize("action", ["skip", "replace"])
def test_what_was_not_kept_is_put_back(desk: Any, documents: Any, action: str, batch: int) -> None:
    desk.write(documents, action, batch=batch)
    assert len(desk.documents()) == 3
    done = desk.undo()
    assert (done.restored, done.failed) == (6, [])
    assert desk.documents() == without_ids(documents)
    assert all("shingles" in each["simhash"] for each in desk.sources().values())
    again = desk.undo()
    assert (again.restored, again.present) == (0, 6)


@pytest.mark.parametrize("action", ["flag", "link"])
def test_marks_and_families_are_taken_away(desk: Any, documents: Any, action: str) -> None:
    desk.put(documents[:1])
    desk.write(documents[1:], action)
    assert len([marks for marks in desk.marks().values() if marks]) == (
        9 if action == "link" else 6
    )
    assert desk.undo().unmarked == (9 if action == "link" else 6)
    assert not any(desk.marks().values())
    assert desk.undo().unmarked == 0
    assert desk.documents() == without_ids(documents)


def test_a_document_that_is_there_is_never_overwritten(desk: Any, documents: Any) -> None:
    desk.write(documents, "skip")
    desk.put([{"_id": "0v", "text": "Something else meanwhile."}])
    done = desk.undo()
    assert (done.restored, done.present) == (5, 1)
    assert desk.documents()["0v"] == {"text": "Something else meanwhile."}


def test_a_mark_of_a_later_decision_stays(desk: Any, documents: Any) -> None:
    desk.write(documents, "flag")
    desk.client.update(index=desk.name, id="0v", doc={"simhash": {"duplicate_of": "mine"}})
    desk.undo()
    marks = desk.marks()
    assert marks["0v"]["duplicate_of"] == "mine"
    assert marks["1v"] == {}


def test_a_mark_that_cannot_be_removed_is_reported(
    desk: Any, documents: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write(documents, "flag")
    change, writes = TargetIndex.change, count()

    def late(self: TargetIndex, changes: Sequence[Change]) -> Any:
        desk.client.update(index=desk.name, id="0v", doc={"n": next(writes)})
        return change(self, changes)

    with monkeypatch.context() as patched:
        patched.setattr(TargetIndex, "change", late)
        done = desk.undo()
    ((id, reason),) = done.failed
    assert (id, done.unmarked, done.unchanged) == ("0v", 5, 0)
    assert "changed it 5 times" in reason
    assert "duplicate_of" in desk.marks()["0v"]
    again = desk.undo()
    assert (again.unmarked, again.unchanged, again.failed) == (1, 5, [])


def test_of_several_runs_one_is_undone(desk: Any, documents: Any) -> None:
    desk.write(documents[:3], "skip")
    desk.write(documents[3:], "skip")
    runs = list(dict.fromkeys(each["run"] for each in desk.records()))
    assert len(runs) == 2
    assert desk.undo(run=runs[1]).restored == 4
    assert set(desk.documents()) == {"0", "1", "1v", "1c", "2", "2v", "2c"}
    with pytest.raises(InputError, match="none"):
        desk.undo(run="none")


@pytest.mark.long
def test_an_index_is_a_log_too(desk: Any, documents: Any) -> None:
    log = f"{desk.name}-log"
    desk.audit = f"index:{log}"
    try:
        desk.write(documents, "replace")
        assert len(desk.records()) == 6
        done = desk.undo()
        assert done == UndoReport(restored=6, runs=done.runs)
        assert desk.documents() == without_ids(documents)
        found = desk.client.search(index=log, query={"term": {"action": "replace"}})
        assert found["hits"]["total"]["value"] == 3
    finally:
        desk.client.indices.delete(index=log, ignore_unavailable=True)


def test_a_log_that_is_not_there_is_named(desk: Any, tmp_path: Any) -> None:
    desk.audit = tmp_path / "none.jsonl"
    with pytest.raises(InputError, match=r"none\.jsonl"):
        desk.undo()
    desk.audit = "index:there-is-no-such-log"
    with pytest.raises(IndexMissing, match="there-is-no-such-log"):
        desk.undo()


def test_the_log_of_another_index_is_refused(desk: Any, documents: Any) -> None:
    desk.write(documents, "skip")
    desk.audit.write_bytes(desk.audit.read_bytes().replace(desk.name.encode(), b"another"))
    with pytest.raises(InputError, match="no decisions"):
        desk.undo()


@pytest.mark.long
def test_marks_whose_removal_was_not_answered_count_as_removed(
    desk: Any, documents: Any, proxy: Proxy
) -> None:
    desk.write(documents, "flag")
    lost = proxy.lose_a_bulk_request(desk.client, lambda body: b'"duplicate_of":null' in body)
    with connect(proxy.url) as client:
        quick = RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=1)
        done = undo(client, desk.name, desk.audit, retry=quick)
    assert not lost[0]["errors"]
    assert (done.unmarked, done.unchanged, done.failed) == (6, 0, [])


@pytest.mark.long
def test_a_cluster_that_is_busy_at_the_end_is_waited_for(
    desk: Any, documents: Any, proxy: Proxy
) -> None:
    desk.write(documents, "skip")
    restored, busy = [], []

    def hook(path: str, body: bytes) -> Any:
        if path.split("?")[0] == "/_bulk" or path.startswith(f"/{desk.name}/_bulk"):
            restored.append(path)
        if restored and path.startswith(f"/{desk.name}/_refresh") and len(busy) < 2:
            busy.append(path)
            return 503, b"{}"
        return None

    proxy.hook = hook
    with connect(proxy.url) as client:
        quick = RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=1)
        done = undo(client, desk.name, desk.audit, retry=quick)
    assert (done.restored, len(busy)) == (6, 2)
    assert desk.documents() == without_ids(documents)


def test_a_document_that_the_mapping_rejects_by_now_is_reported(desk: Any, documents: Any) -> None:
    documents[1]["a"] = "no number"
    desk.write(documents[:3], "skip")
    desk.client.indices.put_mapping(index=desk.name, properties={"a": {"type": "long"}})
    done = desk.undo()
    ((id, reason),) = done.failed
    assert (id, done.restored) == ("0v", 1)
    assert "[a]" in reason
    assert set(desk.documents()) == {"0", "0c"}


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("action", ["skip", "replace", "link"])
def test_documents_with_a_routing_come_back_to_where_they_were(
    client: Any, index_name: str, tmp_path: Any, documents: Any, action: str
) -> None:
    settings = {"number_of_shards": 3, "number_of_replicas": 0}
    client.indices.create(index=index_name, settings=settings)
    install(client, index_name, semantics=None)
    desk = Desk(client, index_name, tmp_path)
    routed = [{**each, "_routing": f"customer {n}"} for n, each in enumerate(documents)]
    # Of one id there is one routing: another document of one that was kept fails.
    again = {**routed[action == "replace"], "_routing": "another"}
    assert desk.write([*routed, again], action, batch=4)[again["_id"]] == "failed"
    desk.undo()
    client.indices.refresh(index=index_name)
    hits = client.search(index=index_name, size=100)["hits"]["hits"]
    assert {hit["_id"]: hit["_routing"] for hit in hits} == {
        each["_id"]: each["_routing"] for each in routed
    }
    assert not any(desk.marks().values())
