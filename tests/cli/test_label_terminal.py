"""`es-simhash lab label` in a terminal: keys without Enter, Ctrl-C, and the end by a signal."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

from es_simhash.lab.evaluation.labelled_pairs import read_pairs
from tests.support.terminal import COLUMNS, Terminal

pytestmark = pytest.mark.cluster

COMMAND = [sys.executable, "-m", "es_simhash", "lab", "label"]
QUESTION = "q quit: "
SECONDS = 60
COLOURS = re.compile(r"\x1b\[[\d;]*m")


class Labelling(Terminal):
    """The command in a terminal of 40 rows."""

    def __init__(self, arguments: list[str], url: str) -> None:
        environment = {"ELASTICSEARCH_URL": url, "TERM": "xterm-256color"}
        super().__init__([*COMMAND, *arguments], environment, rows=40)

    def until(self, words: str) -> str:
        """Return what is printed up to some words."""
        self.read(lambda: words in self.shown, SECONDS)
        found, there, self.shown = self.shown.partition(words)
        assert there, found
        return found

    def press(self, keys: str) -> None:
        end = time.monotonic() + SECONDS
        while not self.reads_keys():
            assert time.monotonic() < end
            time.sleep(0.01)
        self.type(keys.encode())


@pytest.fixture
def start(
    labelled_index: str, cluster_url: str, tmp_path: Path
) -> Iterator[Callable[..., Labelling]]:
    started = []

    def open_terminal(*options: str) -> Labelling:
        arguments = [labelled_index, "--labels", str(tmp_path / "pairs.tsv"), *options]
        started.append(Labelling(arguments, cluster_url))
        return started[-1]

    yield open_terminal
    for terminal in started:
        terminal.close()


def test_one_key_labels_a_pair_and_a_kill_loses_nothing(
    start: Callable[..., Labelling], tmp_path: Path
) -> None:
    path = tmp_path / "pairs.tsv"
    terminal = start()
    shown = terminal.until(QUESTION)
    assert "score" not in shown
    plain = COLOURS.sub("", shown).replace("\r", "").splitlines()
    rows = [line for line in plain if "│" in line]
    assert rows
    assert {cell_len(line.partition("│")[0]) for line in rows} == {39}
    assert max(map(cell_len, rows)) <= COLUMNS
    terminal.press("v")
    assert "score" in terminal.until("Pair 2 of")
    assert list(read_pairs(path).labels.values()) == [True]
    terminal.until(QUESTION)
    terminal.press("\x1b[A")
    assert "Unknown answer" in terminal.until("Use v, n, s, u, m, q.")
    terminal.until(QUESTION)
    # A second key in one go is not taken for the answer to a pair that was not shown yet.
    terminal.press("nn")
    terminal.until("Pair 3 of")
    terminal.until(QUESTION)
    assert list(read_pairs(path).labels.values()) == [True, False]
    terminal.press("u")
    terminal.until("Pair 2 of")
    terminal.until(QUESTION)
    terminal.press("v")
    terminal.until("Pair 3 of")
    terminal.process.send_signal(signal.SIGKILL)
    assert terminal.end() == -signal.SIGKILL
    assert list(read_pairs(path).labels.values()) == [True, True]

    again = start()
    again.until(QUESTION)
    again.press("n")
    again.until("Pair 2 of")
    again.until(QUESTION)
    again.press("\x03")
    again.until("Interrupted.")
    assert again.end() == 130
    assert list(read_pairs(path).labels.values()) == [True, True, False]

    last = start()
    last.until(QUESTION)
    last.press("\x04")
    last.until("Next: es-simhash lab evaluate")
    assert last.end() == 0


def test_without_a_terminal_and_a_pipe_one_sentence_says_so(
    labelled_index: str, cluster_url: str, tmp_path: Path
) -> None:
    arguments = [
        *COMMAND,
        labelled_index,
        "--labels",
        str(tmp_path / "pairs.tsv"),
        "--url",
        cluster_url,
    ]
    for closed in (arguments, ["sh", "-c", 'exec "$@" 0<&-', "sh", *arguments]):
        done = subprocess.run(
            closed, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS
        )
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == (
            "Error: Standard input is neither a terminal nor a pipe. Run the command in a "
            "terminal, or pipe one answer a line.\n"
        )
    assert not (tmp_path / "pairs.tsv").exists()
