"""What the service answers when more is asked than it can, from its cache, and with two workers.

    python -m tests.bench.service_load [--documents 22000] [--seconds 20] [--url URL] [--keep]
        [--record]

News of an agency and of papers, each also sent again with its end cut off. Two workers, the engine
and the sender of the requests share the cores. Prints, for `GET /v1/related/ID` as the widget asks
it: the most that is answered with as many connections as is best; what is answered at ten times as
much, and after how long the rest is refused; what the cache answers; and what two workers answer
compared with one, each on a core of its own, the engine on the same cores.
"""

import argparse
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.errors import address
from scripts.local_node import node as nodes
from tests.bench.engines import bench_client
from tests.bench.figures import Figures
from tests.bench.load import Requests
from tests.bench.news_stories import news_stories
from tests.bench.program import run
from tests.bench.served_index import INDEX, fill, served

_CONNECTIONS = (4, 8, 16)
_QUERY = "?evidence=false"
# Documents that the cache has.
_WARM = 200
_CACHED_RATE = 1_000.0
_OVERLOAD = 10
_WARM_UP = 10.0
# An engine that has just been filled compiles what it runs: as long as a round answers so much
# more than the one before it, and for so many rounds at most.
_RISING, _ROUNDS = 1.05, 6


def main(argv: Sequence[str] | None = None) -> None:
    """Write the documents, serve them, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=22_000)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--url", help="Engine to use.")
    parser.add_argument("--keep", action="store_true", help="Use the index of a run before.")
    parser.add_argument("--record", action="store_true", help="Write docs/figures.json.")
    options = parser.parse_args(argv)
    with connect(options.url) if options.url else bench_client() as client:
        url = address(client)
        if not (options.keep and client.indices.exists(index=INDEX)):
            # All are read first: where the data are missing, the index stays as it is.
            fill(client, list(news_stories(options.documents)))
        count = client.count(index=INDEX)["count"]
        print(f"{count} stories; load of the machine before: {os.getloadavg()[0]:.1f}", flush=True)
        paths = [f"/v1/related/{number}{_QUERY}" for number in range(count)]
        local = (node for node in nodes.running() if node.url == url)
        engine = next((f"Elasticsearch {node.version}" for node in local), url)
        figures = Figures("load", "make bench-load", engine)
        overload(url, paths, options.seconds, figures)
        cached(url, paths[:_WARM], options.seconds, figures)
        workers(url, paths, options.seconds, figures)
        if options.record:
            figures.record()


def overload(url: str, paths: Sequence[str], seconds: float, figures: Figures) -> None:
    """Ask as much as is answered, and ten times that, without a cache."""
    with served(url, 2, 0) as (port, process):
        _warm_up(port, paths, seconds)
        outcomes = []
        for count in _CONNECTIONS:
            outcomes.append(Requests(port, paths, seconds, seed=count).at_once(count))
            print(f"{count} at once: {outcomes[-1]}", flush=True)
        best = max(outcomes, key=lambda outcome: outcome.rate)
        steady = Requests(port, paths, seconds, seed=2).at_rate(0.8 * best.rate)
        print(f"at {0.8 * best.rate:.0f}/s: {steady}", flush=True)
        asked = _OVERLOAD * best.rate
        with _spent(process) as spent:
            more = Requests(port, paths, seconds, seed=3).at_rate(asked)
        print(f"at {asked:.0f}/s: {more}; {more.rate / best.rate:.0%} of the most", flush=True)
        print(f"{1000 * spent[0] / len(more.times):.1f} ms of a core for each answer of it")
    figures.add("new/rate", best.rate)
    figures.add("new/p95", best.p95)
    figures.add("steady/rate", steady.rate)
    figures.add("steady/p95", steady.p95)
    figures.add("overload/share", more.rate / best.rate)
    figures.add("overload/p95", more.p95)
    figures.add("overload/refused_p95", more.refused_p95)


def _warm_up(port: int, paths: Sequence[str], seconds: float) -> None:
    """Ask until no more is answered than before."""
    rate = 0.0
    for number in range(_ROUNDS):
        before, rate = rate, Requests(port, paths, seconds, seed=-number).at_once(8).rate
        print(f"warm-up: {rate:.1f}/s", flush=True)
        if rate < _RISING * before:
            return


def cached(url: str, paths: Sequence[str], seconds: float, figures: Figures) -> None:
    """Ask for what the cache has."""
    with served(url, 2, 3_600) as (port, process):
        for turn in range(4):
            # Each worker has a cache, and a connection stays with one.
            Requests(port, paths, _WARM_UP, seed=turn).at_once(16)
        outcome = Requests(port, paths, seconds).at_rate(_CACHED_RATE)
        print(f"kept answers at {_CACHED_RATE:.0f}/s: {outcome}", flush=True)
        with _spent(process) as spent:
            most = Requests(port, paths, seconds).at_once(16)
        each = spent[0] / len(most.times)
        print(f"most kept answers: {most}; {1000 * each:.2f} ms of a core for each", flush=True)
    figures.add("cached/core_seconds", each)
    figures.add("cached/rate", outcome.rate)
    figures.add("cached/p95", outcome.p95)
    figures.add("cached/most", most.rate)


def workers(url: str, paths: Sequence[str], seconds: float, figures: Figures) -> None:
    """Ask one worker, and two, each on a core of its own.

    Where the engine is a local node it is kept on the same cores: with the other core to itself,
    one worker would have part of what two have.
    """
    cores = sorted(os.sched_getaffinity(0))[:2]
    rates = []
    for count in (1, 2):
        with served(url, count, 0) as (port, process), _node_on(url, cores[:count]):
            _pin(process, cores[:count])
            connections = _CONNECTIONS[0] * count
            Requests(port, paths, _WARM_UP, seed=0).at_once(connections)
            with _node_share(url) as share:
                outcome = Requests(port, paths, seconds, seed=4).at_once(connections)
            rates.append(outcome.rate)
        print(f"{count} workers, each on a core: {outcome}; the engine: {share[0]:.2f} cores")
    print(f"two workers answer {rates[1] / rates[0]:.2f} times what one does", flush=True)
    figures.add("workers/ratio", rates[1] / rates[0])


def _pin(process: int, cores: Sequence[int]) -> None:
    """Keep each worker on one core; a service of one worker is its own."""
    found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    is_worker = [pid for pid in found if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()]
    for pid, core in zip(is_worker or [str(process)], cores, strict=True):
        _keep_on(int(pid), [core])


@contextmanager
def _node_on(url: str, cores: Sequence[int]) -> Iterator[None]:
    """Keep a local node on some cores during the block."""
    process = _node_process(url)
    if process is None:
        yield
        return
    everywhere = os.sched_getaffinity(process)
    _keep_on(process, cores)
    try:
        yield
    finally:
        _keep_on(process, everywhere)


def _keep_on(process: int, cores: Iterable[int]) -> None:
    """Keep all threads of a process on some cores; those that it starts later are there as well."""
    for thread in os.listdir(f"/proc/{process}/task"):
        with suppress(ProcessLookupError):
            os.sched_setaffinity(int(thread), cores)


def _node_process(url: str) -> int | None:
    return next((node.pid for node in nodes.running() if node.url == url), None)


@contextmanager
def _node_share(url: str) -> Iterator[list[float]]:
    """Measure the cores that the engine uses during the block, where it is a local node."""
    share = [float("nan")]
    process = _node_process(url)
    if process is None:
        yield share
        return
    before, begin = _seconds(process), time.monotonic()
    yield share
    share[0] = (_seconds(process) - before) / (time.monotonic() - begin)


@contextmanager
def _spent(process: int) -> Iterator[list[float]]:
    """Measure the processor time of a service during the block, of all workers."""
    spent, before = [0.0], _seconds(process)
    yield spent
    spent[0] = _seconds(process) - before


def _seconds(process: int) -> float:
    """Return the processor time of a process and of those it started."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(map(_seconds, map(int, children)))


if __name__ == "__main__":
    run(main)
