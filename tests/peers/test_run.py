"""The command of the peers: what it prints, records and leaves out."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.lab.evaluation.pair_measures import Curve
from scripts.check_docs import figure_faults
from tests.bench.figures import Figures
from tests.bench.peers import run, tables
from tests.bench.peers.costs import Cost, Costs
from tests.bench.peers.engine import Engines
from tests.bench.peers.quality import Quality
from tests.bench.peers.registry import OWN, peers
from tests.bench.program import run as run_program
from tests.support.data_sources import SOURCES

SETS = ("law_versions_de", "pep_versions")
VERSIONS = {"Elasticsearch": "9.5.3"}
PEERS = (OWN, "simhash", "gaoya-minhash")
LAW = "The {} of the harbour sets the fees of all berths once a year, after it has heard the {}."


def quality(peer: str, name: str, scores: list[float], labels: list[bool]) -> Quality:
    curve = Curve.of(np.array(scores), np.array(labels))
    failures = {"fails on poems": 2} if peer == "simhash" else {}
    return Quality(peer, name, 0.5, curve, failures, (1, 1))


@pytest.fixture
def measured() -> tables.Run:
    known = peers(Engines())
    good, bad = ([0.9, 0.8, 0.2], [True, True, False]), ([0.9, 0.8, 0.2], [False, True, True])
    found = {
        (peer, name): quality(peer, name, *(good if peer == OWN else bad))
        for peer in PEERS
        for name in SETS
    }
    costs = {name: Cost([100.0, 300.0, 200.0], [3.0, 2.0], 50.0) for name in PEERS}
    signatures = {"es-simhash, everything stored": costs[OWN], "gaoya-minhash": Cost([1000.0])}
    shown = {name: known[name] for name in PEERS}
    return tables.Run(shown, SETS, found, Costs(9, 99.0, signatures, costs, (1, 1)), VERSIONS)


def test_tables_have_a_cell_for_every_column_and_a_figure_for_every_marker(
    measured: tables.Run,
) -> None:
    text = tables.report(measured, "on a machine")
    figures = Figures("peers", "make bench-peers")
    tables.record(measured, figures)
    assert set(re.findall(r"<!-- figure: (\S+) -->", text)) == set(figures.values)
    blocks = re.findall(r"(?:^\|.*\n?)+", text, re.M)
    assert len(blocks) == 6
    for block in blocks:
        assert len({row.count(" | ") for row in block.splitlines()}) == 1
        assert len(block.splitlines()) >= 3
    assert f"| {OWN} | **<!-- figure: peers/law_versions_de/{OWN}/single -->1.000**" in text
    assert "- gaoya-minhash, the fastest peer: 1,000 documents/s, 5.00 × es-simhash" in text
    assert "- simhash: fails on poems (2 of German laws, 2 of PEPs)." in text
    assert "best peer simhash 0.800: es-simhash is better." in text


def test_a_peer_that_is_better_is_said_to_be(measured: tables.Run) -> None:
    better = {
        (peer, name): measured.quality[PEERS[(PEERS.index(peer) + 1) % 3], name]
        for peer, name in measured.quality
    }
    swapped = tables.Run(measured.peers, SETS, better, measured.costs)
    assert "es-simhash is **worse**" in tables.report(swapped, "on a machine")


@pytest.mark.parametrize("folder", ["empty", "missing"])
def test_without_data_it_ends_in_one_sentence_with_the_source(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("ES_SIMHASH_DATA", str(tmp_path / folder))
    monkeypatch.setattr(sys, "argv", ["run"])
    with pytest.raises(SystemExit) as ended:
        run_program(run.main)
    message = str(ended.value.code)
    assert message.startswith("Error: No ")
    assert "\n" not in message
    assert "docs/experiments.md" in message
    assert folder == "missing" or any(source in message for source in SOURCES.values())


def test_write_replaces_the_block_of_the_page_and_its_figures(
    measured: tables.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, figures = tmp_path / "docs" / "peers.md", tmp_path / "docs" / "figures.json"
    page.parent.mkdir()
    page.write_text("before\n<!-- peers -->\nold\n<!-- end of peers -->\nafter\n")
    for name, value in {"PAGE": page, "FIGURES": figures}.items():
        monkeypatch.setattr(run, name, value)
    monkeypatch.setattr(run, "available", list)
    monkeypatch.setattr(run, "measure", lambda *_: (measured, 5.0))
    # Written all the same, so that nothing is lost; the status says that it took too much memory.
    assert run.main(["--write", "--sets", ",".join(SETS[1:])]) == 1
    text = page.read_text()
    assert re.fullmatch(
        r"before\n<!-- peers -->\n\S.*\S\n<!-- end of peers -->\nafter\n", text, re.S
    )
    assert "\nold\n" not in text
    assert ", Elasticsearch 9.5.3. The run " in text
    recorded = json.loads(figures.read_text())
    assert f"peers/mean/{OWN}/held_out" in recorded["figures"]
    assert not list(figure_faults(tmp_path, ["docs/peers.md"], DEFAULT.name))
    page.write_text(text.replace("1.000", "0.999"))
    assert list(figure_faults(tmp_path, ["docs/peers.md"], DEFAULT.name))


@pytest.mark.cluster
def test_with_one_set_it_measures_that_and_names_what_is_left_out(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cluster_url: str,
) -> None:
    folder = tmp_path / "law_versions_de"
    folder.mkdir()
    texts = [LAW.format("board", "crews")] * 2 + ["Nothing is said here of any of these matters."]
    documents = [
        {"id": f"v{number}", "text": text, "chain": text[:12]} for number, text in enumerate(texts)
    ]
    (folder / "docs.jsonl").write_text("".join(json.dumps(each) + "\n" for each in documents))
    (folder / "pairs.tsv").write_text("older\tnewer\tcontainment\nv0\tv1\t1.0\n")
    monkeypatch.setenv("ES_SIMHASH_DATA", str(tmp_path))
    monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    names = f"{OWN},simhash"
    arguments = ["--peers", names, "--sets", ",".join(SETS), "--texts", "3", "--rounds", "1"]
    before = run.PAGE.read_bytes()
    # A process of its own, whose memory is measured.
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.peers.run", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    printed, said = done.stdout, done.stderr
    assert done.returncode == 0, said
    assert SOURCES["pep_versions"] in said
    for peer in names.split(","):
        assert f"| {peer} | " in printed
    assert f"<!-- figure: peers/law_versions_de/{OWN}/default -->1.000" in printed
    assert "<!-- figure: peers/law_versions_de/simhash/default -->1.000" in printed
    assert re.search(r"The run took \d+ s \(limit: 1,200\) and \d\.\d GiB \(limit: 4\)", printed)
    assert run.PAGE.read_bytes() == before
    page = tmp_path / "page.md"
    page.write_text("nothing\n")
    monkeypatch.setattr(run, "PAGE", page)
    monkeypatch.setattr(sys, "argv", ["run", *arguments, "--write"])
    with pytest.raises(SystemExit) as ended:
        run_program(run.main)
    assert "has no block <!-- peers -->" in str(ended.value.code)
