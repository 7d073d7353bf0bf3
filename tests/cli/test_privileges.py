"""docs/privileges.md, tried on a node with security and TLS: it names enough, and no more."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import pytest
from click.testing import CliRunner

from es_simhash.cli.main import cli
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.families.dismissals_and_joins import dismiss
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.semantics.background import MIN_DOCUMENTS
from es_simhash.store.config import IndexConfig
from es_simhash.store.installation.install import install
from scripts import build_opensearch_roles
from scripts.build_opensearch_roles import opensearch_role
from scripts.local_node import node
from scripts.local_node.java import NodeError
from tests.support import engine_tests
from tests.support.certificates import behind_https
from tests.support.company_news import notices
from tests.support.made_up_texts import make_text, revise
from tests.support.page_blocks import blocks
from tests.support.secured_node import ADMIN, PASSWORD, Secured, secured_node
from tests.support.secured_opensearch import secured_opensearch

pytestmark = pytest.mark.cluster

ROLES = Path(__file__).parents[2] / "mappings" / "roles"
PAGE = (Path(__file__).parents[2] / "docs" / "privileges.md").read_text("utf-8")
INDEX, STATE, SIDECAR = "articles", "articles-simhash", "articles-near"
DEMO, TRIAL = "es-simhash-demo", "es-simhash-plan-*"
# The role that has what the API key of the page has.
API_KEY = "api-key"
# One that may not ask which engine answers.
WITHOUT_ROOT = "without-root"
PRODUCT = engine_tests.tested_product()
# The node with security is one of the product that is tested.
of_elasticsearch = pytest.mark.skipif(PRODUCT != "elasticsearch", reason="of Elasticsearch")
of_opensearch = pytest.mark.skipif(PRODUCT != "opensearch", reason="make test ENGINE=opensearch-2")
TEXT = make_text(1, 200)
DOCUMENTS = [
    {"id": "1", "text": TEXT},
    {"id": "2", "text": revise(TEXT, 2, 0.05, first=40)},
    {"id": "3", "text": make_text(3, 200)},
]
STRANGER = {"id": "5", "text": make_text(5, 200)}
NEW = {"id": "4", "text": revise(TEXT, 4, 0.05, first=40)}


@dataclass(frozen=True)
class Case:
    """A command, the row of its privileges, and the state in which it is run.

    What the row says only in its last column is given here: the privileges on other indices, and
    those on the index and on INDEX-simhash where they differ then.
    """

    row: str
    arguments: tuple[str, ...]
    state: str = "ingested"
    on_index: tuple[str, ...] | None = None
    on_state: tuple[str, ...] | None = None
    elsewhere: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def documented(row: str) -> list[list[str]]:
    """Return the privileges that the page names for a command: on INDEX, on INDEX-simhash."""
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and row in re.findall(r"`([^`]+)`", cells[0]):
            return [re.findall(r"`([^`]+)`", cell) for cell in cells[1:3]]
    raise AssertionError(f"no row for {row}")


CASES = {
    "related": Case("related", ("related", INDEX, "--id", "1")),
    "explain": Case("explain", ("explain", INDEX, "1", "2")),
    "family": Case("family", ("families", "show", INDEX, "1"), "families"),
    "related-sidecar": Case(
        "related",
        ("related", SIDECAR, "--id", "1"),
        "sidecar",
        on_index=("read",),
        elsewhere={SIDECAR: ("read", "view_index_metadata")},
    ),
    "families-list": Case("family", ("families", "list", INDEX), "families"),
    "families-decisions": Case("families decisions", ("families", "decisions", INDEX), "families"),
    "changes": Case("changes", ("changes", INDEX, "1", "2")),
    "history": Case("changes", ("changes", INDEX, "--family", "1"), "families"),
    "blame": Case("blame", ("blame", INDEX, "1"), "families"),
    "evaluate": Case("evaluate --index", ("lab", "evaluate", "labelled.tsv", "--index", INDEX)),
    "label": Case("label", ("lab", "label", INDEX, "--labels", "pairs.tsv")),
    "doctor": Case("doctor", ("doctor", INDEX)),
    "tune": Case("tune", ("lab", "tune", INDEX)),
    "status": Case("status", ("status", INDEX)),
    "background": Case("background", ("background", INDEX), "many"),
    "install-new": Case("install", ("install", INDEX), "missing"),
    "install": Case("install", ("install", INDEX), "plain"),
    "config": Case("config", ("config", INDEX, "--text-field", "text")),
    "ingest": Case("ingest", ("ingest", INDEX, "new.jsonl")),
    "on-version": Case(
        "ingest --on-version", ("ingest", INDEX, "new.jsonl", "--on-version", "flag")
    ),
    "undo": Case("undo", ("undo", INDEX, "skipped.jsonl"), "skipped"),
    "upgrade": Case("upgrade", ("upgrade", INDEX), "older"),
    "uninstall": Case("uninstall", ("uninstall", INDEX, "--yes"), "families"),
    "uninstall-one-field": Case(
        "uninstall",
        ("uninstall", INDEX, "--yes", "--simhash-field", "other"),
        "two fields",
        on_state=("view_index_metadata", "read", "write"),
    ),
    "backfill": Case("backfill", ("backfill", INDEX), "installed"),
    "backfill-sidecar": Case(
        "backfill --sidecar",
        ("backfill", INDEX, "--sidecar", SIDECAR),
        "plain",
        elsewhere={SIDECAR: ("manage", "read", "write")},
    ),
    "families": Case("families", ("families", "run", INDEX)),
    "dismiss": Case("dismiss", ("families", "dismiss", INDEX, "1", "2")),
    "same": Case("same", ("families", "same", INDEX, "1", "2")),
    "serve": Case("serve", ("serve", INDEX, "--check"), "families"),
    "copies": Case("copies", ("copies", INDEX), "families"),
    "pairs": Case("pairs", ("pairs", INDEX), "families"),
    "report": Case("report", ("report", INDEX, "--html", "report.html"), "families"),
    "plan": Case(
        "plan",
        ("plan", "--sample", "new.jsonl", "--text-field", "text", "--documents", "1000"),
        elsewhere={TRIAL: ("manage", "read", "write")},
    ),
    "plan-index": Case(
        "plan",
        ("plan", "--sample", INDEX, "--documents", "1000"),
        on_index=("read", "view_index_metadata"),
    ),
    "demo": Case(
        "demo",
        ("demo",),
        elsewhere={
            DEMO: ("manage", "read", "write"),
            f"{DEMO}-simhash": ("create_index", "view_index_metadata", "read", "write"),
        },
    ),
    "sweep": Case("sweep", ("sweep", INDEX)),
}


def by_state(name: str) -> str:
    """Return what brings the commands of a state together."""
    return CASES[name].state


def granted(case: Case) -> dict[str, list[str]]:
    """Return the privileges of a case, by index."""
    on_index, on_state = documented(case.row)
    on_index = on_index if case.on_index is None else list(case.on_index)
    on_state = on_state if case.on_state is None else list(case.on_state)
    elsewhere = {name: list(privileges) for name, privileges in case.elsewhere.items()}
    every = {INDEX: on_index, STATE: on_state, **elsewhere}
    return {name: privileges for name, privileges in every.items() if privileges}


def lacking() -> list[tuple[str, str, str]]:
    """Return each privilege of each case, to be dropped: case, index, privilege."""
    return [
        (name, index, privilege)
        for name in sorted(CASES, key=by_state)
        for index, privileges in granted(CASES[name]).items()
        for privilege in privileges
    ]


def lacking_each() -> list[tuple[str, str, str]]:
    """Return one case for each privilege."""
    return list({case[2]: case for case in lacking()}.values())


def role(privileges: dict[str, list[str]]) -> dict[str, Any]:
    indices = [{"names": [name], "privileges": each} for name, each in privileges.items() if each]
    return {"indices": indices}


def shipped(row: str) -> Any:
    """Return the role of a row as it is shipped, for the index of these tests."""
    return json.loads((ROLES / role_of_row(row)).read_text("utf-8").replace("INDEX", INDEX))


def role_of_row(row: str) -> str:
    return f"{row.replace(' --index', '').replace(' --', '-').replace(' ', '-')}.json"


def shipped_file(name: str) -> str:
    """Return the role of a case as an error names it."""
    return f"mappings/roles/{role_of_row(CASES[name].row)}"


def role_name(*parts: str) -> str:
    return "-".join(parts)


def roles() -> dict[str, Any]:
    made = {role_name(name): role(granted(case)) for name, case in CASES.items()}
    (request,) = (block.request for block in blocks("docs/privileges.md") if block.request)
    made[API_KEY] = json.loads(request[2])["role_descriptors"]["related"]
    # What some options need of the cluster, beside the role of their command on the index.
    beside = {
        "load": granted(CASES["backfill"]),
        "pipelines": {},
        "synonyms": granted(CASES["related"]),
        "templates": {},
    }
    for name, on_index in beside.items():
        more = json.loads((ROLES / "more" / f"{name}.json").read_text("utf-8"))
        made[name] = {**role(on_index), **more}
    for name, index, privilege in lacking():
        privileges = granted(CASES[name])
        privileges[index] = [each for each in privileges[index] if each != privilege]
        made[role_name(name, index, privilege)] = role(privileges)
    return made


def opensearch_roles() -> dict[str, Any]:
    """Return the roles of all cases as OpenSearch takes them, and of some what they lack."""
    made = {role_name(name): opensearch_role(role(granted(case))) for name, case in CASES.items()}
    for name, index, privilege in lacking_each():
        whole = opensearch_role(role(granted(CASES[name])))
        some = granted(CASES[name])
        some[index] = [each for each in some[index] if each != privilege]
        less = opensearch_role(role(some))
        # What a privilege is on the cluster cannot be had for one index alone.
        made[role_name(name, index, privilege)] = {**whole, **_on_indices(less)}
    unknown = opensearch_role(role(granted(CASES["related"])))
    made[WITHOUT_ROOT] = {**unknown, "cluster_permissions": ["cluster_composite_ops_ro"]}
    return made


def _on_indices(role: dict[str, Any]) -> dict[str, Any]:
    return {"index_permissions": role["index_permissions"]}


@pytest.fixture(scope="module")
def secured(without_cluster: Callable[[str], NoReturn]) -> Iterator[Secured]:
    """A node with security, of the product that is tested."""
    with ExitStack() as stack:
        try:
            engine = stack.enter_context(
                secured_node(roles())
                if PRODUCT == "elasticsearch"
                else secured_opensearch(opensearch_roles())
            )
        except NodeError as error:
            without_cluster(str(error))
        yield engine


@pytest.fixture(scope="module")
def administrator(secured: Secured) -> Iterator[Any]:
    with secured.connect(ADMIN) as client:
        yield client


@dataclass
class Present:
    """The state that was brought about, and how the indices were when it was."""

    state: str = ""
    indices: Any = None
    audit_log: bytes = b""


@pytest.fixture(scope="module")
def present(secured: Secured) -> Present:
    return Present()


def written(admin: Any) -> Any:
    """Return what changes with each write to the indices, their mappings and their settings."""
    every: Any = {"index": f"{INDEX}*", "expand_wildcards": "all"}
    numbers = "indices.*.shards.*.seq_no"
    stats = admin.indices.stats(**every, metric="docs", level="shards", filter_path=numbers)
    return stats.body, admin.indices.get(**every).body


@pytest.fixture
def prepare(
    administrator: Any, tmp_path: Path, monkeypatch: Any, present: Present
) -> Callable[[str], None]:
    """Bring the index into a state, as the administrator."""
    monkeypatch.chdir(tmp_path)
    Path("new.jsonl").write_text(f"{json.dumps(NEW)}\n{json.dumps(STRANGER)}\n", "utf-8")
    Path("labelled.tsv").write_text("1\t2\t1\n1\t3\t0\n", "utf-8")
    admin = administrator

    def bring(name: str) -> None:
        state = CASES[name].state
        admin.indices.delete(index=[DEMO, f"{DEMO}-simhash"], ignore_unavailable=True)
        # A command that only reads leaves it as it is, and so does most that is not allowed to.
        if state != present.state or written(admin) != present.indices:
            make(state)
            present.state, present.indices = state, written(admin)
        if state == "skipped":
            Path("skipped.jsonl").write_bytes(present.audit_log)

    def make(state: str) -> None:
        admin.indices.delete(index=[INDEX, STATE, SIDECAR], ignore_unavailable=True)
        if state == "missing":
            return
        if state in ("plain", "installed", "sidecar"):
            for document in DOCUMENTS:
                admin.index(index=INDEX, id=document["id"], document={"text": document["text"]})
            admin.indices.refresh(index=INDEX)
        if state == "sidecar":
            assert all(each.ok for each in backfill(admin, INDEX, sidecar=SIDECAR))
            admin.indices.refresh(index=SIDECAR)
        elif state != "plain":
            install(admin, INDEX, scheme=[Scheme(blocks=16 if state == "older" else 8).name])
        if state in ("ingested", "families", "two fields", "skipped", "many", "older"):
            several = [{"id": id, "text": text} for id, text in notices(MIN_DOCUMENTS).items()]
            documents = several if state == "many" else DOCUMENTS
            assert all(each.ok for each in ingest(admin, INDEX, documents))
            admin.indices.refresh(index=INDEX)
        if state == "families":
            find_families(admin, INDEX)
            admin.indices.refresh(index=INDEX)
        if state == "two fields":
            install(admin, INDEX, simhash_field="other")
            other = IndexConfig(simhash_field="other")
            assert all(each.ok for each in backfill(admin, INDEX, config=other))
            dismiss(admin, INDEX, "1", "2")
            dismiss(admin, INDEX, "1", "2", simhash_field="other")
        if state == "skipped":
            rules = OnVersion("skip", audit="skipped.jsonl", lose=1)
            (outcome,) = ingest(admin, INDEX, [NEW], on_version=rules)
            assert outcome.status == "skipped"
            present.audit_log = Path("skipped.jsonl").read_bytes()
            # As where another cluster has the log; undo creates it.
            admin.indices.delete(index=STATE)

    return bring


@pytest.fixture
def run_as(secured: Secured) -> Callable[..., Any]:
    """Run the command of a case as a user."""

    def run(case: Case, user: str) -> Any:
        return CliRunner().invoke(cli, case.arguments, env=secured.connection(user))

    return run


def test_every_row_is_tried() -> None:
    table = PAGE.split("| command |")[1].split("\n\n")[0]
    rows = {
        row for line in table.splitlines() for row in re.findall(r"`([^`]+)`", line.split("|")[1])
    }
    assert rows == {case.row for case in CASES.values()}


def test_the_role_of_each_row_is_shipped_and_has_what_is_tried() -> None:
    rows = {case.row: case for case in reversed(CASES.values())}
    assert {row: shipped(row) for row in rows} == {
        row: role(granted(case)) for row, case in rows.items()
    }
    assert len(list(ROLES.glob("*.json"))) == len(rows)


def test_the_roles_in_the_form_of_opensearch_are_shipped() -> None:
    made = dict(build_opensearch_roles.files())
    assert {path: path.read_text("utf-8") for path in made} == made
    assert sorted(made) == sorted((ROLES / "opensearch").glob("*.json"))


@pytest.mark.parametrize("name", sorted(CASES, key=by_state))
def test_the_documented_privileges_are_enough(
    name: str, prepare: Callable[[str], None], run_as: Callable[..., Any]
) -> None:
    prepare(name)
    done = run_as(CASES[name], role_name(name))
    assert done.exit_code == 0, done.output


@of_elasticsearch
def test_the_certificate_of_the_node_is_verified(
    prepare: Callable[[str], None], secured: Secured
) -> None:
    prepare("related")
    known = secured.connection(role_name("related"))
    for environment, status in ((known, 0), ({**known, "ES_SIMHASH_CA_CERTS": ""}, 1)):
        done = CliRunner().invoke(cli, CASES["related"].arguments, env=environment)
        assert done.exit_code == status, done.output
    assert "untrusted certificate. Set --ca-certs." in done.stderr
    # Another process of the tests, which finds the node, connects as this one.
    running = node.find("secured")
    assert running is not None
    assert running.url == secured.url


@of_elasticsearch
def test_the_privileges_of_the_api_key_on_the_page_are_enough_for_related(
    prepare: Callable[[str], None], run_as: Callable[..., Any]
) -> None:
    # The node of the tests has the privileges as a role: it cannot make API keys.
    prepare("related")
    done = run_as(CASES["related"], API_KEY)
    assert done.exit_code == 0, done.output


@of_elasticsearch
def test_a_synonyms_set_is_read_with_a_privilege_of_its_own(
    prepare: Callable[[str], None], run_as: Callable[..., Any]
) -> None:
    prepare("related")
    asked = (*CASES["related"].arguments, "--vocabulary", "synonyms:banks")
    # The node of the tests cannot store a set: with the privilege, the answer is "does not exist".
    for user, sentence in (
        (role_name("related"), "Grant manage_search_synonyms, "),
        ("synonyms", "Synonyms set 'banks' does not exist."),
    ):
        done = run_as(Case("related", asked), user)
        assert done.exit_code == 1, done.output
        assert sentence in done.stderr


@of_elasticsearch
def test_a_pipeline_is_installed_with_a_privilege_of_its_own(run_as: Callable[..., Any]) -> None:
    install_it = Case("", ("pipeline", "--install"))
    # The node of the tests has no scripts: with the privilege, it says so.
    for user, words in ((role_name("related"), "manage_ingest_pipelines"), ("pipelines", "script")):
        done = run_as(install_it, user)
        assert done.exit_code == 1, done.output
        assert words in done.stderr


@of_elasticsearch
def test_how_busy_the_nodes_are_is_read_with_a_privilege_of_its_own(
    prepare: Callable[[str], None], run_as: Callable[..., Any]
) -> None:
    bound = Case("", (*CASES["backfill"].arguments, "--max-load", "99"))
    prepare("backfill")
    refused, done = (run_as(bound, user) for user in (role_name("backfill"), "load"))
    assert refused.exit_code == 1, refused.output
    assert "Grant the cluster privilege monitor, " in refused.stderr
    assert done.exit_code == 0, done.output


@of_elasticsearch
def test_a_template_is_installed_with_a_privilege_of_its_own(run_as: Callable[..., Any]) -> None:
    install_it = Case("", ("install", "--component-template"))
    refused, done = (run_as(install_it, user) for user in (role_name("install"), "templates"))
    assert refused.exit_code == 1, refused.output
    assert "manage_index_templates" in refused.stderr
    assert done.exit_code == 0, done.output


@of_elasticsearch
@pytest.mark.parametrize(("name", "index", "privilege"), lacking())
def test_without_one_of_them_one_sentence_says_so(
    name: str,
    index: str,
    privilege: str,
    administrator: Any,
    prepare: Callable[[str], None],
    run_as: Callable[..., Any],
) -> None:
    prepare(name)
    if (index, privilege) == (STATE, "read") and CASES[name].state != "families":
        # An index that does not exist is not read.
        find_families(administrator, INDEX)
    done = run_as(CASES[name], role_name(name, index, privilege))
    assert done.exit_code == 1, done.output
    assert isinstance(done.exception, SystemExit)
    (sentence,) = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert privilege in sentence
    assert sentence.endswith(f"The role of this command is the file {shipped_file(name)}.")


@of_opensearch
@pytest.mark.parametrize(("name", "index", "privilege"), lacking_each())
def test_without_one_of_them_opensearch_is_quoted(
    name: str,
    index: str,
    privilege: str,
    prepare: Callable[[str], None],
    run_as: Callable[..., Any],
) -> None:
    prepare(name)
    done = run_as(CASES[name], role_name(name, index, privilege))
    assert done.exit_code == 1, done.output
    assert isinstance(done.exception, SystemExit)
    (sentence,) = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    if "no permissions for [" in sentence:
        role = f"mappings/roles/opensearch/{role_of_row(CASES[name].row)}"
        assert sentence.endswith(f"The role of this command is the file {role}.")
    else:
        assert privilege in sentence


@of_opensearch
def test_who_may_not_ask_which_engine_answers_is_told_the_permission(
    prepare: Callable[[str], None], run_as: Callable[..., Any]
) -> None:
    prepare("related")
    done = run_as(CASES["related"], WITHOUT_ROOT)
    assert done.exit_code == 1, done.output
    assert "no permissions for [cluster:monitor/main]" in done.stderr


@of_opensearch
def test_a_user_is_let_in_behind_https(
    prepare: Callable[[str], None], secured: Secured, tmp_path: Path
) -> None:
    prepare("related")
    with behind_https(secured.url, tmp_path) as proxy:
        proxy.product = "opensearch"
        address = proxy.url.replace("http:", "https:")
        command = ["related", INDEX, "--id", "1", "--url", address, "--user", role_name("related")]
        trusted = [*command, "--ca-certs", str(tmp_path / "http_ca.crt")]
        password = {"ES_SIMHASH_PASSWORD": PASSWORD}
        done = CliRunner().invoke(cli, trusted, env=password)
        assert done.exit_code == 0, done.output
