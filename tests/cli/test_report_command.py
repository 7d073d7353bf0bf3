"""`es-simhash report` as a user calls it."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.made_up_texts import make_text
from tests.support.pages import Page

pytestmark = pytest.mark.cluster


@pytest.fixture
def index(client: Any, index_name: str) -> str:
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.store.installation.install import install

    install(client, index_name, semantics=None)
    texts = [make_text(1), make_text(1), make_text(2)]
    documents = [{"id": f"d{number}", "text": text} for number, text in enumerate(texts)]
    assert all(outcome.ok for outcome in ingest(client, index_name, documents))
    client.indices.refresh(index=index_name)
    return index_name


def test_the_file_is_written_and_named(call: Any, index: str, tmp_path: Path) -> None:
    assert call("families", "run", index).status == 0
    done = call("report", index, "--html", "report.html")
    assert (done.status, done.err) == (0, "")
    assert done.out == "67% of these 3 documents are versions of others: report.html\n"
    Page((tmp_path / "report.html").read_text("utf-8")).require_harmless()


def test_errors_are_one_sentence_and_leave_a_file_as_it_was(
    call: Any, index: str, tmp_path: Path
) -> None:
    (tmp_path / "old.html").write_text("old")
    assert "absent" in call("report", f"{index}-absent", "--html", "old.html").refusal()
    assert (tmp_path / "old.html").read_text() == "old"
    assert not (tmp_path / "new.html").exists()
    assert call("report", f"{index}-absent", "--html", "new.html").refusal()
    assert not (tmp_path / "new.html").exists()
    assert "Name another file." in call("report", index, "--html", "no/such/folder.html").refusal()
    assert (
        "Set --date-field." in call("report", index, "--html", "a", "--date-field", "x").refusal()
    )
    assert "--html" in call("report", index).wrong_usage()
    assert "0" in call("report", index, "--html", "a", "--max-seconds", "0").wrong_usage()
