"""What a snapshot finds without ids it reads again by its place, whatever shards and indices."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.store import opened_store
from es_simhash.store.installation.install import install
from es_simhash.store.intents import Find, Parts, Sharing, Where
from es_simhash.store.protocol import Snapshot
from tests.support.made_up_texts import make_text, revise
from tests.support.shelf import Shelf

pytestmark = pytest.mark.cluster

# Two indices of several shards: each of these counts sequence numbers of its own.
INDICES, SHARDS, COUNT = 2, 3, 20
WORDS = 200


@pytest.fixture
def snapshot(client: Any, index_name: str) -> Iterator[Snapshot]:
    """Versions of one text over all shards, among as many strangers."""
    alias = f"{index_name}-all"
    for number in range(INDICES):
        name = f"{index_name}-{number}"
        client.indices.create(index=name, settings={"number_of_shards": SHARDS})
        install(client, name, semantics=None)
        versions = {f"v{n}": revise(make_text(1, WORDS), n, 0.02) for n in range(COUNT)}
        strangers = {f"s{n}": make_text(100 + n, WORDS) for n in range(COUNT)}
        Shelf(client, name).put(versions | strangers)
        client.indices.put_alias(index=name, name=alias)
    store = opened_store(Gateway.of(client), alias, IndexConfig())
    with store.snapshot() as opened:
        yield opened
    for number in range(INDICES):
        client.indices.delete(index=f"{index_name}-{number}")


def _found(snapshot: Snapshot, least: int = 20) -> list[Any]:
    (text,) = TextAnalyser().stored_parts([make_text(1, WORDS)])
    assert text is not None
    shared = Sharing(text.shingles, least, by_rarity=False)
    (found,) = snapshot.sharing([Find(Where(fingerprinted=True), size=100, sharing=(shared,))])
    return found


def test_what_was_found_is_read_at_its_place(snapshot: Snapshot) -> None:
    found = _found(snapshot)
    assert len({each.place for each in found}) == INDICES * COUNT
    numbers = Counter(each.place.seq_no for each in found)
    # Several documents have one number, or the rest would prove nothing.
    assert max(numbers.values()) > INDICES
    rows = dict(snapshot.at([each.place for each in found], Parts(stored=True)))
    assert {(row.ref.index, row.ref.id) for row in rows.values()} == {
        (each.place.index_name, f"v{n}") for each in found for n in range(COUNT)
    }
    for each in found:
        stored = rows[each.place].stored
        assert stored is not None
        assert each.text is not None
        chunks = each.text.chunks.fingerprints
        assert np.array_equal(stored.chunks.fingerprints, chunks)


def test_those_that_share_most_are_first(snapshot: Snapshot) -> None:
    shared = [each.shared for each in _found(snapshot)]
    assert shared == sorted(shared, reverse=True)
    assert len(set(shared)) > 1


def test_of_one_place_one_document_is_read(snapshot: Snapshot) -> None:
    place = _found(snapshot)[0].place
    ((read, row),) = snapshot.at([place], Parts(stored=True))
    assert read == place
    assert row.ref.index == place.index_name


def test_of_no_place_nothing_is_read(snapshot: Snapshot) -> None:
    assert list(snapshot.at([], Parts(stored=True))) == []
