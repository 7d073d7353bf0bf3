"""An index as it would be after writes that are not sent."""

from typing import Any

import pytest

from es_simhash.index import Index
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.relation.references import DocumentRef
from es_simhash.store.changes import Change
from es_simhash.store.elasticsearch.bulk import index_action
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.planned_store import PlannedStore
from es_simhash.store.intents import DocumentsAt, Find, Parts, Where
from tests.support.data_streams import TIME, DataStream

pytestmark = pytest.mark.cluster
ALL = Parts(whole=True, text=True, members=True)


@pytest.fixture
def store(client: Any, desk: Any) -> PlannedStore:
    """An index with a document `stored` as it was written."""
    desk.put([{"id": "stored", "text": "The lift stays closed until noon."}])
    return PlannedStore(Gateway.of(client), desk.name)


def read(store: PlannedStore, *ids: str) -> dict[str, Any]:
    refs = tuple(DocumentRef(None, id) for id in ids)
    (rows,) = store.ask([DocumentsAt(refs, ALL)])
    return {ref.id: row for ref, row in rows.items()}


def write(store: PlannedStore, *actions: bytes) -> None:
    ends = [sum(map(len, actions[: number + 1])) for number in range(len(actions))]
    assert store.write(b"".join(actions), ends) == {}


def test_what_is_planned_is_read_and_not_written(client: Any, store: PlannedStore) -> None:
    source = '{"text": "قيد الصيانة\\r",\r "simhash": {"content_hash": "ab", "shingles": ["x"]}}'
    write(store, index_action("neu", source.encode(), "r1"), index_action("b", b'{"text": "B"}'))
    rows = read(store, "neu", "b", "stored", "missing")
    assert set(rows) == {"neu", "b", "stored"}
    assert (rows["neu"].text, rows["neu"].content_hash) == ("قيد الصيانة\r", "ab")
    assert rows["neu"].ref.routing == "r1"
    assert "shingles" not in rows["neu"].source["simhash"]
    client.indices.refresh(index=store.name)
    assert client.count(index=store.name)["count"] == 1
    (found,) = store.ask([Find(Where(), Parts(), 10)])
    assert [row.id for row in found.rows] == ["stored"]


def test_a_document_is_planned_in_place_of_the_stored_one(store: PlannedStore) -> None:
    write(store, index_action("stored", b'{"text": "Another text."}'))
    assert read(store, "stored")["stored"].text == "Another text."


def test_what_is_deleted_is_gone_until_it_is_written_again(
    client: Any, store: PlannedStore
) -> None:
    write(store, index_action("neu", b'{"text": "New."}'))
    rows = read(store, "neu", "stored")
    results = store.change([Change(row.read_version, None) for row in rows.values()])
    assert [result.status for result in results] == ["written", "written"]
    assert read(store, "neu", "stored") == {}
    write(store, index_action("neu", b'{"text": "Newer."}'))
    assert read(store, "neu")["neu"].text == "Newer."
    assert client.exists(index=store.name, id="stored")


def test_families_are_changed_of_both(store: PlannedStore) -> None:
    write(store, index_action("neu", b'{"text": "New.", "simhash": {"family": "old"}}'))
    rows = read(store, "neu", "stored")
    assert (rows["neu"].family, rows["stored"].family) == ("old", None)
    store.change([Change(row.read_version, {"family": "f"}) for row in rows.values()])
    assert {row.family for row in read(store, "neu", "stored").values()} == {"f"}
    # Where nobody asks for it, it is not read.
    (bare,) = store.ask([DocumentsAt((DocumentRef(None, "stored"),), Parts(text=True))])
    assert [row.family for row in bare.values()] == [None]


def test_nothing_is_planned_for_no_documents(store: PlannedStore) -> None:
    write(store)
    assert set(read(store, "stored")) == {"stored"}


def test_documents_of_a_data_stream_are_planned(client: Any, stream: DataStream) -> None:
    stream.put("old", "The lift stays closed until noon.")
    index = Index(client, stream.name)
    index.install()
    lines = [
        {"id": id, "@timestamp": TIME, "text": f"{words} The lift is open."}
        for id, words in (("new", "All day."), ("old", "At night."))
    ]
    settings = IngestSettings(dry_run=True)
    outcomes = list(index.ingest(lines, settings=settings))
    assert {each.id: each.status for each in outcomes} == {"new": "written", "old": "written"}
    client.indices.refresh(index=stream.name)
    assert client.count(index=stream.name)["count"] == 1
    planned = PlannedStore(Gateway.of(client), stream.name)
    write(planned, index_action("new", b'{"text": "New."}', creates=True))
    assert read(planned, "new")["new"].text == "New."
