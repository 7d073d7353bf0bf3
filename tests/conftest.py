"""Fixtures for all tests: an engine, a client, an index name, the data sets."""

import gc
import importlib
import os
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NoReturn

# Before numpy is imported: threads of its linear algebra wait for each other in a loop, which takes
# several times the processor time where other processes of the tests have the cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# As a whole: where a command of a test imports it first, it lacks what others use.
import elasticsearch  # noqa: F401
import hypothesis
import pytest

from es_simhash.errors import EsSimhashError, InputError
from scripts.local_node import node
from scripts.local_node.engine import Engine, choose_source, find_engine
from scripts.local_node.server import OPTIONS_VARIABLE
from tests.support.datasets import data_folder
from tests.support.engine_tests import select_for, tested_engine, tested_product
from tests.support.grouped_tests import GroupedTests
from tests.support.groups import GROUPS
from tests.support.shared_node import leased

# Fixtures of several rooms; those of one room are in its conftest.
pytest_plugins = [
    "tests.support.aliases",
    "tests.support.browser",
    "tests.support.built_site",
    "tests.support.company_news",
    "tests.support.corpus",
    "tests.support.data_streams",
    "tests.support.desk",
    "tests.support.discarded_indices",
    "tests.support.documents",
    "tests.support.labelled_index",
    "tests.support.library",
    "tests.support.painless",
    "tests.support.proxy",
    "tests.support.shelf",
    "tests.support.service",
    "tests.support.swept",
]

# Machines that run tests are shared: a slow example is no failure. Examples are not kept on disk.
for profile, examples in {"tests": 25, "all": 60}.items():
    hypothesis.settings.register_profile(
        profile, deadline=None, database=None, max_examples=examples
    )
hypothesis.settings.load_profile("tests")

TESTS = Path(__file__).parent
PRODUCT = tested_product()
TESTS_NODE = "tests" if tested_engine() == "elasticsearch" else f"tests-{tested_engine()}"
# A node of the tests does not live long enough to profit from the optimising compiler, which takes
# half of its processor time, and has too small a heap for a collector of several threads.
_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:-UseG1GC -XX:+UseSerialGC"
if sys.platform == "linux":
    # Some 5 % less processor time for the requests of tests; the start takes a second more.
    _OPTIONS += " -XX:+UseTransparentHugePages"
os.environ.setdefault(OPTIONS_VARIABLE, _OPTIONS)
# Where the shards of a single node go needs no plan; an index then takes a fifth less to create.
# Nor does anybody need what is written of indices for a node that lost its state.
NODE_SETTINGS: dict[str, object] = (
    {
        "cluster.routing.allocation.type": "balanced",
        "gateway.write_dangling_indices_info": False,
    }
    if PRODUCT == "elasticsearch"
    else {}
)
ENGINE = pytest.StashKey[str]()
NO_DATA = "needs the evaluation data"


# Each file runs in one process; those that take longest begin, so that none is left for the end.
# While the first one waits for the engine to start, the next two need none.
LONGEST = (
    "tests/maintenance/families/test_find_families.py",
    "tests/differences/test_known_versions.py",
    "tests/test_fuzz.py",
    "tests/test_readme_typed.py",
    "tests/test_install_lines.py",
    "tests/examples/test_django.py",
    "tests/store/test_pipeline.py",
    "tests/peers/test_peers.py",
    "tests/cli/test_privileges.py",
    "tests/service/explorer/test_explorer_browser.py",
    "tests/widget/test_reach.py",
    "tests/maintenance/families",
    "tests/ingestion/test_routing.py",
    "tests/ingestion/deduplication",
    "tests/scripts/test_local_node.py",
    "tests/maintenance/sweeps",
    "tests/docker",
    "tests/pages",
    "tests/test_site.py",
    "tests/test_tutorials.py",
    "tests/test_wheel_without_lab.py",
    "tests/widget",
    "tests/cli/test_ingest_command.py",
    "tests/questions",
    "tests/ingestion",
    "tests/maintenance",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all", action="store_true", help="run every group of tests (tests/support/groups.py)"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--all"):
        hypothesis.settings.load_profile("all")
    grouped = GroupedTests(config, GROUPS, TESTS / "groups.json", engine=tested_engine())
    config.pluginmanager.register(grouped, "grouped_tests")


def pytest_collection(session: pytest.Session) -> None:
    """Import a share of the modules first, where several processes run them all.

    Each process would compile every one of them otherwise, as all begin with the same.
    """
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if processes == 1 or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    number = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
    grouped: GroupedTests = session.config.pluginmanager.get_plugin("grouped_tests")
    paths = [path for path in TESTS.rglob("test_*.py") if not grouped.leaves_out(path)]
    for path in sorted(paths)[number::processes]:
        # What cannot be imported is said when it is collected.
        with suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if tested_engine() != "elasticsearch":
        select_for(tested_engine(), config, items)

    def place(item: pytest.Item) -> int:
        beginnings = (n for n, path in enumerate(LONGEST) if item.nodeid.startswith(path))
        return next(beginnings, len(LONGEST))

    items.sort(key=place)


def pytest_collection_finish() -> None:
    # All that was collected stays to the end: not to be looked through for garbage again and again.
    gc.freeze()
    # Nor is what tests make after every 700 objects: some 8 % less processor time.
    gc.set_threshold(100_000, 50, 100)


def pytest_report_header() -> str:
    return f"engine of the cluster tests: {choose_source(PRODUCT)}"


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    # Said again at the end: with -q, which our configuration sets, pytest prints no header.
    if ENGINE in config.stash:
        terminalreporter.write_line(f"cluster tests ran on {config.stash[ENGINE]}")
    skipped = terminalreporter.stats.get("skipped", [])
    if count := sum(NO_DATA in str(report.longrepr) for report in skipped):
        terminalreporter.write_line(
            f"{count} tests need the evaluation data and were skipped; see CONTRIBUTING.md"
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    # A process of several says which engine it used; see `pytest_testnodedown`.
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["engine"] = session.config.stash.get(ENGINE, "")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    if engine := getattr(node, "workeroutput", {}).get("engine"):
        node.config.stash[ENGINE] = engine


def _without_cluster(reason: str) -> NoReturn:
    if os.environ.get("ES_SIMHASH_REQUIRE_CLUSTER") == "1":
        pytest.fail(f"ES_SIMHASH_REQUIRE_CLUSTER=1, but: {reason}", pytrace=False)
    pytest.skip(f"no Elasticsearch: {reason}")


@pytest.fixture(scope="session")
def without_cluster() -> Callable[[str], NoReturn]:
    """Skip a test that needs an engine, or fail it with ES_SIMHASH_REQUIRE_CLUSTER=1."""
    return _without_cluster


@pytest.fixture(scope="session")
def cluster_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """URL of an engine; one that was started for the tests is stopped with the last session."""
    with ExitStack() as stack:
        try:
            lease = leased(TESTS_NODE, _start_engine, _stop_engine)
            engine = stack.enter_context(lease)
        except EsSimhashError as error:
            _without_cluster(str(error))
        request.config.stash[ENGINE] = str(engine)
        yield engine.url


def _start_engine() -> tuple[Engine, bool]:
    engine = find_engine(
        tested_engine(), name=TESTS_NODE, heap="1g", in_memory=True, settings=NODE_SETTINGS
    )
    return engine, engine.started


def _stop_engine() -> None:
    engine = find_engine(tested_engine(), name=TESTS_NODE)
    engine.stop()
    if engine.source == "local node":
        node.remove(TESTS_NODE)


@pytest.fixture
def client(cluster_url: str) -> Iterator[Any]:
    """An Elasticsearch client, closed after the test."""
    from es_simhash.store.elasticsearch.connection import connect

    with connect(cluster_url) as connected:
        yield connected


@pytest.fixture
def index_name(discard: Callable[..., None]) -> Iterator[str]:
    """A name no other test has; an index that the test makes of it is deleted with its state."""
    name = f"test-{uuid.uuid4().hex}"
    yield name
    discard(name, f"{name}-simhash", f"{name}-near", f"{name}-near-simhash")


@pytest.fixture
def requests_of(client: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The requests the client sends from here on, as `POST /_msearch`; they are still sent."""
    sent: list[str] = []
    perform = client.transport.perform_request

    def recording(method: str, target: str, **more: Any) -> Any:
        sent.append(f"{method} {target.partition('?')[0]}")
        return perform(method, target, **more)

    monkeypatch.setattr(client.transport, "perform_request", recording)
    return sent


@pytest.fixture
def open_tmp_path() -> Iterator[Path]:
    """A temporary folder that every user may enter; pytest's own is closed to others."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        yield folder


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the data sets: ES_SIMHASH_DATA, or shared/data beside the repository."""
    try:
        return data_folder()
    except InputError as error:
        pytest.skip(f"{NO_DATA}: {error}")
