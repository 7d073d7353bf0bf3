"""`es-simhash demo` on a corpus of the user."""

import json
import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests.cli.conftest import Run
from tests.support.pages import Page

pytestmark = pytest.mark.cluster

TEXT = "The ferry to the island leaves at nine, and the last one back at half past six. "
GOOD = {"id": "good", "text": TEXT}
COPY = {"id": "copy", "text": TEXT + "No dogs."}


@pytest.fixture
def corpus(index_name: str, tmp_path: Path, discard: Callable[..., None]) -> Iterator[Path]:
    """A corpus, not written yet, whose index is deleted afterwards."""
    yield tmp_path / f"{index_name}.jsonl"
    index = f"es-simhash-demo-{index_name}"
    discard(index, f"{index}-simhash")


@pytest.fixture
def demo(
    run: Run, corpus: Path, cluster_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Run:
    """Run the demo on the corpus, in a folder of its own."""
    monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    monkeypatch.chdir(tmp_path)
    return lambda *options: run("demo", "--corpus", corpus, *options)


def write(corpus: Path, *documents: Any) -> None:
    corpus.write_text("".join(json.dumps(each) + "\n" for each in documents), encoding="utf-8")


def test_relations_are_shown(demo: Run, corpus: Path) -> None:
    write(corpus, GOOD, COPY)
    done = demo()
    assert (done.status, done.err) == (0, "")
    assert "2 written, 0 unchanged, 0 failed." in done.out
    assert "2 documents queried: 1 " in done.out
    assert "related es-simhash-demo-" in done.out
    # Where nobody looks at a browser, the report of the families is written.
    (file,) = corpus.parent.glob("es-simhash-demo-*.html")
    assert f"100% of these 2 documents are versions of others: {file.name}" in done.out
    Page(file.read_text("utf-8")).require_harmless()


def test_failed_documents_are_in_the_file_it_names(demo: Run, corpus: Path) -> None:
    write(corpus, GOOD, COPY, {"id": "bad", "text": 5})
    done = demo()
    assert done.status == 1
    assert "2 documents queried: 1 " in done.out
    (file,) = corpus.parent.glob("*.dead-letter.jsonl")
    assert done.err == f"Error: 1 document failed. See {file.name} for the reasons.\n"
    (failed,) = file.read_text(encoding="utf-8").splitlines()
    assert "Field 'text' holds int" in failed


def test_a_corpus_of_failures_alone_shows_no_relations(demo: Run, corpus: Path) -> None:
    write(corpus, {"id": "bad", "text": 5})
    done = demo()
    assert done.status == 1
    assert "queried" not in done.out
    assert "No document of " in done.err


def test_the_sample_fits_on_one_screen_of_80_columns(
    demo: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    sample = files("es_simhash") / "data" / "sample" / "corpus.jsonl"
    corpus.write_bytes(sample.read_bytes())
    done = demo()
    assert (done.status, done.err) == (0, "")
    printed = done.out.splitlines()
    assert len(printed) <= 24
    # The second line, and the last two, have the name of an index that is longer than the sample's.
    assert all(cell_len(line) <= 80 for line in printed[2:-3])
    for kind in ("exact", "version", "contains", "excerpt_of", "shares_passages", "semantic"):
        assert sum(line.startswith(f"{kind}: score ") for line in printed) == 1
    # Of the many pairs that share passages, one of which a reader sees why it is no version.
    (shares,) = (re.findall(r"(\d+)%", line) for line in printed if "ssages: " in line)
    assert max(map(int, shares)) < 80
    # Documents are shown by title and date; what is to be typed is of one that was shown.
    id = re.search(r"--id (\S+)", printed[-2])[1]
    assert [
        line for line in printed if re.search(rf"^  [A-Z].*, \d{{4}}-\d\d-\d\d \({id}\)$", line)
    ]


@pytest.mark.parametrize("columns", ["30", "80"])
def test_ids_are_never_cut(
    demo: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    long = ("minutes-of-the-district-council/" * 4, "minutes-of-the-district-council/" * 5)
    write(corpus, *({**GOOD, "id": id} for id in long))
    monkeypatch.setenv("COLUMNS", columns)
    lines = [line.strip() for line in demo().out.splitlines()]
    assert set(long) <= set(lines)


def test_passages_of_wide_ids_are_aligned(demo: Run, corpus: Path) -> None:
    text = "台风于周日清晨登陆，港口的起重机倒塌，两名码头工人受轻伤，消防部门表示。" * 3
    write(corpus, {"id": "港口-1", "text": text}, {"id": "p1", "text": text})
    sides = [line for line in demo().out.splitlines() if "台风于" in line]
    assert len({cell_len(line[: line.index("台风于")]) for line in sides}) == 1
    assert len(sides) == 2
    assert all(cell_len(line) <= 80 for line in sides)


def test_control_characters_steer_no_terminal(demo: Run, corpus: Path) -> None:
    write(corpus, {"id": "a\x1b[2J", "text": TEXT}, {"id": "[bold]b", "text": f"\x1b[31m{TEXT}"})
    out = demo().out
    assert "\x1b" not in out
    assert "[bold]b" in out


def test_titles_are_shown_where_there_is_a_field_of_them(demo: Run, corpus: Path) -> None:
    write(corpus, {**GOOD, "titel": "Fähre zur Insel"}, {**COPY, "titel": "Fähre und Hunde"})
    done = demo()
    assert (done.status, done.err) == (0, "")
    assert "  Fähre zur Insel (good)\n" in done.out
    assert "  Fähre und Hunde (copy)\n" in done.out


def test_a_cluster_that_no_command_finds_by_itself_is_named(
    demo: Run, cluster_url: str, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(corpus, GOOD, COPY)
    export = f"export ELASTICSEARCH_URL={cluster_url}"
    assert export not in demo().out
    monkeypatch.delenv("ELASTICSEARCH_URL")
    done = demo("--url", cluster_url)
    is_default = cluster_url in ("http://localhost:9200", "http://127.0.0.1:9200")
    assert (export in done.out) is not is_default
    assert "--url" not in done.out


def test_the_report_is_written_and_named(demo: Run, corpus: Path) -> None:
    write(corpus, GOOD, COPY)
    done = demo("--html", "report.html")
    assert (done.status, done.err) == (0, "")
    assert "100% of these 2 documents are versions of others: report.html" in done.out.splitlines()
    Page((corpus.parent / "report.html").read_text("utf-8")).require_harmless()
    again = demo("--html", "no/such/folder.html")
    assert (again.status, again.out) == (1, "")
    assert "Name another file. Set --html." in again.err
