"""Links among some texts are those that comparing all pairs gives."""

from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.maintenance.families.family_corpus import Corpus
from es_simhash.maintenance.families.family_reader import FamilyReader
from es_simhash.maintenance.families.links_among import links_among
from es_simhash.pairs.text_links import candidate_pairs, links_of
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.store import opened_store


@pytest.mark.cluster
@pytest.mark.parametrize("chosen", [1, 2])
def test_links_are_those_of_all_pairs(
    shelf: Any, client: Any, texts: dict[str, str], revise: Callable[..., str], chosen: int
) -> None:
    texts |= {f"{id}-copy": text for id, text in list(texts.items())[:3]}
    texts |= {f"{id}-new": revise(text, 7) for id, text in list(texts.items())[:6]}
    shelf.put(texts)
    store = opened_store(Gateway.of(client), shelf.name, IndexConfig())
    with store.snapshot() as snapshot:
        corpus = Corpus(FamilyReader(snapshot))
        some = sorted(set(corpus.add(FamilyReader(snapshot).all())))[::chosen]
        found = links_among(some, corpus=corpus, threshold=VERSION_SCORE, memory=16)
    parts = [each for each in TextAnalyser().stored_parts(texts.values()) if each is not None]
    by_hash = {each.content_hash: each for each in parts if each.content_hash in some}
    expected = links_of(candidate_pairs(by_hash), by_hash, VERSION_SCORE)
    assert found.scores == expected
    assert expected
    assert found.truncated == set()
