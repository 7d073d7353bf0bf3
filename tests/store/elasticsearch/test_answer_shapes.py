"""An answer that lacks what is read of it is one sentence, and a right one is let through."""

from typing import Any

import pytest

from es_simhash.errors import ClusterError, InputError
from es_simhash.store.elasticsearch.answer_shapes import readable, require_readable
from es_simhash.store.elasticsearch.hits import ref_of
from es_simhash.store.rows import batches_of

MAPPING: Any = {"i": {"mappings": {"_meta": {"es_simhash": {"simhash": {}}}}}}
HIT: Any = {"_index": "i", "_id": "1", "_score": None, "_source": {"a": 1}, "fields": {"b": [1]}}
FOUND = {"hits": {"hits": [HIT], "total": {"value": 1}}}


def fault(method: str, path: str, asked: Any, body: Any) -> str:
    with pytest.raises(ClusterError) as error:
        require_readable(method, path, asked, body)
    sentence = str(error.value)
    assert sentence.startswith(f"The answer to {path!r} cannot be read: ")
    assert sentence.endswith("nothing in between changes answers.")
    return sentence.partition("read: ")[2].partition(". Check")[0]


@pytest.mark.parametrize(
    ("method", "path", "asked", "body"),
    [
        ("POST", "/i/_search", {}, FOUND),
        (
            "POST",
            "/_search",
            {"aggs": {"n": {"max": {}}}},
            FOUND | {"aggregations": {"n": {"value": 1.5}}},
        ),
        (
            "POST",
            "/i/_search",
            {"aggs": {"d": {"date_range": {"field": "at", "keyed": True}}}},
            FOUND | {"aggregations": {"d": {"buckets": {"0": {"doc_count": 0, "from": 1.0}}}}},
        ),
        ("POST", "/i/_msearch", [{}, {}, {}, {}], {"responses": [FOUND, {"error": {"type": "x"}}]}),
        (
            "POST",
            "/i/_mget",
            {"docs": [{}]},
            {"docs": [{"_index": "i", "_id": "1", "found": False}]},
        ),
        ("POST", "/_bulk", [], {"errors": False, "items": [{"index": {"status": 201}}]}),
        ("POST", "/i/_count", {}, {"count": 0, "_shards": {"failed": 0}}),
        ("GET", "/i/_mapping", None, {"i": {"mappings": {"properties": {"a": {"type": "text"}}}}}),
        ("PUT", "/i/_mapping", {}, {"acknowledged": True}),
        ("DELETE", "/_pit", {}, {"succeeded": True}),
        ("HEAD", "/i", None, True),
        ("GET", "/", None, {"version": {}}),
    ],
)
def test_a_right_answer_is_let_through(method: str, path: str, asked: Any, body: Any) -> None:
    require_readable(method, path, asked, body)


@pytest.mark.parametrize(
    ("path", "asked", "body", "said"),
    [
        ("/i/_search", {}, [], "it is not an object"),
        ("/i/_search", {}, {"took": 1}, "hits is missing"),
        ("/i/_search", {}, {"hits": {"hits": "x"}}, "hits.hits is not a list"),
        (
            "/i/_search",
            {},
            {"hits": {"hits": [HIT, {"_id": "2"}]}},
            "hits.hits[1]._index is missing",
        ),
        ("/i/_search", {}, {"hits": {"hits": [HIT | {"_id": 7}]}}, "hits.hits[0]._id is not text"),
        (
            "/i/_search",
            {},
            {"hits": {"hits": [HIT | {"_seq_no": True}]}},
            "hits.hits[0]._seq_no is not a number",
        ),
        (
            "/i/_search",
            {},
            {"hits": {"hits": [HIT | {"fields": {"b": 1}}]}},
            "hits.hits[0].fields.b is not a list",
        ),
        ("/i/_search", {"seq_no_primary_term": True}, FOUND, "hits.hits have no versions"),
        (
            "/i/_search",
            {"docvalue_fields": ["_seq_no"]},
            FOUND,
            "hits.hits[].fields._seq_no is missing",
        ),
        ("/i/_search", {"track_total_hits": True}, {"hits": {"hits": []}}, "hits.total is missing"),
        ("/i/_search", {"aggs": {"n": {"terms": {}}}}, FOUND, "aggregations is not an object"),
        (
            "/i/_search",
            {"aggs": {"n": {"filter": {}}}},
            FOUND | {"aggregations": {"n": {}}},
            "aggregations.n.doc_count is missing",
        ),
        (
            "/i/_search",
            {"aggs": {"n": {"composite": {"sources": [{"family": {"terms": {}}}]}}}},
            FOUND | {"aggregations": {"n": {"buckets": [{"doc_count": 1, "key": {}}]}}},
            "aggregations.n.buckets[0].key.family is missing",
        ),
        ("/i/_msearch", [{}, {}], {"responses": []}, "it has 0 entries in place of 1"),
        (
            "/i/_msearch",
            [{}, {}],
            {"responses": [{"hits": 1}]},
            "responses[0].hits is not an object",
        ),
        ("/i/_mget", {"docs": [{}]}, {"docs": []}, "it has 0 entries in place of 1"),
        (
            "/_bulk",
            [],
            {"errors": True, "items": [{"index": {}}]},
            "items[0].index.status is missing",
        ),
        ("/i/_count", {}, {"count": "1", "_shards": {}}, "count is not a number"),
        ("/i/_pit", None, {"id": None}, "id is not text"),
    ],
)
def test_what_is_missing_or_of_another_type_is_named(
    path: str, asked: Any, body: Any, said: str
) -> None:
    assert fault("POST", path, asked, body) == said


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/i/_mapping", {"i": {}}, "i.mappings is missing"),
        (
            "/i/_mapping",
            {"i": {"mappings": {"properties": {"a": 1}}}},
            "i.mappings.properties.a is not an object",
        ),
        ("/i/_mapping", MAPPING, "i.mappings._meta.es_simhash.simhash.scheme is missing"),
        ("/_index_template", {}, "index_templates is missing"),
        ("/i/_settings", {"i": {"settings": []}}, "i.settings is not an object"),
    ],
)
def test_what_is_read_of_mappings_and_templates_is_there(path: str, body: Any, said: str) -> None:
    assert fault("GET", path, None, body) == said


def test_what_the_store_cannot_read_is_one_sentence_and_what_others_raise_is_theirs() -> None:
    with (
        pytest.raises(ClusterError, match="answer to '/x' cannot be read: KeyError"),
        readable("/x"),
    ):
        ref_of({})
    with pytest.raises(ClusterError, match="The answer cannot be read: TypeError"), readable(""):
        list(batches_of(7, 1))  # type: ignore[arg-type]
    with pytest.raises(KeyError), readable("/x"):
        {}["a"]  # type: ignore[index]
    with pytest.raises(InputError), readable("/x"):
        raise InputError("Theirs.")
