"""What `make bench-request-cost` prints of a node while commands run."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from tests.bench import request_cost
from tests.bench.request_cost import INDEX, main, watched

pytestmark = pytest.mark.cluster


@pytest.mark.long
def test_the_cost_of_each_command_is_printed(
    cluster_url: str, discard: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    discard(INDEX, f"{INDEX}-simhash")
    assert main(["--documents", "200", "--url", cluster_url]) == 0
    rows = {line[:26].strip(): line[26:].split() for line in capsys.readouterr().out.splitlines()}
    for command in ("related, 2 KB", "ingest --on-version flag", "families run", "sweep"):
        heap, searches = float(rows[command][2]), float(rows[command][3])
        assert 0 < heap < 100
        assert searches <= 50


def test_the_most_of_each_figure_is_kept(
    cluster_url: str, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rejected = itertools.count(5)
    monkeypatch.setattr(request_cost, "refused_by", lambda nodes: {"rejected": next(rejected)})
    monkeypatch.setattr(request_cost, "_EVERY", 0.01)
    with watched(cluster_url) as most:
        while most["rejected"] < 8:
            client.search(size=0)
    # Five before, and at least three more were seen.
    assert most["rejected"] >= 3
    assert most["heap, %"] > 0
