"""The bodies of the two searches, whole, for fingerprints made by hand."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from es_simhash.errors import InputError, SchemeError
from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.relation.thresholds import QUERIED_SHINGLES
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.candidates import compare_bodies, similar_bodies
from es_simhash.store.intents import CompareShingles, FindSimilar, Where
from es_simhash.store.options import Limits

DOCUMENT = "00112233445566778899aabbccddeeff"
FILTER = {"term": {"lang": "en"}}


def prints(*shingles: int, scheme: str = DEFAULT.name) -> TextFingerprints:
    """One chunk of 40 characters, and these passages; the bodies hang on nothing else."""
    return TextFingerprints(
        scheme,
        "c" * 32,
        np.frombuffer(bytes.fromhex(DOCUMENT), np.uint8),
        np.zeros((1, 16), np.uint8),
        np.array([40]),
        np.array(shingles, np.uint32),
        np.full(len(shingles), 3, np.uint8),
        8,
    )


def bodies(
    query: TextFingerprints,
    *,
    exclude_ids: Sequence[str] = (),
    simhash_field: str = "simhash",
    filters: tuple[Any, ...] = (),
    **options: Any,
) -> list[dict[str, Any]]:
    config = IndexConfig(Scheme.parse(query.scheme), simhash_field=simhash_field)
    where = Where(filters, excluded_ids=tuple(exclude_ids))
    return similar_bodies(FindSimilar(query, where, **options), config, where)


def shingle_body(query: TextFingerprints, **more: Any) -> dict[str, Any]:
    body: dict[str, Any] = bodies(query, **more)[0]["query"]["bool"]
    return body


def block_body(query: TextFingerprints, **more: Any) -> dict[str, Any]:
    body: dict[str, Any] = bodies(query, **more)[1]["knn"][0]
    return body


def test_the_two_bodies_are_these() -> None:
    # 0 is four times the first letter of base64, 0xFFFFFF four times the last,
    # 0b000000_000001_000010_000011 the letters 0, 1, 2, 3.
    shingles, blocks = bodies(prints(0, 0x001083, 0xFFFFFF), exclude_ids=["7"])
    conditions = [
        {"term": {"simhash.scheme": "doc128-word2-b8.chunk128-char4-t8-60.shingle24-word4-w12.v2"}},
        {"bool": {"must_not": [{"ids": {"values": ["7"]}}]}},
    ]
    # A quarter more are requested, for those that are as good as the last.
    assert shingles == {
        "size": 125,
        "_source": False,
        "docvalue_fields": ["simhash.chunks", "simhash.sketch"],
        "track_total_hits": 101,
        "query": {
            "bool": {
                "filter": conditions,
                "should": [
                    {"term": {"simhash.shingles": {"value": "AAAA", "_name": "0"}}},
                    {"term": {"simhash.shingles": {"value": "ABCD", "_name": "1"}}},
                    {"term": {"simhash.shingles": {"value": "____", "_name": "2"}}},
                    {
                        "term": {
                            "simhash.content_hash": {
                                "value": "c" * 32,
                                "_name": "exact",
                                "boost": 1000,
                            }
                        }
                    },
                ],
                "minimum_should_match": 1,
            }
        },
    }
    terms = ["0:0011", "1:2233", "2:4455", "3:6677", "4:8899", "5:aabb", "6:ccdd", "7:eeff"]
    shared = {
        "bool": {
            "should": [{"term": {"simhash.blocks": term}} for term in terms],
            "minimum_should_match": 1,
        }
    }
    assert blocks == {
        "size": 100,
        "_source": False,
        "docvalue_fields": ["simhash.chunks", "simhash.sketch"],
        "track_total_hits": 101,
        "knn": [
            {
                "field": "simhash.fingerprint",
                "query_vector": DOCUMENT,
                "k": 101,
                "num_candidates": 101,
                "similarity": 7,
                "filter": [shared, *conditions],
            }
        ],
    }


@pytest.mark.parametrize(("k", "least"), [(0, 8), (1, 7), (3, 5), (7, 1)])
def test_k_is_the_distance_and_says_how_many_blocks_are_shared(k: int, least: int) -> None:
    body = block_body(prints(1), k=k)
    assert body["similarity"] == k
    assert body["filter"][0]["bool"]["minimum_should_match"] == least


@pytest.mark.parametrize("k", [8, 128, -1])
def test_a_k_that_the_blocks_cannot_promise_is_refused(k: int) -> None:
    with pytest.raises(SchemeError, match=f"not {k};"):
        bodies(prints(1), k=k)


def test_more_blocks_promise_more() -> None:
    body = block_body(prints(1, scheme=Scheme(blocks=16).name))
    terms = [clause["term"]["simhash.blocks"] for clause in body["filter"][0]["bool"]["should"]]
    assert body["similarity"] == 15
    assert terms[:3] == ["0:00", "1:11", "2:22"]
    assert terms[15] == "f:ff"


@pytest.mark.parametrize(("shingles", "least"), [(1, 1), (4, 1), (5, 2), (90, 2)])
def test_texts_of_fewer_than_five_passages_need_one_shared(shingles: int, least: int) -> None:
    assert shingle_body(prints(*range(shingles)))["minimum_should_match"] == least


def test_of_more_shingles_than_are_queried_a_sample_is() -> None:
    # Evenly spread numbers, as hashes are: every 4,096th of 2^24.
    many = prints(*range(0, 1 << 24, 1 << 12))
    *clauses, exact = shingle_body(many)["should"]
    assert len(clauses) == QUERIED_SHINGLES
    assert [each["term"]["simhash.shingles"]["_name"] for each in clauses[:2]] == ["0", "1"]
    assert clauses[0]["term"]["simhash.shingles"]["value"] == "AAAA"
    assert "simhash.content_hash" in exact["term"]


@pytest.mark.parametrize(("ids", "searches"), [(1, 1), (1000, 1), (1001, 2), (12_000, 12)])
def test_what_many_documents_share_is_searched_within_the_result_window(
    ids: int, searches: int
) -> None:
    names = [str(number) for number in range(ids)]
    request = CompareShingles(prints(1, 2, 3), tuple(names))
    bodies = compare_bodies(request, IndexConfig(), request.where)
    assert len(bodies) == searches
    assert all(body["size"] <= 10_000 for body in bodies)
    filters = [body["query"]["bool"]["filter"] for body in bodies]
    assert [id for [wanted] in filters for id in wanted["ids"]["values"]] == names


def test_filters_stand_before_the_cut_of_both_searches() -> None:
    searches = bodies(prints(1, 2, 3), filters=(FILTER,))
    assert FILTER in searches[0]["query"]["bool"]["filter"]
    assert FILTER in searches[1]["knn"][0]["filter"]
    assert all("post_filter" not in body for body in searches)
    assert FILTER not in searches[0]["query"]["bool"]["should"]


def test_ids_are_left_out_of_both_searches_and_only_when_given() -> None:
    without = {"bool": {"must_not": [{"ids": {"values": ["a", "b"]}}]}}
    query = prints(1)
    assert without in shingle_body(query, exclude_ids=["a", "b"])["filter"]
    assert without in block_body(query, exclude_ids=["a", "b"])["filter"]
    assert len(shingle_body(query)["filter"]) == 1


def test_another_field_is_named_throughout() -> None:
    assert "simhash." not in repr(bodies(prints(1, 2), simhash_field="meta.prints"))
    assert "meta.prints.shingles" in repr(bodies(prints(1, 2), simhash_field="meta.prints"))


def test_no_more_neighbours_are_requested_than_a_server_allows() -> None:
    assert block_body(prints(1), candidates=10_000)["k"] == 10_000


def test_fetched_are_as_many_as_the_limit_says() -> None:
    shingles, blocks = bodies(prints(1, 2), candidates=3)
    assert (shingles["size"], blocks["size"]) == (4, 3)
    assert shingles["track_total_hits"] > 3


@pytest.mark.parametrize("text", ["", " \n\t", "… — !"])
def test_a_text_without_words_has_no_query(text: str) -> None:
    with pytest.raises(InputError, match="no words"):
        bodies(fingerprint(text))


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(InputError, match=r"^candidates must be at least 1, got 0\.$"):
        Limits(candidates=0)
