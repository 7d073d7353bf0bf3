"""What a run over all documents of an index costs: seconds, memory, kills, and the next.

    python -m tests.bench.family_run [--documents 100000] [--archive] [--template 0]
        [--memory 1024] [--no-kills]

Documents of 2 KB, every tenth a revision of the one before, or made-up stories that follow real
ones (tests/bench/made_up_archive.py); and texts of one template, which share most of their words
and differ in some. Each run is a process of its own: its peak of memory is its own.
Prints a run over all, the same killed three times, one with nothing new and one with new documents.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from tempfile import TemporaryDirectory
from typing import Any

import elasticsearch

from es_simhash.ingestion.ingest import ingest
from es_simhash.store.config import IndexConfig
from scripts.local_node.engine import find_engine
from tests.bench import synthetic
from tests.bench.engines import bench_client
from tests.bench.made_up_archive import archive_texts
from tests.bench.program import run

_INDEX = "bench-family-run"
_SENTENCES = 17
_TEXT = IndexConfig(text_field="text", semantics=None)
_KILLS = 3
# Words of a text of the template that are its own.
_OWN_WORDS = 30
_RUN = """
import resource, sys, time
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.store.elasticsearch.connection import connect
from tests.bench.peak_memory import peak_memory

url, index, memory, everything = sys.argv[1:]
options = FamilyOptions(memory=int(memory), everything=everything == "True")
with connect(url, timeout=600) as client:
    before = peak_memory()
    started = time.perf_counter()
    report = find_families(client, index, options=options)
    seconds = time.perf_counter() - started
usage = resource.getrusage(resource.RUSAGE_SELF)
print(report.documents, len(report.families), report.written, len(report.truncated), seconds,
      usage.ru_utime + usage.ru_stime, peak_memory() // 1024, before // 1024)
"""


def template(count: int) -> Iterator[str]:
    """Yield texts of one template."""
    words = synthetic.vocabulary()
    (body,) = synthetic.texts(90_000_000, 1, _SENTENCES)
    for number in range(count):
        chosen = random.Random(number)
        yield f"{body} {' '.join(chosen.choices(words, k=_OWN_WORDS))}."


def add(client: elasticsearch.Elasticsearch, texts: Iterator[str], name: str) -> None:
    """Write texts with their fingerprints."""
    documents: Iterator[dict[str, Any]] = (
        {"id": f"{name}-{number}", "text": text} for number, text in enumerate(texts)
    )
    while batch := list(islice(documents, 10_000)):
        assert all(outcome.ok for outcome in ingest(client, _INDEX, batch, config=_TEXT))
    client.indices.refresh(index=_INDEX)


class Runs:
    """Runs of families over the index, each in a process.

    Args:
        url: Of the node.
        memory: Of each run, in MiB.
    """

    def __init__(self, url: str, memory: int) -> None:
        self._url = url
        self._memory = memory

    def _command(self, *, everything: bool) -> list[str]:
        return [sys.executable, "-c", _RUN, self._url, _INDEX, str(self._memory), str(everything)]

    def once(self, name: str, *, everything: bool = False) -> float:
        """Run once, print what it did and took, and return the seconds."""
        command = self._command(everything=everything)
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        documents, families, written, truncated = map(int, answer[:4])
        seconds, processor = map(float, answer[4:6])
        each = f", {1000 * processor / documents:.2f} ms each" if documents else ""
        print(
            f"{name:34s} {seconds:8.1f} s, client's processor {processor:7.1f} s{each}; "
            f"{answer[6]} MiB at most, {answer[7]} at the start; {documents} documents, {families} "
            f"families of several, {written} written, {truncated} truncated",
            flush=True,
        )
        return seconds

    def killed(self, seconds: float) -> float:
        """Kill a run over all three times, each a quarter further; return the seconds of all."""
        started = time.perf_counter()
        for _ in range(_KILLS):
            process = subprocess.Popen(self._command(everything=True), stdout=subprocess.DEVNULL)
            try:
                process.wait(seconds / (_KILLS + 1))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL, "it ended before it was killed"
        self.once("  the last of these", everything=True)
        return time.perf_counter() - started


def main(argv: Sequence[str] | None = None) -> None:
    """Write, run, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--archive", action="store_true", help="stories that follow real ones")
    parser.add_argument("--template", type=int, default=0)
    parser.add_argument("--new", type=int, default=1000)
    parser.add_argument("--no-kills", action="store_true", help="only once over all")
    parser.add_argument("--memory", type=int, default=1024)
    options = parser.parse_args(argv)
    source = archive_texts if options.archive else partial(synthetic.texts, sentences=_SENTENCES)
    with bench_client() as client, TemporaryDirectory() as home:
        url = find_engine().url
        names = [_INDEX, f"{_INDEX}-simhash"]
        client.indices.delete(index=names, ignore_unavailable=True)
        try:
            synthetic.grow_from(client, url, _INDEX, 0, options.documents, source=source)
            add(client, template(options.template), "template")
            os.environ["ES_SIMHASH_HOME"] = home
            runs = Runs(url, options.memory)
            runs.once("first run")
            if not options.no_kills:
                seconds = runs.once("over all once more", everything=True)
                ratio = runs.killed(seconds) / seconds
                print(f"{'killed three times':34s} {ratio:8.2f} of the time of an undisturbed run")
            runs.once("nothing new")
            add(client, source(50_000_000, options.new), "new")
            runs.once(f"{options.new} new documents")
        finally:
            client.indices.delete(index=names, ignore_unavailable=True)


if __name__ == "__main__":
    run(main)
