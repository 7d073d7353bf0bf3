"""Objects of documents are counted and their decisions carried, by fields of any depth."""

import uuid
from typing import Any

import pytest

from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.install import install
from es_simhash.store.installation.stored_objects import (
    MAX_PASSES,
    carry_decisions,
    count_behind,
    count_objects,
    count_without,
    empty_documents,
)

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
