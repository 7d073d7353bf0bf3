"""`es-simhash demo` on a corpus of the user."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

pytestmark = pytest.mark.cluster

TEXT = "The ferry to the island leaves at nine, and the last one back at half past six. "
GOOD = {"id": "good", "text": TEXT}
COPY = {"id": "copy", "text": TEXT + "No dogs."}


@pytest.fixture
def corpus(client: Any, index_name: str, tmp_path: Path) -> Iterator[Path]:
    """A corpus, not written yet, whose index is deleted afterwards."""
    yield tmp_path / f"{index_name}.jsonl"
    client.indices.delete(index=f"es-simhash-demo-{index_name}", ignore_unavailable=True)


@pytest.fixture
def demo(
    run: Run, corpus: Path, cluster_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Run:
    """Run the demo on the corpus, in a folder of its own."""
    monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    monkeypatch.chdir(tmp_path)
    return lambda: run("demo", "--corpus", corpus)


def write(corpus: Path, *documents: Any) -> None:
    corpus.write_text("".join(json.dumps(each) + "\n" for each in documents), encoding="utf-8")


def test_relations_are_shown(demo: Run, corpus: Path) -> None:
    write(corpus, GOOD, COPY)
    done = demo()
    assert (done.status, done.err) == (0, "")
    assert "2 written, 0 unchanged, 0 failed." in done.out
    assert "2 documents queried: 1 " in done.out
    assert "related es-simhash-demo-" in done.out


def test_failed_documents_are_in_the_file_it_names(demo: Run, corpus: Path) -> None:
    write(corpus, GOOD, COPY, {"id": "bad", "text": 5})
    done = demo()
    assert done.status == 1
    assert "2 documents queried: 1 " in done.out
    (file,) = corpus.parent.glob("*.dead-letter.jsonl")
    assert done.err == f"Error: 1 documents failed. See {file.name} for the reasons.\n"
    (failed,) = file.read_text(encoding="utf-8").splitlines()
    assert "Field 'text' holds int" in failed


def test_a_corpus_of_failures_alone_shows_no_relations(demo: Run, corpus: Path) -> None:
    write(corpus, {"id": "bad", "text": 5})
    done = demo()
    assert done.status == 1
    assert "queried" not in done.out
    assert "No document of " in done.err
