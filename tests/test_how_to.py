"""The pages under docs/how-to lead from an index that people have to what they promise."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple, NoReturn

import pytest

from scripts.build_site import ROOT
from tests.support.clone import reserved_indices
from tests.support.page_blocks import blocks
from tests.support.page_shell import PageShell

pytestmark = pytest.mark.cluster

# The indices of each page, whose names its lines have.
PAGES = {
    "contracts-and-records": ("contracts", "records"),
    "logstash": ("tickets",),
    "retrieval": ("knowledge",),
}


@pytest.fixture(scope="module")
def own_indices(cluster_url: str, without_cluster: Callable[[str], NoReturn]) -> Iterator[None]:
    indices = [index for each in PAGES.values() for index in each]
    names = [name for index in indices for name in (index, f"{index}-simhash")]
    with reserved_indices(cluster_url, names, "how-to", without_cluster):
        yield


@pytest.fixture
def typed(
    own_indices: None,
    client: Any,
    cluster_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[str], PageShell]:
    """Run all blocks of a page, in a folder that has what a clone has."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    monkeypatch.setenv("COLUMNS", "140")
    (tmp_path / "docs").symlink_to(ROOT / "docs")

    def run(page: str) -> PageShell:
        shell = PageShell(client, cluster_url, {})
        for block in blocks(f"docs/how-to/{page}.md"):
            if block.is_run:
                shell.run(block)
        return shell

    return run


def test_the_pages_are_all_here() -> None:
    assert {path.stem for path in (ROOT / "docs" / "how-to").glob("*.md")} == set(PAGES)


def test_contracts_and_records(typed: Callable[[str], PageShell]) -> None:
    page = typed("contracts-and-records")
    check_contracts(page)
    check_records(page)


def check_contracts(page: PageShell) -> None:
    related = page.after("es-simhash related contracts --text-file")
    listed = re.findall(r"│ ([\w-]+) +│ (\w+)", related)
    assert [id for id, kind in listed if kind == "version"] == ["norwick-2023", "norwick-2021"]
    assert ("brightway-2022", "shares_passages") in listed
    clause = page.after("es-simhash related contracts --text ")
    assert re.search(r"│ norwick-2023 │ shares_passages \(verbatim\)[^│]*│ [\d.]+ │ 100% │", clause)
    changes = page.after("es-simhash changes contracts")
    assert "30 → 45" in changes
    assert "traced back to the field" in changes
    assert "2023-03-01" in page.after("es-simhash blame contracts")
    copies = page.after("es-simhash copies contracts")
    assert "brightway-2022" in copies
    assert "norwick-2021" in copies
    assert "dock-road" not in copies


def check_records(page: PageShell) -> None:
    family = page.after("es-simhash families show records pm-1")
    assert set(re.findall(r"(?:pm|em|cf)-\d", family)) == {"pm-1", "em-7", "cf-3"}
    requests = (block.request for block in blocks("docs/how-to/contracts-and-records.md"))
    first, second = (page.answers[request[2]] for request in requests if request)
    groups = first["aggregations"]["works"]["buckets"]
    assert [group["doc_count"] for group in groups] == [3, 2]
    hits = second["hits"]["hits"]
    # The longest of three, the longest of two, and one that is alone.
    assert {hit["_id"] for hit in hits} == {"em-7", "em-9", "em-4"}
    assert "1 written" in page.after("es-simhash ingest records")
    assert "1 skipped" in page.after("es-simhash ingest records")
    (record,) = Path("records.audit.jsonl").read_text("utf-8").splitlines()
    assert json.loads(record)["id"] == "wos-1"


def test_retrieval(
    typed: Callable[[str], PageShell],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    for package in ("langchain_core", "llama_index.core", "haystack"):
        pytest.importorskip(package, reason="the page shows it with libraries of retrieval")
    page = typed("retrieval")
    (request,) = (block.request for block in blocks("docs/how-to/retrieval.md") if block.request)
    assert str(page.answers[request[2]]).count("'_id': 'harbour-v") == 1
    quoted = capsys.readouterr().out
    assert re.search(r"^harbour-v3 excerpt_of \d+ \d+ verbatim$", quoted, re.M)


class Message(NamedTuple):
    """What a consumer of Kafka polls."""

    value: bytes


class Consumer:
    """A consumer with one message, which is stopped when it is asked for more."""

    committed: ClassVar[list[str]] = []

    def __init__(self, topic: str, **options: object) -> None:
        assert options["enable_auto_commit"] is False
        self._left = [{"partition": [Message(json.dumps(POLLED).encode())]}]

    def poll(self, timeout_ms: int) -> dict[str, list[Message]]:
        if not self._left:
            raise KeyboardInterrupt
        return self._left.pop()

    def commit(self) -> None:
        self.committed.append("committed")


class Operator:
    """An operator of Airflow, which notes what runs after it."""

    def __init__(self, task_id: str, bash_command: str, *, append_env: bool) -> None:
        self.command, self.followed = bash_command, [task_id]

    def __rshift__(self, other: "Operator") -> None:
        self.followed += other.followed


POLLED = {"id": "t-9", "message": "Polled: the printer of the second floor is out of paper again."}


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka and Airflow, which are no dependencies."""
    bash = "airflow.providers.standard.operators.bash"
    for name in ("airflow", *(bash[: at.start()] for at in re.finditer(r"\.", bash))):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace())
    modules = {
        "kafka": SimpleNamespace(KafkaConsumer=Consumer),
        bash: SimpleNamespace(BashOperator=Operator),
        "airflow.sdk": SimpleNamespace(DAG=lambda name, **options: nullcontext()),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)


def test_logstash(
    stand_ins: None, typed: Callable[[str], PageShell], client: Any, tmp_path: Path
) -> None:
    page = typed("logstash")
    # What was polled is written before it is committed.
    assert Consumer.committed == ["committed"]
    assert client.get(index="tickets", id="t-9")["_source"]["simhash"]["scheme"]
    # The commands of the DAG are typed in its order.
    assert page.names["sweep"].followed == ["sweep", "report"]
    client.indices.refresh(index="tickets")
    assert "documents processed" in page.type(page.names["sweep"].command)
    assert "versions of others" in page.type(page.names["report"].command)
    assert (tmp_path / "tickets.html").stat().st_size > 1_000
    assert re.search(r"│ t-1 │ version │", page.after("es-simhash related tickets"))
    stored = client.get(index="tickets", id="t-2")["_source"]
    assert stored["simhash"]["duplicate_of"] == "t-1"
    assert stored["host"] == "web-2"
