"""Entries of the state index carry their version, and one that cannot be read is named."""

import uuid
from typing import Any

import pytest

from es_simhash import Index
from es_simhash.errors import ClusterError
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.installation.noted_pairs import family_state
from es_simhash.store.installation.state_index import VERSION, StateIndex

pytestmark = pytest.mark.cluster


@pytest.fixture
def state(client: Any, discard: Any) -> StateIndex:
    name = f"test-{uuid.uuid4().hex}"
    discard(f"{name}-simhash")
    state = StateIndex(client, name, "simhash")
    state.create()
    return state


def put(client: Any, state: StateIndex, entry: dict[str, Any]) -> None:
    document = {"field": "simhash", **entry}
    client.index(index=state.name, id="e", document=document, refresh=True)


def test_entries_are_written_with_the_version_and_the_first_had_none(
    client: Any, state: StateIndex
) -> None:
    state.write([state.run_entry("o")])
    (entry,) = state.entries("run")
    assert entry["version"] == VERSION
    put(client, state, {"kind": "family", "family": "f", "documents": 2})
    assert state.sizes() == {"f": 2}


def test_what_is_written_is_found_at_once_and_reading_refreshes_nothing(
    client: Any, state: StateIndex, requests_of: list[str]
) -> None:
    client.indices.put_settings(index=state.name, settings={"refresh_interval": "-1"})
    entries = [state.entry(str(n), {"kind": "family", "family": f"f{n}", "documents": 2})
               for n in range(3)]  # fmt: skip
    state.write(entries)
    assert state.sizes() == {"f0": 2, "f1": 2, "f2": 2}
    state.write([state.removal("1"), entries[0]])
    assert state.sizes() == {"f0": 2, "f2": 2}
    assert not [sent for sent in requests_of if sent.endswith("_refresh")]


def test_an_index_whose_shards_have_not_started_is_waited_for(
    proxy: Any, state: StateIndex
) -> None:
    state.write([state.entry("1", {"kind": "family", "family": "f", "documents": 2})])
    busy = b'{"error":{"type":"search_phase_execution_exception","reason":"missing shards"}}'
    seen: list[str] = []

    def hook(path: str, body: bytes) -> tuple[int, bytes] | None:
        seen.append(path)
        return (503, busy) if "_search" in path and len(seen) < 4 else None

    proxy.hook = hook
    with connect(proxy.url) as client:
        assert StateIndex(client, state.name.removesuffix("-simhash"), "simhash").sizes() == {
            "f": 2
        }
    assert len(seen) > 2


def test_a_later_version_is_refused(client: Any, state: StateIndex) -> None:
    put(client, state, {"kind": "family", "version": VERSION + 1})
    with pytest.raises(
        ClusterError, match=f"state of version {VERSION + 1}, and this version reads"
    ):
        state.sizes()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"ids": ["1"], "undone": False, "pending": True}, "ids are not two"),
        ({"ids": ["1", 2], "undone": False, "pending": True}, r"ids\[1\] is not text"),
        ({"ids": ["1", "2"], "undone": "no", "pending": True}, "undone is not true or false"),
    ],
)
def test_an_entry_that_somebody_changed_is_named(
    client: Any, state: StateIndex, entry: dict[str, Any], said: str
) -> None:
    put(client, state, {"kind": "dismissal", **entry})
    index = Index(client, state.name.removesuffix("-simhash"))
    with pytest.raises(ClusterError, match=f"Entry 'e' of index .* cannot be read: {said}"):
        index.manual_pairs()


def test_counts_that_somebody_cut_off_are_named(client: Any, state: StateIndex) -> None:
    put(client, state, {"kind": "counts", "counts": "", "shards": ["a"], "seq_nos": []})
    with pytest.raises(ClusterError, match="has not one number of a write for each shard"):
        family_state(state)
