"""The search by block keys, whatever their number."""

import pytest

from es_simhash.lab.methods.method_scores import method_schemes
from es_simhash.store.added_schemes import AddedScheme
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.method_search import block_bodies
from es_simhash.store.intents import FindByBlocks, Where

SCHEME = AddedScheme("simhash-bigrams-64", method_schemes()["simhash-bigrams-64"])
PATH = "simhash.schemes.simhash-bigrams-64"


@pytest.mark.parametrize("count", [1, 900, 901, 4_000, 150_000])
def test_every_key_is_searched_with_as_many_clauses_as_the_engine_takes(count: int) -> None:
    keys = tuple(f"{number:05x}" for number in range(count))
    where = Where(({"term": {"lang": "en"}},), excluded_ids=("own",))
    request = FindByBlocks(keys, SCHEME, where, 7)
    (body,) = block_bodies(request, IndexConfig(schemes=(SCHEME,)), where)
    searched: list[str] = []
    clauses = body["query"]["bool"]["should"]
    for clause in clauses:
        if "term" in clause:
            searched.append(clause["term"][f"{PATH}.blocks"])
        else:
            terms = clause["constant_score"]["filter"]["terms"][f"{PATH}.blocks"]
            assert len(terms) <= 65_536
            searched += terms
    assert sorted(searched) == list(keys)
    assert len(clauses) <= 1_024
    assert (body["size"], body["track_total_hits"]) == (7, 8)
    assert body["docvalue_fields"] == [f"{PATH}.fingerprint"]
    assert body["query"]["bool"]["minimum_should_match"] == 1
    assert body["query"]["bool"]["filter"] == [
        {"term": {f"{PATH}.scheme": SCHEME.name}},
        {"term": {"lang": "en"}},
        {"bool": {"must_not": [{"ids": {"values": ["own"]}}]}},
    ]
