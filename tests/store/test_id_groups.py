"""Documents by ids that many indices behind one name have: all of them are found, by every way."""

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from es_simhash.fingerprints.text_fingerprints import fingerprint, fingerprint_batch
from es_simhash.ingestion.deduplication.original_search import OriginalSearch
from es_simhash.ingestion.deduplication.version_decisions import IncomingDocument
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.questions.document_contexts import Contexts
from es_simhash.questions.filtered_documents import FilteredDocuments
from es_simhash.questions.index import Index, SidecarIndex
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.references import DocumentRef
from es_simhash.store import id_groups as id_groups_module
from es_simhash.store.config import DocumentFields, IndexConfig
from es_simhash.store.elasticsearch import candidates
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.documents import hits_by_id
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.id_groups import MAX_DOCUMENTS, IdGroup, id_groups
from es_simhash.store.intents import CompareShingles, Find, FindSimilar, FindVectors, Where
from es_simhash.store.memory import MemoryStore
from es_simhash.store.options import SearchOptions
from es_simhash.store.protocol import all_compared, rows_of_ids, run
from tests.support.new_index import new_index
from tests.support.shelf import Shelf, text

CONFIG = IndexConfig(documents=DocumentFields(title="title"))
TEXTS = {"a": text(1), "b": text(2), "c": text(3)}
# Four indices have two of the ids, the last one has the third as well.
PLACES = [("a", 1), ("a", 2), ("a", 3), ("a", 4), ("b", 1), ("b", 2), ("b", 3), ("b", 4), ("c", 4)]


def test_few_are_asked_for_first_and_all_when_there_are_more() -> None:
    (group,) = id_groups(["a", "b", "a", "c"])
    assert group == IdGroup(("a", "b", "c"), 7)
    (wide,) = group.wider
    assert wide == IdGroup(("a", "b", "c"), MAX_DOCUMENTS)
    assert wide.wider == [
        IdGroup(("a",), MAX_DOCUMENTS),
        IdGroup(("b", "c"), MAX_DOCUMENTS),
    ]
    assert wide.wider[0].wider == []
    assert id_groups([]) == []


def test_no_more_are_asked_for_than_an_engine_returns() -> None:
    groups = id_groups([str(number) for number in range(12_000)])
    assert [len(group.ids) for group in groups] == [5000, 5000, 2000]
    assert max(group.size for group in groups) == MAX_DOCUMENTS


def test_requests_together_get_the_rows_of_their_ids() -> None:
    store = MemoryStore(IndexConfig())
    for id, each in TEXTS.items():
        store.add(id, each)
    finds = [Find(Where(ids=ids), size=1) for ids in (("b", "a"), (), ("c", "no"))]
    rows = run(rows_of_ids(finds), store)
    assert [sorted(row.id for row in some) for some in rows] == [["a", "b"], [], ["c"]]


@pytest.fixture(scope="module")
def client(cluster_url: str) -> Iterator[Any]:
    """One client for the indices of the module."""
    with connect(cluster_url) as connected:
        yield connected


@pytest.fixture(scope="module")
def alias(client: Any) -> Iterator[str]:
    """A name behind which four indices share ids."""
    name = f"test-{uuid.uuid4().hex}"
    indices = [f"{name}-{number}" for number in range(1, 5)]
    try:
        for number, index in enumerate(indices, 1):
            new_index(client, index, semantics=None, texts=("id", "text", "title"))
            Shelf(client, index).write(
                {"id": id, "text": TEXTS[id], "title": f"{id}{number}"}
                for id, where in PLACES
                if where == number
            )
            client.indices.put_alias(index=index, name=name)
        yield name
    finally:
        client.indices.delete(index=indices, ignore_unavailable=True)


@pytest.fixture
def store(client: Any, alias: str) -> ElasticsearchStore:
    return ElasticsearchStore(Gateway(client), alias, CONFIG)


def numbered(index: str | None, id: str | None) -> tuple[str, int]:
    return str(id), int(str(index)[-1])


@pytest.mark.cluster
def test_places_are_found_where_one_answer_cannot_hold_them(
    client: Any, alias: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As with thousands of ids in many indices: halves, and of one id what an answer holds.
    monkeypatch.setattr(id_groups_module, "MAX_DOCUMENTS", 5)
    found = Gateway(client).run(hits_by_id(alias, ["a", "b", "c"], False))
    assert {id: len(hits) for id, hits in found.items()} == {"a": 4, "b": 4, "c": 1}


@pytest.mark.cluster
def test_each_document_of_an_answer_has_its_title(client: Any, alias: str) -> None:
    options = SearchOptions(context=True, evidence=False)
    answer = Index(client, alias, CONFIG).related(text=TEXTS["a"], options=options)
    titles = {each.index: each.document and each.document.title for each in answer}
    assert titles == {f"{alias}-{number}": f"a{number}" for number in range(1, 5)}


@pytest.mark.cluster
def test_contexts_are_read_of_all_places(store: ElasticsearchStore, alias: str) -> None:
    contexts, keys = Contexts(CONFIG, None), [(f"{alias}-{place}", id) for id, place in PLACES]
    run(contexts.read(keys), store)
    found = [contexts.context(key) for key in keys]
    assert [each and each.title for each in found] == [f"{id}{place}" for id, place in PLACES]


@pytest.mark.cluster
def test_a_document_beside_shared_ids_is_not_left_out(store: ElasticsearchStore) -> None:
    documents = FilteredDocuments(store, CONFIG, None)
    assert set(documents.read(["a", "b", "c"], ())) == {"c"}
    first, none, second = documents.states([({"a", "b", "c"}, ()), ((), ()), ({"b"}, ())])
    assert sorted(numbered(index, id) for index, id in first) == PLACES
    assert (none, len(second)) == ({}, 4)


@pytest.mark.cluster
def test_what_each_of_them_shares_is_counted(store: ElasticsearchStore) -> None:
    prints = fingerprint(TEXTS["a"])
    (found,) = store.ask([CompareShingles(prints, ("a", "b", "c"))])
    assert sorted(numbered(each.index, each.id) for each in found.sharing) == PLACES
    shared = {each.id: len(each.shared) for each in found.sharing}
    assert (shared["a"], shared["b"]) == (len(prints.shingles), 0)


@pytest.mark.cluster
def test_what_they_share_is_counted_where_one_answer_cannot_hold_them(
    store: ElasticsearchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "MAX_HITS", 5)
    request = CompareShingles(fingerprint(TEXTS["a"]), ("a", "b", "c"))
    (answers,) = run(all_compared([request]), store)
    found = [each for answer in answers for each in answer.sharing]
    assert sorted(numbered(each.index, each.id) for each in found) == PLACES
    assert run(all_compared([]), store) == []


@pytest.mark.cluster
def test_all_that_a_person_joined_with_a_document_may_be_its_originals(
    store: ElasticsearchStore,
) -> None:
    manual = ManualPairs.of([], [("new", "a"), ("new", "b"), ("new", "c")])
    other = text(9)
    (prints,) = fingerprint_batch([other], store.config.scheme)
    document = IncomingDocument("new", 0, prints, json.dumps({"text": other}).encode(), b"{}")
    (found,) = OriginalSearch(store, store.config, manual, None).search([document])
    assert sorted(numbered(each.ref.index, each.id) for each in found) == PLACES


@pytest.mark.cluster
def test_vectors_are_read_under_every_routing(client: Any, index_name: str) -> None:
    field = {"type": "dense_vector", "dims": 2, "similarity": "cosine"}
    settings = {"number_of_shards": 8, "number_of_replicas": 0}
    client.indices.create(
        index=index_name, settings=settings, mappings={"properties": {"v": field}}
    )
    routings = [f"r{number}" for number in range(24)]
    for routing in routings:
        client.index(index=index_name, id="a", routing=routing, document={"v": [3, 4]})
    client.indices.refresh(index=index_name)
    hits = client.search(index=index_name, size=24)["hits"]["hits"]
    refs = tuple(DocumentRef(index_name, "a", hit["_routing"]) for hit in hits)
    assert len(refs) > 3
    near = ElasticsearchStore(Gateway(client), index_name, IndexConfig(), is_complete=True)
    (vectors,) = near.ask([FindVectors(refs[:1], "v")])
    assert {ref: vector.tolist() for ref, vector in vectors.items()} == {
        ref: pytest.approx([0.6, 0.8]) for ref in refs
    }


@pytest.mark.cluster
def test_a_sidecar_finds_documents_whose_ids_other_indices_got_as_well(
    client: Any, alias: str, index_name: str
) -> None:
    """Each is where the sidecar recorded it."""
    name, sidecar = f"{index_name}-alias", f"{index_name}-near"
    client.indices.put_alias(index=f"{alias}-4", name=name)
    assert all(each.ok for each in backfill(client, name, sidecar=sidecar))
    client.indices.refresh(index=sidecar)
    client.indices.put_alias(index=f"{alias}-*", name=name)
    requests = [FindSimilar(fingerprint(each)) for each in TEXTS.values()]
    answers = SidecarIndex(client, sidecar).store.ask(requests)
    found = [numbered(each.index, each.id) for answer in answers for each in answer.sharing]
    assert found == [("a", 4), ("b", 4), ("c", 4)]
