"""The images, without Docker: what is copied is what the build needs, and what it builds runs."""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from scripts.lock_images import EXTRAS
from tests.support.dockerfile import Stage, ignore_patterns, is_ignored, stages
from tests.support.made_up_texts import make_text
from tests.support.processes import running

ROOT = Path(__file__).parents[2]
STAGES = stages((ROOT / "docker" / "Dockerfile").read_text("utf-8"))
IGNORED = ignore_patterns(ROOT / ".dockerignore")
METADATA = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
IMAGES = ("ingest", "service")
SOURCES, PROGRAMS = "/src", "/opt/es-simhash"
# Folders that the steps name, and where the test has them.
PLACES = {SOURCES: "src", PROGRAMS: "opt", "/opt/build": "build", "/wheels": "wheels"}
PLACE = re.compile("|".join(sorted(PLACES, key=len, reverse=True)))


def copied(stage: Stage) -> list[str]:
    return [source for sources, _ in stage.copies for source in sources]


def test_every_path_that_is_copied_exists_and_is_in_the_context() -> None:
    for stage in STAGES.values():
        assert len(copied(stage)) == len(set(copied(stage))), "copied twice"
        for path in copied(stage):
            assert (ROOT / path).exists(), path
            assert not is_ignored(path, IGNORED), path
    for path in ("es_simhash/text/html.py", "widget/related-documents.js"):
        assert not is_ignored(path, IGNORED)
    for path in ("tests/conftest.py", ".git/config", "es_simhash/text/__pycache__/html.pyc"):
        assert is_ignored(path, IGNORED)


def test_every_path_that_the_build_reads_is_copied() -> None:
    wheel = METADATA["tool"]["hatch"]["build"]["targets"]["wheel"]
    project = METADATA["project"]
    needed = {
        "pyproject.toml",
        "hatch_build.py",
        project["readme"],
        *project["license-files"],
        *wheel["packages"],
        *wheel["force-include"],
        "docker/locks",
        "docker/health.bash",
    }
    assert set(copied(STAGES["build"])) == needed


@pytest.mark.parametrize("image", IMAGES)
def test_an_image_is_pinned_and_is_not_root(image: str) -> None:
    stage = STAGES[image]
    # A tag alone names another image tomorrow.
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+@sha256:[0-9a-f]{64}", stage.parent)
    assert {stage.parent for stage in STAGES.values()} == {stage.parent}
    # Elsewhere a user is made by name; a number can be checked from outside.
    uid, gid = stage.all("USER")[-1].split(":")
    assert int(uid) > 0
    assert int(gid) > 0
    assert f"--uid {uid} " in " ".join(stage.all("RUN"))
    # The sources and what built them stay behind.
    assert copied(stage) == []


@pytest.mark.parametrize("image", IMAGES)
def test_an_image_says_what_it_is(image: str) -> None:
    labels = STAGES[image].labels
    prefix = "org.opencontainers.image."
    project = METADATA["project"]
    assert labels[f"{prefix}version"] == project["version"]
    assert labels[f"{prefix}licenses"] == project["license"]
    assert labels[f"{prefix}title"] in ("es-simhash", "es-simhash-service")
    assert labels[f"{prefix}description"]
    # Given by whoever builds a release, and by the base.
    for name in ("revision", "created", "base.name", "base.digest"):
        (argument,) = re.findall(r"\$\{(\w+)\}", labels[f"{prefix}{name}"])
        assert any(rest.partition("=")[0] == argument for rest in STAGES[image].all("ARG"))


@pytest.mark.parametrize("image", IMAGES)
def test_an_image_installs_nothing_but_what_is_locked(image: str) -> None:
    pip = [step for step in STAGES[f"build-{image}"].all("RUN") if "/bin/pip " in step]
    build, own, lock, install = pip
    for step, name in ((build, "build"), (lock, image)):
        assert " --require-hashes " in step
        assert step.endswith(f" -r {SOURCES}/locks/{name}.txt")
        assert (ROOT / "docker" / "locks" / f"{name}.txt").is_file()
    # What is built is built by what is locked; what is installed comes from no index.
    for step in (own, lock):
        assert " --no-deps --no-build-isolation " in step
    assert " --no-index --find-links /wheels " in install


@pytest.mark.parametrize("image", IMAGES)
def test_an_image_starts_a_script_of_the_package_with_the_extra_it_needs(image: str) -> None:
    stage = STAGES[image]
    program, *arguments = stage.words("ENTRYPOINT")
    assert program in METADATA["project"]["scripts"]
    assert stage.all("ENV")[0].startswith(f"PATH={PROGRAMS}/bin:")
    (source,) = re.findall(rf"--from=(\S+) {PROGRAMS} {PROGRAMS}", " ".join(stage.all("COPY")))
    (extras,) = re.findall(r"es-simhash\[(.*?)\]", " ".join(STAGES[source].all("RUN")))
    assert tuple(extras.split(",")) == EXTRAS[image]
    assert set(EXTRAS[image]) <= set(METADATA["project"]["optional-dependencies"])
    if image == "service":
        (port,) = stage.all("EXPOSE")
        assert arguments == ["serve", "--host", "0.0.0.0", "--port", port]
        assert stage.words("HEALTHCHECK") == ["es-simhash-health", port, "/healthz"]


# "Artificial intelligence changes how newspapers are read": one word of four signs.
CHINESE = "人工智能正在改变人们阅读报纸的方式。" * 3


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the steps of the image of the service were run, on its COPY lines alone."""
    folder = tmp_path_factory.mktemp("image")
    for sources, target in STAGES["build-service"].copies:
        for source in sources:
            into = folder / target.lstrip("/")
            if (ROOT / source).is_dir():
                ignore = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / source, into, ignore=ignore)
            else:
                into.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / source, into)
    backend, *_ = METADATA["build-system"]["requires"]
    answers = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest",
         str(folder / "asked"), backend],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    if answers.returncode:
        pytest.skip(f"no package index answers: {answers.stderr.strip().splitlines()[-1]}")
    for step in STAGES["build-service"].all("RUN"):
        line = PLACE.sub(lambda match: str(folder / PLACES[match[0]]), step)
        # An image should not grow by pip's cache; here it saves time.
        line = line.replace(" --no-cache-dir", "")
        words = shlex.split(line)
        words[0] = sys.executable if words[0] == "python" else words[0]
        # Of the modules that are installed, few are imported here.
        environment = outside(folder, PIP_COMPILE="0")
        done = subprocess.run(words, env=environment, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


def outside(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a container: nothing of this checkout, and the image's own variables."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    path = f"{folder / 'opt' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**kept, "PATH": path, "HOME": str(folder / "home"), **more}


def started(folder: Path, words: list[str]) -> list[str]:
    """Return a command line of the image as it is in the folder."""
    program = folder / "opt" / "bin" / words[0]
    assert program.exists()
    return [str(program), *words[1:]]


@pytest.mark.cluster
def test_the_ingest_image_prints_its_version_and_ingests(
    built: Path, client: Any, cluster_url: str, index_name: str
) -> None:
    line = started(built, STAGES["ingest"].words("ENTRYPOINT"))
    home = built / "home"
    home.mkdir(exist_ok=True)
    (home / "a.jsonl").write_text(json.dumps({"id": "a", "text": make_text(1, 80)}), "utf-8")
    environment = outside(built, ELASTICSEARCH_URL=cluster_url)

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [*line, *arguments], env=environment, cwd=home, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "all equal" in run("selftest")
    (home / "zh.txt").write_text(CHINESE, "utf-8")
    assert "人工智能" in run("files", "concepts", "zh.txt")
    assert run("--version").endswith(f"version {METADATA['project']['version']}\n")
    assert "Usage: " in run(*STAGES["ingest"].words("CMD"))
    run("install", index_name, "--no-semantics")
    run("ingest", index_name, "a.jsonl")
    assert client.get(index=index_name, id="a")["_source"]["simhash"]


@pytest.fixture
def port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


@pytest.mark.cluster
def test_the_service_image_serves_and_its_health_check_sees_it(
    built: Path, cluster_url: str, tenants: str, port: str, tmp_path: Path
) -> None:
    stage = STAGES["service"]
    (exposed,) = stage.all("EXPOSE")
    words = [port if word == exposed else word for word in stage.words("ENTRYPOINT")]
    program, _, live = started(built, stage.words("HEALTHCHECK"))
    environment = outside(built, ELASTICSEARCH_URL=cluster_url)

    def is_healthy(path: str = live) -> bool:
        line = [program, port, path]
        return subprocess.run(line, env=environment, capture_output=True).returncode == 0

    assert not is_healthy()
    log = tmp_path / "log"
    line = [*started(built, words), tenants]
    with log.open("w") as out, running(line, env=environment, cwd=tmp_path, stderr=out) as process:
        end = time.monotonic() + 60
        while not is_healthy():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end
            time.sleep(0.2)
        assert is_healthy("/readyz")
        # Any other answer is no health.
        assert not is_healthy("/v1/related/no-such-document")
        with urlopen(f"http://127.0.0.1:{port}/v1/related/a1", timeout=30) as answer:
            assert json.load(answer)["relations"]
        with urlopen(f"http://127.0.0.1:{port}/widget/related-documents.js", timeout=30) as answer:
            assert b"related-documents" in answer.read()
        process.terminate()
        assert process.wait(20) in (0, -15)
