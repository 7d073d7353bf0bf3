"""Clients that tools make of the OpenAPI document ask the service, typed, and get its answers.

The tools are installed once, in `build/clients`: those for TypeScript by npm as the lock says, that
for Python by uv into an environment of its own. Where they cannot be had, the tests are skipped.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.service import FIRST, Serve

pytestmark = pytest.mark.cluster

FOLDER = Path(__file__).parent / "clients"
TOOLS = Path(__file__).parents[2] / "build" / "clients"
GENERATOR = "openapi-python-client==0.29.1"
SECONDS = 120


def run(*line: str | Path, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        line, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def installed(name: str, lock: bytes, line: Sequence[str | Path], folder: Path) -> Path:
    """Return a folder in which a tool is installed; skip the test where it cannot be had."""
    made = TOOLS / f"{name}-{hashlib.sha256(lock).hexdigest()[:12]}"
    if made.is_dir():
        return made
    try:
        subprocess.run(line, cwd=folder, check=True, capture_output=True, timeout=SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"The tools for {name} cannot be installed here: {error}")
    TOOLS.mkdir(parents=True, exist_ok=True)
    folder.rename(made)
    return made


def expected(http: Any) -> dict[str, Any]:
    """What the service answers when it is asked without a client."""
    query = "size=2&kind=version&kind=exact&family=same"
    related = http.get(f"/v1/related/a1?{query}").json()
    return {
        "ids": [relation["id"] for relation in related["relations"]],
        "next": related["next"],
        "passage": related["relations"][0]["evidence"][0]["hit"]["text"],
        "kept": http.get("/v1/compare/a1/b1").json()["changes"]["summary"]["kept"],
        "odd": "a/b c",
        "members": ["a1", "a2", "b1", "b2", "b3"],
        "action": "skip",
        "problems": [None, 404],
        "missing": 404,
    }


def test_a_client_in_typescript(serve: Serve, tenants: str, tmp_path: Path) -> None:
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("There is no Node here.")
    http = serve(tenants)
    lock = FOLDER / "package-lock.json"
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    for file in (FOLDER / "package.json", lock):
        shutil.copy(file, fresh)
    line = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
    tools = installed("typescript", lock.read_bytes(), line, fresh)
    work = tmp_path / "work"
    work.mkdir()
    (work / "node_modules").symlink_to(tools / "node_modules")
    shutil.copy(FOLDER / "package.json", work)
    shutil.copy(FOLDER / "client.ts", work)
    (work / "openapi.json").write_text(http.get("/v1/openapi.json").text, "utf-8")
    programs = work / "node_modules" / ".bin"
    run(programs / "openapi-typescript", "openapi.json", "-o", "schema.ts", cwd=work)
    # What the client reads of answers is checked against the types, strictly.
    flags = ["--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"]
    run(programs / "tsc", *flags, "--lib", "es2022,dom", "client.ts", cwd=work)
    printed = run("node", "client.js", str(http.base_url), FIRST, cwd=work)
    assert json.loads(printed) == expected(http)


def test_a_client_in_python(serve: Serve, tenants: str, tmp_path: Path) -> None:
    http = serve(tenants)
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--target", fresh / "packages"]
    tools = installed("python", GENERATOR.encode(), [*uv, GENERATOR], fresh)
    packages = str(tools / "packages")
    (tmp_path / "openapi.json").write_text(http.get("/v1/openapi.json").text, "utf-8")
    generate = "from openapi_python_client.cli import app; app()"
    line = [sys.executable, "-c", generate, "generate", "--path", "openapi.json"]
    run(
        *line, "--meta", "none", "--output-path", "related_client", cwd=tmp_path,
        PYTHONPATH=packages,
    )  # fmt: skip
    printed = run(
        sys.executable, FOLDER / "client.py", str(http.base_url), FIRST, cwd=tmp_path,
        PYTHONPATH=f"{tmp_path}{os.pathsep}{packages}",
    )  # fmt: skip
    assert json.loads(printed) == expected(http)
