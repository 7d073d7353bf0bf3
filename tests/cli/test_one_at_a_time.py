"""Commands that would step on each other, and journals that are not of this run."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from es_simhash.cli import sweep_command
from es_simhash.errors import FileInUse
from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.deduplication.audit_log import FileAudit
from es_simhash.ingestion.deduplication.version_policy import VersionPolicy
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest_sources
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.store.installation.install import install
from tests.support.journals import saved_lines

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


def lines(*numbers: int) -> str:
    return "".join(
        json.dumps({"id": str(n), "text": f"Text of number {n}."}) + "\n" for n in numbers
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of thirty documents."""
    path = tmp_path / "documents.jsonl"
    path.write_text(lines(*range(30)))
    return path


@pytest.fixture
def journal(desk: Any, path: Path, tmp_path: Path) -> Path:
    """The journal of a run over that file that was ended after its first batches."""
    journal = tmp_path / "journal"
    settings = IngestSettings(limits=BatchLimits(documents=10), ahead=1, journal=journal)
    sources = open_sources([path], stream=None)  # type: ignore[arg-type]
    with closing(ingest_sources(desk.client, desk.name, sources, settings=settings)) as outcomes:  # type: ignore[type-var]
        next(outcomes)
    assert 10 <= saved_lines(journal) < 30
    return journal


def ingested(done: Any) -> tuple[int, int]:
    assert done.status == 0, done
    summary = json.loads(done.out)
    return summary["written"], summary["unchanged"]


def test_a_run_is_resumed_where_it_was(desk: Any, call: Any, path: Path, journal: Path) -> None:
    before = saved_lines(journal)
    done = call("ingest", desk.name, path, "--journal", journal, "--format", "json")
    # The report is of the whole job; what was written behind the checkpoint is unchanged.
    assert sum(ingested(done)) == 30
    assert json.loads(done.out)["documents_before"] == before
    assert set(desk.documents()) == {str(n) for n in range(30)}
    assert not journal.exists()
    assert not list(journal.parent.glob("journal*"))


def test_a_file_that_grew_is_resumed(desk: Any, call: Any, path: Path, journal: Path) -> None:
    before = saved_lines(journal)
    with path.open("a") as stream:
        stream.write(lines(30, 31))
    done = call("ingest", desk.name, path, "--journal", journal, "--format", "json")
    assert sum(ingested(done)) == 32
    assert json.loads(done.out)["documents_before"] == before
    assert set(desk.documents()) == {str(n) for n in range(32)}


@pytest.mark.parametrize("grows", [False, True])
def test_a_file_that_changed_is_refused_until_it_is_read_from_the_start(
    desk: Any, call: Any, path: Path, journal: Path, grows: bool
) -> None:
    changed = path.read_text().replace("number 3.", "number X.")
    path.write_text(changed + (lines(30) if grows else ""))
    line = ("ingest", desk.name, path, "--journal", journal, "--format", "json")
    refusal = call(*line).refusal()
    assert f"Input '{path}' has changed in the part that an earlier run read" in refusal
    assert f"journal '{journal}'" in refusal
    assert refusal.endswith("Set --fresh.\n")
    assert desk.documents()["3"]["text"] == "Text of number 3."
    assert sum(ingested(call(*line, "--fresh"))) == (31 if grows else 30)
    assert desk.documents()["3"]["text"] == "Text of number X."


@pytest.mark.parametrize(
    ("option", "both"),
    [
        (("--on-conflict", "fail"), "with on_conflict 'last', and this one has 'fail'"),
        (("--rewrite",), "with rewrite False, and this one has True"),
        (("--text-field", "body"), "with text_field 'text', and this one has 'body'"),
        (("--id-field", "n"), "with id_field None, and this one has 'n'"),
        (("--on-version", "flag"), 'with on_version None, and this one has "OnVersion('),
    ],
)
def test_a_journal_of_other_options_is_refused(
    desk: Any, call: Any, path: Path, journal: Path, option: tuple[str, ...], both: str
) -> None:
    before = journal.read_bytes()
    refusal = call("ingest", desk.name, path, "--journal", journal, *option).refusal()
    assert refusal.startswith(f"Error: Journal '{journal}' is of a run {both}")
    assert refusal.endswith("Name another journal, or begin at the start. Set --fresh.\n")
    assert journal.read_bytes() == before


def test_a_journal_of_another_index_or_input_is_refused(
    desk: Any, call: Any, path: Path, journal: Path
) -> None:
    other = f"{desk.name}-other"
    install(desk.client, other, semantics=None)
    try:
        refusal = call("ingest", other, path, "--journal", journal).refusal()
        assert f"is of index '{desk.name}', and this run writes to '{other}'" in refusal
    finally:
        desk.client.indices.delete(index=other)
    second = path.with_name("second.jsonl")
    second.write_text(lines(1))
    refusal = call("ingest", desk.name, second, "--journal", journal).refusal()
    assert f"with sources '{path}', and this one has '{second}'" in refusal


def test_a_journal_of_an_index_that_was_created_anew_is_refused(
    desk: Any, call: Any, path: Path, journal: Path
) -> None:
    desk.client.indices.delete(index=desk.name)
    install(desk.client, desk.name, semantics=None)
    line = ("ingest", desk.name, path, "--journal", journal, "--format", "json")
    assert "it was created anew, or is of another cluster" in call(*line).refusal()
    assert desk.documents() == {}
    assert ingested(call(*line, "--fresh")) == (30, 0)


def test_documents_are_no_journal(desk: Any, call: Any, path: Path) -> None:
    before = path.read_bytes()
    refusal = call("ingest", desk.name, path, "--journal", path, "--fresh").refusal()
    assert refusal.startswith(f"Error: File '{path}' is no journal and would be overwritten.")
    assert path.read_bytes() == before


def test_of_two_ingests_of_one_file_the_second_is_refused(
    desk: Any, call: Any, path: Path, journal: Path
) -> None:
    settings = IngestSettings(limits=BatchLimits(documents=10), ahead=1, journal=journal)
    sources = open_sources([path], stream=None)  # type: ignore[arg-type]
    with closing(ingest_sources(desk.client, desk.name, sources, settings=settings)) as first:  # type: ignore[type-var]
        next(first)
        refusal = call("ingest", desk.name, path, "--journal", journal).refusal()
        assert refusal == (
            f"Error: Journal '{journal}' is in use by another command. Wait until that ends, or "
            "give another file. Set --journal.\n"
        )
        assert all(outcome.ok for outcome in first)
    assert set(desk.documents()) == {str(n) for n in range(30)}
    assert ingested(call("ingest", desk.name, path, "--journal", journal, "--format", "json")) == (
        0,
        30,
    )


def test_two_pipes_are_read_at_once(desk: Any) -> None:
    def outcomes() -> Iterator[Any]:
        sources = open_sources(["-"], stream=Pipe(lines(*range(30)).encode()))  # type: ignore[arg-type]
        settings = IngestSettings(limits=BatchLimits(documents=10), ahead=1)
        return ingest_sources(desk.client, desk.name, sources, settings=settings)

    first, second = outcomes(), outcomes()
    next(first)
    assert len(list(second)) == 30
    assert len(list(first)) == 29


def test_a_run_that_saves_nothing_deletes_no_file_named_as_its_journal(
    desk: Any, tmp_path: Path
) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text("a file of the user")
    sources = open_sources(["-"], stream=Pipe(lines(1, 2).encode()))  # type: ignore[arg-type]
    settings = IngestSettings(journal=other)
    assert len(list(ingest_sources(desk.client, desk.name, sources, settings=settings))) == 2
    assert other.read_text() == "a file of the user"


class Pipe:
    """A stream that can be read only once."""

    def __init__(self, content: bytes) -> None:
        self._parts = content.splitlines(keepends=True)

    def read(self, size: int) -> bytes:
        return self._parts.pop(0) if self._parts else b""

    def readline(self, size: int) -> bytes:
        return self.read(size)


@contextmanager
def writing(audit: Path) -> Iterator[None]:
    """Another run that writes an audit log."""
    log = FileAudit(audit)
    log.open()
    try:
        yield
    finally:
        log.close()


@pytest.mark.long
def test_an_audit_log_that_another_run_writes_is_refused_before_anything_is_written(
    desk: Any, call: Any, path: Path, tmp_path: Path
) -> None:
    desk.client.index(index=desk.name, id="plain", document={"text": "A text."}, refresh=True)
    log = tmp_path / f"{desk.name}.audit.jsonl"
    sentence = (
        f"Error: Audit log '{log.name}' is in use by another command. Wait until that ends, or "
        "give another file."
    )
    with writing(log):
        ingest = ("ingest", desk.name, path, "--processes", 1, "--on-version", "flag")
        assert call(*ingest).refusal() == f"{sentence} Set --audit.\n"
        sweep = ("sweep", desk.name, "--processes", 1, "--on-version", "flag")
        assert call(*sweep).refusal() == f"{sentence} Set --audit.\n"
        assert call("undo", desk.name, log.name).refusal() == f"{sentence}\n"
        assert desk.sources() == {"plain": {"text": "A text."}}
        # Without decisions there is no log to wait for.
        assert call("sweep", desk.name, "--processes", 1).status == 0
    assert call(*ingest).status == 0
    assert call(*sweep).status == 0


def test_two_policies_with_one_log_are_refused_and_with_two_not(desk: Any) -> None:
    rules = OnVersion("flag", audit=desk.audit)
    other = replace(rules, audit=desk.audit.with_name("other.jsonl"))
    with VersionPolicy(desk.client, desk.name, rules):
        with (
            pytest.raises(FileInUse, match="is in use by another command"),
            VersionPolicy(desk.client, desk.name, rules),
        ):
            pytest.fail("two runs write one log")
        with VersionPolicy(desk.client, desk.name, other):
            pass
    with VersionPolicy(desk.client, desk.name, rules):
        pass


def test_a_log_is_not_kept_by_a_policy_that_does_not_open(
    desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = OnVersion("flag", audit=desk.audit)

    def fails(self: Any, index: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(VersionPolicy, "_begin", fails)
        failing = VersionPolicy(desk.client, desk.name, rules)
        with pytest.raises(KeyboardInterrupt):
            failing.__enter__()
    with VersionPolicy(desk.client, desk.name, rules):
        pass


def test_a_repeated_sweep_waits_for_the_log(
    desk: Any, call: Any, tmp_path: Path, make_text: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = FileAudit(tmp_path / f"{desk.name}.audit.jsonl")
    intervals = 0

    def interval(seconds: float) -> None:
        nonlocal intervals
        intervals += 1
        if intervals == 1:
            # Another command decides while there is something to sweep.
            for id in ("a", "b"):
                desk.client.index(index=desk.name, id=id, document={"text": make_text(1)})
            log.open()
        elif intervals == 2:
            assert not any("simhash" in source for source in desk.sources().values())
            log.close()
        else:
            raise KeyboardInterrupt

    monkeypatch.setattr(sweep_command, "time", Clock(interval))
    line = ("sweep", desk.name, "--every", "60s", "--processes", 1, "--on-version", "flag")
    done = call(*line)
    assert done.status == 130
    assert "is in use by another command" in done.err
    assert "1 flag" in done.out
    assert {id for id, marks in desk.marks().items() if "duplicate_of" in marks} == {"b"}


class Clock:
    """The module `time`, whose `sleep` is another."""

    def __init__(self, sleep: Callable[[float], None]) -> None:
        self.sleep = sleep
        self.strftime = time.strftime
