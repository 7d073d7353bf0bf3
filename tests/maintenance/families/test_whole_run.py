"""A run over all documents ends as if it had never been killed, in the memory that is allowed."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from es_simhash import FileInUse, InputError
from es_simhash.maintenance.families import whole_run
from es_simhash.maintenance.families.run_files import PARTS, RunFiles
from es_simhash.maintenance.families.whole_run import WholeRun
from es_simhash.pairs import spilled_postings
from tests.support.shelf import in_memory, revised, text

pytestmark = pytest.mark.cluster

Texts = dict[str, str]

# Runs until it has committed so often, and kills itself.
_KILLED = """
import os, signal, sys
from es_simhash.maintenance.families import whole_run
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.maintenance.families.run_files import RunFiles
from es_simhash.store.elasticsearch.connection import connect

url, index, left = sys.argv[1], sys.argv[2], int(sys.argv[3])
whole_run._DOCUMENTS = whole_run._WRITTEN = 5
whole_run._TEXTS = 4
commit = RunFiles.commit

def commit_or_die(self, **progress):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return commit(self, **progress)

RunFiles.commit = commit_or_die
with connect(url) as client:
    find_families(client, index)
"""


class Killed(BaseException):
    """In place of a kill."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep journals in a folder of the test's own."""
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commit after a few documents, texts and pairs."""
    monkeypatch.setattr(whole_run, "_DOCUMENTS", 5)
    monkeypatch.setattr(whole_run, "_WRITTEN", 5)
    monkeypatch.setattr(whole_run, "_TEXTS", 4)
    monkeypatch.setattr(spilled_postings, "_PAIR_BYTES", 1 << 20)


@pytest.fixture
def kill_after(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that lets a run end at its n-th commit; 0 for none."""
    commit = RunFiles.commit
    left = [0]

    def commit_or_die(self: RunFiles, **progress: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            raise Killed
        return commit(self, **progress)

    monkeypatch.setattr(RunFiles, "commit", commit_or_die)

    def set_number(number: int) -> None:
        left[0] = number

    return set_number


def files_of(home: Path) -> Iterator[Path]:
    yield from (home / "journals").glob("*") if (home / "journals").exists() else ()


def test_killed_three_times_it_gives_what_an_undisturbed_run_gives(
    shelf: Any, texts: Texts, cluster_url: str, home: Path
) -> None:
    texts = {**texts, "empty": "...", "copy": texts["t1-1"].upper()}
    shelf.put(texts)
    undisturbed = shelf.find()
    names = shelf.names()
    for id in texts:
        members = {"simhash": {"family": None, "representative": None}}
        shelf.client.update(index=shelf.name, id=id, doc=members)
    shelf.client.indices.delete(index=f"{shelf.name}-simhash")
    # While documents are read, while texts are compared and while families are written.
    for commits in (4, 8, 14):
        command = [sys.executable, "-c", _KILLED, cluster_url, shelf.name, str(commits)]
        ended = subprocess.run(command, env={**os.environ, "ES_SIMHASH_HOME": str(home)})
        assert ended.returncode == -signal.SIGKILL
        assert list(files_of(home))
    report = shelf.find()
    assert shelf.names() == names
    assert (report.families, report.documents, report.queried) == (
        undisturbed.families,
        undisturbed.documents,
        undisturbed.queried,
    )
    assert list(files_of(home)) == []
    again = shelf.find()
    assert (again.documents, again.written) == (0, 0)
    assert shelf.find(everything=True).written == 0


@pytest.mark.long
@pytest.mark.usefixtures("in_small_steps")
def test_wherever_it_is_killed_it_goes_on_from_there(
    shelf: Any, texts: Texts, kill_after: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    add = RunFiles.add

    def add_and_tell(self: RunFiles, documents: Any, least: Any) -> None:
        add(self, documents, least)
        read.extend(each.document.ref.id for each in documents)

    monkeypatch.setattr(RunFiles, "add", add_and_tell)
    shelf.put(texts)
    kills = 0
    while True:
        # One or two commits further each time.
        kill_after(3)
        try:
            shelf.find()
        except Killed:
            kills += 1
            assert kills < 100
        else:
            break
    assert kills > 10
    assert sorted(read) == sorted(texts)
    assert shelf.families() == in_memory(texts)
    kill_after(0)
    assert shelf.find(everything=True).written == 0


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.usefixtures("in_small_steps")
@pytest.mark.parametrize("seed", range(3))
def test_what_changed_between_a_kill_and_the_next_run_counts(
    shelf: Any,
    texts: Texts,
    seed: int,
    kill_after: Callable[[int], None],
    make_text: Callable[..., str],
    revise: Callable[..., str],
) -> None:
    chosen = random.Random(seed)
    held = {**texts, "empty": "..."}
    shelf.put(held)
    for number in range(3):
        # While documents are read.
        kill_after(3)
        with pytest.raises(Killed):
            shelf.find()
        gone, changed, new = chosen.sample(sorted(held), 3)
        shelf.delete(gone)
        held[changed] = revise(held[new], number)
        held[f"new-{number}"] = make_text(900 + number)
        del held[gone]
        shelf.put({id: held[id] for id in (changed, f"new-{number}")})
    kill_after(0)
    shelf.find()
    assert shelf.families() == in_memory(held)
    assert shelf.find(everything=True).written == 0


@pytest.mark.long
@pytest.mark.usefixtures("in_small_steps")
def test_what_changed_after_all_was_read_is_left_for_the_next_run(
    shelf: Any, texts: Texts, kill_after: Callable[[int], None], make_text: Callable[..., str]
) -> None:
    from es_simhash.maintenance.families.dismissals_and_joins import dismiss

    shelf.put(texts)
    kill_after(15)
    with pytest.raises(Killed):
        shelf.find()
    kill_after(0)
    texts["t0-1"], gone = make_text(990), texts.pop("t1-1")
    shelf.put({"t0-1": texts["t0-1"]})
    shelf.delete("t1-1")
    dismiss(shelf.client, shelf.name, "t2-1", "t2-2")
    report = shelf.find()
    assert set(report.skipped) == {"t0-1", "t1-1"}
    assert report.resumed
    assert gone
    shelf.find()
    assert shelf.families() == in_memory(texts, dismissed=[("t2-1", "t2-2")])
    assert shelf.find().queried == 0


def test_the_least_memory_gives_the_same(shelf: Any, texts: Texts, tmp_path: Path) -> None:
    shelf.put(texts)
    shelf.find(memory=16, journal=tmp_path / "run")
    assert shelf.families() == in_memory(texts)
    assert list(tmp_path.glob("run*")) == []
    with pytest.raises(InputError, match="memory must be at least 16 MiB, got 1") as refused:
        shelf.find(memory=1)
    assert refused.value.parameter == "memory"


@pytest.mark.parametrize(("first", "later"), [(16, 2048), (128, 16)])
def test_killed_and_resumed_with_another_memory_it_gives_the_same(
    shelf: Any, texts: Texts, first: int, later: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Several parts of the posting lists, whose number follows from the memory.
    monkeypatch.setattr(spilled_postings, "_ENTRY_BYTES", 1 << 16)
    shelf.put(texts)

    def killed(self: WholeRun) -> None:
        assert self.files.progress("parts") > 1
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(WholeRun, "_least", killed)
        with pytest.raises(Killed):
            shelf.find(memory=first)
    shelf.find(memory=later)
    assert shelf.families() == in_memory(texts)


def test_another_rule_begins_at_the_start(
    shelf: Any, texts: Texts, tmp_path: Path, kill_after: Callable[[int], None]
) -> None:
    journal = tmp_path / "run"
    shelf.client.indices.put_mapping(index=shelf.name, properties={"owner": {"type": "keyword"}})
    shelf.put(texts)
    kill_after(6)
    with pytest.raises(Killed):
        shelf.find(journal=journal)
    kill_after(0)
    with pytest.raises(InputError, match="of a run with rules") as refused:
        shelf.find(journal=journal, within="owner")
    assert refused.value.parameter == "fresh"
    report = shelf.find(journal=journal, within="owner", fresh=True)
    assert report.documents == len(texts)
    assert shelf.families() == in_memory(texts)


def test_files_that_cannot_be_used_are_refused_in_a_sentence(
    shelf: Any, texts: Texts, tmp_path: Path, kill_after: Callable[[int], None]
) -> None:
    journal = tmp_path / "run"
    shelf.put(texts)
    other = tmp_path / "notes"
    other.write_text("mine")
    with pytest.raises(InputError, match="no journal and would be overwritten"):
        shelf.find(journal=other)
    kill_after(6)
    with pytest.raises(Killed):
        shelf.find(journal=journal)
    kill_after(0)
    (tmp_path / "run.files" / PARTS).write_bytes(b"")
    with pytest.raises(InputError, match=r"incomplete\. Begin .* Set fresh") as refused:
        shelf.find(journal=journal)
    assert refused.value.parameter == "fresh"
    shelf.find(journal=journal, fresh=True)
    assert shelf.families() == in_memory(texts)


def test_two_runs_do_not_share_a_journal(
    shelf: Any, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.put(texts)
    group = WholeRun.group

    def meanwhile(self: WholeRun) -> None:
        monkeypatch.undo()
        with pytest.raises(FileInUse):
            shelf.find(journal=self.files.folder.with_suffix(""))
        group(self)

    monkeypatch.setattr(WholeRun, "group", meanwhile)
    shelf.find()
    assert shelf.families() == in_memory(texts)


def test_a_full_disk_is_one_sentence_and_the_run_goes_on_later(
    shelf: Any, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.put(texts)

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(spilled_postings.SpilledPostings, "_build", fail)
        with pytest.raises(InputError, match=r"No space left on device.*Set journal") as refused:
            shelf.find()
    assert refused.value.parameter == "journal"
    shelf.find()
    assert shelf.families() == in_memory(texts)


@pytest.mark.long
def test_with_which_texts_of_a_template_others_are_compared_does_not_depend_on_their_order(
    shelf: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_run, "_TEMPLATE_LINKS", 1)
    monkeypatch.setattr(spilled_postings, "MAX_LIST", 8)
    monkeypatch.setattr(spilled_postings, "FIRST_OF_LIST", 2)
    chain = [text(1, 120)]
    while len(chain) < 60:
        chain.append(revised(chain[-1], len(chain), 0.12))
    texts = {f"v{number}": each for number, each in enumerate(chain)}
    found = []
    for seed in range(3):
        order = random.Random(seed).sample(list(texts), len(texts))
        shelf.put({id: texts[id] for id in order})
        report = shelf.find(everything=True)
        found.append((shelf.names(), report.truncated))
        assert shelf.find(everything=True).written == 0
    assert found[0] == found[1] == found[2]
    assert found[0][1]
    assert len(set(found[0][0].values())) > 1, "what is not compared is not linked"
