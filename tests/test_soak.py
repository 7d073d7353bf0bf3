"""What `make test-soak` does and takes for growth, in a short form."""

import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bench.served_index import INDEX
from tests.soak.__main__ import main
from tests.soak.probes import held_by, held_by_cluster
from tests.soak.rounds import timed_round
from tests.soak.slopes import plot, slope, table

ROOT = Path(__file__).parents[1]
MINUTES = [60.0 * minute for minute in range(90)]


def noise(seed: int) -> list[float]:
    chosen = random.Random(seed)
    return [chosen.gauss(0, 5) for _ in MINUTES]


@pytest.mark.parametrize("seed", range(4))
def test_what_grows_is_told_from_what_varies(seed: int) -> None:
    still = [200 + value for value in noise(seed)]
    assert not slope(MINUTES, still).grows()
    # What fills in the first third is a cache.
    filling = [value - max(0, 25 - minute) * 6 for minute, value in enumerate(still)]
    assert not slope(MINUTES, filling).grows()
    growing = [value + 0.4 * minute for minute, value in enumerate(still)]
    found = slope(MINUTES, growing)
    assert found.grows(series=19)
    assert abs(found.slope - 24) < found.error() + 6


def test_a_short_run_says_nothing_and_a_thread_an_hour_much() -> None:
    assert not slope(MINUTES[:6], [float(n) for n in range(6)]).grows()
    threads = [10.0 + minute // 30 for minute in range(90)]
    assert slope(MINUTES, threads).grows(series=19)


def test_of_many_series_one_seldom_grows_by_chance() -> None:
    runs = [[slope(MINUTES, noise(run * 19 + each)) for each in range(19)] for run in range(200)]
    alone = sum(any(found.slope > found.error() for found in run) for run in runs)
    together = sum(any(found.slope > found.error(series=19) for found in run) for run in runs)
    # Only slopes above zero count: half of one in twenty, of the runs rather than of the slopes.
    assert together <= 0.05 * 200 < 0.25 * 200 < alone


def test_each_moment_is_a_line_of_the_table() -> None:
    text = table([1.5, 3.0], {"memory (MiB)": [200.0, 201.5], "threads": [4.0, 5.0]})
    assert text == "seconds,memory (MiB),threads\n1.5,200.0,4.0\n3.0,201.5,5.0\n"


def test_the_plot_has_a_chart_of_each_series() -> None:
    svg = plot(MINUTES, {"memory": noise(1), "threads": [0.0] * 90}).svg
    assert "memory" in svg
    assert "threads" in svg


@pytest.mark.cluster
def test_a_round_does_all_and_is_measured(client: Any, index_name: str) -> None:
    from es_simhash.store.installation.install import install

    install(client, index_name, semantics=None)
    done = [what for what, _ in timed_round(client, index_name, 0, 60)]
    assert {"ingest", "backfill", "related", "families", "copies"} <= {*done}
    client.indices.refresh(index=index_name)
    assert client.count(index=index_name)["count"] == 60
    held = {**held_by(os.getpid()), **held_by_cluster(client, f"{index_name}-simhash")}
    assert min(held[each] for each in ("memory (MiB)", "open files", "threads", "connections")) > 0


@pytest.mark.long
@pytest.mark.cluster
def test_memory_that_the_service_keeps_of_each_request_is_found(
    cluster_url: str,
    discard: Callable[..., None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    discard(INDEX, f"{INDEX}-simhash")
    short = ["--minutes", "0.1", "--documents", "200", "--rate", "4"]
    where = ["--url", cluster_url, "--plot", str(tmp_path / "soak.svg")]
    assert main([*short, *where, "--module", "tests.soak.leaking"]) == 1
    printed = capsys.readouterr()
    grown = re.search(r"service: memory \(MiB\) grows by ([\d.]+)", printed.err)
    assert grown is not None, printed.out
    assert "service: in use (MiB) grows by" in printed.err
    # A MiB of each of 14,400 requests in an hour, or of fewer where the machine is busy; without,
    # caches and allocators take a hundred in so short a run.
    assert float(grown[1]) > 2_000


@pytest.mark.parametrize("room", ["differences", "fingerprints", "relation", "semantics", "text"])
def test_what_is_cached_of_texts_has_a_bound(room: str) -> None:
    # The soak, whose words are soon all known, would not see it.
    unbounded = re.compile(
        r"@(functools\.)?(cache|lru_cache|lru_cache\(maxsize=None\))$", re.MULTILINE
    )
    files = list((ROOT / "es_simhash" / room).rglob("*.py"))
    assert files
    assert [file for file in files if unbounded.search(file.read_text("utf-8"))] == []
