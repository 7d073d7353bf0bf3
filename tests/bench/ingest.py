"""How fast documents are written with their fingerprints, beside a plain bulk of the same ones.

The plain bulk is the same machinery - reading, parsing, processes, threads, requests - without
the fingerprints. With `--semantics` the semantic profiles of the texts are written too; with
`--news` the texts are stories of an agency and of papers (needs the evaluation data). Runs
alternate, so that a busy machine slows both; the ratio of the processor time of engine and client
is the same whatever else runs.
"""

import argparse
import itertools
import json
import os
import random
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import elasticsearch

from es_simhash.fingerprints.text_fingerprints import fingerprint_batch
from es_simhash.ingestion.bulk.document_batches import Batch, BatchLimits, Lines
from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.bulk.json_documents import Document
from es_simhash.ingestion.bulk.lookup import Lookup
from es_simhash.ingestion.bulk.prepared_batches import Prepared
from es_simhash.ingestion.bulk.processes import available_processors
from es_simhash.ingestion.ingest import ingest_sources
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.store.codec import simhash_json
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.bulk import index_action
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.installation.install import install
from es_simhash.text.segmentation import text_batches
from scripts.local_node.engine import find_engine
from tests.bench.news_stories import news_stories
from tests.bench.program import run
from tests.bench.synthetic import frequent_words
from tests.bench.timing import engine_seconds, own_seconds

CHARACTERS = 2000
SENTENCE = 12
# Documents whose steps are measured one by one.
_MEASURED = 2_000


def made_up_texts(count: int, seed: int = 1) -> Iterator[str]:
    """Yield texts of 2 KB of English words whose frequencies follow Zipf's law."""
    generator = random.Random(seed)
    words = frequent_words("en")
    weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
    for _ in range(count):
        chosen = generator.choices(words, cum_weights=weights, k=CHARACTERS // 4)
        yield " ".join(_sentences(chosen))[:CHARACTERS]


def write_documents(path: Path, texts: Iterable[str]) -> None:
    """Write documents with texts."""
    with path.open("w", encoding="ascii") as stream:
        for number, text in enumerate(texts):
            stream.write(json.dumps({"_id": f"doc-{number}", "n": number, "text": text}) + "\n")


def _sentences(words: Sequence[str]) -> Iterator[str]:
    """Sentences of twelve words that begin with a capital, and have a name of two words each."""
    for number, word in enumerate(words):
        place = number % SENTENCE
        shown = word.capitalize() if place in (0, 5, 6) else word
        yield f"{shown}." if place == SENTENCE - 1 else shown


def prepare_plain(batch: Batch, config: IndexConfig, lookup: Lookup) -> Prepared:
    """Do what `prepare` does, but for the fingerprints."""
    prepared = Prepared()
    actions = []
    for each in batch.documents(config):
        assert isinstance(each, Document)
        prepared.ids.append(each.id)
        prepared.positions.append(each.position)
        actions.append(index_action(each.id, each.source))
    prepared.fill(actions)
    return prepared


class Measurement(NamedTuple):
    """One run: documents a second, memory, and microseconds of a processor a document."""

    rate: float
    peak_mebibytes: float
    engine: float
    own: float

    @property
    def cost(self) -> float:
        """Microseconds of a processor in the engine and here."""
        return self.engine + self.own


def measure(
    client: elasticsearch.Elasticsearch,
    path: Path,
    settings: IngestSettings,
    index: str,
    semantics: SemanticScheme | None,
) -> Measurement:
    """Write a file into a fresh index and time it, start of the processes included."""
    client.indices.delete(index=index, ignore_unavailable=True)
    install(client, index, semantics=semantics)
    sources = open_sources([path], stream=open(os.devnull, "rb"))  # noqa: SIM115
    with tempfile.TemporaryDirectory() as folder, _Memory() as memory:
        engine, own, started = engine_seconds(client), own_seconds(), time.perf_counter()
        outcomes = ingest_sources(
            client, index, sources, settings=replace(settings, journal=Path(folder, "journal"))
        )
        counts = Counter(each.status for each in outcomes)
        seconds = time.perf_counter() - started
        # What is still in the memory of the engine is written now, as it would be later.
        client.indices.refresh(index=index)
    count = counts["written"]
    assert set(counts) == {"written"}, counts
    assert client.count(index=index)["count"] == count
    costs = (engine_seconds(client) - engine, own_seconds() - own)
    return Measurement(count / seconds, memory.peak / 1024, *(each / count * 1e6 for each in costs))


class _Memory:
    """Peak of the resident memory of this process and its children, sampled; Linux only."""

    def __init__(self) -> None:
        self.peak = 0.0
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "_Memory":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._end.wait(0.25):
            own = os.getpid()
            self.peak = max(self.peak, sum(_resident(pid) for pid in [own, *_children(own)]))


def _children(pid: int) -> list[int]:
    found = []
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(each) for each in tasks.read_text().split()]
        except OSError:
            continue
    return found


def _resident(pid: int) -> int:
    """Kibibytes."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return int(status.partition("VmRSS:")[2].split()[0]) if "VmRSS:" in status else 0


def stages(path: Path, semantics: SemanticScheme | None, documents: int) -> dict[str, float]:
    """Return the microseconds of one processor that each step takes for a document not seen before.

    Args:
        path: Lines of JSON, twice as many as are measured: the first half fills caches.
        semantics: Scheme of the semantic profiles, where they are written.
        documents: How many are measured.
    """
    with path.open("rb") as stream:
        halves = [b"".join(itertools.islice(stream, documents)) for _ in range(2)]
    config = IndexConfig(semantics=semantics)
    batches = [Lines(str(path), 1, half) for half in halves]
    parsed = [
        [each for each in batch.documents(config) if isinstance(each, Document)]
        for batch in batches
    ]
    groups = [list(text_batches([each.text for each in half])) for half in parsed]
    fingerprints = [[fingerprint_batch(each) for each in half] for half in groups]
    steps: dict[str, Any] = {
        "parse": lambda half: list(batches[half].documents(config)),
        "fingerprint": lambda half: [fingerprint_batch(each) for each in groups[half]],
        "write as JSON": lambda half: [simhash_json(each) for each in fingerprints[half]],
    }
    if semantics is not None:
        reader = semantic_profiler(semantics)
        steps["semantic profile"] = lambda half: [reader.profile(each) for each in groups[half]]
    costs = {name: _cost(step) for name, step in steps.items()}
    return {name: cost / len(parsed[1]) * 1e6 for name, cost in costs.items()}


def _cost(step: Callable[[int], object]) -> float:
    """Return the seconds of a step over the second half of texts, after the first."""
    step(0)
    started = time.process_time()
    step(1)
    return time.process_time() - started


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = _parser().parse_args(argv)
    client = connect(options.url or find_engine().url)
    limits = BatchLimits(bytes=options.batch_kib * 1024)
    settings = IngestSettings(options.processes, limits, options.ahead)
    plain = IngestSettings(options.processes, limits, options.ahead, prepare=prepare_plain)
    semantics = DEFAULT_SEMANTICS if options.semantics else None
    index = f"bench-ingest-{os.getpid()}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "documents.jsonl")
        small = Path(folder, "small.jsonl")
        texts = list(_texts(options))
        write_documents(path, texts)
        write_documents(small, texts[: len(texts) // 5])
        try:
            runs = [
                (
                    measure(client, path, plain, index, None),
                    measure(client, path, settings, index, semantics),
                )
                for _ in range(options.runs)
            ]
            least = measure(client, small, settings, index, semantics)
        finally:
            client.indices.delete(index=index, ignore_unavailable=True)
        characters = statistics.mean(map(len, texts))
        costs = stages(path, semantics, min(_MEASURED, len(texts) // 2))
        _show(runs, least, costs, characters, options)
    client.close()


def _texts(options: argparse.Namespace) -> Iterator[str]:
    if not options.news:
        return made_up_texts(options.documents)
    return (story["text"] for story in news_stories(options.documents))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=50_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--processes", type=int, default=available_processors())
    parser.add_argument("--ahead", type=int, default=IngestSettings.ahead)
    parser.add_argument("--batch-kib", type=int, default=BatchLimits.bytes // 1024)
    parser.add_argument("--semantics", action="store_true", help="Write semantic profiles too.")
    parser.add_argument(
        "--news", action="store_true", help="Real stories in place of made-up texts."
    )
    parser.add_argument("--url", help="Cluster; by default the engine of the tests.")
    return parser


def _show(
    runs: list[tuple[Measurement, Measurement]],
    least: Measurement,
    costs: dict[str, float],
    characters: float,
    options: argparse.Namespace,
) -> None:
    plain = statistics.median(each.rate for each, _ in runs)
    ours = statistics.median(each.rate for _, each in runs)
    ratio = statistics.median(ours.rate / plain.rate for plain, ours in runs)
    print(
        f"{options.documents} documents of {characters:.0f} characters, {len(runs)} runs in turn, "
        f"{options.processes} processes, {os.cpu_count()} processors shared with the node"
    )
    print(f"plain bulk          {plain:8.0f} documents/s")
    what = "both" if options.semantics else "fingerprints"
    print(f"with {what:12}   {ours:8.0f} documents/s")
    print(f"ratio               {ratio:8.2f}   (median of the pairs)")
    plain_cost = _show_cost("plain bulk", [each for each, _ in runs])
    our_cost = _show_cost(f"with {what}", [each for _, each in runs])
    print(f"ratio               {plain_cost / our_cost:8.2f}   (of processor time)")
    for name, cost in costs.items():
        print(f"  {name:18}{cost:8.0f} µs of one processor a document")
    most = max(each.peak_mebibytes for _, each in runs)
    small = options.documents // 5
    print(f"peak memory         {least.peak_mebibytes:8.0f} MiB at {small} documents")
    print(f"                    {most:8.0f} MiB at {options.documents} documents")


def _show_cost(name: str, runs: Sequence[Measurement]) -> float:
    """Print and return the microseconds of a processor that a document takes."""
    engine = statistics.median(each.engine for each in runs)
    own = statistics.median(each.own for each in runs)
    print(f"{name:18}{engine:8.0f} µs of a processor in the engine and {own:.0f} µs here")
    return engine + own


if __name__ == "__main__":
    run(main)
