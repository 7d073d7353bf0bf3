"""An index for the benchmarks of the service, and the service over it in processes of its own."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch

from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backgrounds.count_background import count_background
from es_simhash.store.config import IndexConfig
from es_simhash.store.installation.install import install
from tests.bench import synthetic

INDEX = "bench-service"
_SENTENCES = 17
_VERSION_OF = 5
# Seconds that a service has to start.
_START = 60.0


def made_up(count: int, words: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield documents of 2 KB of English words; each fifth is the one before it, cut.

    Args:
        count: How many.
        words: Of how many different words, the most frequent; None for all.
    """
    before = ""
    texts = synthetic.texts(0, count, _SENTENCES, english=True, words=words)
    for number, text in enumerate(texts):
        if number % _VERSION_OF == 1:
            text = before.partition(". ")[2]
        before = text
        yield {"id": str(number), "title": f"Document {number}", "text": text}


def fill(client: Elasticsearch, documents: Iterable[Mapping[str, Any]], index: str = INDEX) -> int:
    """Write documents to a new index; returns how many there are.

    As `status` advises of a new index, its background is counted and its vectors are learned then.

    Args:
        client: Of the engine.
        documents: What is written.
        index: Its name; one of that name is deleted.

    Raises:
        EsSimhashError: Some were not written.
    """
    client.indices.delete(index=f"{index},{index}-simhash", ignore_unavailable=True)
    install(client, index)
    outcomes = [each.ok for each in ingest(client, index, documents, config=IndexConfig())]
    client.indices.refresh(index=index)
    if not all(outcomes):
        raise EsSimhashError(f"{outcomes.count(False)} of {len(outcomes)} were not written.")
    count_background(client, index, vectors=True)
    failed = [each.id for each in backfill(client, index) if not each.ok]
    if failed:
        raise EsSimhashError(f"{len(failed)} documents were not given their vectors.")
    client.indices.refresh(index=index)
    return len(outcomes)


@contextlib.contextmanager
def served(
    url: str,
    workers: int,
    cache_seconds: int,
    *,
    cores: Sequence[int] | None = None,
    limits: Mapping[str, Any] | None = None,
    module: str = "es_simhash",
    log: Path = Path(os.devnull),
) -> Iterator[tuple[int, int]]:
    """Serve the index during the block; yields its port and process.

    Args:
        url: Of the engine.
        workers: Processes.
        cache_seconds: How long an answer is kept.
        cores: Cores that it may use; None for all.
        limits: Further limits of its configuration.
        module: Of the command line that serves.
        log: File of its log.
    """
    with socket.socket() as free, tempfile.TemporaryDirectory() as folder, log.open("wb") as errors:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        file = Path(folder) / "service.toml"
        chosen = [f"{name} = {value}" for name, value in (limits or {}).items()]
        lines = ['fields = ["title"]', "[limits]", "requests_per_minute = 0", *chosen]
        file.write_text("\n".join([*lines, "[cache]", f"seconds = {cache_seconds}", ""]))
        line = [sys.executable, "-m", module, "serve", INDEX, "--config", str(file)]
        line += ["--port", str(port), "--workers", str(workers)]
        environment = {**os.environ, "ELASTICSEARCH_URL": url}
        with subprocess.Popen(line, env=environment, stderr=errors) as process:
            try:
                if cores is not None:
                    os.sched_setaffinity(process.pid, cores)
                until = time.monotonic() + _START
                while not _answers(port):
                    if process.poll() is not None or time.monotonic() > until:
                        raise EsSimhashError("The service did not start. Run `serve` by hand.")
                    time.sleep(0.1)
                yield port, process.pid
            finally:
                process.terminate()


def _answers(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def memory(process: int) -> float:
    """Return the resident memory of a process and those it started, in MiB (on Linux)."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    own = pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
    return own + sum(map(memory, map(int, children)))
