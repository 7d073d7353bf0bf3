"""Several documents of one run with one id: which is kept, and how the others are counted."""

import io
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.bulk.json_documents import Document
from es_simhash.ingestion.bulk.outcomes import STATUSES, IngestReport
from es_simhash.ingestion.bulk.run_documents import (
    RECORD_BYTES,
    DigestTable,
    RunDocuments,
    Standing,
    mark_of,
)
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest, ingest_sources
from es_simhash.ingestion.ingest_settings import IngestSettings
from tests.support.journals import rows, saved_lines
from tests.support.made_up_texts import make_text, revise
from tests.support.new_index import new_index

A, B, C = (make_text(seed) for seed in (1, 2, 3))
# Of "x": A, a repeat, B, A again; of "y": the same text with another field.
LINES = [
    {"_id": "x", "text": A},
    {"_id": "y", "text": C, "n": 1},
    {"_id": "x", "text": A},
    {"_id": "x", "text": B},
    {"_id": "y", "text": C, "n": 2},
    {"_id": "z", "text": make_text(4)},
    {"_id": "x", "text": A},
]
# Written, unchanged, conflicting, failed; and what the index has then.
EXPECTED = {
    "last": ((3, 2, 2, 0), A, 2),
    "first": ((3, 3, 1, 0), A, 1),
    "fail": ((3, 3, 0, 1), A, 1),
}


RULES = ("last", "first", "fail")


def meeting(
    actions: Sequence[str | None], batches: Sequence[tuple[int, bool]]
) -> list[tuple[str, str | None, int, bool]]:
    """Return cases in which any two values meet: rule and action, rule and batch, action and batch.

    Args:
        actions: Of `--on-version`.
        batches: Three sizes of batches, and whether the index has a document before.
    """
    return [
        (rule, action, *batches[(i + j) % len(batches)])
        for i, rule in enumerate(RULES)
        for j, action in enumerate(actions)
    ]


def counts(report: IngestReport) -> tuple[int, ...]:
    return tuple(report.counts[name] for name in ("written", "unchanged", "conflicting", "failed"))


@pytest.fixture
def index(client: Any, index_name: str) -> str:
    new_index(client, index_name, {"n": {"type": "long"}}, semantics=None)
    return index_name


def texts(client: Any, index: str) -> dict[str, Any]:
    client.indices.refresh(index=index)
    hits = client.search(index=index, size=1000)["hits"]["hits"]
    return {hit["_id"]: hit["_source"] for hit in hits}


@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize(
    ("on_conflict", "on_version", "batch", "is_filled"),
    meeting([None, "flag", "link", "replace", "skip"], [(1, False), (2, True), (1000, False)]),
)
def test_conflicts_are_counted_as_what_they_are(
    client: Any,
    index: str,
    tmp_path: Path,
    on_conflict: Any,
    batch: int,
    on_version: str | None,
    is_filled: bool,
) -> None:
    if is_filled:  # then every batch is compared with the index
        list(ingest(client, index, [{"_id": "other", "text": make_text(9)}]))
    settings = IngestSettings(
        limits=BatchLimits(documents=batch), on_conflict=on_conflict, dead_letter=tmp_path / "dead"
    )
    rules = None if on_version is None else OnVersion(on_version, audit=tmp_path / "audit", lose=1)
    report = IngestReport.of(ingest(client, index, LINES, on_version=rules, settings=settings))
    expected, text, n = EXPECTED[on_conflict]
    assert counts(report) == expected
    assert report.documents == len(LINES)
    stored = texts(client, index)
    assert (stored["x"]["text"], stored["y"]["n"]) == (text, n)
    dead = tmp_path / "dead"
    failed = [json.loads(line) for line in dead.read_text().splitlines()] if dead.exists() else []
    if on_conflict == "fail":
        assert [(each["id"], each["line"], each["document"]["text"]) for each in failed] == [
            ("x", 4, B)
        ]
        assert "--on-conflict" in failed[0]["reason"]
    else:
        assert failed == []


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize("on_conflict", ["last", "first", "fail"])
def test_across_processes(client: Any, index: str, on_conflict: Any) -> None:
    lines = [
        {"_id": f"{n % 40}", "text": f"Words of number {n // 80} of {n % 40}."} for n in range(400)
    ]
    settings = IngestSettings(
        processes=2, limits=BatchLimits(documents=30), ahead=3, on_conflict=on_conflict
    )
    report = IngestReport.of(ingest(client, index, lines, settings=settings))
    # Each id ten times, with five texts, each of them twice.
    if on_conflict == "last":
        assert counts(report) == (40, 200, 160, 0)
        assert texts(client, index)["7"]["text"] == "Words of number 4 of 7."
    else:
        lost = (320, 0) if on_conflict == "first" else (0, 320)
        assert counts(report) == (40, 40, *lost)
        assert texts(client, index)["7"]["text"] == "Words of number 0 of 7."


@pytest.mark.cluster
def test_a_document_whose_place_was_taken_by_one_that_is_rejected_is_not_lost(
    client: Any, index: str, tmp_path: Path
) -> None:
    client.indices.put_mapping(index=index, properties={"d": {"type": "date"}})
    bad = {"_id": "x", "text": B, "d": "no date"}
    dead = tmp_path / "dead"
    settings = IngestSettings(dead_letter=dead)
    report = IngestReport.of(
        ingest(client, index, [{"_id": "x", "text": A}, bad], settings=settings)
    )
    assert counts(report) == (0, 0, 0, 2)
    assert [json.loads(line)["document"]["text"] for line in dead.read_text().splitlines()] == [
        A,
        B,
    ]
    # In a batch of its own the first one stands, as in any order of batches.
    one = replace(settings, limits=BatchLimits(documents=1), on_conflict="first")
    report = IngestReport.of(ingest(client, index, [bad, {"_id": "x", "text": A}], settings=one))
    assert counts(report) == (1, 0, 0, 1)
    assert texts(client, index)["x"]["text"] == A


@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize("on_version", [None, "flag"])
@pytest.mark.parametrize("on_conflict", ["last", "first", "fail"])
def test_a_resumed_run_knows_what_came_before(
    client: Any, index: str, tmp_path: Path, on_conflict: Any, on_version: str | None
) -> None:
    path, journal = tmp_path / "a.jsonl", tmp_path / "journal"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES), "utf-8")
    settings = IngestSettings(
        limits=BatchLimits(documents=1), ahead=2, journal=journal, on_conflict=on_conflict
    )
    rules = None if on_version is None else OnVersion(on_version, audit=tmp_path / "audit", lose=1)

    def run(settings: IngestSettings) -> Any:
        sources = open_sources([path], io.BytesIO())
        return ingest_sources(client, index, sources, on_version=rules, settings=settings)

    interrupted = run(settings)
    for _ in range(3):
        next(interrupted)
    interrupted.close()
    kept = saved_lines(journal)
    assert 0 < kept < len(LINES)
    ((size,),) = rows(journal, "SELECT SUM(LENGTH(content)) FROM records")
    assert size >= kept
    progress: list[Any] = []
    rest = IngestReport.of(run(replace(settings, on_progress=progress.append)))
    total = rest + progress[0].before
    expected, text, n = EXPECTED[on_conflict]
    assert counts(total) == expected
    assert (total.documents, progress[0].before.documents) == (len(LINES), kept)
    stored = texts(client, index)
    assert (stored["x"]["text"], stored["y"]["n"]) == (text, n)
    assert [each.name for each in tmp_path.iterdir() if "journal" in each.name] == []


@pytest.mark.cluster
def test_a_source_that_changed_since_is_forgotten_on_request(
    client: Any, index: str, tmp_path: Path
) -> None:
    path, journal = tmp_path / "a.jsonl", tmp_path / "journal"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES), "utf-8")
    settings = IngestSettings(limits=BatchLimits(documents=1), journal=journal, on_conflict="fail")

    def run(settings: IngestSettings) -> Any:
        sources = open_sources([path], io.BytesIO())
        return ingest_sources(client, index, sources, settings=settings)

    interrupted = run(settings)
    next(interrupted)
    interrupted.close()
    path.write_text(json.dumps({"_id": "x", "text": "Corrected."}) + "\n", "utf-8")
    with pytest.raises(InputError, match="has changed in the part that an earlier run read"):
        list(run(settings))
    assert counts(IngestReport.of(run(replace(settings, fresh=True)))) == (1, 0, 0, 0)
    assert texts(client, index)["x"]["text"] == "Corrected."


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize(
    ("on_conflict", "action", "batch", "is_filled"),
    meeting(["skip", "flag", "link", "replace"], [(1, False), (7, True), (1000, False)]),
)
def test_the_sums_are_the_documents_read_and_what_the_index_has(
    client: Any,
    index: str,
    tmp_path: Path,
    action: Any,
    on_conflict: Any,
    batch: int,
    is_filled: bool,
) -> None:
    chains = [[make_text(seed)] for seed in range(5)]
    for chain in chains:
        while len(chain) < 5:  # each longer than the one before
            chain.append(revise(chain[-1], len(chain)) + f" and {len(chain)} more words of it")
    lines = [
        {"_id": f"{seed}-{number}", "text": text}
        for number in range(5)
        for seed, text in enumerate(chain[number] for chain in chains)
    ]
    lines += [dict(lines[3]), {"_id": "0-4", "text": C}, {"_id": "bad"}]
    before = 0
    if is_filled:
        list(ingest(client, index, lines[:4]))
        client.indices.refresh(index=index)
        before = 4
    rules = OnVersion(action, audit=tmp_path / "audit.jsonl", lose=1)
    settings = IngestSettings(limits=BatchLimits(documents=batch), on_conflict=on_conflict)
    report = IngestReport.of(ingest(client, index, lines, on_version=rules, settings=settings))
    assert report.documents == len(lines)
    assert min(report.counts[status] for status in STATUSES) >= 0
    assert report.to_dict()["documents"] == sum(report.counts[status] for status in STATUSES)
    records = (tmp_path / "audit.jsonl").read_text().splitlines()
    assert report.versions == len(records) > 0
    ids = set(texts(client, index))
    repeated = report.counts["unchanged"] - sum(1 for line in lines[:before] if line["_id"] in ids)
    if action == "replace":
        assert report.counts["replaced"] + report.replaced_stored > 0
    if not is_filled:
        # Every id is there once, and everything that is not there was counted as lost.
        assert report.counts["written"] == len(ids)
        assert repeated >= 0


def test_the_table_keeps_the_last_value_of_each_key_in_16_bytes() -> None:
    table, known = DigestTable(), {}
    random = np.random.default_rng(5)
    for size in (1000, 1, 700, 3000, 40, 5000):
        keys = random.integers(1, 6000, size).astype(np.uint64)
        values = random.integers(1, 1 << 62, size).astype(np.uint64)
        table.put(keys, values)
        known.update(zip(keys.tolist(), values.tolist(), strict=True))
    asked = np.arange(7000, dtype=np.uint64)
    assert table.find(asked).tolist() == [known.get(key, 0) for key in range(7000)]
    assert len(table) == len(known)
    assert sum(keys.nbytes + values.nbytes for keys, values in table._runs) == 16 * len(known)
    assert all(len(a) >= 2 * len(b) for (a, _), (b, _) in pairwise(table._runs))
    assert DigestTable().find(asked).tolist() == [0] * 7000


def test_what_a_run_remembers_is_read_back() -> None:
    def mark(id: str, text: str, routing: str | None = None) -> Any:
        return mark_of(Document(0, id, text, b"", "", routing))

    run = RunDocuments()
    records = run.put(
        [Standing(mark("a", "one"), "written"), Standing(mark("b", "two"), "unchanged")]
    )
    records += run.put([Standing(mark("a", "three", "r"), "unchanged")], [mark("b", "").key])
    assert len(records) == 4 * RECORD_BYTES
    again = RunDocuments()
    again.load(records)
    keys = [mark(id, "").key for id in "abc"]
    for each in (run, again):
        a, b, c = each.standing(keys)
        assert (b, c) == (None, None)
        assert a is not None
        assert a.status == "unchanged"
        assert a.mark.has_text_of(mark("a", "three"))
        assert not a.mark.has_text_of(mark("a", "one"))
        assert a.mark.has_routing_of(mark("a", "other", "r"))
        assert not a.mark.has_routing_of(mark("a", "three"))


def test_an_unknown_choice_is_refused() -> None:
    with pytest.raises(InputError, match="one of last, first, fail, got 'newest'") as raised:
        IngestSettings(on_conflict="newest")  # type: ignore[arg-type]
    assert raised.value.parameter == "on_conflict"
    assert os.linesep not in str(raised.value)
