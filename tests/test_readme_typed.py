"""Every shell line of README.md and of the start page is typed in order, and its Python is run.

Lines that install packages are not typed, as the tests bring their own (`INSTALLING`); the one that
serves until it is stopped is typed with the example it is of, in `tests/examples` (`SERVING`).
"""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NoReturn

import pytest

from es_simhash import connect
from tests.support.clone import ROOT, Clone, Typed, reserved_indices

pytestmark = pytest.mark.cluster

PAGES = "".join((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/start.md"))
# The lines that are not typed. There are no others.
INSTALLING = (
    "pip install -e .",
    "pip install -e '.[chinese]'",
    "pip install -e '.[languages]'",
    "pip install -e '.[taxonomy]'",
    "pip install -e '.[spacy]'",
    "pip install -e '.[all]'",
)
SERVING = ("es-simhash serve es-simhash-demo --config examples/static/service.toml",)
DEMO = "es-simhash-demo"
# The index that a reader has already; nothing of this package is in it.
PRESENT = "archive"
INDICES = ("articles", PRESENT, f"{DEMO}-articles", DEMO)
SAMPLE = ROOT / "es_simhash" / "data" / "sample" / "corpus.jsonl"
# `make test` would run this test again; one file needs no processes.
ARGUMENTS = "tests/text/test_tokens.py --numprocesses 0"


def typed_lines() -> list[str]:
    return [line for line in shell_lines() if line not in (*INSTALLING, *SERVING)]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGES, re.MULTILINE | re.DOTALL)


def shell_lines() -> list[str]:
    """The lines of the blocks of shell, in order, without the comments behind them."""
    lines = [
        line.partition(" #")[0].strip() for block in blocks("sh") for line in block.splitlines()
    ]
    return list(filter(None, lines))


def without_scores(printed: str) -> list[str]:
    """The lines of an output, each score and weight replaced: they change with the judgement."""
    return [re.sub(r"\d\.\d\d", "#.##", line).rstrip() for line in printed.strip().splitlines()]


@pytest.fixture(scope="module")
def own_indices(cluster_url: str, without_cluster: Callable[[str], NoReturn]) -> Iterator[None]:
    """The indices that the README names: none of somebody else's, and deleted afterwards."""
    with reserved_indices(cluster_url, INDICES, "README", without_cluster):
        with connect(cluster_url) as client:
            documents = map(json.loads, SAMPLE.read_text("utf-8").splitlines())
            actions = [({"index": {"_id": each.pop("id")}}, each) for each in documents]
            client.bulk(index=PRESENT, operations=list(chain(*actions)), refresh=True)
        yield


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory, own_indices: None) -> Clone:
    if not (ROOT / ".git").exists():
        pytest.skip("needs a git checkout, whose files it copies")
    return Clone.make(tmp_path_factory.mktemp("readme") / "es-simhash")


@pytest.fixture(scope="module")
def typed(clone: Clone, cluster_url: str) -> dict[str, Typed]:
    """What came of each line that is typed."""
    lines = typed_lines()
    environment = {"ELASTICSEARCH_URL": cluster_url, "ARGS": ARGUMENTS}
    return {each.line: each for each in clone.type(lines, environment)}


def test_all_lines_are_typed_but_those_that_install_or_serve() -> None:
    lines = shell_lines()
    assert len(lines) > 10
    assert (
        tuple(line for line in lines if re.search(r"\b(pip|docker|apt\S*)\b", line)) == INSTALLING
    )
    assert re.findall(r"^```(?!sh\n|python\n|text\n|html\n)\S.*$", PAGES, re.MULTILINE) == []
    assert [line for line in lines if " serve " in line] == list(SERVING)


def test_every_line_succeeds(typed: dict[str, Typed]) -> None:
    # A line that is there twice is typed twice.
    assert list(typed) == list(dict.fromkeys(typed_lines()))
    failed = [each for each in typed.values() if each.status != 0]
    assert failed == []


def test_the_shown_output_is_what_is_printed(typed: dict[str, Typed]) -> None:
    (shown,) = blocks("text")
    (explained,) = (each for line, each in typed.items() if " explain " in line)
    assert without_scores(explained.printed) == without_scores(shown)


def test_the_picture_has_the_relations_that_are_printed(
    typed: dict[str, Typed], clone: Clone
) -> None:
    svg = (clone.folder / "docs" / "related.svg").read_text("utf-8")
    picture = re.sub(r"<[^>]*>", "", svg.replace("&#160;", " "))
    (command,) = re.findall(r"\$ (es-simhash .*)", picture)
    row = r"│ (\S+) +│ (version|semantic) +│"
    rows = re.findall(row, picture)
    assert len(rows) == 3
    assert re.findall(row, typed[command.strip()].printed) == rows


def test_an_index_that_was_there_is_configured_and_fingerprinted(typed: dict[str, Typed]) -> None:
    count = len(SAMPLE.read_text("utf-8").splitlines())
    assert f"{count} written" in typed[f"es-simhash backfill {PRESENT}"].printed
    related = typed[f"es-simhash related {PRESENT} --id en-harbour-v3"].printed
    assert related.startswith("Related to Port Ellery crane collapse: berths to reopen on Thurs")


def test_make_and_ingest_wrote_the_sample(typed: dict[str, Typed], clone: Clone) -> None:
    count = len((clone.folder / "articles.jsonl").read_text("utf-8").splitlines())
    for line in (
        "make demo",
        "make demo CORPUS=articles.jsonl",
        "es-simhash ingest articles articles.jsonl",
    ):
        assert f"{count} written, 0 unchanged, 0 failed" in typed[line].printed
    assert re.search(r"\d+ passed|\[100%\]", typed["make test"].printed)


def test_the_python_runs_in_order_as_one_script_on_many_documents(
    typed: dict[str, Typed], clone: Clone, cluster_url: str
) -> None:
    with (clone.folder / "articles.jsonl").open("a", encoding="utf-8") as articles:
        for number in range(800):
            articles.write(
                f'{{"id": "n{number}", "text": "Note {number}: the ferry left late."}}\n'
            )
    code = "print('once')\n" + "\n".join(blocks("python"))
    script = clone.folder / "script.py"
    script.write_text(code.replace("http://localhost:9200", cluster_url), "utf-8")
    done: Any = subprocess.run(
        [str(clone.folder / ".venv" / "bin" / "python"), "script.py"],
        cwd=clone.folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    printed = done.stdout.splitlines()
    # A process that imports the script again would print it again.
    assert printed.count("once") == 1
    assert any(re.match(r"en-harbour-\w+ version ", line) for line in printed)
