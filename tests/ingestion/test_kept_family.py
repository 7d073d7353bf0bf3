"""What was decided about a text stays with the document when its other fields are written again."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import BadRequestError

from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.deduplication.version_policy import VersionPolicy
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings, Selection
from es_simhash.maintenance.families.find_families import find_families
from tests.support.made_up_texts import make_text, revise

pytestmark = pytest.mark.cluster
DOCS = Path(__file__).resolve().parents[2] / "docs"
TEXTS = {"one": make_text(1), "two": revise(make_text(1), 3), "other": make_text(2)}


def lines(**fields: Any) -> list[dict[str, Any]]:
    return [{"_id": id, "text": text, **fields} for id, text in TEXTS.items()]


def families(desk: Any) -> dict[str, str | None]:
    return {id: each["simhash"].get("family") for id, each in desk.sources().items()}


@pytest.fixture
def grouped(desk: Any) -> Any:
    """An index whose documents have families."""
    desk.put(lines(n=1))
    find_families(desk.client, desk.name)
    found = families(desk)
    assert found["one"] == found["two"] != found["other"] is not None
    return desk


def write(desk: Any, documents: Iterable[Mapping[str, Any]], **settings: Any) -> set[str]:
    chosen = IngestSettings(**settings)
    return {each.status for each in ingest(desk.client, desk.name, documents, settings=chosen)}


@pytest.mark.variants
@pytest.mark.parametrize("rewrite", [False, True])
@pytest.mark.parametrize("batch", [1, 1000])
def test_ingest_keeps_the_family_of_the_same_text(grouped: Any, batch: int, rewrite: bool) -> None:
    before = families(grouped)
    settings = {"limits": BatchLimits(documents=batch), "rewrite": rewrite}
    assert write(grouped, lines(n=2), **settings) == {"written"}
    assert families(grouped) == before
    assert {each["n"] for each in grouped.documents().values()} == {2}
    # The same text in other letters has the same content hash.
    loud = [{**line, "text": str(line["text"]).upper()} for line in lines()]
    assert write(grouped, loud, **settings) == {"written"}
    assert families(grouped) == before
    assert write(grouped, [{"_id": "one", "text": "Another text."}], **settings) == {"written"}
    assert families(grouped) == {**before, "one": None}


def test_documents_of_later_batches_with_the_same_id_keep_it_too(grouped: Any) -> None:
    """They are prepared while the earlier one is written."""
    before = families(grouped)
    again = [*lines(n=2), *lines(n=1), *lines(n=3), *lines(n=1)]
    write(grouped, again, limits=BatchLimits(documents=3))
    assert families(grouped) == before
    assert {each["n"] for each in grouped.documents().values()} == {1}


@pytest.mark.variants
@pytest.mark.parametrize("action", ["flag", "link", "skip", "replace"])
def test_with_every_policy(grouped: Any, action: str) -> None:
    before = families(grouped)
    grouped.write(lines(n=2), action)
    assert families(grouped) == before
    assert {each["n"] for each in grouped.documents().values()} == {2}


def test_a_decision_for_an_own_bulk_request_has_it(grouped: Any) -> None:
    before = families(grouped)
    rules = OnVersion("flag", audit=grouped.audit)
    with VersionPolicy(grouped.client, grouped.name, rules) as policy:
        decisions = policy.decide(lines(n=2))
        written = {each.id: each.to_write()["simhash"].get("family") for each in decisions}
    assert written == before


def test_a_flag_stays_with_the_text_and_goes_with_it(desk: Any) -> None:
    desk.write(lines(n=1), "flag")
    marks = desk.marks()
    assert marks["two"]["duplicate_of"] == "one"
    write(desk, lines(n=2))
    assert desk.marks() == marks
    write(desk, [{"_id": "two", "text": "Another text."}])
    assert desk.marks()["two"] == {}


def test_a_family_of_null_is_none(grouped: Any) -> None:
    doc = {"simhash": {"family": None}}
    grouped.client.update(index=grouped.name, id="one", doc=doc, refresh=True)
    write(grouped, lines(n=2))
    assert "family" not in grouped.sources()["one"]["simhash"]


@pytest.mark.long
def test_backfill_and_sweep_keep_it(swept_index: Any) -> None:
    index = swept_index
    index.store(TEXTS)
    index.sweep()
    before = index.families()
    assert None not in before.values()
    client, name = index.client, index.name
    for id in TEXTS:
        client.update(index=name, id=id, doc={"n": 2})
    check = Selection(check=True)
    settings = BackfillSettings(processes=1)
    list(backfill(client, name, selection=check, settings=settings))
    assert index.families() == before
    # Stale fingerprints of the same text are written again.
    client.update(index=name, id="one", doc={"simhash": {"scheme": "older"}}, refresh=True)
    assert {each.status for each in backfill(client, name, settings=settings)} == {"written"}
    assert index.families() == before
    index.sweep()
    assert index.families() == before
    # A program that knows nothing of families replaces the whole document.
    index.store(TEXTS, n=3)
    index.sweep()
    assert index.families() == before


@pytest.mark.long
def test_a_sidecar_keeps_what_is_stored_beside_the_fingerprints(
    swept_index: Any, index_name: str
) -> None:
    index, sidecar = swept_index, f"{index_name}-sidecar"
    client, settings = index.client, BackfillSettings(processes=1)
    try:
        index.store(TEXTS)
        list(backfill(client, index.name, sidecar=sidecar, settings=settings))
        client.update(index=sidecar, id="one", doc={"simhash": {"family": "mine"}}, refresh=True)
        index.store(TEXTS, n=3)
        list(backfill(client, index.name, sidecar=sidecar, settings=settings))
        assert client.get(index=sidecar, id="one")["_source"]["simhash"]["family"] == "mine"
        index.store({"one": "Another text."})
        list(backfill(client, index.name, sidecar=sidecar, settings=settings))
        assert client.get(index=sidecar, id="one")["_source"]["simhash"].get("family") is None
    finally:
        client.indices.delete(index=sidecar, ignore_unavailable=True)


def recipe() -> list[dict[str, Any]]:
    """Return the lines of the request in docs/families.md."""
    text = (DOCS / "families.md").read_text("utf-8")
    (block,) = re.findall(r"```json\nGET articles/_msearch\n(.*?)```", text, re.S)
    return [json.loads(line) for line in block.splitlines()]


def test_the_recipe_for_collapse_hides_no_document_without_a_family(grouped: Any) -> None:
    client, name = grouped.client, grouped.name
    # As a pipeline leaves them: with fingerprints and without a family.
    for number in range(3):
        doc = {"text": f"interest rates {make_text(number + 5)}", "published": "2024-01-01"}
        client.index(index=name, id=f"new-{number}", document=doc)
    for id in TEXTS:
        doc = {"text": f"interest rates {TEXTS[id]}", "published": "2024-01-02"}
        client.update(index=name, id=id, doc=doc)
    client.indices.refresh(index=name)
    naive = client.search(
        index=name,
        query={"match": {"text": "interest rates"}},
        collapse={"field": "simhash.family"},
    )
    assert len(naive["hits"]["hits"]) == 3  # one of two families each, one of all without
    runtime = {"group": {"type": "keyword"}}
    with pytest.raises(BadRequestError, match="collapse is not supported"):
        client.search(index=name, runtime_mappings=runtime, collapse={"field": "group"})
    answers = client.msearch(index=name, searches=recipe())["responses"]
    ids = [[hit["_id"] for hit in answer["hits"]["hits"]] for answer in answers]
    assert sorted(ids[1]) == ["new-0", "new-1", "new-2"]
    assert len(ids[0]) == 2
    shown = [hit for answer in answers for hit in answer["hits"]["hits"]]
    others = [
        other["_id"]
        for hit in answers[0]["hits"]["hits"]
        for other in hit["inner_hits"]["others"]["hits"]["hits"]
    ]
    assert {hit["_id"] for hit in shown} | set(others) == {*TEXTS, "new-0", "new-1", "new-2"}
