"""An index of made-up texts, and the commands that look at it."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from tests.support.made_up_texts import WORDS


def text(seed: int, words: int = 60) -> str:
    """Return a text that has nothing in common with that of another seed."""
    chosen = random.Random(seed)
    return " ".join(chosen.choice(WORDS) for _ in range(words)) + "."


@pytest.fixture
def make_text() -> Callable[..., str]:
    """Make a text by its seed and number of words."""
    return text


@pytest.fixture
def put(client: Any, index_name: str) -> Callable[..., str]:
    """Write texts by id with their fields, into the index of the test; gives its name."""

    def write(texts: dict[str, str], *, semantics: bool = False) -> str:
        from es_simhash.ingestion.ingest import ingest
        from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
        from es_simhash.store.installation.install import install

        install(client, index_name, semantics=DEFAULT_SEMANTICS if semantics else None)
        documents = ({"id": id, "text": each} for id, each in texts.items())
        outcomes = list(ingest(client, index_name, documents))
        assert all(each.ok for each in outcomes)
        client.indices.refresh(index=index_name)
        return index_name

    return write


@pytest.fixture
def bulk(client: Any, index_name: str) -> Callable[..., None]:
    """Write documents as another program does, as they are."""

    def write(documents: dict[str, dict[str, Any]], **action: Any) -> None:
        lines: list[dict[str, Any]] = []
        for id, document in documents.items():
            lines += [{"index": {"_id": id, **action}}, document]
        answer = client.bulk(index=index_name, operations=lines, refresh=True)
        assert not answer["errors"], answer

    return write


@pytest.fixture
def command(cluster_url: str) -> Callable[..., tuple[int, Any]]:
    """Run a command of the command line with `--format json`; give exit status and answer."""
    from es_simhash.cli.main import cli

    def run(*arguments: str) -> tuple[int, Any]:
        line = [*arguments, "--url", cluster_url, "--format", "json"]
        done = CliRunner().invoke(cli, line)
        return done.exit_code, json.loads(done.stdout)

    return run
