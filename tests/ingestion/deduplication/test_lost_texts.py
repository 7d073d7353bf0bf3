"""Removals lose no text: what the other text does not have is written and flagged."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from es_simhash.ingestion.deduplication import lost_texts
from es_simhash.ingestion.deduplication.version_rules import LOSE
from es_simhash.maintenance.families.dismissals_and_joins import join

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


@pytest.fixture
def strict(desk: Any) -> Any:
    """The index, with removals that lose as little as they do by default."""
    write = desk.write
    desk.write = lambda documents, action, **rules: write(
        documents, action, **{"lose": LOSE, **rules}
    )
    desk.client.indices.put_mapping(index=desk.name, properties={"date": {"type": "date"}})
    return desk


def texts_of(make_text: Make, seed: int) -> dict[str, str]:
    """Return a text, one that has it wholly and more, and one of which a number is another."""
    short = f"{make_text(seed, 300)} It opened in 1987."
    return {
        "short": short,
        "longer": f"{short} {make_text(seed + 1, 40)}",
        "number": short.replace("1987", "1988"),
    }


@pytest.fixture
def texts(make_text: Make) -> dict[str, str]:
    """The texts of one case."""
    return texts_of(make_text, 1)


def documents(texts: dict[str, str], *ids: str) -> list[dict[str, Any]]:
    """Return documents, each dated a year after the one before."""
    return [
        {"id": id, "text": texts[id], "date": f"{2001 + place}-01-01"}
        for place, id in enumerate(ids)
    ]


def write(desk: Any, first: Any, second: Any, where: str, action: str, **rules: Any) -> str:
    """Write two documents, in one batch or in two runs; give the action on the second."""
    if where == "index":
        desk.put([first])
        desk.write([second], action, **rules)
    else:
        desk.write([first, second], action, batch=1 if where == "run" else 1000, **rules)
    (record,) = desk.records()
    return str(record["action"])


WHERE = pytest.mark.parametrize("where", ["index", "run", "batch"])


@WHERE
def test_a_text_that_the_other_has_wholly_is_skipped(strict: Any, texts: Any, where: str) -> None:
    pair = documents(texts, "longer", "short")
    assert write(strict, *pair, where, "skip") == "skip"
    assert set(strict.documents()) == {"longer"}
    (record,) = strict.records()
    assert record["lost"] == {"share": 0.0, "facts": [], "stretches": []}


@WHERE
def test_a_text_with_a_paragraph_of_its_own_is_written_and_flagged(
    strict: Any, texts: Any, where: str
) -> None:
    pair = documents(texts, "short", "longer")
    assert write(strict, *pair, where, "skip") == "retain"
    assert set(strict.documents()) == {"short", "longer"}
    assert strict.marks()["longer"]["duplicate_of"] == "short"
    assert strict.marks()["longer"]["duplicate_score"] >= 0.6
    (record,) = strict.records()
    assert record["lost"]["share"] == pytest.approx(40 / 344, abs=0.01)
    (stretch,) = record["lost"]["stretches"]
    assert stretch in texts["longer"]
    assert stretch not in texts["short"]
    assert "document" not in record


@WHERE
def test_a_text_with_a_number_of_its_own_is_written_and_flagged(
    strict: Any, texts: Any, where: str
) -> None:
    pair = documents(texts, "short", "number")
    assert write(strict, *pair, where, "skip") == "retain"
    assert strict.marks()["number"]["duplicate_of"] == "short"
    assert strict.records()[0]["lost"]["facts"] == ["1988"]


# The order of two texts, which of them is to be kept, what becomes of the second, what is left.
REPLACED: list[tuple[tuple[str, str], str, str, set[str]]] = [
    (("short", "longer"), "longest", "replace", {"longer"}),
    (("longer", "short"), "longest", "skip", {"longer"}),
    (("short", "longer"), "newest", "replace", {"longer"}),
    # The newest has less: to keep it alone would lose a paragraph of the other.
    (("longer", "short"), "newest", "retain", {"longer", "short"}),
    (("longer", "short"), "existing", "skip", {"longer"}),
    (("short", "longer"), "existing", "retain", {"longer", "short"}),
    (("number", "short"), "newest", "retain", {"number", "short"}),
]


@pytest.mark.long
@pytest.mark.variants
@WHERE
def test_replace_asks_what_is_in_the_text_that_stays(
    strict: Any, make_text: Make, where: str, tmp_path: Path
) -> None:
    for number, (order, keep, action, left) in enumerate(REPLACED):
        strict.audit = tmp_path / f"{number}.jsonl"
        pair = documents(texts_of(make_text, 10 * number), *order)
        for each in pair:
            each["id"] += f" {number}"
        rules = {"keep": keep, "date_field": "date"}
        assert write(strict, *pair, where, "replace", **rules) == action, REPLACED[number]
        of_case = {id: marks for id, marks in strict.marks().items() if id.endswith(f" {number}")}
        assert set(of_case) == {f"{id} {number}" for id in left}, REPLACED[number]
        flagged = {id: marks["duplicate_of"] for id, marks in of_case.items() if marks}
        one, other = (f"{id} {number}" for id in order)
        assert flagged == ({other: one} if action == "retain" else {}), REPLACED[number]


@pytest.mark.parametrize("action", ["skip", "replace"])
def test_all_may_be_lost_where_that_is_wanted(strict: Any, texts: Any, action: str) -> None:
    pair = documents(texts, "short", "number")
    assert write(strict, *pair, "batch", action, lose=1) == "skip"
    assert "lost" not in strict.records()[0]


def test_more_may_be_lost_but_no_number(strict: Any, texts: Any) -> None:
    statuses = strict.write(documents(texts, "short", "longer", "number"), "skip", lose=0.2)
    assert statuses == {"short": "written", "longer": "skipped", "number": "written"}
    assert strict.marks()["number"]["duplicate_of"] == "short"


def test_a_copy_is_skipped_whatever_may_be_lost(strict: Any, texts: Any) -> None:
    pair = [{"id": "a", "text": texts["short"]}, {"id": "b", "text": texts["short"].upper()}]
    assert write(strict, *pair, "batch", "skip", lose=0) == "skip"


@pytest.mark.variants
@WHERE
def test_what_a_person_joined_is_lost_no_more_than_others(
    strict: Any, make_text: Make, where: str
) -> None:
    pair = [{"id": "a", "text": make_text(1)}, {"id": "b", "text": make_text(2)}]
    strict.put(pair)
    join(strict.client, strict.name, ["a", "b"])
    for id in ("a", "b"):
        strict.client.delete(index=strict.name, id=id, refresh=True)
    assert write(strict, *pair, where, "skip") == "retain"
    assert strict.marks()["b"]["duplicate_of"] == "a"


@pytest.mark.long
def test_undo_removes_the_flag_and_later_runs_do_not_repeat_it(strict: Any, texts: Any) -> None:
    pair = documents(texts, "short", "longer")
    write(strict, *pair, "index", "skip")
    undone = strict.undo()
    assert (undone.restored, undone.unmarked) == (0, 1)
    assert strict.marks()["longer"] == {}
    strict.write([{**pair[1], "note": "again"}], "skip")
    assert strict.marks()["longer"] == {}


def test_the_report_counts_what_was_kept(strict: Any, texts: Any, tmp_path: Any) -> None:
    from es_simhash.ingestion.bulk.outcomes import IngestReport
    from es_simhash.ingestion.deduplication.version_rules import OnVersion
    from es_simhash.ingestion.ingest import ingest

    rules = OnVersion("skip", audit=tmp_path / "own.jsonl")
    outcomes = list(
        ingest(
            strict.client,
            strict.name,
            documents(texts, "short", "longer", "number"),
            on_version=rules,
        )
    )
    report = IngestReport.of(outcomes)
    assert (report.versions, report.retained, report.counts["written"]) == (2, 2, 3)
    assert report.to_dict()["retained"] == 2
    assert IngestReport.of_dict(report.to_dict()).retained == 2
    assert outcomes[2].reason is not None
    assert outcomes[2].reason.startswith("Written and flagged, as text would be lost (")
    assert "; 1988): version of 'short', score" in outcomes[2].reason


def test_what_is_not_remembered_is_compared_again(
    strict: Any, texts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lost_texts, "_MAX_REMEMBERED", 1)
    statuses = strict.write(documents(texts, "short", "longer", "number"), "skip", lose=0.2)
    assert statuses == {"short": "written", "longer": "skipped", "number": "written"}


@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize("action", ["skip", "replace", "flag", "link"])
def test_what_another_program_gave_another_text_alone_is_no_original_of_it(
    strict: Any, texts: Any, make_text: Make, action: str, seen: bool
) -> None:
    first, copy = documents({"a": texts["short"], "b": texts["short"]}, "a", "b")
    strict.put([first])
    # What is stored beside the text is of the text before.
    strict.client.update(index=strict.name, id="a", doc={"text": make_text(7)}, refresh=seen)
    strict.write([copy], action)
    found = {id: each["text"] for id, each in strict.documents().items()}
    assert found == {"a": make_text(7), "b": texts["short"]}
    assert strict.records() == []
