"""The lines that install, in an empty environment: from a source distribution, then from a wheel.

They are typed for uv, which does what pip would in a tenth of the time. What the extras would
download is found and not fetched, as they weigh a gigabyte; `make bench-first-run` types `make
demo` with all of it.
"""

import re
import subprocess
import sys
import tarfile
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from tests import test_readme_typed
from tests.support.clone import ROOT, reserved_indices
from tests.support.typed_line import typed

pytestmark = pytest.mark.cluster

DEMO = test_readme_typed.DEMO


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, and the wheel that is made of it."""
    asked = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "xxhash"]
    folder = tmp_path_factory.mktemp("dist")
    answers = subprocess.run([*asked, "-d", folder / "index"], capture_output=True, text=True)
    if answers.returncode:
        pytest.skip(f"no package index answers: {answers.stderr.strip().splitlines()[-1]}")
    build = (sys.executable, "-m", "build", "--no-isolation", "-o", folder, ROOT)
    done = subprocess.run([str(part) for part in build], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def demo_index(cluster_url: str, without_cluster: Callable[[str], NoReturn]) -> Iterator[str]:
    """The index of the demo, which the lines of the README write too."""
    with reserved_indices(cluster_url, (DEMO, f"{DEMO}-simhash"), "README", without_cluster):
        yield cluster_url


@pytest.fixture(scope="module")
def folder(distributions: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked sources, with an empty environment."""
    (sources,) = distributions.glob("*.tar.gz")
    unpacked = tmp_path_factory.mktemp("sources")
    with tarfile.open(sources) as archive:
        archive.extractall(unpacked, filter="data")
    (folder,) = unpacked.glob("es_simhash-*")
    venv.create(folder / ".venv", symlinks=True)
    return folder


def in_environment(line: str) -> str:
    """Return a line of pip as it is typed for uv, and for the environment of the folder alone."""
    return f"{sys.executable} -m uv {line} --python .venv/bin/python"


def test_the_lines_of_the_pages_install_and_make_demo_runs(folder: Path, demo_index: str) -> None:
    first, *others = test_readme_typed.INSTALLING
    typed(in_environment(first), folder)
    extras = re.findall(r"\[(\w+)\]", " ".join(others))
    assert len(extras) == len(others)
    extras += re.findall(r"call install,(\w+)", (folder / "Makefile").read_text("utf-8"))
    line = f"pip install -e '.[{','.join(extras)}]' --dry-run"
    found = typed(in_environment(line), folder)
    assert "jieba" in found
    assert "does not have an extra" not in found
    # Of the extra `demo` what finds the cluster; of languages there is nothing, and texts are read.
    typed(in_environment("pip install httpx"), folder)
    (folder / ".venv" / ".demo").touch()
    printed = typed("make demo", folder, ELASTICSEARCH_URL=demo_index)
    assert " written, 0 unchanged, 0 failed" in printed
    assert (folder / f"{DEMO}.html").stat().st_size > 1_000


def test_the_wheel_of_the_sources_runs_in_their_place(
    folder: Path, distributions: Path, demo_index: str
) -> None:
    (wheel,) = distributions.glob("*.whl")
    typed(in_environment("pip uninstall es-simhash"), folder)
    typed(in_environment(f"pip install {wheel}"), folder)
    # Not in the folder, whose code Python would import.
    environment = folder / ".venv" / "bin"
    assert "all equal" in typed(f"{environment}/es-simhash selftest", distributions)
    line = f"{environment}/es-simhash related {DEMO} --id en-harbour-v1 --url {demo_index}"
    assert "version" in typed(line, distributions)
    serve = f"{environment}/es-simhash serve {DEMO} --url {demo_index} 2>&1 || true"
    # What is missing is named with the command that installs it here: of this file.
    assert f"{wheel.name}[service]'" in "".join(typed(serve, distributions).split("\n"))
