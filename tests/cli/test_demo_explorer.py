"""`es-simhash demo` in a terminal: the explorer, until Ctrl-C."""

import json
import re
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from es_simhash.errors import install_command
from tests.support.terminal import Terminal

pytestmark = pytest.mark.cluster

TEXT = "The ferry to the island leaves at nine, and the last one back at half past six. "
WITHOUT_EXTRA = (
    "import sys, importlib.util as u; find = u.find_spec\n"
    "u.find_spec = lambda name, *a: None if name == 'uvicorn' else find(name, *a)\n"
)
DEMO = "from es_simhash.cli.main import main; import sys; sys.argv = ['es-simhash', *{}]; main()"


@pytest.fixture
def open_demo(cluster_url: str, client: Any, tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Start the demo of two versions in a terminal."""
    name = f"d{uuid.uuid4().hex[:12]}"
    corpus = tmp_path / f"{name}.jsonl"
    documents = [{"id": "good", "text": TEXT}, {"id": "copy", "text": f"{TEXT} No dogs."}]
    corpus.write_text("".join(json.dumps(each) + "\n" for each in documents))
    opened: list[Terminal] = []

    def start(*options: str, before: str = "") -> Terminal:
        code = before + DEMO.format(["demo", "--corpus", str(corpus), *options])
        environment = {"ELASTICSEARCH_URL": cluster_url, "TERM": "dumb"}
        opened.append(Terminal([sys.executable, "-c", code], environment, tmp_path))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()
    index = f"es-simhash-demo-{name}"
    client.indices.delete(index=f"{index},{index}-simhash", ignore_unavailable=True)


def test_the_explorer_runs_until_it_is_stopped(
    open_demo: Callable[..., Terminal], tmp_path: Path
) -> None:
    terminal = open_demo()
    terminal.read(lambda: "(Ctrl-C stops)" in terminal.shown)
    (address,) = re.findall(
        r"Open (http://127\.0\.0\.1:\d+/explorer/) and choose a", terminal.shown
    )
    assert len(terminal.shown.splitlines()) <= 24
    with urlopen(f"{address}documents/good", timeout=30) as answer:
        page = answer.read().decode()
    assert TEXT.strip() in page
    assert "One of 2 versions" in page
    with urlopen(f"{address}overview", timeout=30) as answer:
        assert "100% of these 2 documents are versions of others" in answer.read().decode()
    assert not list(tmp_path.glob("*.html"))
    before = len(terminal.shown)
    terminal.type(b"\x03")
    assert terminal.end() == 0
    after = terminal.shown[before:]
    assert "is kept." in after
    assert "related es-simhash-demo-" in after
    assert after.splitlines()[-1].startswith(
        "In an index that you have: `es-simhash install INDEX`"
    )
    assert "Traceback" not in terminal.shown


def test_a_report_can_be_written_as_well(
    open_demo: Callable[..., Terminal], tmp_path: Path
) -> None:
    terminal = open_demo("--html", "mine.html")
    terminal.read(lambda: "(Ctrl-C stops)" in terminal.shown)
    assert "are versions of others: mine.html" in terminal.shown
    assert (tmp_path / "mine.html").stat().st_size > 1_000
    terminal.type(b"\x03")
    assert terminal.end() == 0


def test_without_the_extra_it_says_what_to_install_and_writes_the_report(
    open_demo: Callable[..., Terminal], tmp_path: Path
) -> None:
    terminal = open_demo(before=WITHOUT_EXTRA)
    assert terminal.end() == 0
    said = f"To explore it in a browser: {install_command('service')}."
    assert [line for line in terminal.shown.splitlines() if "[service]" in line] == [said]
    (file,) = tmp_path.glob("es-simhash-demo-*.html")
    assert file.name in terminal.shown
