"""Undoing, and deciding, on an index that weighs a vocabulary."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash.cli.main import cli
from es_simhash.errors import InputError
from es_simhash.ingestion.deduplication.version_policy import VersionPolicy
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest
from es_simhash.ingestion.undo import undo
from es_simhash.semantics.semantic_profile import VOCABULARY_PREFIX, concept_term
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.semantics.vocabularies.vocabulary_files import vocabulary_digest
from es_simhash.store.config import IndexConfig
from es_simhash.store.installation.install import install
from tests.support.desk import Desk

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


@pytest.fixture
def vocabulary(tmp_path: Path) -> Path:
    """A vocabulary of one concept."""
    path = tmp_path / "vocabulary.txt"
    path.write_text("interest rate, base rate\n")
    return path


@pytest.fixture
def weighing(client: Any, index_name: str, vocabulary: Path, tmp_path: Path) -> Desk:
    """An index that weighs the vocabulary."""
    digest = vocabulary_digest(str(vocabulary))
    install(client, index_name, semantics=SemanticScheme("builtin", "none", vocabulary=digest))
    return Desk(client, index_name, tmp_path)


@pytest.fixture
def documents(make_text: Make, revise: Make) -> list[dict[str, Any]]:
    """A text that has the concept, and a version of it."""
    text = f"The base rate was raised. {make_text(1)}"
    return [{"_id": "a", "text": text}, {"_id": "b", "text": revise(text, 3)}]


@pytest.fixture
def decide(
    weighing: Desk, vocabulary: Path, documents: list[dict[str, Any]]
) -> Callable[[str], None]:
    """Ingest the documents with an action."""

    def ingest_all(action: str) -> None:
        rules = OnVersion(action, audit=weighing.audit, lose=1)  # type: ignore[arg-type]
        config = IndexConfig(vocabulary=str(vocabulary))
        outcomes = ingest(
            weighing.client, weighing.name, documents, on_version=rules, config=config
        )
        assert all(outcome.ok for outcome in outcomes)

    return ingest_all


def call_undo(weighing: Desk, cluster_url: str, *options: object) -> Any:
    line = ["undo", weighing.name, str(weighing.audit), *map(str, options), "--url", cluster_url]
    return CliRunner().invoke(cli, line)


@pytest.mark.parametrize("action", ["skip", "replace"])
def test_documents_are_restored_with_the_concepts_of_the_vocabulary(
    weighing: Desk, decide: Any, vocabulary: Path, cluster_url: str, action: str
) -> None:
    decide(action)
    done = call_undo(weighing, cluster_url, "--vocabulary", vocabulary)
    assert done.exit_code == 0, done.output
    assert "Restored 1, already present 0" in done.output
    assert set(weighing.documents()) == {"a", "b"}
    concept = VOCABULARY_PREFIX + concept_term("interest rate")
    query = {"term": {"simhash.concepts": {"value": concept, "boost": 1.0}}}
    hits = weighing.client.search(index=weighing.name, query=query)["hits"]["hits"]
    assert {hit["_id"] for hit in hits} == {"a", "b"}


def test_without_the_vocabulary_nothing_is_undone_and_the_option_is_named(
    weighing: Desk, decide: Any, cluster_url: str
) -> None:
    decide("skip")
    done = call_undo(weighing, cluster_url)
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("but none was given. Set --vocabulary.\n")
    assert set(weighing.documents()) == {"a"}


def test_another_vocabulary_is_named(
    weighing: Desk, decide: Any, cluster_url: str, tmp_path: Path
) -> None:
    decide("skip")
    other = tmp_path / "other.txt"
    other.write_text("ferry, boat\n")
    done = call_undo(weighing, cluster_url, "--vocabulary", other)
    assert done.exit_code == 1
    assert f"but {other} was given. Set --vocabulary." in done.stderr
    assert set(weighing.documents()) == {"a"}


def test_flags_are_removed_without_the_vocabulary(weighing: Desk, decide: Any) -> None:
    decide("flag")
    assert weighing.marks()["b"]
    assert undo(weighing.client, weighing.name, weighing.audit).unmarked == 1
    assert not any(weighing.marks().values())


def test_a_policy_without_the_vocabulary_does_not_open(
    weighing: Desk, documents: list[dict[str, Any]]
) -> None:
    rules = OnVersion("skip", audit=weighing.audit, lose=1)
    with (
        pytest.raises(InputError, match="none was given") as raised,
        VersionPolicy(weighing.client, weighing.name, rules),
    ):
        pytest.fail("a policy that can decide nothing was opened")
    assert raised.value.parameter == "vocabulary"
    assert not weighing.audit.exists()
    assert not weighing.client.indices.exists(index=f"{weighing.name}-simhash")


def test_a_policy_with_the_vocabulary_decides(
    weighing: Desk, documents: list[dict[str, Any]], vocabulary: Path
) -> None:
    rules = OnVersion("skip", audit=weighing.audit, lose=1)
    config = IndexConfig(vocabulary=str(vocabulary))
    with VersionPolicy(weighing.client, weighing.name, rules, config=config) as policy:
        assert [decision.action for decision in policy.decide(documents)] == ["write", "skip"]
