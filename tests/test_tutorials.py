"""Every line of the tutorials is typed in order in a fresh clone, and their Python is run.

Commands of es-simhash run in this process, those of README.md in one each (`test_readme_typed`).
"""

import re
import subprocess
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest

from es_simhash.store.elasticsearch.connection import connect
from tests.support.clone import ROOT, Clone, reserved_indices
from tests.support.page_shell import PageShell

pytestmark = pytest.mark.cluster

TUTORIALS = {"newsroom": "news", "archive": "archive"}
URL = "localhost:9200"


def blocks(name: str, language: str) -> list[str]:
    page = (ROOT / "docs" / "tutorials" / f"{name}.md").read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def own_indices(cluster_url: str, without_cluster: Callable[[str], NoReturn]) -> Iterator[None]:
    """The indices of the tutorials: none of somebody else's, and deleted afterwards."""
    names = [name for index in TUTORIALS.values() for name in (index, f"{index}-simhash")]
    with reserved_indices(cluster_url, names, "tutorials", without_cluster):
        yield


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory, own_indices: None) -> Clone:
    if not (ROOT / ".git").exists():
        pytest.skip("needs a git checkout, whose files it copies")
    return Clone.make(tmp_path_factory.mktemp("tutorials") / "es-simhash")


@pytest.fixture(scope="module")
def typed(clone: Clone, cluster_url: str) -> dict[str, str]:
    """What each line printed, of both tutorials."""
    with pytest.MonkeyPatch.context() as patch, connect(cluster_url) as client:
        patch.chdir(clone.folder)
        patch.setenv("ELASTICSEARCH_URL", cluster_url)
        patch.setenv("COLUMNS", "120")
        shell = PageShell(client, cluster_url, {})
        for line in lines():
            shell.type(line)
            # Whoever types takes longer than Elasticsearch takes to show what was written.
            client.indices.refresh(index=list(TUTORIALS.values()), ignore_unavailable=True)
    return shell.printed


def lines() -> list[str]:
    pages = (block for name in TUTORIALS for block in blocks(name, "sh"))
    return [line for block in pages for line in block.splitlines()]


def printed(typed: dict[str, str], start: str) -> str:
    """What the first line that starts so printed."""
    return next(text for line, text in typed.items() if line.startswith(start))


def test_every_line_succeeds(typed: dict[str, str]) -> None:
    # One that fails is an error of the fixture.
    assert list(typed) == list(dict.fromkeys(lines()))
    assert len(typed) > 30


def test_the_fields_are_proposed_as_shown(typed: dict[str, str]) -> None:
    (shown,) = blocks("newsroom", "text")
    assert shown.strip() in " ".join(printed(typed, "es-simhash install news").split())


def test_the_newsroom_sees_titles_dates_and_the_newest_first(typed: dict[str, str]) -> None:
    table = printed(typed, "es-simhash related news --id harbour-v1 --sort")
    assert re.findall(r"harbour-v\d", table.split("\n", 1)[1]) == ["harbour-v3", "harbour-v2"]
    assert "newer" in table
    assert "Port Ellery crane collapse" in table
    assert "boilers-column" not in printed(typed, "es-simhash related news --id boilers-news")
    excluded = printed(typed, "es-simhash related news --id harbour-v1 --exclude")
    assert "harbour-v3" in excluded


def test_the_newsroom_flags_and_takes_back(typed: dict[str, str]) -> None:
    assert "harbour-v4" in printed(typed, "es-simhash families show news")
    assert "brakes" in printed(typed, "es-simhash changes news")
    assert re.search(r"unmarked [1-9]", printed(typed, "es-simhash undo news"))
    assert re.search(r"undone.*harbour-v4", printed(typed, "es-simhash families decisions news"))


def test_the_archive_lists_the_editions_in_order(typed: dict[str, str]) -> None:
    editions = ["remote-2021", "remote-2022", "remote-2024", "remote-2025"]
    table = printed(typed, "es-simhash related archive --text-file docs/tutorials/draft.txt --kind")
    assert re.findall(r"│ (remote-\d+)", table) == editions
    family = printed(typed, "es-simhash families show archive remote-2022")
    assert re.findall(r"remote-\d{4}", family)[:1]
    assert set(re.findall(r"remote-\d{4}", family)) == set(editions)


def test_the_archive_sees_what_changed(typed: dict[str, str]) -> None:
    changes = printed(typed, "es-simhash changes archive remote-2024 remote-2025")
    assert "350 → 400" in changes
    assert "moved" in changes
    history = printed(typed, "es-simhash changes archive --family")
    assert "2022-06-15" in history
    assert "200 → 350" in history
    blame = printed(typed, "es-simhash blame archive remote-2025")
    assert "remote-2021" in blame
    copies = printed(typed, "es-simhash copies archive")
    assert "lab-2023" in copies
    assert "Paper files" in copies


def test_the_archive_joins_by_hand(typed: dict[str, str]) -> None:
    family = printed(typed, "es-simhash families show archive lease-2023")
    assert "lease-2019" in family


def test_the_python_of_the_newsroom_runs(
    typed: dict[str, str], clone: Clone, cluster_url: str, client: Any
) -> None:
    code = "\n".join(blocks("newsroom", "python")).replace(f"http://{URL}", cluster_url)
    script = clone.folder / "page.py"
    script.write_text(code, "utf-8")
    done = subprocess.run(
        [clone.folder / ".venv/bin/python", script], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    body = code[code.index("def related_articles") : code.index("\n\n\nassert")]
    assert len(body.splitlines()) <= 10
