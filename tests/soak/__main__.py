"""All that the product does at once, for long: nothing may grow.

    python -m tests.soak [--minutes 60] [--documents 1500] [--rate 2] [--plot dist/soak.svg]
        [--url URL] [--module tests.soak.watched]

On a node of its own, or at an address, one process ingests, backfills, finds families and copies
and asks questions; another sweeps every few seconds; a service with two workers is asked at a
steady rate, after a first third in which it is asked faster. Documents are replaced, so that there
are always as many, by ever new ones whose words caches know after that third. Prints the memory,
the part of it in use, open files and threads of each, the connections, contexts of searches and
records of the state on the cluster, and the times, each with its slope an hour after that third and
the interval of 95 %. Afterwards no context may be open, and the cluster has rejected no request and
tripped no circuit breaker.
The exit status is 1 where anything grows, failed, or was left open. So many slopes are looked at
that one is above its interval by chance in every third run: what grows is above the interval that
all have together with 95 %.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from es_simhash.maintenance.families.find_families import find_families
from es_simhash.store.elasticsearch.connection import connect
from tests.bench.engines import own_node
from tests.bench.load import Requests, percentile
from tests.bench.program import run
from tests.bench.served_index import INDEX, fill, made_up, served
from tests.soak.probes import held_by, held_by_cluster, refused_by_cluster, used_by
from tests.soak.rounds import WORDS, Ends, run_rounds
from tests.soak.slopes import WARM_UP, plot, slope, table
from tests.soak.watched import FOLDER_VARIABLE

_NODE, _WATCHED = "soak", "tests.soak.watched"
_ROOT = Path(__file__).parents[2]
_WORKERS = 2
_SWEEP_EVERY = "5s"
# Measurements in a run, at least this many seconds apart; of fewer than so many there is no slope.
_MEASUREMENTS, _LEAST_SECONDS, _LEAST_MEASUREMENTS = 240, 1.0, 18
# Seconds that a process has to end what it does, and that a search has which nobody waits for.
_END, _SEARCH = 60, 30
_PATHS = (
    "/v1/related/{}",
    "/v1/compare/{}/1",
    "/v1/documents/{}",
    "/v1/families/{}",
    "/explorer/",
    "/readyz",
)
# Documents that the service is asked about: an answer of each is kept before growth is measured.
_ASKED = 30
# How many times as fast it is asked before growth is measured: caches fill, threads start, and as
# many answers are made at once, of as many sizes, as never again.
_FASTER = 8
# Seconds that an answer is kept: so short that most are made anew then, too.
_CACHED = 5
# Those of an answer, of a document without a fingerprint or family as yet, and of a busy service.
_FINE = {200, 404, 422, 503}


def main(argv: Sequence[str] | None = None) -> int:
    """Run everything for so long, and print what it held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--documents", type=int, default=1_500)
    parser.add_argument("--rate", type=float, default=2.0)
    parser.add_argument("--plot", type=Path, default=Path("dist/soak.svg"))
    parser.add_argument("--url", help="of a node; by default one is started")
    parser.add_argument("--module", default=_WATCHED, help="of the service")
    options = parser.parse_args(argv)
    with own_node(_NODE, options.url, "1g") as url, connect(url) as client:
        count = fill(client, made_up(options.documents, WORDS))
        # Makes the state index, which nobody can search while its shards start.
        find_families(client, INDEX)
        (node, *_) = client.nodes.info(metric="http")["nodes"].values()
        print(f"on Elasticsearch {node['version']}, {count} documents", flush=True)
        options.plot.parent.mkdir(parents=True, exist_ok=True)
        log = options.plot.with_suffix(".log")
        soak = Soak(client, url, count, options.rate, log, options.module)
        problems = soak.run(options.minutes * 60)
        problems += soak.report()
        options.plot.write_text(plot(soak.times, soak.series).svg, "utf-8")
        measured = options.plot.with_suffix(".csv")
        measured.write_text(table(soak.times, soak.series), "utf-8")
        print(f"plot: {options.plot}; measurements: {measured}; log of the service: {log}")
    for problem in problems:
        print(f"  {problem}", file=sys.stderr)
    return 1 if problems else 0


class Soak:
    """Runs everything, and keeps what was measured.

    Args:
        client: Of the engine.
        url: Of the engine.
        documents: How many there are.
        rate: Requests to the service, a second.
        log: File of its log.
        module: The command line, as it is run for the service.
    """

    def __init__(
        self,
        client: Any,
        url: str,
        documents: int,
        rate: float,
        log: Path,
        module: str = _WATCHED,
    ) -> None:
        self.times: list[float] = []
        self.series: dict[str, list[float]] = defaultdict(list)
        self.done: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self._refused = Counter(refused_by_cluster(client))
        self._client, self._url, self._folder = client, url, Path()
        self._documents, self._rate = documents, rate
        self._log, self._module = log, module

    def run(self, seconds: float) -> list[str]:
        """Measure for so long; return what failed, or was left open."""
        every = max(seconds / _MEASUREMENTS, _LEAST_SECONDS)
        with ExitStack() as stack:
            self._folder = stack.enter_context(_watching())
            port, service = stack.enter_context(
                served(self._url, _WORKERS, _CACHED, module=self._module, log=self._log)
            )
            sweep = stack.enter_context(_sweeping(self._url))
            rounds, answers = stack.enter_context(_rounds(self._url, self._documents))
            begin = time.monotonic()
            while time.monotonic() < begin + seconds or len(self.times) < _LEAST_MEASUREMENTS:
                share = (time.monotonic() - begin) / seconds
                self._ask(port, every, self._rate * (_FASTER if share < WARM_UP else 1))
                self._measure(time.monotonic() - begin, service, sweep.pid, rounds.pid)
                self._take(answers)
                ended = [
                    f"{name} ended"
                    for name, status in (("sweep", sweep.poll()), ("rounds", rounds.exitcode))
                    if status is not None
                ]
                if ended:
                    return ended
        wrong = {status: n for status, n in self.statuses.items() if status not in _FINE}
        problems = [f"answers with other statuses: {wrong}"] if wrong else []
        if refused := Counter(refused_by_cluster(self._client)) - self._refused:
            problems.append(f"the cluster refused requests: {dict(refused)}")
        if left := self._left_open():
            problems.append(f"{left} contexts of searches were left open")
        return problems

    def _left_open(self) -> float:
        """Return how many contexts are open although all has ended, and no search runs any more."""
        until = time.monotonic() + _SEARCH
        while True:
            left = held_by_cluster(self._client, f"{INDEX}-simhash")["open contexts"]
            if not left or time.monotonic() > until:
                return left
            time.sleep(0.2)

    def report(self) -> list[str]:
        """Print what was held and done; return what grows."""
        print(f"{'':34} {'level':>9} {'slope an hour':>22}")
        grown = []
        for name, values in self.series.items():
            found = slope(self.times, values)
            error = f"± {found.error():.2f}"
            print(f"{name:34} {found.level:9.1f} {found.slope:+12.2f} {error:>9}")
            if found.grows(len(self.series)):
                sure = found.error(len(self.series))
                grown.append(f"{name} grows by {found.slope:.2f} ± {sure:.2f} an hour")
        print(f"done: {dict(self.done)}; answers of the service: {dict(self.statuses)}")
        return grown

    def _ask(self, port: int, seconds: float, rate: float) -> None:
        ids = range(0, self._documents, -(-self._documents // _ASKED))
        paths = [path.format(id) for path in _PATHS for id in ids]
        asked = Requests(port, paths, seconds, seed=len(self.times)).at_rate(rate)
        self.statuses += asked.statuses
        self.series["service: p95 (ms)"].append(1000 * asked.p95)

    def _measure(self, at: float, *processes: int | None) -> None:
        self.times.append(at)
        for name, process in zip(("service", "sweep", "rounds"), processes, strict=True):
            assert process is not None
            for what, value in held_by(process).items():
                self.series[f"{name}: {what}"].append(value)
            self.series[f"{name}: in use (MiB)"].append(used_by(process, self._folder))
        for what, value in held_by_cluster(self._client, f"{INDEX}-simhash").items():
            self.series[f"cluster: {what}"].append(value)

    def _take(self, answers: Any) -> None:
        """Read what the rounds have done since the last measurement."""
        taken = defaultdict(list)
        while answers.poll():
            try:
                what, seconds = answers.recv()
            except EOFError:
                break
            self.done[what] += 1
            taken[what].append(1000 * seconds)
        # A round can take longer than that: what nothing was done of is as it was before.
        for what in ("related", "ingest", "backfill"):
            times = self.series[f"rounds: {what}, median (ms)"]
            before = times[-1] if times else 0.0
            times.append(percentile(taken[what], 0.5) if taken[what] else before)


@contextmanager
def _watching() -> Iterator[Path]:
    """Let the processes that are started in the block say what they use, in a folder."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ[FOLDER_VARIABLE] = folder
        try:
            yield Path(folder)
        finally:
            del os.environ[FOLDER_VARIABLE]


@contextmanager
def _sweeping(url: str) -> Iterator[subprocess.Popen[bytes]]:
    line = [sys.executable, "-m", _WATCHED, "sweep", INDEX, "--every", _SWEEP_EVERY]
    environment = {**os.environ, "ELASTICSEARCH_URL": url, "PYTHONPATH": str(_ROOT)}
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [*line, "--quiet", "--processes", "1"],
            env=environment,
            cwd=folder,
            stdout=subprocess.DEVNULL,
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(_END)


@contextmanager
def _rounds(url: str, documents: int) -> Iterator[tuple[Any, Any]]:
    context = multiprocessing.get_context("spawn")
    answers, out = context.Pipe(duplex=False)
    ends = Ends(out, context.Event())
    process = context.Process(target=run_rounds, args=(url, INDEX, documents, ends))
    process.start()
    out.close()
    try:
        yield process, answers
    finally:
        # Killed, it could not close its points in time.
        ends.stop.set()
        process.join(_END)
        process.kill()


if __name__ == "__main__":
    run(main)
