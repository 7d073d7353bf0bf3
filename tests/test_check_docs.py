"""`make docs-check`: dead links and stale figures are found, and the pages have none."""

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from scripts import check_docs
from scripts.build_site import ROOT
from scripts.check_docs import (
    anchors,
    external_faults,
    figure_faults,
    link_faults,
    table_faults,
    with_figures,
)
from scripts.figure_tables import slug, with_table
from tests.bench.figures import Figures

SCHEME = "doc64"


def test_the_pages_have_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_docs.main([]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("How the score is computed", "how-the-score-is-computed"),
        ("`related` and `explain`", "related-and-explain"),
        ("Index `INDEX-simhash`: what it holds", "index-index-simhash-what-it-holds"),
        ("Größe & Zahl (k = 3)", "größe--zahl-k--3"),
        ("See [the page](page.md#part)", "see-the-page"),
    ],
)
def test_an_anchor_is_that_of_github(heading: str, anchor: str) -> None:
    assert slug(heading) == anchor


def test_a_heading_that_is_there_twice_has_a_number() -> None:
    assert anchors("# Use\n\n## Use\n\n```sh\n# no heading\n```\n") == {"use", "use-1"}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("[gone](gone.md)", "no file 'gone.md'"),
        ("[gone](other.md#gone)", "no heading for 'other.md#gone'"),
        ("[gone](#gone)", "no heading for '#gone'"),
        ('<img src="gone.png">', "no file 'gone.png'"),
        ("[gone]: gone.md", "no file 'gone.md'"),
        ("[outside](../../outside.md)", "outside the repository"),
        ("[there](other.md#a-part)", ""),
        ("`[code](gone.md)`", ""),
        ("```text\n[code](gone.md)\n```", ""),
        ("[elsewhere](https://example.org/gone)", ""),
    ],
)
def test_a_dead_link_is_found(line: str, fault: str, tmp_path: Path) -> None:
    docs = tmp_path / "repository" / "docs"
    docs.mkdir(parents=True)
    (docs / "page.md").write_text(f"# Page\n\n{line}\n", "utf-8")
    (docs / "other.md").write_text("# Other\n\n## A part\n", "utf-8")
    (tmp_path / "outside.md").write_text("# Outside\n", "utf-8")
    found = [str(each) for each in link_faults(tmp_path / "repository", ["docs/page.md"])]
    assert len(found) == bool(fault)
    if fault:
        assert found[0].startswith("docs/page.md:3: ")
        assert fault in found[0]


@pytest.mark.parametrize(
    ("rows", "faults"),
    [
        (("| a | b |", "| --- | --- |", "| 1 | `x \\| y` |"), []),
        (("| a | b |", "| --- | --- |", "| 1 | 2 | 3 |"), ["page.md:5: a row of 3 cells"]),
        (("| a | b |", "| --- | --- |", "| 1 |", "| 1 | 2 |"), ["page.md:5: a row of 1 cells"]),
        (("| a | b |", "| --- | --- |", "", "| c |", "| --- |", "| 1 |"), []),
        (("```text", "| a | b |", "| c |", "```"), []),
    ],
)
def test_a_row_of_another_length_is_found(
    rows: tuple[str, ...], faults: list[str], tmp_path: Path
) -> None:
    (tmp_path / "page.md").write_text("\n".join(["# Page", "", *rows, ""]), "utf-8")
    found = [str(each) for each in table_faults(tmp_path, ["page.md"])]
    assert [each.partition(" in a table")[0] for each in found] == faults


class Answers(BaseHTTPRequestHandler):
    """Answers with the status that the path names."""

    def do_GET(self) -> None:
        self.send_response(int(self.path.strip("/")))
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_a_dead_link_to_another_host_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The host of the test is this machine, which is left out otherwise.
    monkeypatch.setattr(check_docs, "_NO_HOST", re.compile("http://example.org"))
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{server.server_port}"
        lines = [f"[{status}]({here}/{status}#part)" for status in (200, 404, 403, 500)]
        page = "\n".join([*lines, "[example](http://example.org/gone)"])
        (tmp_path / "page.md").write_text(page, "utf-8")
        found = [str(each) for each in external_faults(tmp_path, ["page.md"])]
        server.shutdown()
    assert [re.sub(r":\d+/", "/", each) for each in found] == [
        "page.md:2: http://127.0.0.1/404 does not answer (HTTP 404); correct it",
        "page.md:4: http://127.0.0.1/500 does not answer (HTTP 500); correct it",
    ]


def checked(folder: Path, text: str, **run: Any) -> list[str]:
    """Check a page beside figures of one run: an exact one, and one with an interval."""
    (folder / "docs").mkdir()
    (folder / "page.md").write_text(f"# Page\n\n{text}\n", "utf-8")
    figures = {
        "speed": {"value": 5200.0, "low": 5000.0, "high": 5450.0, "run": "r"},
        "f1": {"value": 0.9597, "low": 0.9597, "high": 0.9597, "run": "r"},
        "t/a-b/c": {"value": 0.25, "low": 0.25, "high": 0.25, "run": "r"},
        "t/d/c": {"value": 4000.0, "low": 3900.0, "high": 4100.0, "run": "r"},
    }
    described = {"command": "make bench-r", "date": "2026-01-02", "scheme": SCHEME, **run}
    recorded = {"runs": {"r": described}, "figures": figures}
    (folder / "docs" / "figures.json").write_text(json.dumps(recorded), "utf-8")
    return [str(each) for each in figure_faults(folder, ["page.md"], SCHEME)]


@pytest.mark.parametrize(
    "text",
    [
        "<!-- figure: f1 -->0.960",
        "**<!-- figure: f1 -->0.96**",
        "| <!-- figure: f1 -->**0.9597** |",
        "<!-- figure: f1 -->95.97 %",
        "<!-- figure: f1 -->96 %",
        "<!-- figure: speed -->5,200 a second",
        "<!-- figure: speed -->5,000 a second",
        "<!-- figure: speed -->5,450",
    ],
)
def test_a_figure_within_its_interval_is_right(text: str, tmp_path: Path) -> None:
    assert checked(tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<!-- figure: f1 -->0.953", "'f1' is 0.953 here and 0.960"),
        ("<!-- figure: f1 -->0.961", "'f1' is 0.961 here"),
        ("<!-- figure: f1 -->97 %", "'f1' is 97 here and 96"),
        ("<!-- figure: speed -->4,990", "'speed' is 4,990 here and 5200"),
        ("<!-- figure: speed -->5,460", "from 5000 to 5450"),
        ("<!-- figure: size -->3", "'size' is not in docs/figures.json"),
        ("<!-- figure: f1 -->\n\nno number", "no number behind the marker"),
    ],
)
def test_a_stale_figure_is_found(text: str, fault: str, tmp_path: Path) -> None:
    (found,) = checked(tmp_path, text)
    assert found.startswith("page.md:3: ")
    assert fault in found


def test_recorded_figures_are_written_as_the_page_writes_them() -> None:
    figures = {
        "f1": {"value": 0.8824, "low": 0.8599, "high": 0.9086},
        "pairs": {"value": 16302.0, "low": 16302.0, "high": 16302.0},
    }
    page = (
        "| <!-- figure: f1 -->0.910 (0.891 to 0.931) | **<!-- figure: f1 -->91.0 %** |\n"
        "<!-- figure: pairs -->9,000 (of all) and <!-- figure: other -->1 stay; 0.910 too.\n"
    )
    assert with_figures(page, {"figures": figures}) == (
        "| <!-- figure: f1 -->0.882 (0.860 to 0.909) | **<!-- figure: f1 -->88.2 %** |\n"
        "<!-- figure: pairs -->16,302 (of all) and <!-- figure: other -->1 stay; 0.910 too.\n"
    )


def table(*rows: str) -> str:
    return "\n".join(["<!-- figures: t -->", "", "| what | C |", "| --- | --- |", *rows, ""])


def test_the_cells_of_a_marked_table_are_figures(tmp_path: Path) -> None:
    assert checked(tmp_path, table("| `A` b | **0.25** |", "| d | 4,050 |")) == []


@pytest.mark.parametrize(
    ("rows", "line", "fault"),
    [
        (("| a b | 0.26 |", "| d | 4,050 |"), 7, "'t/a-b/c' is 0.26 here and 0.25"),
        (("| a b | 0.25 |", "| d | 4,150 |"), 8, "from 3900 to 4100"),
        (("| a b | 0.25 |", "| e | 4,050 |", "| d | 4,000 |"), 8, "'t/e/c' is not in docs"),
        (("| a b | – |", "| d | 4,050 |"), 1, "'t/a-b/c' is not in its table"),
        (("| a b | 0.25 |",), 1, "'t/d/c' is not in its table"),
    ],
)
def test_a_stale_table_is_found(
    rows: tuple[str, ...], line: int, fault: str, tmp_path: Path
) -> None:
    (found,) = checked(tmp_path, table(*rows))
    assert found.startswith(f"page.md:{line}: ")
    assert fault in found


def test_a_marked_table_is_replaced() -> None:
    page = f"Before.\n\n{table('| a b | 1 |')}\nBehind.\n| x | y |\n"
    replaced = with_table(page, "t", ["| new | C |", "| --- | --- |", "| z | 2 |"])
    assert replaced == (
        "Before.\n\n<!-- figures: t -->\n\n| new | C |\n| --- | --- |\n| z | 2 |\n\nBehind.\n"
        "| x | y |\n"
    )
    with pytest.raises(ValueError, match="figures: u -->"):
        with_table(page, "u", [])


def test_a_figure_of_another_scheme_is_stale(tmp_path: Path) -> None:
    (found,) = checked(tmp_path, "<!-- figure: f1 -->0.960", scheme="doc32")
    assert "measured with scheme 'doc32'" in found
    assert "run make bench-r" in found


def test_recording_replaces_the_figures_of_one_benchmark(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    other, ours = Figures("other", "make other"), Figures("ours", "make ours", engine="E 1")
    other.add("size", 7)
    other.record(path)
    ours.add("speed", 10.5, repeats=[9, 12.25])
    ours.record(path)
    ours.add("speed", 11.5)
    ours.record(path)
    recorded = json.loads(path.read_text("utf-8"))
    assert recorded["figures"] == {
        "other/size": {"value": 7, "low": 7, "high": 7, "run": "other"},
        "ours/speed": {"value": 11.5, "low": 11.5, "high": 11.5, "run": "ours"},
    }
    run = recorded["runs"]["ours"]
    assert run["scheme"] == DEFAULT.name
    assert run["versions"]["engine"] == "E 1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", run["date"])
    assert re.match(r"\d+ × ", run["machine"])


def test_a_run_with_less_data_records_nothing(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    whole, part = Figures("r", "make r"), Figures("r", "make r")
    whole.add("one", 1)
    whole.add("two", 2)
    whole.record(path)
    before = path.read_text("utf-8")
    part.add("one", 3)
    with pytest.raises(InputError, match="such as 'r/two'"):
        part.record(path)
    assert path.read_text("utf-8") == before


def test_every_recorded_run_says_how_it_was_measured() -> None:
    recorded = json.loads((ROOT / check_docs.FIGURES).read_text("utf-8"))
    assert recorded["figures"]
    for figure in recorded["figures"].values():
        assert figure["low"] <= figure["value"] <= figure["high"]
        run = recorded["runs"][figure["run"]]
        assert {"command", "date", "machine", "scheme", "versions"} <= set(run)
        target = re.match(r"make ([\w-]+)", run["command"])
        assert target
        assert re.search(rf"^{target[1]}:", (ROOT / "Makefile").read_text("utf-8"), re.M)
