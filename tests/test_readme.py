"""What the README and the Python reference say: commands exist, figures hold, examples run.

The lines and blocks of the README itself are typed in `test_readme_typed.py`.
"""

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import click
import pytest

from es_simhash.cli.main import cli
from es_simhash.relation.thresholds import SHARED_SCORE, SHOWN_SCORE, VERSION_SCORE

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
START = (ROOT / "docs" / "start.md").read_text("utf-8")
BOTH = README + START
# What somebody reads before they try it.
MOST_BYTES = 8_000


@pytest.mark.long
@pytest.mark.cluster
def test_the_examples_of_the_python_reference_run_as_one_script(
    cluster_url: str, index_name: str, tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(examples) > 5
    code = "import os\nos.chdir(os.path.dirname(__file__))\n" + "\n".join(examples)
    script = tmp_path / "script.py"
    code = code.replace("http://localhost:9200", cluster_url)
    script.write_text(code.replace('"articles"', f'"{index_name}"'), "utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "no-such-index" in done.stdout


def test_the_readme_is_short() -> None:
    assert len(README.encode()) < MOST_BYTES


@pytest.mark.parametrize("name", cli.list_commands(click.Context(cli)))
def test_every_command_is_on_the_start_page_and_has_help(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.help
    assert f"es-simhash {name}" in BOTH


def test_commands_of_both_pages_exist() -> None:
    groups = {path[0] for path in cli.paths() if len(path) == 2}
    typed = re.findall(r"es-simhash ([a-z]+)(?: ([a-z]+))?", BOTH)
    mentioned = {(a, b) if a in groups else (a,) for a, b in typed} - {("answers",)}
    assert mentioned <= set(cli.paths())


def test_make_targets_of_both_pages_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"`?make ([a-z][a-z-]*)", BOTH):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_thresholds_of_the_start_page_are_those_of_the_code() -> None:
    assert f"From **{VERSION_SCORE}** on" in START
    assert f"from {SHOWN_SCORE} on `related` shows it" in START
    assert f"from {SHARED_SCORE} on" in START


def test_number_of_vectors_is_right() -> None:
    vectors = json.loads((files("es_simhash") / "data" / "vectors.json").read_text("utf-8"))
    count = len(vectors["vectors"]) if isinstance(vectors, dict) else len(vectors)
    assert f"holds {count} texts" in START


def test_the_first_screen_has_the_widget_and_the_lines_of_the_static_example() -> None:
    first_screen = README.partition("\n| ")[0]
    for picture in re.findall(r'(?:src|srcset)="(docs/[^"]+)"', first_screen):
        assert (ROOT / picture).is_file()
    assert "prefers-color-scheme: dark" in first_screen
    (block,) = re.findall(r"^```html\n(.*?)^```", first_screen, re.MULTILINE | re.DOTALL)
    lines = block.splitlines()
    assert len(lines) == 2
    example = ROOT / "examples" / "static"
    page = (example / "index.html").read_text("utf-8").splitlines()
    assert [line.strip() for line in page if line.strip() in lines] == lines
    (serving,) = re.findall(r"^es-simhash serve .*$", first_screen, re.MULTILINE)
    assert f"{serving} &\n" in (example / "README.md").read_text("utf-8")
