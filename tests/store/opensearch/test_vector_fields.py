"""Field types that OpenSearch lacks, there and back."""

import base64

import pytest

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store import resources
from es_simhash.store.opensearch.vector_fields import (
    from_opensearch,
    packed,
    padded,
    to_opensearch,
)


def test_the_mapping_of_an_index_is_the_same_there_and_back() -> None:
    mapping = resources.mapping(DEFAULT, semantics=DEFAULT_SEMANTICS)
    assert from_opensearch(to_opensearch(mapping)) == mapping


def test_no_field_of_it_has_a_type_that_opensearch_lacks() -> None:
    body = repr(to_opensearch(resources.component_template(DEFAULT, semantics=DEFAULT_SEMANTICS)))
    assert "'type': 'dense_vector'" not in body
    assert "sparse_vector" not in body


def test_shingles_and_blocks_are_scored_by_their_rarity_where_that_has_to_be_said() -> None:
    shingles = {"properties": {"shingles": {"type": "keyword", "doc_values": False}}}
    assert to_opensearch(shingles)["properties"]["shingles"]["use_similarity"] is True
    assert to_opensearch(shingles, has_similarity=False) == shingles
    assert from_opensearch(to_opensearch(shingles)) == shingles


def test_fields_of_the_user_stay_as_they_are() -> None:
    mapping = {
        "properties": {
            "type": {"type": "keyword", "meta": {"unit": "m"}},
            "embedding": {"type": "dense_vector", "dims": 3},
            "nested": {"type": "nested", "properties": {"n": {"type": "long"}}},
        }
    }
    assert to_opensearch(mapping) == mapping
    assert from_opensearch(mapping) == mapping


@pytest.mark.parametrize("raw", [b"\x00\xff", b"abc", b"abcd", b"\xfb"])
def test_vectors_and_bytes_are_read_as_elasticsearch_writes_them(raw: bytes) -> None:
    written = base64.b64encode(raw).decode()
    assert packed(raw.hex()) == written
    assert padded(written.rstrip("=")) == written


@pytest.mark.parametrize("value", [7, None, [1.5], "no digits"])
def test_what_is_no_vector_stays_as_it_is(value: object) -> None:
    assert packed(value) == value
