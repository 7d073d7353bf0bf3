"""Headline and body are the text of an index that names none, from its first documents on."""

import io
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import ClusterError
from es_simhash.fingerprints.text_fingerprints import content_hash
from es_simhash.index import Index
from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.ingest import ingest, ingest_sources
from es_simhash.ingestion.ingest_settings import IngestProgress, IngestSettings
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.document_settings import configure, document_settings
from es_simhash.store.installation.install import install
from es_simhash.text.normal_forms import normalise

pytestmark = pytest.mark.cluster

# Headline and body; the headline alone names the company.
NOTICES = {
    "de": ("Nordkai AG erhöht die Dividende", "Der Vorstand schlägt der Hauptversammlung vor, je "
           "Aktie 1,20 Euro auszuschütten. Stichtag ist der 14. Mai, gezahlt wird am 17. Mai. "),
    "zh": ("海潮公司提高股息", "董事会建议向股东每股派发股息一元二角。登记日为五月十四日,"
           "付款日为五月十七日。"
           "公司表示,今年的业务进展顺利,各地的订单都比去年同期有所增加,现金流稳定,债务继续下降。"
           "董事长感谢全体员工的努力,并表示将继续投资于新的港口设施。"),
    "ar": ("شركة الميناء ترفع الأرباح", "يقترح مجلس الإدارة توزيع ريال واحد وعشرين هللة عن كل سهم. "
           "تاريخ الاستحقاق هو الرابع عشر من مايو ويتم الدفع في السابع عشر منه. "),
    "hi": ("तटीय लिमिटेड ने लाभांश बढ़ाया", "निदेशक मंडल ने प्रति शेयर एक रुपया "
           "बीस पैसे के लाभांश का प्रस्ताव रखा है। "
           "रिकॉर्ड तिथि चौदह मई है और भुगतान सत्रह मई को किया जाएगा। "),
}  # fmt: skip
DOCUMENTS = [
    {"id": id, "headline": headline, "body": body * 2} for id, (headline, body) in NOTICES.items()
]
BODY = "The board proposes to pay 1.20 a share to holders of record on May 14, payable May 17. " * 2


@pytest.fixture
def archive(client: Any, index_name: str) -> str:
    """An index that says nothing of its documents, and has none."""
    install(client, index_name, semantics=None)
    return index_name


def hashes(client: Any, index: str) -> dict[str, str]:
    """Return the stored hash of each text."""
    client.indices.refresh(index=index)
    found = client.search(index=index, size=100)["hits"]["hits"]
    return {hit["_id"]: hit["_source"]["simhash"]["content_hash"] for hit in found}


def hash_of(*parts: str) -> str:
    return content_hash(normalise("\n\n".join(parts)))


def text_field(client: Any, index: str) -> str | None:
    return document_settings(client, index).text


def test_headline_and_body_are_fingerprinted_together_in_every_script(
    client: Any, archive: str
) -> None:
    assert all(outcome.ok for outcome in ingest(client, archive, DOCUMENTS))
    assert text_field(client, archive) == "headline,body"
    assert hashes(client, archive) == {
        each["id"]: hash_of(each["headline"], each["body"]) for each in DOCUMENTS
    }


def test_what_reads_the_index_later_takes_the_same_fields(client: Any, archive: str) -> None:
    index = Index(client, archive)
    assert index.config.text_field == "text"
    again = {**DOCUMENTS[0], "id": "again"}
    assert all(outcome.ok for outcome in index.ingest([*DOCUMENTS, again]))
    client.indices.refresh(index=archive)
    assert index.config.text_field == "headline,body"
    assert [relation.id for relation in index.related(id="de")] == ["again"]
    assert index.families().skipped == ()
    assert next(iter(index.ingest([again]))).status == "unchanged"


def test_a_headline_that_is_sometimes_missing_or_one_word_loses_nothing(
    client: Any, archive: str
) -> None:
    documents: list[dict[str, Any]] = [
        {"id": "whole", "headline": "Nordkai raises payout", "body": BODY},
        {"id": "word", "headline": "Dividende", "body": BODY},
        {"id": "null", "headline": None, "body": BODY},
        {"id": "without", "body": BODY},
        {"id": "title alone", "headline": "Correction"},
        {"id": "empty", "headline": "", "body": BODY},
    ]
    assert all(outcome.ok for outcome in ingest(client, archive, documents))
    assert text_field(client, archive) == "headline,body"
    assert hashes(client, archive) == {
        "whole": hash_of("Nordkai raises payout", BODY),
        "word": hash_of("Dividende", BODY),
        "null": hash_of(BODY),
        "without": hash_of(BODY),
        "title alone": hash_of("Correction"),
        "empty": hash_of("", BODY),
    }


def test_what_is_named_or_configured_or_fingerprinted_already_stays(
    client: Any, archive: str
) -> None:
    documents = [{"id": "1", "title": "Nordkai raises payout", "text": BODY}]
    named = IndexConfig(text_field="text")
    assert all(outcome.ok for outcome in ingest(client, archive, documents, config=named))
    assert hashes(client, archive) == {"1": hash_of(BODY)}
    # The index has fingerprints of the text alone, and says nothing of it.
    assert all(outcome.ok for outcome in ingest(client, archive, [{**documents[0], "id": "2"}]))
    assert text_field(client, archive) is None
    assert set(hashes(client, archive).values()) == {hash_of(BODY)}
    configure(client, archive, {"text": "text"})
    assert all(outcome.ok for outcome in ingest(client, archive, [{**documents[0], "id": "3"}]))
    assert text_field(client, archive) == "text"


def test_documents_with_a_text_alone_change_nothing(client: Any, archive: str) -> None:
    documents: list[dict[str, Any]] = [
        {"id": "1", "text": BODY},
        {"id": "2", "text": BODY, "authors": [{"name": "K. Lind"}]},
        {"id": "3", "text": BODY, "title": "Only one of four"},
        {"id": "4", "text": 7},
    ]
    assert [outcome.ok for outcome in ingest(client, archive, documents)] == [True] * 3 + [False]
    assert text_field(client, archive) is None


def test_nothing_to_read_chooses_nothing(client: Any, archive: str) -> None:
    assert list(ingest(client, archive, [])) == []
    assert text_field(client, archive) is None


@pytest.mark.parametrize("is_stream", [False, True])
def test_files_and_standard_input_are_read_whole(
    client: Any, archive: str, tmp_path: Path, is_stream: bool
) -> None:
    lines = b"".join(json.dumps(each).encode() + b"\n" for each in DOCUMENTS) + b"no JSON\n"
    file = tmp_path / "notices.jsonl"
    file.write_bytes(lines)
    sources = open_sources(["-" if is_stream else file], io.BytesIO(lines))
    seen: list[IngestProgress] = []
    settings = IngestSettings(journal=tmp_path / "journal", on_progress=seen.append)
    outcomes = list(ingest_sources(client, archive, sources, settings=settings))
    assert [outcome.ok for outcome in outcomes] == [True] * 4 + [False]
    assert seen[-1].text_fields == "headline,body"
    assert len(hashes(client, archive)) == 4


def test_without_the_right_to_store_it_the_text_is_read_as_before(
    client: Any, archive: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def forbid(*arguments: object) -> None:
        raise RequestRejected("action is unauthorized.", status=403)

    documents = [{"id": "1", "title": "Nordkai raises payout", "text": BODY}]
    monkeypatch.setattr(Gateway, "put_mapping", forbid)
    with caplog.at_level(logging.WARNING):
        assert all(outcome.ok for outcome in ingest(client, archive, documents))
    (record,) = caplog.records
    assert "'title,text'" in record.getMessage()
    assert "set text_field" in record.getMessage()
    assert hashes(client, archive) == {"1": hash_of(BODY)}


def test_another_error_of_the_mapping_ends_the_run(
    client: Any, archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise RequestRejected("limit of fields.", status=400)

    monkeypatch.setattr(Gateway, "put_mapping", fail)
    with pytest.raises(ClusterError, match="limit of fields"):
        list(ingest(client, archive, DOCUMENTS))
    client.indices.refresh(index=archive)
    assert client.count(index=archive)["count"] == 0
