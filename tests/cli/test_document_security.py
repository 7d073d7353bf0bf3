"""Document- and field-level security: what a user may not read is in no answer of any command."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, NoReturn

import pytest
from click.testing import CliRunner

from es_simhash.cli.main import cli
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.families.dismissals_and_joins import dismiss
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.installation.document_settings import configure
from es_simhash.store.installation.install import install
from scripts.local_node.java import NodeError
from tests.support.made_up_texts import make_text, revise
from tests.support.secured_node import ADMIN, PASSWORD, secured_node

pytestmark = pytest.mark.cluster

BOTH, OWN = "of-both-tenants", "of-one-tenant"
SECRET = "undisclosed"
READS = ["read", "view_index_metadata"]
ROLES = {
    # Sees the documents of its tenant alone, of one index of both tenants or of its own.
    "tenant": {
        "indices": [
            {"names": [BOTH], "privileges": READS, "query": {"term": {"tenant": "a"}}},
            {"names": [OWN, f"{OWN}-simhash", f"{BOTH}-simhash"], "privileges": READS},
        ]
    },
    # Sees all fields but one.
    "clerk": {
        "indices": [
            {
                "names": [BOTH],
                "privileges": READS,
                "field_security": {"grant": ["*"], "except": ["notes"]},
            },
            {"names": [f"{BOTH}-simhash"], "privileges": READS},
        ]
    },
}
STORY = make_text(1, 240)
VERSIONS = {"1": STORY, "2": revise(STORY, 2), "3": revise(STORY, 3)}
# Of the other tenant: copies, versions, excerpts and neighbours of what the first one has.
FOREIGN = {
    "b1": STORY,
    "b2": revise(STORY, 4),
    "b3": " ".join(STORY.split()[:80]),
    "b4": make_text(9, 200) + " " + " ".join(STORY.split()[100:140]),
}
Run = Callable[..., Any]


def documents(texts: dict[str, str], tenant: str) -> Iterator[dict[str, str]]:
    for number, (id, text) in enumerate(texts.items(), 1):
        notes = f"{SECRET} note of {tenant}"
        date = f"2026-01-{number:02}" if tenant == "a" else f"2025-01-{number:02}"
        title = f"Story {id} of {tenant}"
        yield {
            "id": id, "text": text, "tenant": tenant, "title": title, "date": date, "notes": notes,
        }  # fmt: skip


def fill(client: Any, name: str, tenants: dict[str, dict[str, str]]) -> None:
    """Write the documents of tenants, in families of each tenant by itself."""
    properties = {"tenant": {"type": "keyword"}, "date": {"type": "date"}}
    client.indices.create(index=name, mappings={"properties": properties})
    install(client, name)
    written = [each for tenant, texts in tenants.items() for each in documents(texts, tenant)]
    assert all(outcome.ok for outcome in ingest(client, name, written))
    client.indices.refresh(index=name)
    configure(client, name, {"title": "title", "date": "date", "within": "tenant"})
    find_families(client, name)
    client.indices.refresh(index=name)


@pytest.fixture(scope="module")
def url(without_cluster: Callable[[str], NoReturn]) -> Iterator[str]:
    """Address of a node with the users, and both indices."""
    with ExitStack() as stack:
        try:
            url = stack.enter_context(secured_node(ROLES, "secured-documents"))
        except NodeError as error:
            without_cluster(str(error))
        admin = stack.enter_context(connect(url, user=ADMIN, password=PASSWORD))
        # Without one, the server knows no security of documents and fields.
        admin.license.post_start_trial(acknowledge=True)
        fill(admin, BOTH, {"a": VERSIONS, "b": FOREIGN})
        fill(admin, OWN, {"a": VERSIONS})
        dismiss(admin, BOTH, "b1", "b3")
        yield url


@pytest.fixture
def run_as(url: str) -> Run:
    def run(user: str, *arguments: str) -> Any:
        credentials = {"ES_SIMHASH_USER": user, "ES_SIMHASH_PASSWORD": PASSWORD}
        return CliRunner().invoke(cli, [*arguments, "--url", url], env=credentials)

    return run


@pytest.mark.parametrize(
    "arguments",
    [
        ("related", "{}", "--id", "1", "--format", "json"),
        (
            "related",
            "{}",
            "--id",
            "2",
            "--evidence",
            "--size",
            "50",
            "--min-score",
            "0",
            "--format",
            "json",
        ),
        ("related", "{}", "--text", STORY, "--min-score", "0", "--format", "json"),
        ("explain", "{}", "1", "3", "--format", "json"),
        ("families", "show", "{}", "2", "--format", "json"),
        ("families", "list", "{}", "--format", "json"),
        ("changes", "{}", "1", "2", "--format", "json"),
        ("changes", "{}", "--family", "1", "--format", "json"),
        ("blame", "{}", "1", "--format", "json"),
    ],
)
def test_an_answer_is_that_of_an_index_of_the_documents_that_may_be_read(
    arguments: tuple[str, ...], run_as: Run
) -> None:
    of_both, of_one = (
        run_as("tenant", *(argument.format(name) for argument in arguments)) for name in (BOTH, OWN)
    )
    assert of_both.exit_code == of_one.exit_code == 0, of_both.output
    assert json.loads(of_both.stdout.replace(BOTH, OWN)) == json.loads(of_one.stdout)
    assert "of b" not in of_both.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("related", BOTH, "--id", "b1"),
        ("explain", BOTH, "1", "b1"),
        ("changes", BOTH, "b1", "1"),
        ("families", "show", BOTH, "b1"),
    ],
)
def test_a_document_that_may_not_be_read_is_like_one_that_is_not_there(
    arguments: tuple[str, ...], run_as: Run
) -> None:
    hidden = run_as("tenant", *arguments)
    missing = run_as("tenant", *(each.replace("b1", "b9") for each in arguments))
    assert (hidden.exit_code, hidden.output.replace("b1", "b9")) == (1, missing.output)


def test_a_count_is_of_what_may_be_read(run_as: Run) -> None:
    status = json.loads(run_as("tenant", "status", BOTH, "--format", "json").stdout)
    assert status["documents"] == len(VERSIONS)


def test_a_field_that_may_not_be_read_is_in_no_answer(run_as: Run) -> None:
    for arguments in (
        ("related", BOTH, "--id", "1", "--field", "notes", "--format", "json"),
        ("related", BOTH, "--id", "1", "--field", "*", "--evidence", "--format", "json"),
        ("families", "show", BOTH, "1", "--format", "json"),
    ):
        allowed, denied = run_as(ADMIN, *arguments), run_as("clerk", *arguments)
        assert denied.exit_code == allowed.exit_code == 0, denied.output
        assert SECRET not in denied.output
    assert (
        SECRET
        in run_as(
            ADMIN, "related", BOTH, "--id", "1", "--field", "notes", "--format", "json"
        ).output
    )
