"""The README is executed: its Python runs, its commands exist, its figures of the package hold."""

import json
import re
from importlib.resources import files
from pathlib import Path

import click
import pytest

from es_simhash.cli.main import COMMANDS, cli
from es_simhash.relation.thresholds import SHARED_SCORE, SHOWN_SCORE, VERSION_SCORE

ROOT = Path(__file__).parents[1]
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
