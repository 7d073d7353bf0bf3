"""What left its family, or was restored into one, is found without the sizes of all families."""

import random
from typing import Any

import pytest

from es_simhash.errors import ClusterError
from es_simhash.maintenance.families import recent_writes, resized_families
from es_simhash.maintenance.families.family_reader import FamilyReader
from es_simhash.store.elasticsearch import index_stats
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.installation.install import install
from tests.support.shelf import Shelf, in_memory

pytestmark = pytest.mark.cluster

Texts = dict[str, str]


@pytest.fixture
def all_sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how often the sizes of all families were read, as one entry each."""
    read = []
    sizes = FamilyReader.family_sizes

    def count(self: FamilyReader) -> dict[str, int]:
        read.append(1)
        return sizes(self)

    monkeypatch.setattr(FamilyReader, "family_sizes", count)
    return read


@pytest.fixture
def three_shards(client: Any, index_name: str) -> Shelf:
    client.indices.create(index=index_name, settings={"number_of_shards": 3})
    install(client, index_name, semantics=None)
    return Shelf(client, index_name)


def stored(shelf: Shelf, id: str) -> dict[str, Any]:
    source: dict[str, Any] = shelf.client.get(index=shelf.name, id=id)["_source"]
    return source


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("seed", range(2))
def test_deletions_and_restored_documents_are_found_by_what_was_written(
    three_shards: Shelf, texts: Texts, seed: int, all_sizes: list[int]
) -> None:
    shelf, chosen = three_shards, random.Random(seed)
    shelf.put(texts)
    shelf.find()
    held, gone = dict(texts), dict[str, dict[str, Any]]()
    for _ in range(6):
        for id in chosen.sample(sorted(held), 3):
            gone[id] = stored(shelf, id)
            shelf.delete(id)
            del held[id]
        # As many come back as left, with the families they had, so that no total differs.
        for id in chosen.sample(sorted(gone), 3):
            shelf.client.index(index=shelf.name, id=id, document=gone[id], refresh=True)
            held[id] = gone.pop(id)["text"]
        shelf.find()
        assert shelf.families() == in_memory(held)
    assert all_sizes == []
    assert shelf.find(everything=True).written == 0
    assert shelf.find().queried == 0


@pytest.mark.long
def test_a_lost_member_is_noticed_though_another_document_came_back(
    shelf: Any, texts: Texts, all_sizes: list[int]
) -> None:
    shelf.put(texts)
    shelf.find()
    alone = stored(shelf, "t11-1")
    shelf.delete("t11-1")
    shelf.find()
    representative = next(
        id for id in ("t0-1", "t0-2", "t0-3") if stored(shelf, id)["simhash"]["representative"]
    )
    shelf.delete(representative)
    shelf.client.index(index=shelf.name, id="t11-1", document=alone, refresh=True)
    report = shelf.find()
    assert report.written == 1
    assert {id for family in report.families for id in family.members} == {
        "t0-1", "t0-2", "t0-3",
    } - {representative}  # fmt: skip
    assert all_sizes == []


@pytest.mark.long
def test_requests_of_a_run_with_nothing_new_do_not_depend_on_the_families(
    shelf: Any, texts: Texts, requests_of: list[str], all_sizes: list[int]
) -> None:
    shelf.put({id: texts[id] for id in ("t0-1", "t0-2", "t1-1")})
    shelf.find()
    requests_of.clear()
    shelf.find()
    of_few = list(requests_of)
    shelf.put(texts)
    shelf.find()
    requests_of.clear()
    shelf.find()
    assert requests_of == of_few
    assert all_sizes == []


@pytest.mark.long
def test_a_document_that_is_written_often_makes_no_run_read_all(
    shelf: Any, texts: Texts, all_sizes: list[int]
) -> None:
    shelf.put(texts)
    shelf.find()
    for views in range(3):
        shelf.client.update(index=shelf.name, id="t11-1", doc={"views": views}, refresh=True)
        assert shelf.find().queried == 0
    assert all_sizes == []


@pytest.mark.long
def test_names_that_no_run_gave_are_compared_with_all(
    shelf: Any, texts: Texts, all_sizes: list[int]
) -> None:
    shelf.put(texts)
    shelf.find()
    members = {"simhash": {"family": "by hand"}}
    for id in ("t10-1", "t11-1"):
        shelf.client.update(index=shelf.name, id=id, doc=members, refresh=True)
    shelf.find()
    assert all_sizes
    assert shelf.families() == in_memory(texts)
    del texts["t11-1"]
    shelf.delete("t11-1")
    shelf.find()
    assert shelf.families() == in_memory(texts)


@pytest.mark.long
def test_so_many_changes_that_all_are_compared(
    shelf: Any, texts: Texts, all_sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.put(texts)
    shelf.find()
    monkeypatch.setattr(resized_families, "_MAX_LEAVES", 1)
    for id in ("t0-1", "t1-1", "t2-1"):
        shelf.delete(id)
        del texts[id]
    shelf.find()
    assert all_sizes == [1]
    assert shelf.families() == in_memory(texts)


@pytest.mark.long
def test_without_the_privilege_to_read_statistics_all_are_compared(
    shelf: Any, texts: Texts, all_sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbid(*_: Any) -> Any:
        raise RequestRejected("monitor is missing", status=403)

    assert recent_writes.known_checkpoints is index_stats.known_checkpoints
    shelf.put(texts)
    with monkeypatch.context() as patch:
        patch.setattr(index_stats, "read_checkpoints", forbid)
        shelf.find()
        shelf.delete("t0-1")
        shelf.find()
    del texts["t0-1"]
    assert all_sizes == [1]
    assert shelf.families() == in_memory(texts)
    # What was left then says nothing of when.
    shelf.delete("t1-1")
    del texts["t1-1"]
    shelf.find()
    assert shelf.families() == in_memory(texts)


def test_what_an_earlier_release_left_is_compared_with_all_once(
    shelf: Any, texts: Texts, all_sizes: list[int]
) -> None:
    shelf.put(texts)
    shelf.find()
    state = f"{shelf.name}-simhash"
    (left,) = shelf.client.search(index=state, query={"term": {"kind": "counts"}})["hits"]["hits"]
    shelf.client.delete(index=state, id=left["_id"], refresh=True)
    shelf.delete("t0-1")
    del texts["t0-1"]
    shelf.find()
    assert all_sizes == [1]
    assert shelf.families() == in_memory(texts)
    shelf.find()
    assert all_sizes == [1]


@pytest.mark.long
def test_a_run_that_was_ended_before_it_left_anything_is_made_up_for(
    shelf: Any, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from es_simhash.maintenance.families.family_run import FamilyRun

    shelf.put(texts)
    shelf.find()

    def end(*_: Any) -> None:
        raise ClusterError("gone")

    shelf.delete("t0-1")
    del texts["t0-1"]
    with monkeypatch.context() as patch:
        patch.setattr(FamilyRun, "store_state", end)
        with pytest.raises(ClusterError, match="gone"):
            shelf.find()
    shelf.delete("t1-2")
    del texts["t1-2"]
    shelf.find()
    assert shelf.families() == in_memory(texts)
    assert shelf.find(everything=True).written == 0


@pytest.mark.long
def test_what_is_restored_while_a_run_goes_on_is_seen_by_the_next(
    shelf: Any, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from es_simhash.maintenance.families.family_writer import FamilyWriter

    shelf.put(texts)
    shelf.find()
    alone = stored(shelf, "t11-1")
    shelf.delete("t11-1")
    shelf.find()
    write = FamilyWriter.write

    def restore_meanwhile(self: FamilyWriter, changes: Any) -> Any:
        shelf.client.index(index=shelf.name, id="t11-1", document=alone, refresh=True)
        return write(self, changes)

    with monkeypatch.context() as patch:
        patch.setattr(FamilyWriter, "write", restore_meanwhile)
        shelf.find()
    shelf.delete("t0-1")
    shelf.find()
    assert shelf.families() == in_memory({id: texts[id] for id in texts if id != "t0-1"})
