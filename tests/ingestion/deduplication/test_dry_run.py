"""A dry run ends as the run would, and writes nothing, neither to the cluster nor to a file."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import IndexMissing
from es_simhash.index import Index
from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.bulk.outcomes import IngestReport, Outcome
from es_simhash.ingestion.deduplication import recent_documents
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest, ingest_sources
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.store.installation.install import install
from tests.ingestion.deduplication.test_order import stream

pytestmark = pytest.mark.cluster
Make = Callable[..., str]
RULES = {
    "skip": OnVersion("skip"),
    "skip, whatever is lost": OnVersion("skip", lose=1),
    "flag": OnVersion("flag"),
    "link": OnVersion("link"),
    "replace": OnVersion("replace", lose=1),
    "replace the older": OnVersion("replace", keep="newest", lose=1, date_field="date"),
    "off": None,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, where audit logs are by default, and the folder of journals."""
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def written(desk: Any, rules: OnVersion | None, documents: Any, *, dry: bool) -> list[Outcome]:
    settings = IngestSettings(dry_run=dry, limits=BatchLimits(documents=4))
    return list(ingest(desk.client, desk.name, documents, on_version=rules, settings=settings))


def state(desk: Any) -> dict[str, Any]:
    """Return all documents with their sequence numbers, the mapping, and the indices beside it."""
    desk.client.indices.refresh(index=desk.name)
    hits = desk.client.search(index=desk.name, size=1000, seq_no_primary_term=True, sort=["_doc"])[
        "hits"
    ]["hits"]
    return {
        "documents": sorted((hit["_id"], hit["_seq_no"], str(hit["_source"])) for hit in hits),
        "mapping": desk.client.indices.get_mapping(index=desk.name)[desk.name],
        "indices": sorted(desk.client.indices.get(index=f"{desk.name}*")),
    }


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("rules", RULES)
def test_outcomes_are_those_of_the_run(
    desk: Any, folder: Path, make_text: Make, revise: Make, rules: str
) -> None:
    desk.client.indices.put_mapping(index=desk.name, properties={"date": {"type": "date"}})
    documents = [
        {**each, "date": f"{2000 + 7 * number % 25}-01-01"}
        for number, each in enumerate(stream(make_text, revise, 7))
    ]
    desk.put(documents[::3])
    before = state(desk)
    dry = written(desk, RULES[rules], documents, dry=True)
    assert state(desk) == before
    assert not (folder / "home").exists()
    assert list((folder / "work").iterdir()) == []
    real = written(desk, RULES[rules], documents, dry=False)
    assert dry == real
    assert IngestReport.of(dry) == IngestReport.of(real)
    assert (RULES[rules] is None) is not any(each.version_of for each in real)


def test_what_was_decided_long_before_is_known(
    desk: Any, make_text: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A run that writes would refresh the index after each of these.
    monkeypatch.setattr(recent_documents, "MAX_RECENT", 2)
    texts = [make_text(seed) for seed in range(12)]
    documents = [{"id": str(n), "text": text} for n, text in enumerate([*texts, texts[0].upper()])]
    *others, last = written(desk, OnVersion("skip"), documents, dry=True)
    assert {each.status for each in others} == {"written"}
    assert (last.status, last.version_of) == ("skipped", "0")


def test_an_index_that_must_not_be_written_to_is_enough(desk: Any, make_text: Make) -> None:
    desk.put([{"id": "a", "text": make_text(1)}])
    desk.client.indices.put_settings(index=desk.name, settings={"index.blocks.write": True})
    copies = [{"id": "b", "text": make_text(1).upper()}]
    (copy,) = written(desk, OnVersion("replace", keep="existing"), copies, dry=True)
    assert copy.reason == "Skipped: copy of 'a', score 1.00."


def test_what_would_be_lost_is_in_the_outcome(desk: Any, make_text: Make) -> None:
    desk.put([{"id": "a", "text": make_text(1, 300)}])
    longer = f"{make_text(1, 300)} and closed on 4 July 1988 after the flood."
    (outcome,) = written(desk, OnVersion("skip"), [{"id": "b", "text": longer}], dry=True)
    assert outcome.retained
    assert outcome.lost is not None
    assert outcome.lost.facts == ("4", "July", "1988")
    assert outcome.lost.share == pytest.approx(9 / 309, abs=0.01)
    (stretch,) = outcome.lost.stretches
    assert "closed on 4 July 1988 after the flood" in stretch


def test_the_fields_of_the_text_are_chosen_and_not_stored(client: Any, index_name: str) -> None:
    install(client, index_name, semantics=None)
    body = "The board proposes to pay 1.20 a share to holders of record on May 14. " * 3
    documents = [
        {"id": "a", "headline": "Northquay Corp raises its dividend", "body": body},
        {"id": "b", "headline": "Southlock Ltd names a chairman", "body": f"{body} In cash."},
    ]
    mapping = client.indices.get_mapping(index=index_name)
    settings = IngestSettings(dry_run=True)
    index = Index(client, index_name)
    dry = list(index.ingest(documents, on_version="skip", settings=settings))
    assert client.indices.get_mapping(index=index_name) == mapping
    assert dry == list(index.ingest(documents, on_version="skip"))


def test_a_file_can_be_ingested_after_a_dry_run(desk: Any, folder: Path, make_text: Make) -> None:
    path = folder / "documents.jsonl"
    path.write_text("".join(f'{{"id": "{n}", "text": "{make_text(n)}"}}\n' for n in range(9)))
    for dry_run in (True, True, False):
        settings = IngestSettings(dry_run=dry_run, limits=BatchLimits(documents=2))
        outcomes = ingest_sources(
            desk.client,
            desk.name,
            open_sources([str(path)], io.BytesIO()),
            on_version="skip",
            settings=settings,
        )
        assert [each.status for each in outcomes] == ["written"] * 9
    assert len(desk.documents()) == 9


def test_a_missing_index_is_one(client: Any, index_name: str) -> None:
    with pytest.raises(IndexMissing, match="does not exist"):
        list(ingest(client, index_name, [], settings=IngestSettings(dry_run=True)))
    assert not client.indices.exists(index=index_name)
