"""Functions that run in processes of their own, and the answers that are made so."""

import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import DocumentMissing
from es_simhash.relation.interruption import Interrupted, interruptible
from es_simhash.service.separate_process import ProcessEnded, SeparateProcess
from es_simhash.store.connection import Connection
from tests.support.service import running_app

SENTENCES = [
    f"Clause {n} says that the harbour of {n * 37 % 101} ships pays {n * 7919 % 997} crowns."
    for n in range(1_800)
]
LONG = "\n".join(SENTENCES)
REVISED = "\n".join(sentence for n, sentence in enumerate(SENTENCES) if n % 50)


def context() -> str:
    return "made"


APART = SeparateProcess(context)


def joined(made: str, other: str) -> tuple[str, int, int]:
    return made + other, os.getpid(), os.nice(0)


def fail(_: str, error: Exception) -> None:
    raise error


def fail_strangely(_: str) -> None:
    class Strange(Exception):
        pass

    raise Strange("a secret")


def end(_: str) -> None:
    os._exit(3)


def sleep(_: str, file: Path) -> None:
    file.write_text(str(os.getpid()), "utf-8")
    time.sleep(120)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.long
def test_a_result_comes_from_a_process_that_has_ended_and_left_others_the_way() -> None:
    value, pid, niceness = APART.run(joined, " there")
    assert value == "made there"
    assert pid != os.getpid()
    assert not is_running(pid)
    assert niceness > os.nice(0)


def test_errors_are_those_of_the_function() -> None:
    with pytest.raises(DocumentMissing, match="not there") as raised:
        APART.run(fail, DocumentMissing("It is not there.", parameter="id"))
    assert raised.value.parameter == "id"
    with pytest.raises(ZeroDivisionError):
        APART.run(fail, ZeroDivisionError())
    with pytest.raises(RuntimeError, match=r"failed: Strange\.$"):
        APART.run(fail_strangely)
    with pytest.raises(ProcessEnded, match="ended with 3"):
        APART.run(end)


def test_what_nobody_waits_for_is_killed(tmp_path: Path) -> None:
    unwanted, file = threading.Event(), tmp_path / "pid"

    def stop() -> None:
        while not file.exists() or not file.read_text("utf-8"):
            time.sleep(0.01)
        unwanted.set()

    threading.Thread(target=stop).start()
    with interruptible(unwanted), pytest.raises(Interrupted):
        APART.run(sleep, file)
    assert not is_running(int(file.read_text("utf-8")))


@pytest.fixture
def long_texts(client: Any, index: str) -> str:
    """Two long texts, one a version of the other, and two short ones."""
    from es_simhash import Index

    documents = {"a": LONG, "b": REVISED, "c": SENTENCES[0], "d": SENTENCES[1]}
    list(Index(client, index).ingest({"id": id, "text": text} for id, text in documents.items()))
    client.indices.refresh(index=index)
    return index


@contextmanager
def served_apart(index: str, url: str, config: Any) -> Iterator[Any]:
    """Serve an index with long comparisons in processes; yields an HTTP client."""
    import httpx

    from es_simhash.service.application import Service

    service = Service(index, Connection(url), config, logs=False)
    with running_app(service, config) as address, httpx.Client(base_url=address, timeout=60) as one:
        yield one


@pytest.mark.long
@pytest.mark.cluster
def test_long_texts_have_the_same_answers_as_in_a_thread(
    cluster_url: str, long_texts: str, serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from es_simhash.service.service_config import ServiceConfig

    config = ServiceConfig(fields=())
    threads = serve(long_texts, config)
    methods, run = [], SeparateProcess.run

    def count(self: Any, method: Any, *args: Any) -> Any:
        methods.append(method.__name__)
        return run(self, method, *args)

    monkeypatch.setattr(SeparateProcess, "run", count)
    with served_apart(long_texts, cluster_url, config) as two:
        for path in ("/v1/compare/a/b", "/v1/evidence/a/b", "/v1/compare/c/d"):
            assert two.get(path).json() == threads.get(path).json()
        draft = {"text": LONG + " One word more."}
        duplicate = two.post("/v1/duplicates", json=draft).json()
        assert duplicate == threads.post("/v1/duplicates", json=draft).json()
        assert duplicate["relation"]["id"] in ("a", "b")
        refused = two.post("/v1/duplicates", json={**draft, "within": "x"})
        assert (refused.status_code, "leave out within" in refused.text) == (422, True)
        pages = [each.get("/explorer/compare/a/b").text for each in (two, threads)]
        first, second = (re.sub(r"nonce=\S+|[?&]t=\S+", "", page) for page in pages)
        assert first == second
        assert two.get("/v1/compare/a/missing").status_code == 404
    assert methods == ["compare_texts", "compare_texts", "decide", "decide", "compare_texts"]


@pytest.mark.cluster
def test_what_ends_a_process_is_no_fault_of_the_document(
    cluster_url: str, long_texts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from es_simhash.service.service_config import ServiceConfig

    run, instead = SeparateProcess.run, [end]
    monkeypatch.setattr(SeparateProcess, "run", lambda self, method, *args: run(APART, instead[0]))
    with served_apart(long_texts, cluster_url, ServiceConfig()) as http:

        def failures() -> float:
            metrics = http.get("/metrics").text
            counted = re.search(r"^es_simhash_engine_failures_total (\S+)$", metrics, re.M)
            assert counted is not None
            return float(counted[1])

        before = failures()
        killed = http.get("/v1/compare/a/b")
        assert (killed.status_code, killed.headers["retry-after"]) == (503, "2")
        assert killed.json()["detail"] == "The comparison ended early; try again."
        assert failures() == before + 1
        instead[0] = fail_strangely
        assert http.get("/v1/compare/a/b").status_code == 500


@pytest.mark.cluster
def test_a_label_file_that_is_wrong_by_now_is_no_hindrance(
    cluster_url: str, long_texts: str, tmp_path: Path
) -> None:
    from es_simhash.service.service_config import ServiceConfig

    labels = tmp_path / "pairs.tsv"
    with served_apart(long_texts, cluster_url, ServiceConfig(labels=labels)) as http:
        labels.write_text("id1\tid2\tlabel\na\tb\tperhaps\n", "utf-8")
        assert http.get("/v1/compare/a/b").json()["relation"]["kind"] == "version"
        draft = {"text": f"{LONG} One word more."}
        assert http.post("/v1/duplicates", json=draft).json()["action"] != "write"
