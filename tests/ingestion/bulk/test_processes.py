"""Where the work is done: in the calling process, or in others when they are requested."""

import multiprocessing
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.document_batches import Batch, Lines
from es_simhash.ingestion.bulk.processes import available_processors, require_startable, worker_pool
from es_simhash.ingestion.bulk.write_policy import BatchReport
from es_simhash.ingestion.bulk.write_run import WriteRun
from es_simhash.ingestion.ingest import ingest
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings, Selection
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.installation.install import install

# More than one batch.
COUNT = 1100
# Seconds; more than it takes to start and to end two processes on a busy machine.
SLEEP = 60
SCRIPT = """
import sys
from es_simhash import BackfillSettings, Index, IngestSettings, connect

print("once")
url, name = sys.argv[1:]
documents = [{{"id": str(n), "text": f"Text number {{n}} of a script."}} for n in range({count})]
with connect(url) as client:
    index = Index(client, name)
    index.install(semantics=None)
    {call}
print("end")
"""
INGEST = "print(sum(each.ok for each in index.ingest(documents{settings})))"
BACKFILL = """for start in range(0, len(documents), 1000):
        lines = [line for each in documents[start : start + 1000]
                 for line in ({{"index": {{"_id": each["id"]}}}}, each)]
        client.bulk(index=name, operations=lines)
    client.indices.refresh(index=name)
    print(sum(each.ok for each in index.backfill({settings})))"""


def script(folder: Path, call: str, settings: str = "") -> Path:
    path = folder / "script.py"
    path.write_text(SCRIPT.format(count=COUNT, call=call.format(settings=settings)), "utf-8")
    return path


def run(path: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, str(path), *arguments], capture_output=True, text=True, timeout=300
    )


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize("call", [INGEST, BACKFILL], ids=["ingest", "backfill"])
def test_a_script_without_a_guard_runs_once(
    client: Any, index_name: str, cluster_url: str, tmp_path: Path, call: str
) -> None:
    done = run(script(tmp_path, call), cluster_url, index_name)
    assert (done.stdout.split(), done.stderr) == (["once", str(COUNT), "end"], "")
    client.indices.refresh(index=index_name)
    fingerprinted = {"exists": {"field": "simhash.scheme"}}
    assert client.count(index=index_name, query=fingerprinted)["count"] == COUNT


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize(
    ("call", "settings"),
    [
        (INGEST, ", settings=IngestSettings(processes=2)"),
        (BACKFILL, "settings=BackfillSettings(2)"),
    ],
    ids=["ingest", "backfill"],
)
def test_processes_do_not_run_a_script_without_a_guard_again(
    client: Any, index_name: str, cluster_url: str, tmp_path: Path, call: str, settings: str
) -> None:
    done = run(script(tmp_path, call, settings), cluster_url, index_name)
    assert (done.stdout.split(), done.stderr) == (["once", str(COUNT), "end"], "")
    client.indices.refresh(index=index_name)
    fingerprinted = {"exists": {"field": "simhash.scheme"}}
    assert client.count(index=index_name, query=fingerprinted)["count"] == COUNT


@pytest.mark.long
@pytest.mark.cluster
def test_processes_work_in_a_script_with_a_guard(
    client: Any, index_name: str, cluster_url: str, tmp_path: Path
) -> None:
    path = script(tmp_path, INGEST, ", settings=IngestSettings(processes=2)")
    head, body = path.read_text("utf-8").split('print("once")')
    guarded = textwrap.indent('print("once")' + body, "    ")
    path.write_text(f'{head}if __name__ == "__main__":\n{guarded}', "utf-8")
    done = run(path, cluster_url, index_name)
    assert (done.stdout.split(), done.stderr) == (["once", str(COUNT), "end"], "")


def write(url: str, name: str, settings: IngestSettings, result: Callable[[object], Any]) -> None:
    documents = ({"id": str(n), "text": f"Text number {n}."} for n in range(COUNT))
    try:
        with connect(url) as client:
            result(
                sum(outcome.ok for outcome in ingest(client, name, documents, settings=settings))
            )
            result(
                sum(
                    outcome.ok
                    for outcome in backfill(client, name, selection=Selection(check=True))
                )
            )
    except InputError as error:
        result(str(error))


@pytest.mark.long
@pytest.mark.cluster
def test_documents_are_written_from_a_thread(
    client: Any, index_name: str, cluster_url: str
) -> None:
    install(client, index_name, semantics=None)
    results: list[object] = []
    thread = threading.Thread(
        target=write, args=(cluster_url, index_name, IngestSettings(), results.append)
    )
    thread.start()
    thread.join()
    assert results == [COUNT, COUNT]


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize("processes", [1, 2])
def test_documents_are_written_from_a_daemonic_process(
    client: Any, index_name: str, cluster_url: str, processes: int
) -> None:
    install(client, index_name, semantics=None)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    settings = IngestSettings(processes=processes)
    worker = context.Process(
        target=write, args=(cluster_url, index_name, settings, results.put), daemon=True
    )
    worker.start()
    first = results.get(timeout=120)
    if processes == 1:
        assert (first, results.get(timeout=120)) == (COUNT, COUNT)
    else:
        assert "processes=2 is not possible in a daemonic process" in str(first)
    worker.join()


def test_one_process_is_the_calling_one() -> None:
    with worker_pool(1) as pool:
        assert pool.submit(os.getpid).result() == os.getpid()
    require_startable(1)


def test_several_processes_are_others() -> None:
    with worker_pool(2) as pool:
        assert pool.submit(os.getpid).result() != os.getpid()
    assert available_processors() >= 1


class Sleeping:
    """A policy whose workers take longer for a batch than anybody waits."""

    def prepare(self, batch: Batch, workers: Executor) -> Any:
        return workers.submit(time.sleep, SLEEP).result()

    prepare_again = prepare

    def is_outdated(self, ready: Any, turn: Any) -> bool:
        return False

    def write(self, batch: Batch, ready: Any, turn: Any) -> BatchReport:
        raise AssertionError("Nothing was prepared.")

    def stop(self) -> None:
        """Nothing waits for a cluster."""


def test_a_run_that_is_interrupted_does_not_wait_for_its_workers() -> None:
    def batches() -> Iterator[Batch]:
        yield from [Lines("documents", 1, b"{}")] * 2
        raise KeyboardInterrupt

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(WriteRun(Sleeping(), processes=2).finished(batches()))
    assert time.monotonic() - start < SLEEP


def test_the_defaults_are_one_process() -> None:
    assert IngestSettings().processes == BackfillSettings().processes == 1
