"""The README is executed: its Python runs, its commands exist, its figures of the package hold."""

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
import pytest

from es_simhash.cli.main import COMMANDS, cli
from es_simhash.relation.thresholds import SHARED_SCORE, SHOWN_SCORE, VERSION_SCORE

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "es_simhash" / "data" / "sample" / "corpus.jsonl"
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", blocks("python"))
def test_python_of_the_readme_runs(block: str) -> None:
    exec(compile(block, "README.md", "exec"), {})


@pytest.mark.parametrize("block", blocks("python notest"))
def test_python_that_needs_a_cluster_at_least_compiles_and_imports(block: str) -> None:
    compile(block, "README.md", "exec")
    exec("\n".join(line for line in block.splitlines() if line.startswith("from ")), {})


def run_as_script(folder: Path, code: str, cluster_url: str, index: str) -> str:
    """Run code as people do, as a file with nothing around it, on an index of the test."""
    file = folder / "script.py"
    file.write_text(
        code.replace("http://localhost:9200", cluster_url).replace('"articles"', f'"{index}"'),
        "utf-8",
    )
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.cluster
def test_python_of_the_readme_runs_as_a_script_on_many_documents(
    cluster_url: str, index_name: str, tmp_path: Path
) -> None:
    (block,) = blocks("python notest")
    before = f"""
import json
from pathlib import Path

print("once")
sample = Path({str(CORPUS)!r}).read_text("utf-8").splitlines()
documents = [json.loads(line) for line in sample]
documents += [{{"id": id, "text": f"Report {{id}} of the harbour master."}} for id in "abc"]
documents += [{{"id": f"n{{n}}", "text": f"Note {{n}}: the ferry left late."}} for n in range(800)]
"""
    # What was written is searched at once.
    code = block.replace(
        "    index = Index(", "    client.indices.refresh(index='_all')\n    index = Index("
    )
    printed = run_as_script(tmp_path, before + code, cluster_url, index_name).splitlines()
    assert printed.count("once") == 1
    assert any(line.startswith("en-harbour-") and " version " in line for line in printed)


@pytest.mark.cluster
def test_the_examples_of_the_python_reference_run_as_one_script(
    cluster_url: str, client: Any, index_name: str, tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(examples) > 5
    code = "import os\nos.chdir(os.path.dirname(__file__))\n" + "\n".join(examples)
    try:
        printed = run_as_script(tmp_path, code, cluster_url, index_name)
    finally:
        client.indices.delete(index=f"{index_name}-simhash", ignore_unavailable=True)
    assert "no-such-index" in printed


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_in_the_readme_and_has_help(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.help
    assert f"es-simhash {name}" in README


def test_commands_of_the_readme_exist() -> None:
    mentioned = set(re.findall(r"es-simhash ([a-z]+)", README)) - {"answers"}
    assert mentioned <= set(COMMANDS)


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"`?make ([a-z][a-z-]*)", README):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_thresholds_of_the_readme_are_those_of_the_code() -> None:
    assert f"From **{VERSION_SCORE}** on" in README
    assert f"from {SHOWN_SCORE} on `related` shows it" in README
    assert f"from {SHARED_SCORE} on" in README


def test_number_of_vectors_is_right() -> None:
    vectors = json.loads((files("es_simhash") / "data" / "vectors.json").read_text("utf-8"))
    count = len(vectors["vectors"]) if isinstance(vectors, dict) else len(vectors)
    assert f"holds {count} texts" in README
