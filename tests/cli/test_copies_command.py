"""`es-simhash copies` as a user calls it."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.support.made_up_texts import make_prose

pytestmark = pytest.mark.cluster

# What must stay text: markup, a script, an address to load, ESC, right-to-left override.
HOSTILE = "<script>alert(1)</script> <img src=http://x.example/p.png> & \x1b[31m \u202e"


def taken() -> str:
    return " ".join(make_prose(50, 4))


def text(seed: int, *passages: str) -> str:
    sentences = make_prose(seed, 16)
    return " ".join([*sentences[:8], *passages, *sentences[8:]])


@pytest.fixture
def index(client: Any, index_name: str) -> str:
    """A passage of anna's in bert's text, and a notice that seven others have."""
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.store.installation.install import install

    install(client, index_name, semantics=None)
    client.indices.put_mapping(
        index=index_name,
        properties={"owner": {"type": "keyword"}, "when": {"type": "date"}},
    )
    notice = " ".join(make_prose(52, 3))
    documents = [
        {"id": "a", "text": text(1, taken()), "owner": "anna", "when": "2020-01-01"},
        {"id": "b", "text": text(2, taken()), "owner": "bert", "when": "2021-01-01"},
        {"id": "x", "text": text(3)},
        *({"id": f"n{n}", "text": text(10 + n, notice), "owner": f"o{n}"} for n in range(7)),
    ]
    assert all(each.ok for each in ingest(client, index_name, documents))
    client.indices.refresh(index=index_name)
    return index_name


OPTIONS = ("--between", "owner", "--date-field", "when")


def test_the_table_says_who_was_first_and_what_was_left_out(call: Any, index: str) -> None:
    done = call("copies", index, *OPTIONS)
    assert done.status == 0, done.err
    out = " ".join(done.out.split())
    assert "1. By date: a (anna), 2020-01-01, then b (bert), 2021-01-01" in out
    assert "Boilerplate, left out: 7 values, 7 documents, as in n" in out
    assert "9 of 10 documents compared, 9 values of owner: 1 pair shares passages." in out
    err = " ".join(done.err.split())
    assert "1 document without a value of 'owner' not compared: x." in err
    assert "9 documents without a family, grouped by text alone." in err
    assert "7 compared documents have no date." in err


def test_json_and_json_lines_have_everything(call: Any, index: str) -> None:
    report = json.loads(call("copies", index, *OPTIONS, "--format", "json").out)
    lines = call("copies", index, *OPTIONS, "--format", "jsonl").out.splitlines()
    entries = [json.loads(line) for line in lines]
    assert [entry.pop("type") for entry in entries] == ["copy", "boilerplate", "report"]
    assert entries[0] == report["copies"][0]
    assert entries[1] == report["boilerplate"][0]
    assert entries[2] == {
        name: value for name, value in report.items() if name not in ("copies", "boilerplate")
    }
    passage = report["copies"][0]["passages"][0]
    assert passage["a"]["text"] == text(1, taken())[passage["a"]["start"] : passage["a"]["end"]]


def test_the_configured_fields_are_the_default(call: Any, index: str) -> None:
    assert call("config", index, "--owner-field", "owner", "--date-field", "when").status == 0
    assert "By date: a (anna), 2020-01-01, then" in " ".join(call("copies", index).out.split())
    by_family = call("copies", index, "--between", "simhash.family")
    assert "No document of" in by_family.refusal()


def test_errors_name_the_option(call: Any, index: str) -> None:
    assert "Set --between." in call("copies", index, "--between", "ownr").refusal()
    assert "Set --date-field." in call("copies", index, "--date-field", "whn").refusal()
    assert "es-simhash families run" in call("copies", index).refusal()
    assert "--filter is not valid JSON" in call("copies", index, "--filter", "{").refusal()
    assert call("copies", f"{index}-absent").refusal()
    assert call("copies", index, "--boilerplate", "2").status == 2
    assert "Set --fresh." not in call("copies", index, *OPTIONS).err


class Page(HTMLParser):
    """Collects tags, addresses and text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loaded: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loaded += [name for name, _ in attrs if name in ("src", "href", "srcset", "onload")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_complete_and_shows_markup_of_documents_as_text(
    call: Any, client: Any, index: str, tmp_path: Path
) -> None:
    from es_simhash.ingestion.ingest import ingest

    hostile = [
        {"id": f"<i>{owner}", "text": text(seed, f"{taken()} {HOSTILE} {taken()}"), "owner": owner}
        for seed, owner in ((30, "<b>carl</b>"), (31, '"dora"'))
    ]
    assert all(each.ok for each in ingest(client, index, hostile))
    client.indices.refresh(index=index)
    path = tmp_path / "report.html"
    done = call("copies", index, *OPTIONS, "--html", path, "--quiet")
    assert done.status == 0, done.err
    page = Page()
    page.feed(path.read_text("utf-8"))
    assert {"script", "img", "link", "b", "i", "iframe"}.isdisjoint(page.tags)
    assert page.loaded == []
    shown = " ".join(page.text.split())
    assert "<script>alert(1)</script>" in shown
    assert '"dora"' in shown
    assert "Boilerplate, left out" in shown
    assert not re.search("[\x1b\u202e]", page.text)
    assert "prefers-color-scheme: dark" in path.read_text("utf-8")
    # Nor does the table steer a terminal.
    assert all(c == "\n" or c.isprintable() for c in done.out), ascii(done.out)
    refused = call("copies", index, *OPTIONS, "--html", tmp_path / "absent" / "report.html")
    assert "Set --html" in refused.refusal() or "Name another file" in refused.refusal()


def test_an_empty_index_says_so(call: Any, client: Any, index_name: str) -> None:
    assert call("install", index_name, "--no-semantics").status == 0
    done = call("copies", index_name)
    assert done.status == 0, done.err
    assert "0 of 0 documents compared, 0 families: 0 pairs share passages." in done.out


def test_less_memory_than_a_search_needs_is_an_error(call: Any, index: str) -> None:
    done = call("copies", index, *OPTIONS, "--memory", "15")
    assert done.status == 2
    assert "15 is not in the range x>=16" in done.err
    assert call("copies", index, *OPTIONS, "--memory", "16").status == 0


def test_an_interrupted_command_resumes_from_its_journal(
    call: Any, index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from es_simhash.maintenance.copies import find_copies

    journal = tmp_path / "journal"
    options = (*OPTIONS, "--journal", journal, "--format", "json", "--boilerplate", "9")
    expected = json.loads(call("copies", index, *options).out)
    assert expected["aligned"] > 2
    copy_of = find_copies.copy_of
    calls = []

    def interrupted(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return copy_of(*arguments)

    monkeypatch.setattr(find_copies, "copy_of", interrupted)
    assert call("copies", index, *options).status == 130
    assert journal.exists()
    assert json.loads(call("copies", index, *options).out) == expected
    assert not journal.exists()
