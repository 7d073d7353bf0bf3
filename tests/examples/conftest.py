"""The index of the demo, and programs that are started as the READMEs of the examples say."""

import json
import os
import re
import shlex
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.support.browser import Tabs, require_accessible_in_layouts
from tests.support.filled_index import filled_index
from tests.support.processes import running
from tests.support.widget_answers import attacking, sample

ROOT = Path(__file__).parents[2]
KEY = "a-key-that-only-the-server-has"
# In the order of their READMEs: the service, and the site.
PORTS = ("8000", "8080")


def documents() -> Iterator[dict[str, Any]]:
    """Yield the documents of the demo, and versions of one that would run scripts as markup."""
    yield from sample()
    yield from ({**document, "lang": "en"} for document in attacking())


@pytest.fixture(scope="session")
def demo_index(cluster_url: str) -> Iterator[str]:
    """An index as `make demo` leaves it, with these documents."""
    from es_simhash.store.installation.document_settings import configure
    from es_simhash.store.installation.proposal import propose_settings

    with filled_index(cluster_url, documents()) as (client, name):
        configure(client, name, propose_settings(client, name).to_meta())
        yield name


def commands(example: str) -> list[str]:
    """Return the lines of the first block of an example's README, without the set-up."""
    readme = (ROOT / "examples" / example / "README.md").read_text("utf-8")
    block = re.findall(r"^```sh\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)[0]
    lines = [line.partition("  #")[0].strip() for line in block.splitlines()]
    assert lines[0] == "make demo && source .venv/bin/activate"
    set_up = ("make ", "pip ", "export ")
    return [line for line in lines if not line.startswith(set_up)]


def free_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


Site = Callable[..., dict[str, str]]


@pytest.fixture(scope="module")
def site(
    cluster_url: str, demo_index: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """Start an example by the commands of its README, on free ports; returns the addresses."""
    with ExitStack() as stack:

        def start(example: str) -> dict[str, str]:
            folder = tmp_path_factory.mktemp("site")
            ports = dict(zip(PORTS, (free_port(), free_port()), strict=True))
            copied = folder / "examples" / example
            _copy(ROOT / "examples" / example, copied, ports)
            shutil.copytree(ROOT / "widget", folder / "widget")
            articles = "\n".join(map(json.dumps, documents()))
            (folder / "articles.jsonl").write_text(articles, "utf-8")
            environment = {
                **os.environ,
                "ELASTICSEARCH_URL": cluster_url,
                "ARTICLES": str(folder / "articles.jsonl"),
                "NEWS_INDEX": demo_index,
                "RELATED_KEY": KEY,
                "RELATED_URL": f"http://127.0.0.1:{ports['8000']}",
                "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
            }
            for line in commands(example):
                line = line.replace("es-simhash-demo", demo_index)
                line = line.replace(f"examples/{example}", str(copied))
                words = shlex.split(_with_ports(line, ports).removesuffix("&"))
                program = {"es-simhash": "es_simhash", "flask": "flask"}.get(words[0])
                if words[0] != "npm":
                    words = [sys.executable, *(["-m", program] if program else []), *words[1:]]
                if words[2:4] == ["es_simhash", "serve"]:
                    words += ["--port", ports["8000"]]
                log = stack.enter_context((folder / "log").open("a"))
                process = stack.enter_context(running(words, env=environment, stderr=log))
                if any(port in words for port in ports.values()):
                    port = next(port for port in ports.values() if port in words)
                    _wait(process, f"http://127.0.0.1:{port}/", folder / "log")
                else:
                    assert process.wait(300) == 0, (folder / "log").read_text()
            return {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}

        yield start


def _copy(source: Path, target: Path, ports: dict[str, str]) -> None:
    """Copy an example, with ports that are free here and a longer time for the service."""
    for file in source.rglob("*"):
        if file.is_file() and not {"__pycache__", "node_modules"} & set(file.parts):
            copied = target / file.relative_to(source)
            copied.parent.mkdir(parents=True, exist_ok=True)
            text = _with_ports(file.read_text("utf-8"), ports)
            # Machines that run tests are shared: what a reader would not wait for is waited for.
            copied.write_text(re.sub(r"\btimeout=2\b", "timeout=60", text), "utf-8")


def _with_ports(text: str, ports: dict[str, str]) -> str:
    for documented, free in ports.items():
        text = re.sub(rf"(?<=[: ]){documented}\b", free, text)
    return text


def _wait(process: Any, address: str, log: Path) -> None:
    """Wait until something answers, whatever its status."""
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            urlopen(address, timeout=5).close()
            return
        except OSError as error:
            if hasattr(error, "code"):
                return
            time.sleep(0.1)
    raise AssertionError(log.read_text())


@pytest.fixture
def visit(tabs: Tabs) -> Iterator[Callable[..., Any]]:
    """Open a page; errors of its scripts, and requests to other places, fail the test."""
    with ExitStack() as stack:
        errors: list[str] = []

        def note_error(said: Any) -> None:
            if said.type == "error" and "favicon" not in str(said.location):
                errors.append(said.text)

        def note_request(sent: Any) -> None:
            if not sent.url.startswith("http://127.0.0.1:"):
                errors.append(sent.url)

        listeners = {
            "pageerror": lambda error: errors.append(str(error)),
            "console": note_error,
            "request": note_request,
        }

        def open_page(
            address: str, *, scripts: bool = True, width: int = 1280, dark: bool = False
        ) -> Any:
            look = {"color_scheme": "dark" if dark else "light"}
            tab = tabs.open(size=(width, 900), look=look, scripts=scripts, on=listeners)
            page = stack.enter_context(tab)
            page.set_default_timeout(15_000)
            page.goto(address)
            return page

        yield open_page
        assert errors == []


@pytest.fixture
def require_accessible_at(tabs: Tabs) -> Callable[..., None]:
    """Check an address with axe-core in four layouts."""

    def check(address: str, *, waits_for: str = "body") -> None:
        # axe-core is a script, which the policies of the pages forbid.
        with tabs.open(size=(320, 800), bypass_csp=True) as page:
            page.goto(address)
            page.locator(waits_for).first.wait_for()
            require_accessible_in_layouts(page)

    return check


@pytest.fixture
def closed_address() -> str:
    """An address where nothing listens."""
    return f"http://127.0.0.1:{free_port()}"
