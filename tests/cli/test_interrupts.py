"""Ctrl-C and SIGTERM on the command line."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes import command_line
from tests.support.proxy import Proxy

# It is interrupted while it reads, while it cleans up, and while the process exits.
_PROGRAM = """
import atexit, signal, sys, tempfile
from types import SimpleNamespace

signal.signal(signal.SIGINT, signal.default_int_handler)
first = signal.Signals(int(sys.argv[1]))

from es_simhash.cli import main

def interrupt():
    signal.raise_signal(first)
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGTERM)

def read():
    global folder
    folder = tempfile.TemporaryDirectory()
    print(folder.name)
    try:
        interrupt()
    finally:
        interrupt()
        print("cleaned up")

atexit.register(interrupt)
sys.argv = ["es-simhash", "files", "fingerprint", "-"]
sys.stdin = SimpleNamespace(buffer=SimpleNamespace(read=read))
main()
"""
_ENDS = {signal.SIGINT: (130, "\nInterrupted.\n"), signal.SIGTERM: (-signal.SIGTERM, "")}


@pytest.mark.parametrize("first", _ENDS)
def test_further_interrupts_change_nothing(first: signal.Signals) -> None:
    line = [sys.executable, "-c", _PROGRAM, str(int(first))]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == _ENDS[first]
    folder, cleaned_up = done.stdout.splitlines()
    assert cleaned_up == "cleaned up"
    assert not Path(folder).exists()


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize("first", _ENDS)
def test_a_point_in_time_is_closed(
    client: Any, index_name: str, proxy: Proxy, tmp_path: Path, first: signal.Signals
) -> None:
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.store.installation.install import install

    install(client, index_name, semantics=None)
    documents = [{"id": f"a{n}", "text": f"The harbour opens at {n}."} for n in range(9)]
    assert all(each.ok for each in ingest(client, index_name, documents))
    client.indices.refresh(index=index_name)
    line = command_line("families", "run", index_name, "--url", proxy.url)
    points: list[str] = []

    def end(path: str, body: bytes) -> None:
        points.extend(["closed" if path.startswith("/_") else "opened"] * is_point(path))
        if points == ["opened"] and b'"pit"' in body and process.poll() is None:
            process.send_signal(first)

    proxy.hook = end
    environment = {**os.environ, "ES_SIMHASH_HOME": str(tmp_path / "home")}
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment
    ) as process:
        _, error = process.communicate(timeout=60)
    assert (process.returncode, error.decode()) == _ENDS[first]
    assert points == ["opened", "closed"]


def is_point(path: str) -> bool:
    return path.partition("?")[0].endswith(("/_pit", "/_search/point_in_time"))
