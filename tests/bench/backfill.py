"""How fast a backfill is beside a re-index of the same documents, and what kills leave of it.

The re-index is the same machinery - point in time, slices, threads, bulk requests - without
processes and fingerprints: each page is written as it is into a fresh index. Both are run in turn
on copies of the same documents, with fingerprints alone and with semantic fields. Then the command
is killed three times at random and run to its end.
"""

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import elasticsearch

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.fingerprints.text_fingerprints import content_hash
from es_simhash.ingestion.bulk.processes import available_processors
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings
from es_simhash.maintenance.backfills.estimate import estimate
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.store.elasticsearch.errors import address
from es_simhash.store.fields import CONTENT_HASH, DEFAULT_FIELD, SCHEME, SEMANTIC_SCHEME
from es_simhash.store.installation.install import install
from es_simhash.store.source import text_of
from es_simhash.text.normal_forms import normalise
from tests.bench.engines import bench_client
from tests.bench.program import run
from tests.bench.synthetic import texts
from tests.bench.timing import engine_seconds, own_seconds

# About 2,000 characters.
SENTENCES = 17
_BATCH = 500
_KEEP_ALIVE = "15m"
_KILLS = 3
_RETAINED_FOR = 120
_NOT_ONCE = "written another number of times than once"
_NOT_ENRICHED = "not enriched"
_CHANGED = "changed otherwise"
_FAULTS = ("lost", _NOT_ONCE, _NOT_ENRICHED, _CHANGED)


class Run(NamedTuple):
    """One run: documents a second, and seconds of processor time of the engine and of ours."""

    rate: float
    engine_seconds: float
    own_seconds: float


def fill(
    client: elasticsearch.Elasticsearch, index: str, count: int, semantics: SemanticScheme | None
) -> None:
    """Write documents without fingerprints into a fresh index that has our fields."""
    _make(client, index, semantics)
    for start in range(0, count, _BATCH):
        lines: list[dict[str, Any]] = []
        for number, text in enumerate(_texts(start, count), start):
            lines += [{"index": {"_id": str(number)}}, {"n": number, "text": text}]
        _require(client.bulk(index=index, operations=lines, filter_path="errors"))
    client.indices.refresh(index=index)


def _texts(start: int, count: int) -> Iterator[str]:
    """Yield the texts of a batch, in English words, which have word vectors."""
    return texts(start, min(_BATCH, count - start), SENTENCES, english=True)


def _make(
    client: elasticsearch.Elasticsearch, index: str, semantics: SemanticScheme | None
) -> None:
    client.indices.delete(index=index, ignore_unavailable=True)
    client.indices.create(
        index=index,
        settings={"number_of_replicas": 0},
        mappings={"properties": {"n": {"type": "long"}, "text": {"type": "text"}}},
    )
    install(client, index, semantics=semantics)


def _require(answer: Any) -> None:
    if answer["errors"]:
        raise RuntimeError("Documents were not accepted.")


def reindex(
    client: elasticsearch.Elasticsearch,
    index: str,
    target: str,
    settings: BackfillSettings,
    slices: int,
) -> int:
    """Read all documents and write them as they are into a fresh index; give their number."""
    _make(client, target, None)
    point = client.open_point_in_time(index=index, keep_alive=_KEEP_ALIVE)["id"]

    def copy(number: int) -> int:
        count = 0
        for hits in _pages(client, point, {"id": number, "max": slices}, settings.page):
            lines: list[dict[str, Any]] = []
            for hit in hits:
                lines += [{"index": {"_id": hit["_id"]}}, hit["_source"]]
            _require(client.bulk(index=target, operations=lines, filter_path="errors"))
            count += len(hits)
        return count

    try:
        with ThreadPoolExecutor(slices) as threads:
            return sum(threads.map(copy, range(slices)))
    finally:
        client.close_point_in_time(id=point)


def _pages(
    client: elasticsearch.Elasticsearch, point: str, slice: dict[str, int], size: int
) -> Iterator[list[dict[str, Any]]]:
    after: dict[str, Any] = {}
    while True:
        answer = client.search(
            pit={"id": point, "keep_alive": _KEEP_ALIVE},
            slice=slice,
            size=size,
            sort=["_shard_doc"],
            track_total_hits=False,
            **after,
        )
        hits = answer["hits"]["hits"]
        if not hits:
            return
        yield hits
        after = {"search_after": hits[-1]["sort"]}


def _enrich(client: elasticsearch.Elasticsearch, index: str, settings: BackfillSettings) -> int:
    counts = Counter(each.status for each in backfill(client, index, settings=settings))
    if set(counts) != {"written"}:
        raise RuntimeError(f"Documents were not written: {counts}.")
    return counts["written"]


def _timed(client: elasticsearch.Elasticsearch, work: Any, *arguments: Any) -> Run:
    engine, own, started = engine_seconds(client), own_seconds(), time.perf_counter()
    count = work(client, *arguments)
    seconds = time.perf_counter() - started
    return Run(count / seconds, engine_seconds(client) - engine, own_seconds() - own)


def compare(
    client: elasticsearch.Elasticsearch,
    index: str,
    count: int,
    runs: int,
    settings: BackfillSettings,
    semantics: SemanticScheme | None,
) -> list[tuple[Run, Run]]:
    """Run both in turn and give the pairs: re-index, backfill."""
    slices = (settings.processes or 1) * settings.slices
    pairs = []
    for _ in range(runs):
        fill(client, index, count, semantics)
        plain = _timed(client, reindex, index, f"{index}-copy", settings, slices)
        client.indices.delete(index=f"{index}-copy")
        ours = _timed(client, _enrich, index, settings)
        pairs.append((plain, ours))
    return pairs


def kill_and_resume(
    client: elasticsearch.Elasticsearch, index: str, count: int, rate: float
) -> int:
    """Kill the command at random moments, run it to its end; give the kills that met it running.

    Args:
        client: Of the cluster.
        index: Its documents have no fingerprints yet.
        count: Their number.
        rate: Documents a second of a run that is not killed.
    """
    generator = random.Random(count)
    command = [sys.executable, "-m", "es_simhash", "backfill", index, "--quiet"]
    command += ["--url", address(client)]
    kills = 0
    with TemporaryDirectory() as folder:
        for _ in range(_KILLS):
            # The killed process's semaphores are told about, and removed, by Python itself.
            process = subprocess.Popen(
                command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            try:
                process.wait(generator.uniform(0.1, 1 / (_KILLS + 1)) * count / rate + 2)
            except subprocess.TimeoutExpired:
                process.kill()
                kills += 1
            process.wait()
            client.indices.refresh(index=index)
            done = client.count(index=index, query={"exists": {"field": _path(SCHEME)}})["count"]
            print(f"  after kill {kills}: {done} of {count} documents have the fields")
        subprocess.run(command, cwd=folder, check=True)
    return kills


def _path(member: str) -> str:
    return f"{DEFAULT_FIELD}.{member}"


def verify(client: elasticsearch.Elasticsearch, index: str, count: int) -> dict[str, int]:
    """Look at every document and give the numbers of those that are not as they must be."""
    client.indices.refresh(index=index)
    point = client.open_point_in_time(index=index, keep_alive=_KEEP_ALIVE)["id"]
    found: Counter[str] = Counter()
    expected: dict[int, str] = {}
    try:
        for hits in _documents(client, point):
            for hit in hits:
                found["documents"] += 1
                found[_NOT_ONCE] += hit["_version"] != 2
                found.update(_wrong(hit, expected, count))
    finally:
        client.close_point_in_time(id=point)
    found["lost"] = count - found.pop("documents")
    return {name: found[name] for name in _FAULTS}


def _documents(client: elasticsearch.Elasticsearch, point: str) -> Iterator[list[dict[str, Any]]]:
    """Read in the order of the numbers, so that the texts are made once for each batch."""
    after: dict[str, Any] = {}
    while True:
        answer = client.search(
            pit={"id": point, "keep_alive": _KEEP_ALIVE},
            size=_BATCH,
            sort=["n"],
            version=True,
            track_total_hits=False,
            **after,
        )
        hits = answer["hits"]["hits"]
        if not hits:
            return
        yield hits
        after = {"search_after": hits[-1]["sort"]}


def _wrong(hit: dict[str, Any], expected: dict[int, str], count: int) -> Iterator[str]:
    source = hit["_source"]
    number = source["n"]
    if number not in expected:
        start = number - number % _BATCH
        expected.clear()
        expected.update(enumerate(_texts(start, count), start))
    ours = source.pop(DEFAULT_FIELD, {})
    if source != {"n": number, "text": expected[number]}:
        yield _CHANGED
    fresh = ours.get(CONTENT_HASH) == content_hash(normalise(text_of(source, "text") or ""))
    schemes = ours.get(SCHEME), ours.get(SEMANTIC_SCHEME)
    if schemes != (DEFAULT.name, DEFAULT_SEMANTICS.name) or not fresh:
        yield _NOT_ENRICHED


def _bytes(client: elasticsearch.Elasticsearch, index: str) -> int:
    """Size of the index, old states merged away."""
    deadline = time.monotonic() + _RETAINED_FOR
    # The engine keeps old states, and a second copy of each new one, for half a minute; what is
    # merged before that is merged with them.
    while _retains(client, index) and time.monotonic() < deadline:
        time.sleep(2)
    client.indices.forcemerge(index=index, max_num_segments=1)
    # Segments that were merged are held by the last commit.
    client.indices.flush(index=index, force=True)
    client.indices.refresh(index=index)
    size: int = client.indices.stats(index=index)["_all"]["primaries"]["store"]["size_in_bytes"]
    return size


def _retains(client: elasticsearch.Elasticsearch, index: str) -> bool:
    client.indices.flush(index=index, force=True)
    shards = client.indices.stats(index=index, level="shards")["indices"][index]["shards"]
    return any(
        lease["retaining_seq_no"] <= copy["seq_no"]["max_seq_no"]
        for copies in shards.values()
        for copy in copies
        for lease in copy["retention_leases"]["leases"]
    )


def _show(
    pairs: Sequence[tuple[Run, Run]], count: int, settings: BackfillSettings, what: str
) -> float:
    plain = statistics.median(one.rate for one, _ in pairs)
    ours = statistics.median(other.rate for _, other in pairs)
    ratio = statistics.median(other.rate / one.rate for one, other in pairs)
    print(
        f"{what}: {count} documents, {len(pairs)} alternating runs, "
        f"{settings.processes} processes, {available_processors()} processors shared with the node"
    )
    print(f"re-index {plain:8.0f} documents/s")
    print(f"backfill {ours:8.0f} documents/s")
    print(f"ratio    {ratio:8.2f}   (median of the pairs; at least 0.25 is wanted)")
    plain_cost = _show_cost("re-index", [one for one, _ in pairs], count)
    our_cost = _show_cost("backfill", [other for _, other in pairs], count)
    print(f"ratio    {plain_cost / our_cost:8.2f}   (of processor time, whatever else runs here)")
    return ours


def _show_cost(name: str, runs: Sequence[Run], count: int) -> float:
    engine = statistics.median(run.engine_seconds for run in runs) / count * 1e6
    own = statistics.median(run.own_seconds for run in runs) / count * 1e6
    print(f"{name} {engine:8.0f} µs of a processor in the engine and {own:.0f} µs here a document")
    return engine + own


def _measure(
    client: elasticsearch.Elasticsearch,
    index: str,
    count: int,
    runs: int,
    settings: BackfillSettings,
    semantics: SemanticScheme | None,
) -> float:
    """Measure and print speed, growth and what the estimate says of them; give the speed.

    The documents are left without fingerprints.
    """
    pairs = compare(client, index, count, runs, settings, semantics)
    what = "versions and semantic profiles" if semantics else "versions"
    rate = _show(pairs, count, settings, what)
    enriched = _bytes(client, index)
    fill(client, index, count, semantics)
    foreseen = estimate(client, index, settings=settings)
    grown = enriched - _bytes(client, index)
    print(
        f"index grew by {grown / count:.0f} bytes a document, estimated "
        f"{foreseen.bytes_added / count:.0f} ({foreseen.bytes_a_document} of JSON); estimated "
        f"speed {foreseen.documents_per_second:.0f} documents/s"
    )
    return rate


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--processes", type=int, default=available_processors())
    options = parser.parse_args(argv)
    count, settings = options.documents, BackfillSettings(processes=options.processes)
    index = "bench-backfill"
    with bench_client() as client:
        try:
            for semantics in (None, DEFAULT_SEMANTICS):
                rate = _measure(client, index, count, options.runs, settings, semantics)
            kills = kill_and_resume(client, index, count, rate)
            print(f"killed {kills} times and resumed; of {count} documents")
            for name, number in verify(client, index, count).items():
                print(f"  {number} {name}")
        finally:
            client.indices.delete(index=[index, f"{index}-copy"], ignore_unavailable=True)


if __name__ == "__main__":
    run(main)
