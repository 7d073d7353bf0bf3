"""`es-simhash backfill`; where it is killed, as a process of its own."""

import json
import os
import select
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.support.processes import children, command_line, running

pytestmark = pytest.mark.cluster


def command(url: str, *arguments: str | Path) -> list[str]:
    return command_line("backfill", "--url", url, *arguments)


def start(url: str, *arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command(url, *arguments), cwd=folder, capture_output=True)


def test_documents_are_enriched_and_counted(
    index: str, cluster_url: str, tmp_path: Path, write: Any, documents: Any
) -> None:
    write(index, {**documents(30), "none": {"n": 1}})
    first = start(cluster_url, index, folder=tmp_path)
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout.startswith(
        b"30 written, 0 unchanged, 1 without text, 0 deleted during the run, "
    )
    again = start(cluster_url, index, "--check", folder=tmp_path)
    assert again.stdout.startswith(b"0 written, 30 unchanged, 1 without text, ")
    assert not list(tmp_path.iterdir())


def test_what_fails_is_kept_and_makes_the_exit_status_1(
    index: str, call: Run, tmp_path: Path, write: Any
) -> None:
    write(index, {"good": {"text": "A text."}, "\x1b[2Jbad": {"text": 5}})
    done = call("backfill", index)
    assert done.status == 1
    assert done.out.startswith("1 written, ")
    shown, end = done.err.splitlines()
    assert shown.startswith(f"{index} (id \\x1b[2Jbad): Field 'text' holds int")
    path = tmp_path / f"{index}.failures.jsonl"
    assert end == (f"Error: 1 document failed. See {path.name} for the reasons.")
    letter = json.loads(path.read_bytes())
    assert (letter["id"], letter["index"]) == ("\x1b[2Jbad", index)
    assert letter["run"] in done.out


def test_a_dry_run_says_time_and_disk_and_writes_nothing(
    client: Any, index: str, call: Run, write: Any, documents: Any
) -> None:
    write(index, documents(30))
    done = call("backfill", index, "--dry-run", "--max-docs-per-second", "3")
    assert (done.status, done.err) == (0, "")
    shown = done.out
    assert shown.startswith(f"Documents: 30 of '{index}' to process; 30 of 30 sampled have a text")
    assert "Time: about 10 s (3 documents/s)." in shown
    assert "Disk: about " in shown
    enriched = {"exists": {"field": "simhash.scheme"}}
    assert client.count(index=index, query=enriched)["count"] == 0


def test_a_sidecar_is_made(
    client: Any, index_name: str, call: Run, write: Any, documents: Any
) -> None:
    write(index_name, documents(5))
    sidecar = f"{index_name}-sidecar"
    try:
        done = call("backfill", index_name, "--sidecar", sidecar)
        assert done.out.startswith("5 written, ")
        client.indices.refresh(index=sidecar)
        assert client.count(index=sidecar)["count"] == 5
        # What a sidecar has no families for is said by what runs, lists and shows them alike.
        for command in ("run", "list", "show"):
            ids = ("0",) if command == "show" else ()
            done = call("families", command, sidecar, *ids)
            assert done.status == 1
            assert f"is the sidecar of {index_name!r}, and families are in" in done.err
            assert f"`es-simhash families run {index_name}`." in done.err
    finally:
        client.indices.delete(index=sidecar, ignore_unavailable=True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no-such-index"], "does not exist"),
        (["no-such-index", "--filter", "{"], "--filter is not valid JSON"),
        (["no-such-index", "--filter", "[]"], "--filter must be a JSON object, got list"),
        (["a b"], "'a b' does not exist"),
    ],
)
def test_a_refusal_is_one_sentence(call: Run, arguments: list[str], words: str) -> None:
    assert words in call("backfill", *arguments).refusal()


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")
def test_a_killed_run_goes_on_and_each_document_is_enriched_once(
    client: Any,
    index: str,
    proxy: Any,
    cluster_url: str,
    tmp_path: Path,
    write: Any,
    stored: Any,
    documents: Any,
) -> None:
    # Two pages in each of four slices, so that some are left when the fourth is written.
    total = 2200
    write(index, documents(total))
    line = command(proxy.url, index, "--processes", "2")
    bulks = 0
    workers: list[int] = []

    def kill(path: str, body: bytes) -> None:
        nonlocal bulks
        bulks += "_bulk" in path
        if bulks == 4 and not workers:
            workers.extend(os.pidfd_open(pid) for pid in children(process.pid))
            process.send_signal(signal.SIGKILL)

    proxy.hook = kill
    with running(line, cwd=tmp_path) as process:
        assert process.wait() == -signal.SIGKILL
    # The processes end with their parent: nothing is left running.
    for worker in workers:
        assert select.select([worker], [], [], 20)[0]
        os.close(worker)
    assert len(workers) >= 2
    done = sum(bool(each["ours"]) for each in stored(index).values())
    assert 0 < done < total
    again = start(cluster_url, index, folder=tmp_path)
    assert (again.returncode, again.stderr) == (0, b"")
    found = stored(index)
    assert len(found) == total
    assert all(each["ours"] for each in found.values())
    # A version counts the writes of a document.
    assert {each["version"] for each in found.values()} == {2}


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")
def test_an_interrupted_run_ends_cleanly_with_its_summary(
    index: str, proxy: Any, tmp_path: Path, write: Any, documents: Any
) -> None:
    write(index, documents(2200))
    bulks = 0

    def interrupt(path: str, body: bytes) -> tuple[int, bytes] | None:
        nonlocal bulks
        bulks += "_bulk" in path
        if bulks < 4 or "_bulk" not in path:
            return None
        process.send_signal(signal.SIGINT)
        return 429, b"{}"

    proxy.hook = interrupt
    line = command(proxy.url, index, "--processes", "2")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with running(line, cwd=tmp_path, **pipes) as process:
        out, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    assert error.strip() == b"Interrupted."
    assert b" written, 0 unchanged, 0 without text, " in out
