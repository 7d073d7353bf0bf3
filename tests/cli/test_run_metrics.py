"""Counts of runs as a file of Prometheus."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families

from es_simhash.cli.main import cli
from es_simhash.cli.run_metrics import RunCounts, RunMetrics
from es_simhash.errors import ClusterError, InputError
from es_simhash.store.installation.install import install
from tests.support.made_up_texts import make_text

DOCUMENTS, RUNS = "es_simhash_run_documents_total", "es_simhash_runs_total"


def samples(path: Path) -> dict[tuple[str, ...], float]:
    """Return the samples of a file, by name and the values of their labels."""
    families = text_string_to_metric_families(path.read_text("utf-8"))
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
    }


def test_runs_add_to_the_file_and_commands_and_indices_are_apart(tmp_path: Path) -> None:
    path = tmp_path / "runs.prom"
    for command, index, written in (("sweep", "a", 2), ("sweep", "a", 3), ("ingest", "b", 4)):
        metrics = RunMetrics(path, command, index)
        with metrics.run(lambda written=written: RunCounts({"written": written}, {"flag": 1})):
            pass
    found = samples(path)
    assert found[DOCUMENTS, "sweep", "a", "written"] == 5
    assert found[DOCUMENTS, "ingest", "b", "written"] == 4
    assert found["es_simhash_run_versions_total", "sweep", "a", "flag"] == 2
    assert found[RUNS, "sweep", "a", "ok"] == 2
    assert 0 <= found["es_simhash_run_seconds", "sweep", "a"] < 1
    assert [each.name for each in tmp_path.iterdir()] == ["runs.prom"]


def test_a_name_may_have_a_line_separator(tmp_path: Path) -> None:
    path, index = tmp_path / "runs.prom", "a\u2028b"
    for written in (2, 3):
        with RunMetrics(path, "sweep", index).run(
            lambda written=written: RunCounts({"written": written})
        ):
            pass
    line = next(each for each in path.read_text("utf-8").split("\n") if "written" in each)
    assert line == f'{DOCUMENTS}{{command="sweep",index="{index}",status="written"}} 5'


def test_a_run_that_fails_counts_what_it_did_and_is_no_success(tmp_path: Path) -> None:
    path = tmp_path / "runs.prom"
    metrics = RunMetrics(path, "sweep", "a")
    with metrics.run(RunCounts):
        pass
    succeeded = samples(path)["es_simhash_run_success_time_seconds", "sweep", "a"]
    with (
        pytest.raises(ClusterError, match="gone"),
        metrics.run(lambda: RunCounts({"written": 7, "failed": 1})),
    ):
        raise ClusterError("gone")
    found = samples(path)
    assert found[DOCUMENTS, "sweep", "a", "written"] == 7
    assert (found[RUNS, "sweep", "a", "failed"], found[RUNS, "sweep", "a", "ok"]) == (1, 1)
    assert found["es_simhash_run_success_time_seconds", "sweep", "a"] == succeeded
    assert found["es_simhash_run_time_seconds", "sweep", "a"] >= succeeded


def test_what_delayed_a_run_is_counted_whether_or_not_it_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, logger = tmp_path / "runs.prom", logging.getLogger("es_simhash.store.made_up")
    with RunMetrics(path, "backfill", "a").run(RunCounts):
        for seconds in (0.5, 1.25):
            logger.info("Busy.", extra={"event": "retry", "seconds": seconds})
        logger.info("Changed.", extra={"event": "conflict"})
        logger.info("No event.")
    logger.info("After the run.", extra={"event": "retry"})
    found = samples(path)
    assert found["es_simhash_run_events_total", "backfill", "a", "retry"] == 2
    assert found["es_simhash_run_events_total", "backfill", "a", "conflict"] == 1
    assert found["es_simhash_run_wait_seconds_total", "backfill", "a", "retry"] == 1.75
    assert "After the run." not in caplog.text


def test_any_name_of_an_index_is_one_that_prometheus_reads(tmp_path: Path) -> None:
    path, name = tmp_path / "runs.prom", 'quoted "a" {b} \\c, ü'
    for _ in range(2):
        with RunMetrics(path, "sweep", name).run(RunCounts):
            pass
    assert samples(path)[RUNS, "sweep", name, "ok"] == 2


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "node.prom"
    for content in ("node_load1 0.5\n", "es_simhash_runs_total 1\n", "\x00", "id,text\n"):
        path.write_text(content, "utf-8")
        with pytest.raises(InputError, match="is no file of metrics of runs: line 1 is none"):
            RunMetrics(path, "sweep", "a")
        assert path.read_text("utf-8") == content
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="it cannot be read"):
        RunMetrics(path, "sweep", "a")
    with (
        pytest.raises(InputError, match=r"Cannot write to .*nowhere"),
        RunMetrics(tmp_path / "nowhere" / "a.prom", "sweep", "a").run(RunCounts),
    ):
        pass


@pytest.fixture
def call(cluster_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Call a command in a folder of its own, with a file of metrics."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: object, url: str = cluster_url) -> Any:
        line = [*map(str, arguments), "--metrics", "runs.prom", "--processes", "1", "--quiet"]
        return CliRunner().invoke(cli, [*line, "--url", url])

    return invoke


@pytest.mark.long
@pytest.mark.cluster
def test_ingest_backfill_and_sweep_write_what_they_did(
    call: Callable[..., Any], client: Any, index_name: str, tmp_path: Path
) -> None:
    path = tmp_path / "runs.prom"
    install(client, index_name)
    lines = [f'{{"id": "{id}", "text": "{make_text(1)}"}}\n' for id in "ab"]
    (tmp_path / "texts.jsonl").write_text("".join(lines), "utf-8")
    done = call("ingest", index_name, "texts.jsonl", "--on-version", "skip")
    assert done.exit_code == 0, done.output
    found = samples(path)
    assert found[DOCUMENTS, "ingest", index_name, "written"] == 1
    assert found[DOCUMENTS, "ingest", index_name, "skipped"] == 1
    assert found["es_simhash_run_versions_total", "ingest", index_name, "skip"] == 1
    client.index(index=index_name, id="c", document={"text": make_text(2)}, refresh=True)
    assert call("backfill", index_name).exit_code == 0
    assert samples(path)[DOCUMENTS, "backfill", index_name, "written"] == 1
    client.index(index=index_name, id="d", document={"text": make_text(2)}, refresh=True)
    assert call("sweep", index_name, "--on-version", "flag").exit_code == 0
    found = samples(path)
    assert found[DOCUMENTS, "sweep", index_name, "written"] == 1
    assert found["es_simhash_run_versions_total", "sweep", index_name, "flag"] == 1
    assert found[DOCUMENTS, "ingest", index_name, "written"] == 1


@pytest.mark.cluster
def test_a_dry_run_and_a_file_that_is_refused_write_nothing(
    call: Callable[..., Any], client: Any, index_name: str, tmp_path: Path
) -> None:
    install(client, index_name)
    (tmp_path / "texts.jsonl").write_text('{"id": "a", "text": "one two three four"}\n', "utf-8")
    assert call("ingest", index_name, "texts.jsonl", "--dry-run").exit_code == 0
    assert not (tmp_path / "runs.prom").exists()
    (tmp_path / "runs.prom").write_text("node_load1 0.5\n", "utf-8")
    refused = call("ingest", index_name, "texts.jsonl")
    assert refused.exit_code == 1
    assert "Set --metrics" in refused.output or "Name another file" in refused.output
    assert not (tmp_path / f"{index_name}.dead-letter.jsonl").exists()
