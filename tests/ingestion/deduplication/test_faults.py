"""Documents that are refused, busy clusters, and runs that are killed."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.bulk.outcomes import IngestReport
from es_simhash.ingestion.deduplication import audit_log
from es_simhash.ingestion.deduplication.audit_log import audit_of
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest_sources
from es_simhash.ingestion.ingest_settings import IngestProgress, IngestSettings
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.retry import RetryPolicy, Unavailable
from tests.support.new_index import new_index

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


# Before which requests a run is killed: first, last, step.
KILLED = {"skip": (0, 60, 5), "link": (0, 60, 7), "replace": (2, 60, 4)}


class Killed(BaseException):
    """Ends a run where a kill would."""


@pytest.fixture
def documents(make_text: Make, revise: Make) -> list[dict[str, Any]]:
    """Four texts; of each a version that is longer, and a copy."""
    made = []
    for seed in range(4):
        first = make_text(seed)
        made.append({"id": f"{seed}", "text": first})
        made.append({"id": f"{seed}v", "text": revise(first, 9) + " and so on"})
        made.append({"id": f"{seed}c", "text": first.upper()})
    return made


@pytest.mark.variants
@pytest.mark.parametrize("batch", [1, 1000])
@pytest.mark.parametrize("action", ["skip", "flag", "link", "replace"])
def test_nothing_rests_on_a_document_that_was_refused(
    desk: Any, make_text: Make, action: str, batch: int
) -> None:
    desk.client.indices.put_mapping(index=desk.name, properties={"n": {"type": "long"}})
    text = make_text(1)
    documents = [
        {"id": "good", "n": 1, "text": make_text(2)},
        {"id": "refused", "n": "no number", "text": text},
        {"id": "copy", "n": 2, "text": text},
        {"id": "copy of it", "n": 3, "text": text},
        {"id": "longer", "n": "no number", "text": f"{make_text(2)} and more"},
    ]
    statuses = desk.write(documents, action, batch=batch)
    assert statuses["refused"] == "failed"
    assert statuses["copy"] == "written"
    assert statuses["longer"] == "failed" if action != "skip" else "skipped"
    marks = desk.marks()
    assert marks["copy"].keys() <= {"family"}
    assert set(desk.documents()) >= {"good", "copy"}
    if action in ("flag", "link"):
        assert marks["copy of it"]["duplicate_of"] == "copy"
    else:
        assert set(desk.documents()) == {"good", "copy"}


@pytest.mark.parametrize(
    ("refused", "left"), [({"longest"}, {"longer"}), ({"longest", "longer"}, {"first"})]
)
def test_a_document_is_replaced_by_one_that_is_there_alone(
    desk: Any, make_text: Make, refused: set[str], left: set[str]
) -> None:
    desk.client.indices.put_mapping(index=desk.name, properties={"n": {"type": "long"}})
    text, more, most = make_text(1), make_text(2, words=12), make_text(3, words=12)
    desk.write([{"id": "first", "text": text}], "replace")
    texts = {"longer": f"{text} {more}", "longest": f"{text} {more} {most}"}
    documents = [
        {"id": id, "n": "no number" if id in refused else 1, "text": text}
        for id, text in texts.items()
    ]
    # The longest replaces the longer one, which was to replace the first and was not sent.
    statuses = desk.write(documents, "replace")
    assert {id for id, status in statuses.items() if status == "failed"} == refused
    assert set(desk.documents()) == left
    again = desk.write(documents, "replace")
    assert {id for id, status in again.items() if status == "failed"} == refused
    assert set(desk.documents()) == left


def test_a_record_of_a_document_that_was_refused_deletes_nothing_later(
    desk: Any, make_text: Make
) -> None:
    desk.client.indices.put_mapping(index=desk.name, properties={"n": {"type": "long"}})
    text = make_text(1)
    desk.write([{"id": "first", "text": text}], "replace")
    longer = {"id": "longer", "n": "no number", "text": f"{text} and more"}
    assert desk.write([longer], "replace") == {"longer": "failed"}
    # Mended, it has another text, which replaces nothing.
    desk.write([{**longer, "n": 1, "text": make_text(2)}], "replace")
    desk.write([{"id": "another", "text": make_text(3)}], "replace")
    assert set(desk.documents()) == {"first", "longer", "another"}


def test_a_busy_cluster_is_retried(
    desk: Any, documents: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[str] = Counter()
    request = Gateway.send

    def busy(self: Any, method: str, target: str, *rest: Any, **more: Any) -> Any:
        if self.retry is not None:
            asked[target] += 1
            if asked[target] % 2:
                raise Unavailable("it answers 429")
        return request(self, method, target, *rest, **more)

    monkeypatch.setattr(Gateway, "send", busy)
    desk.write(documents, "replace", batch=4)
    monkeypatch.undo()
    assert set(desk.documents()) == {"0v", "1v", "2v", "3v"}


def run(
    desk: Any, path: Any, action: str, reports: list[IngestReport] | None = None
) -> Counter[str]:
    """Ingest a file, with a journal; at the end its report is added to those that are given."""
    progress: list[IngestProgress] = []
    retry = RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=1)
    journal = path.with_name("journal")
    settings = IngestSettings(
        limits=BatchLimits(documents=4),
        ahead=1,
        retry=retry,
        journal=journal,
        on_progress=progress.append,
    )
    outcomes = ingest_sources(
        desk.client,
        desk.name,
        open_sources([path], stream=None),
        on_version=OnVersion(action, audit=desk.audit, lose=1),
        settings=settings,
    )
    done = list(outcomes)
    if reports is not None:
        reports.append(progress[-1].before + IngestReport.of(done))
    return Counter(each.status for each in done)


@pytest.mark.variants
@pytest.mark.parametrize("action", ["skip", "link", "replace"])
def test_a_run_that_is_killed_before_any_request_goes_on_to_the_same_end(
    desk: Any, documents: Any, tmp_path: Any, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "documents.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in documents))
    request = Gateway.send
    ends = []
    # None is killed in the first round; then each before another request.
    for last in [None, *range(*KILLED[action])]:
        desk.client.indices.delete(
            index=f"{desk.name},{desk.name}-simhash", ignore_unavailable=True
        )
        new_index(desk.client, desk.name, semantics=None)
        desk.audit = tmp_path / f"{last}.jsonl"
        left = [last]

        def killed(self: Any, *rest: Any, left: Any = left, **more: Any) -> Any:
            if left[0] is not None and self.retry is not None:
                if left[0] <= 0:
                    raise Killed
                left[0] -= 1
            return request(self, *rest, **more)

        monkeypatch.setattr(Gateway, "send", killed)
        reports: list[IngestReport] = []
        try:
            run(desk, path, action, reports)
        except Killed:
            left[0] = None
            run(desk, path, action, reports)
        monkeypatch.undo()
        kept = desk.documents()
        counts = reports[-1].counts
        there = counts["written"] + counts["unchanged"]
        assert (there, counts.total()) == (len(kept), 12), f"killed before {last}"
        desk.undo(run="all")
        everything = desk.documents()
        assert everything == {each["id"]: each for each in documents}, f"killed before {last}"
        ends.append(kept)
    assert all(each == ends[0] for each in ends)
    assert len(ends[0]) == (12 if action == "link" else 4)


def test_a_line_that_a_kill_cut_off_spoils_no_other(desk: Any, documents: Any) -> None:
    desk.write(documents[:6], "skip")
    whole = desk.audit.read_bytes()
    desk.audit.write_bytes(whole + whole[:50])
    desk.write(documents[6:], "skip")
    assert len(list(audit_of(desk.audit, desk.client).read())) == 8
    assert desk.undo(run="all").restored == 8


def test_the_log_is_on_the_disk_before_anything_is_deleted(
    desk: Any, documents: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    request, sync = Gateway.send, audit_log.os.fsync

    def noted(self: Any, method: str, target: str, body: Any = None, **more: Any) -> Any:
        if "delete" in str(body) and "reservation" not in str(body):
            order.append("delete")
        return request(self, method, target, body, **more)

    def synced(descriptor: int) -> None:
        order.append("sync")
        sync(descriptor)

    desk.put(documents[:1])
    monkeypatch.setattr(Gateway, "send", noted)
    monkeypatch.setattr(audit_log.os, "fsync", synced)
    desk.write(documents[1:2], "replace")
    assert order == ["sync", "delete"]
