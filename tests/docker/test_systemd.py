"""The unit of systemd: valid, as the documentation shows it, and a command that is one."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from es_simhash.cli.main import cli
from tests.docker.test_images import ROOT

UNIT = ROOT / "docker" / "systemd" / "es-simhash-sweep@.service"
TEXT = UNIT.read_text("utf-8")


def verified(folder: Path, text: str) -> str:
    """Return what systemd says about a unit of an index, whose program is one that is here."""
    path = folder / "es-simhash-sweep@articles.service"
    path.write_text(text.replace("/opt/es-simhash/bin/es-simhash", sys.executable), "utf-8")
    line = ["systemd-analyze", "verify", "--man=no", str(path)]
    return subprocess.run(line, capture_output=True, text=True, check=False).stderr


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd")
def test_systemd_reads_every_line(tmp_path: Path) -> None:
    assert verified(tmp_path, TEXT) == ""
    wrong = TEXT.replace("RestartSec", "RestartSeconds")
    assert "Unknown key 'RestartSeconds'" in verified(tmp_path, wrong)


def test_its_command_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (started,) = re.findall(r"^ExecStart=\S+ (.*)$", TEXT, re.M)
    line = shlex.split(started.replace("%i", "articles").replace("/var/lib/es-simhash/", ""))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, [*line, "--url", "http://localhost:9"])
    assert done.exit_code == 1, done.output
    assert "No cluster answers at http://localhost:9" in done.output


def test_the_documentation_shows_it() -> None:
    page = (ROOT / "docs" / "backfill.md").read_text("utf-8")
    assert f"```ini\n{TEXT}```\n" in page
