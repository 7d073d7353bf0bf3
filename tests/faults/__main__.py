"""Faults are put between commands and the engine, and what the commands leave is checked.

    python -m tests.faults [--seed 1] [--faults 500] [--only NAME] [--writers 12] [--node-kills 6]
        [--service-kills 12]

Each trial runs one command (ingest with each action, backfill, families, copies, sweep) over a
small collection on an index of its own. A proxy before a real node cuts connections, tears answers,
keeps them for ever, answers 429 and 503, does half of a bulk request, answers searches without what
a shard has; it kills, terminates and interrupts the command at any request, and sets its clock
forward or back by two hours; it blocks the index as a full disk or an operator does; the disk of
the client is full; and an alias that is written through is rolled over. The command is run again
until it is done. Then each document must be there once with its fields or in the audit log, the
decisions must be those of a run without faults, the report must equal what the run has changed, a
further run must write and decide nothing, and `undo` must restore all. Then groups of two and four
writers of the same texts meet faults at once, some with sweeps among them: a checker reads their
audit logs, as Jepsen reads histories. No document may be lost, and of each text one wins. Then as
many trials run on a cluster of three nodes with replicas as nodes are to be killed: in each of them
the master, or another node, in the middle of a command. At last workers of a service and their
supervisor are killed while it is asked and labels are written.

The exit status is 1 if anything is found. The seed repeats what is chosen; in which order the
requests of several threads come is not chosen.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from es_simhash.errors import EsSimhashError
from es_simhash.store.elasticsearch.connection import connect
from scripts.local_node import node as nodes
from tests.bench.program import run
from tests.faults.commands import Commands
from tests.faults.faulty_proxy import MASTER_KILLED, NODE_KILLED, faulty_proxy
from tests.faults.service_kills import FINDINGS as SERVICE_FINDINGS
from tests.faults.service_kills import kill_service
from tests.faults.three_nodes import ThreeNodes, three_nodes
from tests.faults.trials import FINDINGS, KINDS, Tally, Trials
from tests.faults.writers import FINDINGS as WRITER_FINDINGS
from tests.faults.writers import write_at_once

_NODE = "faults"
ON_THREE_NODES = (
    "ingest",
    "ingest, replace",
    "backfill",
    "sweep, skip",
    "families",
    "ingest, link",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run trials until so many faults were injected, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 100_000)
    parser.add_argument("--faults", type=int, default=500)
    parser.add_argument("--writers", type=int, default=12, help="groups of writers")
    parser.add_argument("--node-kills", type=int, default=6)
    parser.add_argument("--service-kills", type=int, default=12)
    parser.add_argument("--only", help="name of a kind of trial")
    options = parser.parse_args(argv)
    if options.only is not None and options.only not in KINDS:
        raise EsSimhashError(f"No trial {options.only!r}. Choose one of {', '.join(KINDS)}.")
    chosen = [options.only] if options.only else [*KINDS]
    started, tallies = time.monotonic(), []
    if options.faults or options.service_kills or options.writers:
        with _one_node() as node:
            print(f"seed {options.seed}, Elasticsearch {node.version}", flush=True)
            if options.faults:
                tallies.append(inject(node.url, options.seed, options.faults, chosen))
                show(tallies[-1], time.monotonic() - started)
            if options.writers:
                began = time.monotonic()
                tallies.append(write_at_once(node.url, options.seed, options.writers))
                show(tallies[-1], time.monotonic() - began, WRITER_FINDINGS)
            if options.service_kills:
                began = time.monotonic()
                tallies.append(kill_service(node.url, options.seed, options.service_kills))
                show(tallies[-1], time.monotonic() - began, SERVICE_FINDINGS)
    if options.node_kills:
        began = time.monotonic()
        with three_nodes() as cluster:
            print(
                f"seed {options.seed}, three nodes of Elasticsearch {cluster.version}", flush=True
            )
            tallies.append(kill_nodes(cluster, options.seed, options.node_kills))
        show(tallies[-1], time.monotonic() - began)
    return 1 if any(tally.findings for tally in tallies) else 0


@contextmanager
def _one_node() -> Iterator[nodes.Node]:
    node = nodes.start(_NODE, heap="512m", in_memory=True)
    try:
        yield node
    finally:
        if node.started:
            nodes.remove(_NODE)


def inject(url: str, seed: int, faults: int, kinds: Sequence[str]) -> Tally:
    """Run trials of these kinds in turn until so many faults were injected."""
    with connect(url) as client, faulty_proxy(url) as proxy:
        trials = Trials(client, proxy, Commands(), seed)
        number = 0
        while proxy.injected.total() < faults:
            trials.run(number, kinds[number % len(kinds)])
            number += 1
        return trials.tally


def kill_nodes(cluster: ThreeNodes, seed: int, kills: int) -> Tally:
    """Run so many trials in each of which a node is killed in the middle of a command."""
    with faulty_proxy(cluster.url) as proxy, faulty_proxy(cluster.url) as faultless:
        cluster.serve(proxy)
        cluster.serve(faultless)
        with connect(faultless.url) as client:
            first = (NODE_KILLED, MASTER_KILLED)
            trials = Trials(client, proxy, Commands(), seed, first)
            for number in range(kills):
                trials.run(number, ON_THREE_NODES[number % len(ON_THREE_NODES)])
            return trials.tally


def show(tally: Tally, seconds: float, findings: Sequence[str] = FINDINGS) -> None:
    """Print what happened and what was found."""
    for fault, count in sorted(tally.injected.items()):
        print(f"{count:6} {fault}")
    print(
        f"{tally.injected.total()} faults injected in {tally.trials.total()} trials of "
        f"{tally.runs} runs, {tally.documents} documents, in {seconds:.0f} s"
    )
    for finding in findings:
        print(f"{tally.findings[finding]:6} {finding}")


if __name__ == "__main__":
    run(main)
