"""The experiments of the write-ups that the project grew from, as tables and plots.

    python -m tests.bench.experiments.run [NAME ...] [--output FOLDER] [--page FILE]

Writes experiments-NAME.md and its plots as SVG and PNG into a folder, and prints the tables.
Figures of time are processor time. What needs evaluation data that is not there is left out, with a
sentence.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from es_simhash.errors import EsSimhashError, InputError
from tests.bench.experiments import (
    banding,
    criteria,
    error_of_estimate,
    hash_times,
    shingle_lengths,
    space,
    topics,
)
from tests.bench.experiments.model import Experiment, Result, Size
from tests.bench.experiments.pages import MACHINE, check_places, machine, markdown, update, write
from tests.bench.program import run

EXPERIMENTS = {
    "criteria": Experiment("Five criteria for every method", criteria.run),
    "space": Experiment("Space of a document by method", space.run),
    "shingles": Experiment("Shingle length", shingle_lengths.run),
    "hashes": Experiment("Times of hash families", hash_times.run),
    "lsh": Experiment("Exact resemblance, signatures and LSH", banding.run),
    "error": Experiment("Error of the estimate", error_of_estimate.run),
    "topics": Experiment("Five topics among noise", topics.run),
}
_PROCESSES = 2
# The longest first, so that the two processes end together.
_LONGEST = ("criteria", "topics", "shingles")


def chosen(names: Sequence[str]) -> list[str]:
    """Return the experiments with these names, without repetitions; all without names.

    Raises:
        InputError: There is none of a name.
    """
    for name in names:
        if name not in EXPERIMENTS:
            raise InputError(
                f"Unknown experiment {name!r}. Choose one of {', '.join(EXPERIMENTS)}."
            )
    return [name for name in EXPERIMENTS if name in names or not names]


def run_all(names: Sequence[str], size: Size) -> tuple[dict[str, Result], dict[str, str]]:
    """Return the results of experiments, and of those that cannot run the reason."""
    results: dict[str, Result] = {}
    reasons: dict[str, str] = {}
    ordered = sorted(names, key=lambda name: name not in _LONGEST)
    with ProcessPoolExecutor(_PROCESSES, get_context("spawn")) as pool:
        tasks = {name: pool.submit(EXPERIMENTS[name].run, size) for name in ordered}
        for name in names:
            try:
                results[name] = tasks[name].result()
            except EsSimhashError as error:
                reasons[name] = str(error)
            print(f"{name}: {reasons.get(name, 'done')}", file=sys.stderr)
    return results, reasons


def main() -> int:
    """Run experiments; the exit status is 1 when none of them could run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXPERIMENTS))
    parser.add_argument("--output", type=Path, default=Path("build/experiments"))
    parser.add_argument("--page", type=Path, help="Markdown whose blocks of figures are replaced.")
    options = parser.parse_args()
    names = chosen(options.names)
    check_places(options.output, options.page, [*names, MACHINE])
    started = time.monotonic()
    results, _ = run_all(names, Size())
    blocks = {name: markdown(result) for name, result in results.items()}
    for name, result in results.items():
        write(options.output, name, result)
        print(f"## {EXPERIMENTS[name].title}\n\n{blocks[name]}\n")
    if not results:
        return 1
    blocks[MACHINE] = machine(time.monotonic() - started, results)
    print(blocks[MACHINE])
    if options.page:
        update(options.page, blocks)
    return 0


if __name__ == "__main__":
    run(main)
