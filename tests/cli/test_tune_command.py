"""`es-simhash lab tune` on the engine: what it suggests, stores, and says of unusable labels."""

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.scoring import version_value
from es_simhash.relation.thresholds import VERSION_SCORE
from tests.support.made_up_texts import make_text, revise

pytestmark = pytest.mark.cluster

# Slight revisions are versions to the one who labels, heavy ones are other documents.
FAMILIES = 40
TEXTS = {
    f"{kind}{number}": text
    for number in range(FAMILIES)
    for kind, text in (
        ("a", make_text(number)),
        ("b", revise(make_text(number), 100 + number, 0.005)),
        ("c", revise(make_text(number), 200 + number, 0.07)),
    )
}
PAIRS = [(f"a{n}", f"b{n}", 1) for n in range(FAMILIES)] + [
    (f"a{n}", f"c{n}", 0) for n in range(FAMILIES)
]
Write = Callable[..., Path]


@pytest.fixture(scope="module")
def revisions(cluster_url: str) -> Iterator[str]:
    """The name of an index of these documents; tests leave its settings as they are."""
    from es_simhash.store.elasticsearch.connection import connect
    from tests.support.corpus import fill

    name = f"test-{uuid.uuid4().hex}"
    with connect(cluster_url) as client:
        documents = [{"id": id, "text": text} for id, text in TEXTS.items()]
        fill(client, name, documents, semantics=None)
        yield name
        client.indices.delete(index=f"{name},{name}-beside", ignore_unavailable=True)


@pytest.fixture
def labels(tmp_path: Path) -> Write:
    """Write a file of rows, and return its path."""

    def rows(rows: Any = PAIRS, between: str = "\t", name: str = "pairs.tsv") -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{between.join(map(str, row))}\n" for row in rows), "utf-8")
        return path

    return rows


def tuned(call: Any, *arguments: object, status: int = 0) -> dict[str, Any]:
    done = call("lab", "tune", *arguments, "--format", "json", "--quiet")
    assert done.status == status, done
    found: dict[str, Any] = json.loads(done.out)
    return {**found, "said": done.err}


def test_a_sample_alone_is_measured_and_stores_nothing(call: Any, revisions: str) -> None:
    found = tuned(call, revisions, "--sample", 50, "--seed", 3, "--write")
    assert (found["documents"], found["sampled"], found["seed"]) == (len(TEXTS), 50, 3)
    assert found["threshold"]["value"] == found["threshold"]["present"] == VERSION_SCORE
    assert (
        "no clear gap" in found["threshold"]["reason"]
        or "gap where" in found["threshold"]["reason"]
    )
    assert (found["settings"], found["written"]) == ({}, False)
    assert found["scheme"]["name"] == found["scheme"]["present"]
    assert [each["k"] for each in found["distances"]] == list(range(8))
    # Each document has two others in its family, and all share shingles with it.
    assert found["candidates"] == 2
    for each in found["distances"]:
        assert 1 <= each["candidates"] <= each["candidates_p90"] <= len(TEXTS)
    shares = [each["versions"] for each in found["distances"]]
    assert shares == sorted(shares)
    assert [each["blocks"] for each in found["blocks"]] == [4, 8, 12, 16]
    again = tuned(call, revisions, "--sample", 50, "--seed", 3)
    for figures in (found, again):
        for each in (figures, *figures["distances"]):
            each.pop("took")
    assert {**again, "written": False} == found


def test_labels_move_the_threshold_and_everything_reads_it(
    call: Any, revisions: str, labels: Write
) -> None:
    path = labels()
    shown = call("lab", "tune", revisions, "--labels", path)
    assert "Nothing is stored. Store it with `es-simhash config" in shown.out
    before = json.loads(call("config", revisions, "--format", "json").out)
    assert before["version_threshold"] is None
    texts = dict(zip(TEXTS, TextAnalyser().analyse(list(TEXTS.values())), strict=True))
    values = {label: [version_value(texts[one], texts[other]) for one, other, each in PAIRS
                      if each == label] for label in (0, 1)}  # fmt: skip
    assert max(values[0]) < min(values[1])
    found = tuned(call, revisions, "--labels", path, "--write")
    threshold = found["threshold"]["value"]
    assert max(values[0]) < threshold < min(values[1])
    figures = {each["name"]: each for each in found["threshold"]["figures"]["thresholds"]}
    assert figures["proposed"]["f1"]["value"] > figures["default"]["f1"]["value"]
    assert found["written"]
    try:
        stored = json.loads(call("config", revisions, "--format", "json").out)
        assert stored["version_threshold"] == threshold
        # The first that was changed at all.
        n = next(n for n in range(FAMILIES) if TEXTS[f"a{n}"] != TEXTS[f"b{n}"])
        (answer,) = json.loads(call("related", revisions, "--id", f"a{n}", "--format", "json").out)
        kinds = {each["id"]: each["kind"] for each in answer["relations"]}
        assert kinds[f"b{n}"] == "version"
        assert kinds.get(f"c{n}") != "version"
        # What is stored is as good as the proposal: it stays.
        again = tuned(call, revisions, "--labels", path)
        assert (again["threshold"]["value"], again["settings"]) == (threshold, {})
    finally:
        undone = call("config", revisions, "--unset", "version-threshold", "--format", "json")
    assert json.loads(undone.out)["version_threshold"] is None


def test_what_is_stored_says_what_to_run_now(call: Any, revisions: str, labels: Write) -> None:
    try:
        shown = call("lab", "tune", revisions, "--labels", labels(), "--write")
        assert shown.status == 0
        for part in (f"es-simhash families run {revisions}", "es-simhash undo",
                     f"es-simhash config {revisions} --unset version-threshold"):  # fmt: skip
            assert part in shown.out
    finally:
        call("config", revisions, "--unset", "version-threshold")


def test_a_sidecar_is_tuned_as_its_index(
    call: Any, client: Any, revisions: str, labels: Write
) -> None:
    from es_simhash.maintenance.backfills.backfill import backfill

    sidecar = f"{revisions}-beside"
    assert all(each.ok for each in backfill(client, revisions, sidecar=sidecar))
    client.indices.refresh(index=sidecar)
    whole = ("--sample", len(TEXTS), "--labels", labels())
    expected, found = tuned(call, revisions, *whole), tuned(call, sidecar, *whole)
    assert found["threshold"] == expected["threshold"]
    assert found["pairs"] == expected["pairs"] == 3 * FAMILIES


@pytest.mark.parametrize(
    ("rows", "between", "said"),
    [
        ([*PAIRS, ("a1", "nobody", 1)], "\t", ["line 81: document 'nobody' is not in index"]),
        (
            [*PAIRS, ("b2", "a2", 0)],
            "\t",
            ["line 81: pair 'a2', 'b2' has label 0, but 1 on line 3; both are left out."],
        ),
        ([*PAIRS, ("a1", "a1", 1)], "\t", ["line 81: document 'a1' is paired with itself"]),
    ],
)
def test_lines_that_cannot_be_used_are_left_out_and_the_rest_goes_on(
    call: Any, revisions: str, labels: Write, rows: Any, between: str, said: list[str]
) -> None:
    found = tuned(call, revisions, "--labels", labels(rows, between), status=1)
    assert found["threshold"]["figures"]["pairs"] >= len(PAIRS) - 1
    assert found["threshold"]["value"] > VERSION_SCORE
    assert len(found["problems"]) == len(said)
    for sentence in said:
        assert sentence in found["said"]


@pytest.mark.parametrize(
    ("rows", "between", "said"),
    [
        (PAIRS[:3], ";", ["line 1: expected id, id and label separated by tabs, got 1 columns",
                          "line 2: expected", "line 3: expected", "has no labelled pair"]),
        (PAIRS[:5], "\t", ["has only pairs labelled 1 (5). Add pairs labelled 0."]),
        ([("x", "y", 1), ("x", "z", 0)], "\t", ["line 1: document 'x' is not in index",
                                                "line 2: document 'x'", "No pair of file"]),
        ([], "\t", ["has no labelled pair"]),
    ],
)  # fmt: skip
def test_labels_that_are_of_no_use_leave_what_the_sample_says(
    call: Any, revisions: str, labels: Write, rows: Any, between: str, said: list[str]
) -> None:
    found = tuned(call, revisions, "--labels", labels(rows, between), "--write", status=1)
    assert found["threshold"]["figures"] is None
    assert found["threshold"]["value"] == VERSION_SCORE
    assert len(found["said"].splitlines()) == len(said)
    for sentence in said:
        assert sentence in found["said"]


def test_what_cannot_be_tuned_is_said_in_a_sentence(
    call: Any, client: Any, revisions: str, index_name: str, tmp_path: Path
) -> None:
    missing = call("lab", "tune", revisions, "--labels", tmp_path / "none.tsv").refusal()
    assert "cannot be read" in missing
    assert "'nowhere-at-all' does not exist" in call("lab", "tune", "nowhere-at-all").refusal()
    client.indices.create(index=index_name)
    assert f"es-simhash install {index_name}" in call("lab", "tune", index_name).refusal()
    assert call("install", index_name).status == 0
    assert "has no documents" in call("lab", "tune", index_name).refusal()
    client.index(index=index_name, id="1", document={"text": make_text(1)}, refresh=True)
    assert f"es-simhash backfill {index_name}" in call("lab", "tune", index_name).refusal()
    call("lab", "tune", revisions, "--sample", 1).wrong_usage()
