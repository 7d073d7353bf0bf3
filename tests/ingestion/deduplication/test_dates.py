"""The newest of two documents is the one whose date the engine reads as the later."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import InputError, MappingConflict
from es_simhash.ingestion.deduplication.version_policy import VersionPolicy
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest
from es_simhash.ingestion.ingest_settings import IngestSettings

pytestmark = pytest.mark.cluster
Make = Callable[..., str]
PAIRS = [
    ("date", None, "2022-12-31", "2023"),
    ("date", None, "2023-04-30T23:59:59Z", "2023-05"),
    ("date", None, "2023-05-01T10:00:00Z", "2023-05-01T10:00:00.5Z"),
    ("date", None, "2023-05-01T10:00:00+02:00", "2023-05-01T09:00:00Z"),
    ("date", None, "2023-05-01", 1700000000000),
    ("date", "yyyy/MM/dd||strict_date_optional_time", "2023-05-01", "2023/05/02"),
    ("date", "dd.MM.yyyy", "30.11.2022", "01.02.2023"),
    ("date", "epoch_second", 1_700_000_000, 1_700_000_001),
    ("date_nanos", None, "2023-05-01T10:00:00.123456788Z", "2023-05-01T10:00:00.123456789Z"),
    ("long", None, 9, 10),
]


def date_mapping(kind: str, format: str | None) -> dict[str, Any]:
    return {"type": kind, **({"format": format} if format else {})}


def map_dates(desk: Any, kind: str = "date", format: str | None = None, **more: Any) -> None:
    mapping = {**date_mapping(kind, format), **more}
    desk.client.indices.put_mapping(index=desk.name, properties={"date": mapping})


def newest(desk: Any, documents: Any, field: str = "date", **settings: Any) -> dict[str, Any]:
    """Ingest and keep the newest; return the outcome of each document."""
    rules = OnVersion("replace", keep="newest", date_field=field, audit=desk.audit, lose=1)
    chosen = IngestSettings(**settings)
    outcomes = ingest(desk.client, desk.name, documents, on_version=rules, settings=chosen)
    return {str(each.id): each for each in outcomes}


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("order", ["older first", "newer first"])
@pytest.mark.parametrize("where", ["in the index", "in the same batch"])
def test_the_later_date_is_kept_wherever_the_other_is(
    desk: Any, make_text: Make, revise: Make, where: str, order: str
) -> None:
    mapped = {
        f"date{number}": date_mapping(kind, format)
        for number, (kind, format, _, _) in enumerate(PAIRS)
    }
    desk.client.indices.put_mapping(index=desk.name, properties=mapped)
    expected: set[str] = set()
    for number, (*_, older, newer) in enumerate(PAIRS):
        field, text = f"date{number}", make_text(number)
        documents = [
            {"id": f"older {number}", "text": text, field: older},
            {"id": f"newer {number}", "text": revise(text, 2), field: newer},
        ]
        if order == "newer first":
            documents.reverse()
        if where == "in the index":
            desk.put(documents[:1])
            documents = documents[1:]
        found = newest(desk, documents, field=field)
        assert all(each.ok and each.undated == () for each in found.values()), PAIRS[number]
        expected.add(f"newer {number}")
        assert set(desk.documents()) == expected, PAIRS[number]


def test_a_date_that_the_engine_cannot_read_is_an_error_of_the_document(
    desk: Any, make_text: Make, revise: Make, tmp_path: Path
) -> None:
    map_dates(desk)
    text = make_text(1)
    desk.put([{"id": "stored", "text": text, "date": "2023-01-01"}])
    dead = tmp_path / "dead.jsonl"
    found = newest(
        desk,
        [
            {"id": "bad", "text": revise(text, 2), "date": "1st of May"},
            {"id": "good", "text": revise(text, 3), "date": "2024"},
        ],
        dead_letter=dead,
    )
    assert found["bad"].status == "failed"
    assert '"1st of May"' in str(found["bad"].reason)
    assert found["good"].status == "written"
    assert set(desk.documents()) == {"good"}
    (letter,) = map(json.loads, dead.read_text("utf-8").splitlines())
    assert '"1st of May"' in json.dumps(letter).replace('\\"', '"')


def test_what_the_engine_would_ignore_is_an_error_as_well(
    desk: Any, make_text: Make, revise: Make
) -> None:
    map_dates(desk, ignore_malformed=True)
    text = make_text(1)
    desk.put([{"id": "stored", "text": text, "date": "2023-01-01"}])
    found = newest(desk, [{"id": "bad", "text": revise(text, 2), "date": "May"}])
    assert found["bad"].status == "failed"
    assert set(desk.documents()) == {"stored"}


@pytest.mark.parametrize("stored", [True, False])
def test_documents_without_a_date_are_older_and_named(
    desk: Any, make_text: Make, revise: Make, stored: bool
) -> None:
    map_dates(desk)
    texts = [make_text(seed) for seed in (1, 2, 3)]
    first = [
        {"id": "old-1", "text": texts[0]},
        {"id": "old-2", "text": texts[1], "date": "2023-01-01"},
        {"id": "old-3", "text": texts[2], "date": None},
    ]
    second = [
        {"id": "new-1", "text": revise(texts[0], 4), "date": "1999"},
        {"id": "new-2", "text": revise(texts[1], 5)},
        {"id": "new-3", "text": revise(texts[2], 6), "date": []},
    ]
    if stored:
        desk.put(first)
        found = newest(desk, second)
    else:
        found = newest(desk, [*first, *second])
        assert found["old-1"].undated == ("old-1",)
        assert found["old-2"].undated == ()
    assert {id: found[id].undated for id in ("new-1", "new-2", "new-3")} == {
        "new-1": ("old-1",),
        "new-2": ("new-2",),
        "new-3": ("new-3", "old-3"),
    }
    assert set(desk.documents()) == {"new-1", "old-2", "old-3"}
    records = {each["id"]: each.get("undated") for each in desk.records()}
    assert records == {"new-1": ["old-1"], "new-2": ["new-2"], "new-3": ["new-3", "old-3"]}


def test_a_misspelt_date_field_ends_the_run_before_it_begins(desk: Any, make_text: Make) -> None:
    map_dates(desk)
    for action, keep in [("replace", "newest"), ("flag", "longest")]:
        rules = OnVersion(action, keep=keep, date_field="datum", audit=desk.audit)  # type: ignore[arg-type]
        with pytest.raises(InputError, match=r"'datum'; the nearest .* is 'date'\. Set"):
            list(ingest(desk.client, desk.name, [{"text": make_text(1)}], on_version=rules))
    with pytest.raises(MappingConflict, match=r"'simhash\.family' .* not as a date"):
        desk.write([], "replace", keep="newest", date_field="simhash.family")
    assert desk.documents() == {}
    assert not desk.audit.exists()


def test_a_policy_of_ones_own_reads_dates_alike(desk: Any, make_text: Make, revise: Make) -> None:
    map_dates(desk, format="yyyy/MM/dd")
    text = make_text(1)
    desk.put([{"id": "stored", "text": text, "date": "2023/01/01"}])
    rules = OnVersion("replace", keep="newest", date_field="date", audit=desk.audit, lose=1)
    with VersionPolicy(desk.client, desk.name, rules) as policy:
        (decision,) = policy.decide([{"id": "n", "text": revise(text, 2), "date": "2023/01/02"}])
        assert (decision.action, decision.other) == ("replace", "stored")
        with pytest.raises(InputError, match="Document 1: Field 'date' has \"2023\""):
            policy.decide([{"id": "m", "text": revise(text, 3), "date": "2023"}])
