"""Every method on every collection with known versions, at one cut chosen on the other sets.

    python -m tests.bench.evaluate [--sets NAME,...] [--methods NAME,...] [--output FILE]
        [--plots FOLDER] [--record]

Every text is compared with all others as far as the candidates of a method go; versions that are no
candidates are missed. Prints F1, candidate recall and costs as Markdown, and where the default
method is not the best. `--plots` writes F1 and candidate recall as SVG and PNG; `--record` writes
the figures to docs/figures.json, and the tables to docs/methods.md. Two processes share the
machine.
"""

import argparse
import os
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from es_simhash.errors import InputError
from es_simhash.lab.evaluation.evaluation_pages import markdown_table
from es_simhash.lab.evaluation.evaluation_tables import Table
from es_simhash.lab.evaluation.held_out_cuts import left_out_cut
from es_simhash.lab.methods.method_registry import method_named, method_names
from es_simhash.lab.methods.project_method import DEFAULT_METHOD
from tests.bench.figures import Figures, record_tables
from tests.bench.method_plots import write_plots
from tests.bench.method_runs import COPIES, Measured, measure, truth_of
from tests.bench.program import run
from tests.bench.versions import SETS as VERSION_SETS
from tests.support import datasets

SETS = (*VERSION_SETS, "bib_records", COPIES)
PROCESSES = 2
_RUN = "evaluate"
_PAGE = Path(__file__).parents[2] / "docs" / "methods.md"
# The default is as good as the best within this.
_CLOSE = 0.01
SHORT_NAMES = {
    "law_versions_de": "German laws",
    "pep_versions": "PEPs",
    "bbc_news": "BBC news",
    "law_versions_zh": "Chinese laws",
    "terms_versions": "terms",
    "licence_versions": "licences",
    "bib_records": "records",
    COPIES: "answers",
}


def measure_all(methods: Sequence[str], sets: Sequence[str]) -> dict[tuple[str, str], Measured]:
    """Run all methods on all sets, the largest sets first."""
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        sizes = {name: sum(map(len, truth_of(name).texts.values())) for name in sets}
        tasks = [
            pool.submit(measure, method, name)
            for name in sorted(sets, key=lambda name: -sizes[name])
            for method in methods
        ]
        found: dict[tuple[str, str], Measured] = {}
        for task in as_completed(tasks):
            each = task.result()
            found[each.method, each.set_name] = each
            print(
                f"{len(found)} of {len(tasks)}: {each.method} on {each.set_name}", file=sys.stderr
            )
    return found


def available(sets: Sequence[str]) -> list[str]:
    """Return the sets that are there; say which are not.

    Raises:
        InputError: There is no evaluation data, or none of the sets is there.
    """
    datasets.data_folder()
    there, missing = [], []
    for name in sets:
        try:
            truth_of(name)
        except InputError as error:
            missing.append(error)
        else:
            there.append(name)
    if not there:
        raise missing[0]
    for reason in missing:
        print(reason, file=sys.stderr)
    return there


def held_out_f1(
    found: dict[tuple[str, str], Measured], method: str, name: str, sets: Sequence[str]
) -> float:
    """Return the F1 of a method on a set at the cut of the highest mean F1 on the others."""
    own = found[method, name]
    curves = [
        found[method, other].curve
        for other in sets
        if other != name and found[method, other].is_readable
    ]
    if not own.is_readable or not curves:
        return float("nan")
    return own.f1(left_out_cut(curves))


def figures(
    found: dict[tuple[str, str], Measured], methods: Sequence[str], sets: Sequence[str]
) -> dict[str, dict[str, list[float]]]:
    """Return F1 held out and candidate recall of every method on every set."""
    return {
        "f1": {
            method: [held_out_f1(found, method, name, sets) for name in sets] for method in methods
        },
        "candidate-recall": {
            method: [found[method, name].candidate_recall for name in sets] for method in methods
        },
    }


def tables(
    found: dict[tuple[str, str], Measured], methods: Sequence[str], sets: Sequence[str]
) -> Iterator[tuple[str, Table]]:
    """Yield the tables by name: F1 held out and at the best cut, candidate recall, and costs."""
    held_out = figures(found, methods, sets)
    title = "F1 at the cut chosen on the other sets"
    yield "held-out", _table(title, held_out["f1"], sets, mean=True)
    best = {
        method: [
            float(found[method, name].curve.f1().max(initial=0))
            if found[method, name].is_readable
            else float("nan")
            for name in sets
        ]
        for method in methods
    }
    title = "F1 at the best cut of each set itself (a bound, not a result)"
    yield "best", _table(title, best, sets)
    yield "candidate-recall", _table("Candidate recall", held_out["candidate-recall"], sets)
    yield "costs", _costs(found, methods, sets)


def _table(
    title: str, values: dict[str, list[float]], sets: Sequence[str], *, mean: bool = False
) -> Table:
    rows = np.array(list(values.values()))
    if mean:
        rows = np.column_stack([rows, rows.mean(axis=1)])
    best = np.nanmax(np.round(rows, 3), axis=0)
    cells = [[f"{value:.3f}" if value == value else "–" for value in row] for row in rows.tolist()]
    marked = np.argwhere(np.round(rows, 3) == best)
    columns = ("method", *(SHORT_NAMES[name] for name in sets), *(["mean"] if mean else []))
    return Table(
        title,
        columns,
        tuple((method, *row) for method, row in zip(values, cells, strict=True)),
        frozenset((row, column + 1) for row, column in marked.tolist()),
    )


def _costs(
    found: dict[tuple[str, str], Measured], methods: Sequence[str], sets: Sequence[str]
) -> Table:
    rows = []
    for method in methods:
        of_method = [found[method, name] for name in sets if found[method, name].is_readable]
        documents = sum(each.documents for each in of_method)
        seconds = np.sum([each.seconds for each in of_method], axis=0)
        candidates = sum(each.candidates for each in of_method)
        rows.append(
            (
                method,
                f"{documents / max(seconds[0], 1e-9):,.0f}",
                f"{seconds[1]:.1f}",
                f"{candidates:,}",
                f"{candidates / max(seconds[2], 1e-9):,.0f}",
                f"{sum(each.stored for each in of_method) / max(documents, 1):,.0f}",
            )
        )
    columns = (
        "method", "documents read/s", "seconds for candidates", "candidates", "pairs scored/s",
        "bytes/document",
    )  # fmt: skip
    return Table("Costs over all sets, processor time of one core", columns, tuple(rows))


def verdicts(
    found: dict[tuple[str, str], Measured], methods: Sequence[str], sets: Sequence[str]
) -> Iterator[str]:
    """Yield where the default method is the best, close to it, or neither."""
    if DEFAULT_METHOD not in methods:
        return
    for name in sets:
        values = {method: held_out_f1(found, method, name, sets) for method in methods}
        known = {method: value for method, value in values.items() if value == value}
        best = max(known, key=lambda method: known[method])
        gap = known[best] - known[DEFAULT_METHOD]
        said = "is the best" if gap <= 0 else f"is {gap:.3f} below {best}"
        reached = "reached" if gap <= _CLOSE else "NOT reached"
        own = found[DEFAULT_METHOD, name].f1(method_named(DEFAULT_METHOD).threshold)
        yield (
            f"- {SHORT_NAMES[name]}: {DEFAULT_METHOD} {said} ({known[DEFAULT_METHOD]:.3f}, within "
            f"{_CLOSE} of the best {reached}); at its own threshold it has {own:.3f}."
            f"{_as_good(found, known, name) if gap <= _CLOSE else ''}"
        )


def _as_good(found: dict[tuple[str, str], Measured], known: dict[str, float], name: str) -> str:
    """Return which methods are as good as the default, and whether it is faster or smaller."""
    own = found[DEFAULT_METHOD, name]
    said = []
    for method, value in known.items():
        if method == DEFAULT_METHOD or value < known[DEFAULT_METHOD] - _CLOSE:
            continue
        other = found[method, name]
        speed = "slower" if other.seconds[0] > own.seconds[0] else "FASTER"
        size = "larger" if other.stored > own.stored else "smaller"
        said.append(f"{method} ({value:.3f}; {speed} to read, {size})")
    return f" As good: {', '.join(said)}." if said else " No other is as good."


def report(
    found: dict[tuple[str, str], Measured], methods: Sequence[str], sets: Sequence[str]
) -> str:
    """Return all tables as Markdown."""
    lines = []
    for _, table in tables(found, methods, sets):
        lines += [*markdown_table(table), ""]
    return "\n".join([*lines, *verdicts(found, methods, sets), ""])


def record(
    found: dict[tuple[str, str], Measured], methods: Sequence[str], sets: Sequence[str]
) -> None:
    """Write the figures to docs/figures.json, and the tables to the page of the methods.

    Seconds differ from run to run: those of the page are of its last run, and not compared.
    """
    made = dict(tables(found, methods, sets))
    record_tables(Figures(_RUN, "make evaluate ARGS=--record"), _PAGE, made, not_compared=["costs"])


def main() -> None:
    """Run everything and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default=",".join(method_names()))
    parser.add_argument("--output", type=Path)
    parser.add_argument(
        "--record", action="store_true", help="write figures and tables into the documentation"
    )
    parser.add_argument("--plots", type=Path, help="Folder of the plots as SVG and PNG files.")
    options = parser.parse_args()
    methods, sets = options.methods.split(","), options.sets.split(",")
    for method in methods:
        method_named(method)
    sets = available(sets)
    started = time.monotonic()
    found = measure_all(methods, sets)
    text = report(found, methods, sets)
    peaks: dict[int, int] = {}
    for each in found.values():
        process, memory = each.peak
        peaks[process] = max(peaks.get(process, 0), memory)
    text += (
        f"\nPython {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} "
        f"processors: {time.monotonic() - started:.0f} s, at most "
        f"{sum(peaks.values()) / (1 << 20):.1f} GiB in all processes together.\n"
    )
    if options.record:
        record(found, methods, sets)
    if options.plots:
        write_plots(
            options.plots, figures(found, methods, sets), [SHORT_NAMES[name] for name in sets]
        )
    if options.output:
        options.output.write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    run(main)
