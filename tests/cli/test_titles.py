"""Documents by title and date, in every table of the command line, at 80 columns."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rich.cells import cell_len

from es_simhash.cli.titles import Titles, named
from es_simhash.relation.relation import DocumentContext
from tests.cli.conftest import Done
from tests.support.made_up_texts import make_prose, make_text, revise

CHINESE = "上海市浦东新区人民政府关于垃圾分类管理的若干规定（第{n}版，征求意见稿）"
ARABIC = "اللائحة التنفيذية لقانون المياه والصرف الصحي، الطبعة {n}، بعد التعديل الأخير"
TAKEN = " ".join(make_prose(50, 4))
# As long as those that Elasticsearch makes.
IDS = [f"{name}LTEqBqIB7Mb1Cnd6m" for name in ("zh1", "zh2", "ar1", "ar2", "own")]


def test_a_document_is_named_by_what_is_known_of_it() -> None:
    assert named("a", None) == "a"
    assert named("a", DocumentContext(title="Minutes", date="2024-01-01")) == (
        "Minutes, 2024-01-01 (a)"
    )
    assert named("a", DocumentContext(date="2024-01-01")) == "2024-01-01 (a)"
    long = named("a", DocumentContext(title="x" * 300))
    assert long == f"{'x' * 59}… (a)"
    assert Titles().named("b\x1b[31m") == "b\\x1b[31m"


def _documents() -> Iterator[dict[str, Any]]:
    chinese, arabic = make_text(1, 300), make_text(2, 300)
    texts = (chinese, revise(chinese, 11, 0.05), arabic, revise(arabic, 12, 0.05))
    for number, (id, text) in enumerate(zip(IDS, texts, strict=False), 1):
        title = (CHINESE if id.startswith("zh") else ARABIC).format(n=number)
        yield {
            "id": id,
            "text": f"{text} {TAKEN}" if id in (IDS[0], IDS[2]) else text,
            "title": title,
            "when": f"202{number}-01-01",
            "owner": id[:2],
        }
    yield {"id": IDS[4], "text": make_text(3, 300), "title": "Own", "when": "2025", "owner": "x"}


@pytest.fixture(scope="module")
def index(cluster_url: str) -> Iterator[str]:
    """Two families of two, one with Chinese and one with Arabic titles, and a shared passage."""
    from es_simhash.maintenance.families.dismissals_and_joins import dismiss
    from es_simhash.maintenance.families.find_families import find_families
    from es_simhash.store.installation.document_settings import configure
    from tests.support.filled_index import filled_index

    with filled_index(cluster_url, _documents()) as (client, name):
        settings = {"title": "title", "date": "when", "owner": "owner.keyword"}
        configure(client, name, settings)
        find_families(client, name)
        dismiss(client, name, IDS[0], IDS[4])
        yield name


# The arguments of each command that prints documents, and the ids that it must show.
COMMANDS: dict[str, tuple[list[str], list[str]]] = {
    "related": (["related", "INDEX", "--id", IDS[0]], IDS[:2]),
    "related of several": (["related", "INDEX", "--id", IDS[0], "--id", IDS[2]], IDS[:4]),
    "related by group": (["related", "INDEX", "--id", IDS[0], "--group", "kind"], IDS[:2]),
    "related with evidence": (["related", "INDEX", "--id", IDS[0], "--evidence"], IDS[:2]),
    "families run": (["families", "run", "INDEX", "--all", "--dry-run"], IDS[:4]),
    "families list": (["families", "list", "INDEX"], IDS[:4]),
    "families show": (["families", "show", "INDEX", IDS[0]], IDS[:2]),
    "families decisions": (["families", "decisions", "INDEX"], [IDS[0], IDS[4]]),
    "explain": (["explain", "INDEX", *IDS[:2]], IDS[:2]),
    "changes": (["changes", "INDEX", *IDS[:2]], IDS[:2]),
    "changes of a family": (["changes", "INDEX", "--family", IDS[0]], IDS[:2]),
    "blame": (["blame", "INDEX", IDS[1]], IDS[:2]),
    "copies": (["copies", "INDEX", "--fresh"], [IDS[0], IDS[2]]),
}
# Sentences, which the terminal wraps; tables have borders.
BORDERS = re.compile("[│┃┏┡├└]")


@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize("name", COMMANDS)
def test_tables_fit_80_columns_with_titles_and_whole_ids(
    name: str, index: str, call: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    arguments, ids = COMMANDS[name]
    done = call(*(index if each == "INDEX" else each for each in arguments))
    assert done.status == 0, done
    rows = [line for line in done.out.splitlines() if BORDERS.search(line)]
    assert max(map(cell_len, rows), default=0) <= 80
    assert all(id in done.out for id in ids), done.out
    titles = {"zh": CHINESE[:5], "ar": ARABIC[:11], "ow": "Own"}
    assert all(titles[id[:2]] in done.out for id in ids), done.out


@pytest.mark.cluster
def test_machine_formats_have_no_more_than_before_but_for_copies(
    index: str, call: Callable[..., Done]
) -> None:
    listed = call("families", "list", index, "--format", "csv").out.splitlines()
    assert listed[0] == "family,id,represents"
    copies = call("copies", index, "--fresh", "--format", "jsonl").out.splitlines()
    assert f'"title": "{CHINESE.format(n=1)}"' in copies[0]
