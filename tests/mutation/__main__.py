"""Small changes of the arithmetic and of decisions, each of which a test has to notice.

    python -m tests.mutation [--only blocks] [--share 0.2] [--seed 1]

Each mutant runs the tests of its module, those without an engine, in a process that is forked when
all is imported. Survivors that change nothing anybody can notice are in `survivors.tsv`, each with
its reason; the exit status is 1 where there are others, or where one that is named cannot be made
any more.
"""

import argparse
import contextlib
import importlib.util
import io
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from es_simhash.errors import EsSimhashError
from tests.bench.program import run
from tests.mutation.mutants import Mutant, exchange, mutants

_KNOWN = Path(__file__).with_name("survivors.tsv")
_SECONDS = 120
_PROGRESS_SECONDS = 15
_NOT_MADE = 99
# Without the pins of tests/relation/test_thresholds.py, which notice any change and know no reason.
MODULES: dict[str, Sequence[str]] = {
    "fingerprints.blocks": ("fingerprints/test_blocks.py",),
    "ingestion.bulk.prepared_batches": ("ingestion/bulk/test_prepared_batches.py",),
    "ingestion.bulk.run_documents": (
        "ingestion/bulk/test_run_documents.py",
        "ingestion/bulk/test_prepared_batches.py",
        "ingestion/test_conflicts.py",
    ),
    "ingestion.deduplication.audit_log": (
        "ingestion/deduplication/test_audit_parts.py",
        "ingestion/deduplication/test_policy_parts.py",
    ),
    "ingestion.deduplication.audit_runs": ("ingestion/deduplication/test_audit_parts.py",),
    "ingestion.deduplication.batch_decider": (
        "ingestion/deduplication/test_batch_decider.py",
        "ingestion/deduplication/test_effects.py",
    ),
    "ingestion.deduplication.effects": ("ingestion/deduplication/test_effects.py",),
    "ingestion.deduplication.lost_texts": ("ingestion/deduplication/test_decision_parts.py",),
    "ingestion.deduplication.recent_documents": (
        "ingestion/deduplication/test_recent_documents.py",
    ),
    "ingestion.deduplication.reservations": ("ingestion/deduplication/test_reservation_parts.py",),
    "ingestion.deduplication.shingle_query": ("ingestion/deduplication/test_shingle_query.py",),
    "ingestion.deduplication.version_decisions": (
        "ingestion/deduplication/test_decision_parts.py",
    ),
    "ingestion.deduplication.version_rules": (
        "ingestion/deduplication/test_decision_parts.py",
        "ingestion/deduplication/test_audit_parts.py",
    ),
    "ingestion.deduplication.write_decided": ("ingestion/deduplication/test_write_decided.py",),
    "ingestion.undo": ("ingestion/test_undo_parts.py",),
    "maintenance.backfills.document_pages": ("maintenance/backfills/test_document_pages.py",),
    "maintenance.backfills.document_updates": (
        "maintenance/backfills/test_document_updates.py",
        "maintenance/backfills/test_backfill_parts.py",
    ),
    "maintenance.sweeps.changed_documents": ("maintenance/sweeps/test_changed_documents.py",),
    "maintenance.sweeps.family_policy": ("maintenance/sweeps/test_family_policy_parts.py",),
    "relation.loss": ("relation/test_lost_text.py",),
    "relation.resemblance": ("relation/test_resemblance.py",),
    "relation.scoring": ("relation/test_scoring_thresholds.py",),
    "relation.shared_shingles": ("relation/test_shared_shingles.py",),
    "relation.version_value": (
        "relation/test_version_value_parts.py",
        "relation/test_version_value.py",
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Try the mutants of the modules, and print those that no test notices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=[name.rpartition(".")[2] for name in MODULES])
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    known = dict(line.split("\t") for line in _KNOWN.read_text("utf-8").splitlines())
    stale = sorted(known.keys() - _names())
    for name in stale:
        print(f"{_KNOWN.name} has a reason for what is no mutant any more: {name}")
    chosen, wrong, total = random.Random(options.seed), 0, 0
    for module, tests in MODULES.items():
        if options.only not in (None, module.rpartition(".")[2]):
            continue
        _require_green(tests)
        tried = [each for each in _mutants(module) if chosen.random() < options.share]
        print(f"{module}: {len(tried)} mutants", flush=True)
        survivors = list(_survivors(tried, tests))
        unknown = [name for name in survivors if f"{module} {name}" not in known]
        total, wrong = total + len(tried), wrong + len(unknown)
        print(f"  {len(unknown)} survive, {len(survivors) - len(unknown)} as named", flush=True)
        for name in unknown:
            print(f"  {module} {name}", flush=True)
    print(f"{total} mutants, {wrong} survive that have no reason")
    return 1 if wrong or stale else 0


def _mutants(module: str) -> Iterator[Mutant]:
    path = Path(str(importlib.util.find_spec(f"es_simhash.{module}").origin))  # type: ignore[union-attr]
    return mutants(path)


def _names() -> set[str]:
    return {f"{module} {each.name}" for module in MODULES for each in _mutants(module)}


def _require_green(tests: Sequence[str]) -> None:
    """Run the tests once without a change, which also imports what they need."""
    if status := _tested(tests):
        raise EsSimhashError(f"The tests {', '.join(tests)} fail without a change ({status}).")


def _survivors(tried: Sequence[Mutant], tests: Sequence[str]) -> Iterator[str]:
    """Yield the names of those that no test notices, and print how far it is."""
    printed = time.monotonic()
    for number, mutant in enumerate(tried):
        if time.monotonic() - printed > _PROGRESS_SECONDS:
            printed = time.monotonic()
            print(f"  {number} of {len(tried)}", flush=True)
        if not _is_killed(mutant, tests):
            yield mutant.name


def _is_killed(mutant: Mutant, tests: Sequence[str]) -> bool:
    sys.stdout.flush()
    if child := os.fork():
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == _NOT_MADE:
            raise EsSimhashError(f"The mutant {mutant.name} could not be made.")
        return status != 0
    status = _NOT_MADE
    try:
        signal.alarm(_SECONDS)
        exchange(mutant)
        status = _tested(tests)
    finally:
        os._exit(int(status))


def _tested(tests: Sequence[str]) -> int:
    paths = [f"tests/{each}" for each in tests]
    quiet = ("-qq", "-x", "-p", "no:xdist", "-p", "no:cacheprovider", "-m", "not cluster")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return int(pytest.main([*quiet, "--no-header", "--tb=no", *paths]))


if __name__ == "__main__":
    run(main)
