"""`es-simhash uninstall` shows, asks, and removes."""

import json
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from es_simhash import Index
from tests.cli.conftest import Run
from tests.support.made_up_texts import make_text
from tests.support.terminal import Terminal

pytestmark = pytest.mark.cluster


@pytest.fixture
def name(client: Any, discard: Any) -> str:
    name = f"test-{uuid.uuid4().hex}"
    discard(name, f"{name}-simhash")
    index = Index(client, name)
    index.install()
    assert all(each.ok for each in index.ingest([{"id": "1", "text": make_text(1, 60)}]))
    client.indices.refresh(index=name)
    return name


def fields_of(client: Any, name: str) -> Any:
    return client.get(index=name, id="1")["_source"]["simhash"]


def test_a_dry_run_shows_the_requests_and_sends_none(call: Run, client: Any, name: str) -> None:
    done = call("uninstall", name, "--dry-run")
    assert done.status == 0
    assert f"whose fields would be removed: 1.\nPUT /{name}/_mapping\n" in done.out
    assert '"_meta"' in done.out
    assert "to remove them, re-index" in done.out
    assert json.dumps(fields_of(client, name))


def test_without_a_terminal_yes_is_needed(call: Run, client: Any, name: str) -> None:
    assert "Give --yes" in call("uninstall", name).refusal()
    assert fields_of(client, name)
    done = call("uninstall", name, "--yes")
    assert done.status == 0, done
    assert done.out.startswith(f"Took the fields from 1 document of index '{name}'.\n")
    assert fields_of(client, name) is None
    assert "has no fingerprint fields" in call("related", name, "--id", "1").refusal()


@pytest.mark.long
def test_an_answer_other_than_yes_removes_nothing(
    client: Any, cluster_url: str, name: str, tmp_path: Path
) -> None:
    code = (
        "from es_simhash.cli.main import main; import sys; sys.argv = ['es-simhash', *{}]; main()"
    )
    typed = code.format(["uninstall", name, "--url", cluster_url])
    terminal = Terminal([sys.executable, "-c", typed], {"TERM": "dumb"}, tmp_path)
    terminal.read(lambda: "[y/N]: " in terminal.shown)
    terminal.type(b"n\n")
    assert terminal.end() == 1
    assert terminal.shown.splitlines()[-1] == "Nothing was removed."
    assert fields_of(client, name)


def test_an_index_that_is_missing_is_one_sentence(call: Run) -> None:
    assert "test-nothing" in call("uninstall", "test-nothing", "--yes").refusal()
