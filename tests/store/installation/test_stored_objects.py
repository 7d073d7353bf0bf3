"""Objects of documents are counted and their decisions carried, by fields of any depth."""

import uuid
from typing import Any

import pytest

from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.installation.install import install
from es_simhash.store.installation.stored_objects import (
    MAX_PASSES,
    carry_decisions,
    count_behind,
    count_objects,
    count_without,
    empty_documents,
)
from tests.support.proxy import Proxy

pytestmark = pytest.mark.cluster


def test_decisions_are_carried_once_and_only_to_objects_that_have_none(
    client: Any, discard: Any
) -> None:
    name = f"test-{uuid.uuid4().hex}"
    discard(name)
    gateway = Gateway(client)
    for field in ("simhash", "deep.two"):
        install(client, name, simhash_field=field)
    decided = {"scheme": "a", "family": "f", "representative": True, "duplicate_score": 0.5}
    flagged = {"scheme": "a", "duplicate_of": "1"}
    documents: dict[str, dict[str, Any]] = {
        "1": {"simhash": decided, "deep": {"two": {"scheme": "b"}}},
        "2": {"simhash": flagged, "deep.two": {"scheme": "b"}},
        "3": {"simhash": decided, "deep": {"two": {"scheme": "b", "family": "own"}}},
        "4": {"simhash": decided},
        "5": {"n": 1},
    }
    for id, document in documents.items():
        client.index(index=name, id=id, document=document)
    client.indices.refresh(index=name)
    assert count_objects(gateway, name, ["simhash", "deep.two"]) == 4
    assert count_behind(gateway, name, "simhash", "deep.two") == 1
    assert count_without(gateway, name, "deep.two", "b") == 2

    class Busy(Gateway):
        def bulk(self, actions: Any, *, index: str | None = None) -> Any:
            busy.append(len(actions))
            return [{"status": 409, "error": {"reason": "changed"}} for _ in actions]

    busy: list[int] = []
    assert carry_decisions(Busy(client), name, "simhash", "deep.two") is None
    assert busy == [2] * MAX_PASSES
    assert carry_decisions(gateway, name, "simhash", "deep.two") == 2
    assert carry_decisions(gateway, name, "simhash", "deep.two") == 0
    sources = {id: client.get(index=name, id=id)["_source"] for id in "123"}
    assert sources["1"]["deep"]["two"] == {**decided, "scheme": "b"}
    assert sources["2"]["deep.two"] == {**flagged, "scheme": "b"}
    assert sources["3"]["deep"]["two"]["family"] == "own"
    assert empty_documents(gateway, name, "deep.two") == 3
    assert count_objects(gateway, name, ["deep.two"]) == 0


@pytest.mark.parametrize("field", ["two", "deep.two"])
def test_what_was_written_without_an_answer_is_counted(
    client: Any, discard: Any, proxy: Proxy, field: str
) -> None:
    name = f"test-{uuid.uuid4().hex}"
    discard(name)
    for each in ("simhash", field):
        install(client, name, simhash_field=each)
    decided = {"scheme": "a", "family": "f", "representative": True}
    for id in "1234":
        other = {"scheme": "b"}
        nested = {"deep": {"two": other}} if "." in field and id > "2" else {field: other}
        client.index(index=name, id=id, document={"simhash": decided, **nested})
    client.indices.refresh(index=name)
    quick = RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=1)

    def changed(body: bytes) -> bool:
        # Another writer is quicker than the update of one of them.
        client.update(index=name, id="1", doc={"n": 1})
        return True

    with connect(proxy.url) as asked:
        gateway = Gateway(asked, quick)
        lost = proxy.lose_a_bulk_request(client, changed)
        assert carry_decisions(gateway, name, "simhash", field) == 4
        assert [next(iter(each.values()))["status"] for each in lost[0]["items"]].count(409) == 1
        assert carry_decisions(gateway, name, "simhash", field) == 0
        lost = proxy.lose_a_bulk_request(client)
        assert empty_documents(gateway, name, field) == 4
        assert not lost[0]["errors"]
    assert count_objects(Gateway(client), name, [field]) == 0
