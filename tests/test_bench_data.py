"""Benchmarks without evaluation data: one sentence says where it comes from, the rest goes on."""

import ast
import importlib
import json
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.bench import versions
from tests.bench.program import run
from tests.support.data_sources import SOURCES

ROOT = Path(__file__).parents[1]
# These read a set where it is there, or import what does, and measure something else without it.
GO_ON = {"schemes", "speed", "semantics_speed", "on_version", "sources"}
# A part of each needs no data; without that part, nothing is left.
OPTIONS = {
    "tests.bench.changes": ("--offline",),
    "tests.bench.family_run": ("--archive",),
    "tests.bench.ingest": ("--news",),
    "tests.bench.semantics": ("lee50", "bbc_news", "languages"),
}
LAW = "The {} of the harbour sets the fees of all berths once a year, after it has heard the {}."


@cache
def readers() -> list[str]:
    """Return the benchmarks whose modules import the readers of the data, or one that does."""
    readers = {"tests.support.datasets"}
    modules = {
        f"tests.bench.{path.stem}": path.read_text("utf-8")
        for path in sorted((ROOT / "tests" / "bench").glob("*.py"))
        if path.stem != "program"
    }
    imports = {name: _imports(code) for name, code in modules.items()}
    for _ in modules:
        readers |= {name for name in modules if imports[name] & readers}
    programs = [name for name, code in modules.items() if "__main__" in code and name in readers]
    return [each for each in programs if each.rpartition(".")[2] not in GO_ON]


def _imports(code: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return found


def test_the_benchmarks_that_read_the_data_are_found() -> None:
    assert len(readers()) > 9


@pytest.mark.long
@pytest.mark.cluster
@pytest.mark.parametrize("module", readers())
@pytest.mark.parametrize("folder", ["empty", "missing"])
def test_without_data_it_ends_in_one_sentence_with_the_source(
    module: str,
    folder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cluster_url: str,
) -> None:
    data = tmp_path / folder
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("ES_SIMHASH_DATA", str(data))
    monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    monkeypatch.setattr(sys, "argv", [module, *OPTIONS.get(module, ())])
    with pytest.raises(SystemExit) as ended:
        run(importlib.import_module(module).main)
    message = str(ended.value.code)
    assert message.startswith("Error: No ")
    assert message.count("\n") == 0
    assert str(data) in message
    assert "ES_SIMHASH_DATA" in message
    assert "docs/experiments.md" in message
    if folder == "empty":
        assert any(source in message for source in SOURCES.values())


@pytest.mark.cluster
def test_with_one_set_it_measures_that_and_says_what_it_left_out(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cluster_url: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "law_versions_de"
    folder.mkdir()
    texts = [LAW.format("board", "crews"), LAW.format("board", "crews") + " It publishes them."]
    documents = [{"id": f"v{n}", "text": text, "chain": "fees"} for n, text in enumerate(texts)]
    lines = [json.dumps(each) + "\n" for each in documents]
    (folder / "docs.jsonl").write_text("".join(lines), "utf-8")
    (folder / "pairs.tsv").write_text("older\tnewer\tcontainment\nv0\tv1\t1.0\n", "utf-8")
    monkeypatch.setenv("ES_SIMHASH_DATA", str(tmp_path))
    monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    monkeypatch.setattr(sys, "argv", ["versions"])
    with pytest.raises(SystemExit) as ended:
        run(versions.main)
    assert ended.value.code is None
    printed, left_out = capsys.readouterr()
    assert "law_versions_de: 2 documents, 1 version pairs\n  F1 1.000" in printed
    missing = set(versions.SETS) - {"law_versions_de"} | {"clough_stevenson"}
    assert len(left_out.splitlines()) == len(missing)
    for name in missing:
        assert SOURCES[name] in left_out


def test_the_page_names_the_source_of_every_set() -> None:
    page = (ROOT / "docs" / "experiments.md").read_text("utf-8")
    for name, source in SOURCES.items():
        assert f"| `{name}` | {source} |" in page
