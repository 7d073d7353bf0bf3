"""Document- and field-level security: what a user may not read is in no answer of any command."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NoReturn

import pytest
from click.testing import CliRunner

from es_simhash.cli.main import cli
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.families.dismissals_and_joins import dismiss
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.store.installation.document_settings import configure
from es_simhash.store.installation.install import install
from scripts.local_node.java import NodeError
from tests.support.made_up_texts import make_text, revise
from tests.support.secured_node import ADMIN, Secured, secured_node

pytestmark = pytest.mark.cluster

BOTH, OWN = "of-both-tenants", "of-one-tenant"
AUDIT = "decisions"
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
    # Sees all fields but one, which is the title of answers.
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
QUOTED = " ".join(STORY.split()[100:140])
VERSIONS = {
    "1": STORY,
    "2": revise(STORY, 2),
    "3": revise(STORY, 3),
    "4": f"{make_text(5, 200)} {QUOTED}",
}
# Of the other tenant: copies, versions, excerpts and neighbours of what the first one has.
FOREIGN = {
    "b1": STORY,
    "b2": revise(STORY, 4),
    "b3": " ".join(STORY.split()[:80]),
    "b4": f"{make_text(9, 200)} {QUOTED}",
}
# What compares all documents, and what it says of those of the other tenant to who may read them.
WHOLE_INDEX = {
    ("pairs", "{}"): '"b1"',
    # For the tenant, the quoted passage is in too few families for boilerplate.
    ("copies", "{}", "--boilerplate", "3", "--format", "json"): "of b",
    ("report", "{}", "--copies", "--html", "report.html"): "of b",
}
Run = Callable[..., Any]


def documents(texts: dict[str, str], tenant: str) -> Iterator[dict[str, str]]:
    for number, (id, text) in enumerate(texts.items(), 1):
        notes = f"{SECRET} note on {id} of {tenant}"
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
    configure(client, name, {"title": "notes", "date": "date", "within": "tenant"})
    flagging = OnVersion("flag", audit=f"index:{AUDIT}")
    for tenant in tenants:
        copy = {**next(documents({f"{tenant}-copy": STORY}, tenant)), "date": "2024-01-01"}
        assert all(outcome.ok for outcome in ingest(client, name, [copy], on_version=flagging))
    client.indices.refresh(index=name)
    find_families(client, name)
    client.indices.refresh(index=name)


@pytest.fixture(scope="module")
def secured(without_cluster: Callable[[str], NoReturn]) -> Iterator[Secured]:
    """A node with the users, and both indices."""
    with ExitStack() as stack:
        try:
            node = stack.enter_context(secured_node(ROLES, "secured-documents"))
        except NodeError as error:
            without_cluster(str(error))
        admin = stack.enter_context(node.connect(ADMIN))
        # Without one, the server knows no security of documents and fields.
        admin.license.post_start_trial(acknowledge=True)
        fill(admin, BOTH, {"a": VERSIONS, "b": FOREIGN})
        fill(admin, OWN, {"a": VERSIONS})
        dismiss(admin, BOTH, "b1", "b3")
        yield node


@pytest.fixture
def run_as(secured: Secured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command as a user, who has no journal of another one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path))
    return lambda user, *arguments: CliRunner().invoke(cli, arguments, env=secured.connection(user))


@pytest.fixture
def answer_to(run_as: Run) -> Callable[..., str]:
    """Run a command over an index as a user; return what it prints and writes, but for the time."""

    def answer(user: str, index: str, *arguments: str) -> str:
        done = run_as(user, *(argument.format(index) for argument in arguments))
        assert done.exit_code == 0, done.output
        text: str = done.stdout.replace(index, "INDEX")
        if "report.html" in arguments:
            page = Path("report.html").read_text("utf-8").replace(index, "INDEX")
            text += re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d \w+", "", page)
        return text

    return answer


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
        ("status", "{}", "--format", "json"),
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


@pytest.mark.parametrize(("arguments", "foreign"), WHOLE_INDEX.items())
def test_what_is_found_in_a_whole_index_is_of_the_documents_that_may_be_read(
    arguments: tuple[str, ...], foreign: str, answer_to: Callable[..., str]
) -> None:
    of_both, of_one, of_all = (
        # Which document of a pair a report draws first depends on all that were written.
        sorted(re.split(r"(?=<)", answer_to(user, index, *arguments)))
        for user, index in (("tenant", BOTH), ("tenant", OWN), (ADMIN, BOTH))
    )
    assert of_both == of_one
    assert foreign not in "".join(of_both)
    assert foreign in "".join(of_all)


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


def test_a_count_is_of_what_may_be_read(answer_to: Callable[..., str]) -> None:
    for user, documents, families, duplicates in (("tenant", 5, 2, 1), (ADMIN, 10, 4, 2)):
        status = json.loads(answer_to(user, BOTH, "status", "{}", "--format", "json"))
        counts = (status["documents"], status["families"], status["duplicates"])
        assert counts == (documents, families, duplicates), status


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


def test_a_field_that_may_not_be_read_is_in_nothing_found_in_a_whole_index(
    answer_to: Callable[..., str],
) -> None:
    for arguments in WHOLE_INDEX:
        allowed, denied = (answer_to(user, BOTH, *arguments) for user in (ADMIN, "clerk"))
        assert SECRET not in denied
        # Pairs have no titles.
        assert (SECRET in allowed) is (arguments[0] != "pairs")
