"""`es-simhash ingest`; where it is killed or reads a pipe, as a process of its own."""

import json
import os
import re
import select
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.support.journals import saved_lines
from tests.support.processes import children, command_line, running
from tests.support.waiting import until

pytestmark = pytest.mark.cluster


def command(url: str, *arguments: str | Path) -> list[str]:
    return command_line("ingest", "--url", url, *arguments)


def start(
    url: str, *arguments: str | Path, folder: Path, given: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "ES_SIMHASH_HOME": str(folder / "home")}
    return subprocess.run(
        command(url, *arguments), cwd=folder, input=given, capture_output=True, env=environment
    )


def write(path: Path, count: int) -> Path:
    lines = (json.dumps({"id": n, "text": f"Text {n}, with some words."}) for n in range(count))
    path.write_text("\n".join(lines), "utf-8")
    return path


def is_last(request: str, body: bytes, count: int) -> bool:
    """Check whether the last of the lines of `write` is in a bulk request: others do not wait."""
    return "_bulk" in request and f'"id":{count - 1},'.encode() in body.replace(b" ", b"")


def test_files_are_written_and_counted(
    client: Any, index: str, cluster_url: str, tmp_path: Path
) -> None:
    write(tmp_path / "a.jsonl", 30)
    first = start(cluster_url, index, "a.jsonl", folder=tmp_path)
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout.startswith(b"30 written, 0 unchanged, 0 failed in ")
    again = start(
        cluster_url, index, "-", folder=tmp_path, given=(tmp_path / "a.jsonl").read_bytes()
    )
    assert again.stdout.startswith(b"0 written, 30 unchanged, 0 failed in ")
    assert not list((tmp_path / "home" / "journals").iterdir())
    assert not list(tmp_path.glob("*dead-letter*"))


def test_what_a_first_run_lacks_is_said_once(client: Any, index: str, call: Run) -> None:
    body = "The board proposes to pay 1.20 a share to holders of record on May 14. " * 2
    article = {"number": "1", "überschrift": "Nordkai", "inhalt": body, "fecha": "2024-05-01"}
    Path("a.jsonl").write_text(json.dumps(article), "utf-8")
    hashes = "The ids are hashes of the documents: set --id-field if a field has their ids.\n"
    first = call("ingest", index, "a.jsonl")
    assert (first.status, first.err) == (0, "")
    assert first.out.endswith(
        f"{hashes}The documents look like this: title: überschrift, date: fecha. "
        f"Store that with `es-simhash config {index} --accept`.\n"
    )
    assert call("config", index, "--accept").status == 0
    again = call("ingest", index, "a.jsonl", "--id-field", "number")
    assert again.out.startswith("1 written, 0 unchanged, 0 failed in ")
    assert len(again.out.splitlines()) == 1


@pytest.mark.long
def test_a_malformed_line_is_kept_and_makes_the_exit_status_1(
    index: str, call: Run, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"id":1,"text":"a"}\n{"id":\x1b\n{"id":3,"text":"b"}\n')
    done = call("ingest", index, "a.jsonl")
    assert done.status == 1
    assert done.out.startswith("2 written, 0 unchanged, 1 failed in ")
    shown, end = done.err.splitlines()
    assert shown.startswith("a.jsonl:2: Malformed JSON")
    assert end == (f"Error: 1 document failed. See {index}.dead-letter.jsonl for the reasons.")
    letter = json.loads((tmp_path / f"{index}.dead-letter.jsonl").read_bytes())
    assert letter["raw"] == '{"id":\x1b'


@pytest.mark.long
def test_a_malformed_row_of_a_table_is_named_and_the_rest_is_written(
    client: Any, index: str, call: Run, tmp_path: Path
) -> None:
    table = b'\xef\xbb\xbfNr;Body\r\n1;"one; uno"\r\n2;"two\r\n3;three\r\n'
    (tmp_path / "a.csv").write_bytes(table)
    (tmp_path / "b.csv").write_text("Nr,Bdoy\n4,four\n", "utf-8")
    maps = ("--map", "_id=Nr", "--map", "text=Body")
    done = call("ingest", index, "a.csv", "b.csv", *maps)
    assert (done.status, done.out[:36]) == (1, "2 written, 0 unchanged, 2 failed in ")
    row, file, _ = done.err.splitlines()
    assert row.startswith("a.csv:3: A quote is not closed")
    assert file == "b.csv: The file has no column 'Body'; did you mean 'Bdoy'."
    assert client.get(index=index, id="1")["_source"]["text"] == "one; uno"
    assert client.get(index=index, id="3")["_source"]["text"] == "three"
    letters = (tmp_path / f"{index}.dead-letter.jsonl").read_text("utf-8").splitlines()
    assert json.loads(letters[0])["raw"] == '2;"two'
    wrong = call("ingest", index, "a.csv", "--map", "text")
    assert "--map must be FIELD=COLUMN, got 'text'" in wrong.err


def test_a_folder_is_written_by_path(client: Any, index: str, call: Run, tmp_path: Path) -> None:
    (tmp_path / "texts" / "sub").mkdir(parents=True)
    for name in ("a.txt", "sub/b.md"):
        (tmp_path / "texts" / name).write_text(f"Text of {name}.", "utf-8")
    assert call("ingest", index, "texts").status == 0
    assert client.get(index=index, id="sub/b.md")["_source"]["text"] == "Text of sub/b.md."


def test_no_cluster_and_no_index_are_one_sentence(
    cluster_url: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.jsonl", 1)
    for url, index in ((cluster_url, "no-such-index"), ("http://127.0.0.1:1", "i")):
        run("ingest", index, "a.jsonl", "--url", url).refusal()


def test_an_index_that_is_read_is_not_to_be_created(index: str, run: Run, cluster_url: str) -> None:
    refusal = run("ingest", index, f"index:{index}x", "--url", cluster_url).refusal()
    assert refusal.endswith(f"Index '{index}x' does not exist. Did you mean {index!r}?\n")
    refusal = run("ingest", f"{index}x", f"index:{index}", "--url", cluster_url).refusal()
    assert refusal.endswith(f"Else create it with `es-simhash install {index}x`.\n")


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("processes", ["1", "2"])
def test_conflicts_are_reported_in_text_and_json(
    index: str, call: Run, tmp_path: Path, processes: str
) -> None:
    # More than one batch.
    documents = [{"id": n % 600, "text": f"Text {n // 1200}."} for n in range(1800)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, documents)), "utf-8")
    options = ("a.jsonl", "--processes", processes)
    done = call("ingest", index, *options)
    assert done.status == 0
    # Each id three times: the same text twice, and another one.
    assert done.out.startswith("600 written, 600 unchanged, 600 conflicting, 0 failed in ")
    failing = ("--on-conflict", "fail", "--rewrite", "--format", "json")
    done = call("ingest", index, *options, *failing)
    assert done.status == 1
    report = json.loads(done.out)
    assert report.pop("seconds") > 0
    assert report == {
        "documents": 1800,
        "written": 600,
        "unchanged": 600,
        "skipped": 0,
        "replaced": 0,
        "conflicting": 0,
        "failed": 600,
        "versions": None,
        "retained": None,
        "replaced_stored": 0,
        "undated": [],
        "documents_before": 0,
        "text_fields": None,
        "audit": None,
        "run": None,
        "dry_run": False,
        "decisions": None,
    }
    letters = (tmp_path / f"{index}.dead-letter.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(each)["line"] for each in letters] == list(range(1201, 1801))
    assert json.loads(letters[0])["document"] == {"id": 0, "text": "Text 1."}
    assert "--on-conflict" in done.err
    first = ("--on-conflict", "first", "--format", "json")
    done = call("ingest", index, *options, *first)
    assert (done.status, json.loads(done.out)["conflicting"]) == (0, 600)
    wrong = call("ingest", index, *options, "--on-conflict", "newest")
    assert wrong.status == 2


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")
def test_a_killed_run_goes_on_where_it_was(
    client: Any, index: str, cluster_url: str, proxy: Any, tmp_path: Path
) -> None:
    total = 6_000
    path = write(tmp_path / "a.jsonl", total)
    journal = tmp_path / "journal"
    environment = {**os.environ, "ES_SIMHASH_HOME": str(tmp_path / "home")}
    line = command(proxy.url, index, path, "--journal", journal, "--processes", "2")
    sent = 0
    workers: list[int] = []

    def kill(request: str, body: bytes) -> None:
        if is_last(request, body, total) and not workers:
            until(lambda: saved_lines(journal) > 0, seconds=60)
            workers.extend(os.pidfd_open(pid) for pid in children(process.pid))
            process.send_signal(signal.SIGKILL)

    proxy.hook = kill
    with running(line, cwd=tmp_path, env=environment) as process:
        assert process.wait() == -signal.SIGKILL
    # The processes end with their parent: nothing is left running.
    for worker in workers:
        assert select.select([worker], [], [], 20)[0]
        os.close(worker)
    assert len(workers) >= 2
    kept = saved_lines(journal)
    assert 0 < kept < total

    def count(request: str, body: bytes) -> None:
        nonlocal sent
        if "_bulk" in request:
            sent += body.count(b"\n") // 2

    proxy.hook = count
    done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    # The report is that of the whole job.
    summary = done.stdout.decode()
    (written, unchanged, before) = (
        int(number)
        for number in re.findall(r"(\d+) (?:written|unchanged|by the interrupted run)", summary)
    )
    assert (written + unchanged, before) == (total, kept)
    client.indices.refresh(index=index)
    assert client.count(index=index)["count"] == total
    assert sent <= total - kept
    # Nothing was written twice: a version counts the writes of a document.
    again = client.search(index=index, size=10, version=True, query={"term": {"id": "0"}})
    assert [each["_version"] for each in again["hits"]["hits"]] == [1]
    assert not journal.exists()


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")
def test_an_interrupted_run_ends_cleanly_and_keeps_its_journal(
    index: str, proxy: Any, tmp_path: Path
) -> None:
    total = 6_000
    path = write(tmp_path / "a.jsonl", total)
    journal = tmp_path / "journal"

    def interrupt(request: str, body: bytes) -> tuple[int, bytes] | None:
        if is_last(request, body, total):
            until(lambda: saved_lines(journal) > 0, seconds=60)
            process.send_signal(signal.SIGINT)
            return 429, b"{}"
        return None

    proxy.hook = interrupt
    line = command(proxy.url, index, path, "--journal", journal, "--processes", "2")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with running(line, cwd=tmp_path, **pipes) as process:
        out, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    assert error.strip() == b"Interrupted."
    assert b" written, 0 unchanged, 0 failed in " in out
    assert journal.exists()


def test_fields_that_a_run_chooses_as_the_text_are_reported(
    client: Any, index_name: str, cluster_url: str, tmp_path: Path
) -> None:
    from click.testing import CliRunner

    from es_simhash.cli.main import cli
    from es_simhash.store.installation.install import install

    install(client, index_name, semantics=None)
    body = "The board proposes to pay 1.20 a share to holders of record on May 14. " * 2
    file = tmp_path / "notices.jsonl"
    file.write_text(json.dumps({"id": "1", "headline": "Nordkai", "body": body}), "utf-8")
    options = ["--url", cluster_url, "--quiet", "--dead-letter", str(tmp_path / "dead.jsonl")]
    first = CliRunner().invoke(cli, ["ingest", index_name, str(file), *options])
    assert "The text is headline,body, as stored in the mapping now" in first.output
    again = CliRunner().invoke(cli, ["ingest", index_name, str(file), *options])
    assert "The text is" not in again.output
    assert again.output.startswith("0 written, 1 unchanged")
