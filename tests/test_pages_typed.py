"""The commands, the Python and the requests of the pages under docs/, on a real engine.

What other tests run is listed in tests/test_page_blocks.py, and what nobody runs, with the reason.
"""

import gzip
import json
import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import jwt
import pytest

from es_simhash import Index, SearchOptions
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.store.installation.install import install
from scripts.build_site import ROOT
from tests.support.filled_index import filled_index
from tests.support.made_up_texts import make_text, revise
from tests.support.page_blocks import Block, blocks
from tests.support.page_shell import PageShell

pytestmark = pytest.mark.cluster

PAGES = (
    *("backfill", "changes", "families", "passages", "report", "ingest"),
    *("json", "evaluate", "methods"),
)
# Lines that run until they are stopped; tests/maintenance/sweeps stops such sweeps.
ENDLESS = re.compile(r"sweep .*--every|^tail ")
# Blocks that show another index than the one here, by the beginning of their first line.
OTHER_INDEX = ("$ es-simhash families show policies",)
# What was done before, by pages that say how it is taken back.
BEFORE = {"ingest": "es-simhash families dismiss articles 17 42"}
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
def articles(cluster_url: str) -> Iterator[str]:
    """The index of the pages, filled, with families."""
    with filled_index(cluster_url, documents()) as (client, name):
        find_families(client, name)
        client.indices.refresh(index=name)
        yield name


def write_files(index: str, new: list[dict[str, Any]]) -> None:
    """Write the files that the pages name into the current folder."""
    texts = {name: make_text(20 + n, 80) for n, name in enumerate(("draft", "a", "terms-2020"))}
    for name, version in (("draft", "source"), ("a", "b"), ("terms-2020", "terms-2021")):
        texts[version] = revise(texts[name], 3, 0.1)
    for name, text in texts.items():
        Path(f"{name}.txt").write_text(text, "utf-8")
    lines = "".join(json.dumps(each) + "\n" for each in new)
    Path(f"{index}.jsonl").write_text(lines, "utf-8")
    rows = "".join(f"{n},{make_text(90 + n, 40)},2023-01-01\n" for n in range(3))
    Path("export.csv.gz").write_bytes(gzip.compress(f"Nr,Content,published\n{rows}".encode()))
    write_labelled("pairs", "texts", {each["id"]: each["text"] for each in documents()})
    for seed, name in ((60, "laws"), (80, "news")):
        originals = {f"{name}-{n}": make_text(seed + n, 80) for n in range(4)}
        revised = {f"{id}-v2": revise(text, 7, 0.1) for id, text in originals.items()}
        write_labelled(name, name, originals | revised)


def write_labelled(pairs: str, texts: str, documents: dict[str, str]) -> None:
    """Write texts, and pairs of each with the next; those of one original are versions."""
    lines = (json.dumps({"id": id, "text": text}) for id, text in documents.items())
    Path(f"{texts}.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    words = {id: set(text.split()) for id, text in documents.items()}
    labelled = (
        f"{one}\t{other}\t{int(len(words[one] & words[other]) > len(words[one]) / 2)}\n"
        for one, other in combinations(documents, 2)
    )
    Path(f"{pairs}.tsv").write_text("".join(labelled), "utf-8")


def masked(line: str) -> str:
    """Return a line without the figures, names of runs and files that differ from run to run."""
    line = re.sub(r"\b[0-9a-f]{12}\b|\(…\)|\(run …\)|\(run \w*\)|\([^()]*/s[^()]*\)", "#", line)
    line = re.sub(r"\S+\.audit\.jsonl", "FILE", line)
    return re.sub(r"[\d,.]*\d", "#", line).rstrip()


def run_session(shell: PageShell, block: Block) -> None:
    """Run a session, and check that the lines it shows are printed."""
    for command, shown in block.outputs():
        if ENDLESS.search(command):
            continue
        printed = [masked(line) for line in shell.type(command).splitlines()]
        for line in shown:
            assert masked(line) in printed, (command, line, printed)


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run(
    page: str,
    client: Any,
    cluster_url: str,
    articles: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    monkeypatch.setenv("COLUMNS", "120")
    # Texts that no other page has written.
    write_files(articles, new_documents(1000 + 10 * PAGES.index(page)))
    index = Index(client, articles)
    changed = ("en-harbour-v1", "en-harbour-v2")
    shell = PageShell(client, cluster_url, {"articles": articles})
    shell.names |= {
        "client": client,
        "batches": [[{"id": "p", "text": make_text(70), "published": "2025-01-01"}]],
        "changes": index.changes(*changed),
        "relation": index.explain(*changed),
        "timeline": index.timeline(*changed, date_field="published"),
    }
    if page in BEFORE:
        shell.type(BEFORE[page])
    for block in blocks(f"docs/{page}.md"):
        if not block.is_run or block.body.startswith(OTHER_INDEX):
            continue
        if block.language == "console":
            run_session(shell, block)
        else:
            shell.run(block)


def test_the_fields_of_an_index_are_stored_as_install_md_says(
    client: Any, cluster_url: str, index_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    fields = {"body": "text", "headline": "text", "published": "date"}
    properties = {name: {"type": kind} for name, kind in fields.items()}
    client.indices.create(index=index_name, mappings={"properties": properties})
    install(client, index_name)
    (block,) = (
        one for one in blocks("docs/install.md") if one.body.startswith("es-simhash config")
    )
    shell = PageShell(client, cluster_url, {"articles": index_name})
    shell.run(block)
    printed = shell.type("es-simhash config articles")
    for setting in ("body", "headline", "published", "https://example.org/{id}"):
        assert setting in printed


def test_the_templates_of_install_md_map_the_fields_of_new_indices(
    client: Any, cluster_url: str, index_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    custom = f"{index_name}@custom"
    # Of that name it would change the indices of other tests.
    shell = PageShell(client, cluster_url, {"articles": index_name, "simhash@custom": custom})
    typed = [
        one for one in blocks("docs/install.md")
        if one.is_run and not one.body.startswith("es-simhash config")
    ]  # fmt: skip
    assert len(typed) == 4
    absent = client.options(ignore_status=404)
    try:
        for block in typed:
            if " --template " in block.body:
                # Of the user's own, and another one later on the page.
                client.indices.put_index_template(
                    name=index_name, index_patterns=[f"{index_name}-*"], template={}
                )
            shell.run(block)
            if " --template " in block.body:
                (found,) = absent.indices.get_index_template(name=index_name)["index_templates"]
                composed = found["index_template"]["composed_of"]
                assert composed == [f"{index_name}-simhash@mappings"]
        index = f"{index_name}-1"
        client.index(index=index, document={"text": "A first document.", "shelf": "a"})
        (found,) = client.indices.get(index=index).body.values()
        properties = found["mappings"]["properties"]
        assert properties["shelf"] == {"type": "keyword"}
        assert "blocks" in str(properties["simhash"])
        assert found["settings"]["index"]["number_of_replicas"] == "2"
    finally:
        client.indices.delete(index=f"{index_name}-1", ignore_unavailable=True)
        absent.indices.delete_index_template(name=index_name)
        for name in (custom, "simhash@mappings", f"{index_name}-simhash@mappings"):
            absent.cluster.delete_component_template(name=name)


def test_the_service_of_service_md_answers(client: Any, articles: str, cluster_url: str) -> None:
    (block,) = (one for one in blocks("docs/service.md") if one.language == "sh")
    extra, serve, curl = block.commands
    assert shlex.split(extra) == ["pip", "install", "es-simhash[service]"]
    assert re.search(r"^service = \[", (ROOT / "pyproject.toml").read_text("utf-8"), re.M)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    arguments = shlex.split(re.sub(r"\barticles\b", articles, serve))[1:]
    command = [sys.executable, "-m", "es_simhash", *arguments, "--port", str(port)]
    environment = {**os.environ, "ELASTICSEARCH_URL": cluster_url}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            # Once it listens, what comes is answered.
            curled = curl.replace("8000", str(port)).replace(
                "curl", "curl --retry 60 --retry-delay 1 --retry-connrefused"
            )
            done = subprocess.run(["bash", "-c", curled], capture_output=True, text=True)
            found = [each["id"] for each in json.loads(done.stdout)["relations"]]
        finally:
            process.terminate()
    # What other pages have written to the index is related as well.
    related = Index(client, articles).related(id="17", options=SearchOptions(size=5))
    assert found == [each.id for each in related]
    assert len(found) > 0


def test_the_token_of_service_md_has_its_claim(client: Any, cluster_url: str) -> None:
    (block,) = (one for one in blocks("docs/service.md") if one.language == "python")
    shell = PageShell(client, cluster_url, {})
    shell.run(block)
    token, secret = shell.names["token"], shell.names["secret"]
    assert jwt.decode(token, secret, ["HS256"])["tenant"] == "a"
