"""The commands, the Python and the requests of the pages under docs/, on a real engine.

What other tests run is listed in tests/test_page_blocks.py, and what nobody runs, with the reason.
"""

import json
import re
import shlex
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash import Index, find_families, ingest, install
from es_simhash.cli.main import cli
from es_simhash.engine.connection import connect
from scripts.build_site import ROOT
from tests.support.made_up_texts import make_text, revise
from tests.support.page_blocks import Block, blocks

pytestmark = pytest.mark.cluster

PAGES = (
    *("backfill", "changes", "copies", "deduplicate", "families", "ingest", "passages", "report"),
    *("sweep", "json"),
)
# Lines that run until they are stopped; tests/sync stops such sweeps.
ENDLESS = re.compile(r"sweep .*--every|^tail ")
# Blocks that show another index than the one here, by the beginning of their first line.
OTHER_INDEX = ("$ es-simhash family policies",)
# What was done before, by pages that say how it is taken back.
BEFORE = {"deduplicate": "es-simhash dismiss articles 17 42"}
RUN = re.compile(r"\b[0-9a-f]{12}\b")
HARBOUR = [
    each
    for line in (ROOT / "es_simhash/data/sample/corpus.jsonl").read_text("utf-8").splitlines()
    if (each := json.loads(line))["id"].startswith("en-harbour-v")
]


def documents() -> list[dict[str, Any]]:
    """Return the documents that the pages name, of two publishers."""
    article = make_text(1, 300)
    texts = {
        "17": article,
        "42": revise(article, 2, 0.05),
        "99": make_text(3, 120),
        "104": make_text(4, 120),
        "A": make_text(5, 120),
        "B": revise(make_text(5, 120), 6, 0.05),
        "-draft": make_text(7, 120),
        "terms/2021 final": revise(make_text(7, 120), 8, 0.05),
    }
    made_up = [
        {"id": id, "text": text, "published": f"2024-0{n + 1}-01", "publisher": "Ox"[n % 2 :]}
        for n, (id, text) in enumerate(texts.items())
    ]
    harbour = [
        {
            "id": each["id"],
            "text": each["text"],
            "published": f"2024-02-{n + 10}",
            "lang": "en",
            "publisher": "Harbour",
        }
        for n, each in enumerate(HARBOUR)
    ]
    return [*made_up, *harbour]


def new_documents(seed: int) -> list[dict[str, Any]]:
    """Return documents to ingest: versions of those in the index, of each other, and a conflict."""
    texts = [revise(each["text"], 50, 0.03) for each in documents()[:2]]
    first = make_text(seed)
    # The longer and newer one replaces the other.
    texts += [first, f"{first} {make_text(seed + 1, 12)}", make_text(seed + 2), make_text(seed + 3)]
    ids = [f"new-{seed}-{n}" for n in range(len(texts))]
    ids[-1] = ids[-2]
    return [
        {"id": id, "text": text, "published": f"2025-01-{n + 10}", "publisher": "Ox"}
        for n, (id, text) in enumerate(zip(ids, texts, strict=True))
    ]


@pytest.fixture(scope="module")
def cluster_client(cluster_url: str) -> Iterator[Any]:
    with connect(cluster_url) as client:
        yield client


@pytest.fixture(scope="module")
def articles(cluster_client: Any) -> Iterator[str]:
    """The index of the pages, filled, with families."""
    name = f"test-{uuid.uuid4().hex}"
    install(cluster_client, name)
    assert all(outcome.ok for outcome in ingest(cluster_client, name, documents()))
    cluster_client.indices.refresh(index=name)
    find_families(cluster_client, name)
    cluster_client.indices.refresh(index=name)
    yield name
    for index in (name, f"{name}-simhash", f"{name}-near", f"{name}-near-simhash"):
        cluster_client.indices.delete(index=index, ignore_unavailable=True)


class Desk:
    """A folder with the files that the pages name, in which their blocks are run in order."""

    def __init__(self, client: Any, index: str) -> None:
        self.client, self.index = client, index
        self.run = ""
        texts = {name: make_text(20 + n, 80) for n, name in enumerate(("draft", "a", "terms-2020"))}
        texts["source"] = revise(texts["draft"], 3, 0.1)
        texts["b"] = revise(texts["a"], 3, 0.1)
        texts["terms-2021"] = revise(texts["terms-2020"], 3, 0.1)
        for name, text in texts.items():
            Path(f"{name}.txt").write_text(text, "utf-8")

    def put(self, documents: list[dict[str, Any]]) -> None:
        """Write the file that the pages ingest."""
        lines = "".join(json.dumps(each) + "\n" for each in documents)
        Path(f"{self.index}.jsonl").write_text(lines, "utf-8")

    def here(self, text: str) -> str:
        """Return a line with the names of this index and of the last run."""
        text = re.sub(r"\barticles\b", self.index, text)
        return RUN.sub(self.run, text) if self.run else text

    def type(self, line: str) -> str:
        """Type a line; it succeeds, and what it prints is returned."""
        words = shlex.split(self.here(line))
        target = None
        for sign in (">", ">>"):
            if sign in words:
                target = words[words.index(sign) + 1]
                words = words[: words.index(sign)]
        if words[0] != "es-simhash":
            done = subprocess.run(["bash", "-c", self.here(line)], capture_output=True, text=True)
            assert done.returncode == 0, (line, done.stderr)
            return done.stdout
        result = CliRunner().invoke(cli, words[1:], catch_exceptions=False)
        assert result.exit_code == 0, (line, result.output)
        if target:
            Path(target).write_text(result.stdout, "utf-8")
            assert result.stdout
        if found := re.search(r"\(run ([0-9a-f]{12})\)", result.output):
            self.run = found[1]
        return result.output

    def send(self, method: str, path: str, body: str) -> Any:
        """Send a request; it succeeds."""
        target = "/" + self.here(path).lstrip("/")
        kind = "application/x-ndjson" if path.endswith(("_bulk", "_msearch")) else None
        headers = {"accept": "application/json", "content-type": kind or "application/json"}
        answer = self.client.perform_request(method, target, headers=headers, body=self.here(body))
        return answer.body

    def execute(self, code: str, names: dict[str, Any]) -> None:
        """Run Python; the names it assigns are there for the next block."""
        exec(compile(self.here(code), "<page>", "exec"), names)


@pytest.fixture
def desk(
    cluster_client: Any,
    cluster_url: str,
    articles: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Desk:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    # What a page shows of a table is as wide as a page.
    monkeypatch.setenv("COLUMNS", "120")
    return Desk(cluster_client, articles)


def masked(line: str) -> str:
    """Return a line without the figures, names of runs and files that differ from run to run."""
    line = re.sub(r"\b[0-9a-f]{12}\b|\(…\)|\(run …\)|\(run \w*\)|\([^()]*/s[^()]*\)", "#", line)
    line = re.sub(r"\S+\.audit\.jsonl", "FILE", line)
    return re.sub(r"[\d,.]*\d", "#", line).rstrip()


def run_block(desk: Desk, block: Block, names: dict[str, Any]) -> None:
    """Run a block; what a session shows is printed."""
    if block.request is not None:
        desk.send(*block.request)
    elif block.language == "python":
        desk.execute(block.body, names)
    elif block.language == "console":
        for command, shown in block.outputs():
            if ENDLESS.search(command):
                continue
            printed = [masked(line) for line in desk.type(command).splitlines()]
            for line in shown:
                assert masked(line) in printed, (command, line, printed)
    else:
        for command in block.commands:
            desk.type(command)


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run(page: str, desk: Desk) -> None:
    index = Index(desk.client, desk.index)
    changed = ("en-harbour-v1", "en-harbour-v2")
    names: dict[str, Any] = {
        "client": desk.client,
        "batches": [[{"id": "p", "text": make_text(70), "published": "2025-01-01"}]],
        "changes": index.changes(*changed),
        "relation": index.explain(*changed),
        "timeline": index.timeline(*changed, date_field="published"),
    }
    # Texts that no other page has written.
    desk.put(new_documents(1000 + 10 * PAGES.index(page)))
    if page in BEFORE:
        desk.type(BEFORE[page])
    for block in blocks(f"docs/{page}.md"):
        if block.is_run and not block.body.startswith(OTHER_INDEX):
            run_block(desk, block, names)
