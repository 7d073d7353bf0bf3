"""Queries for terms."""

from es_simhash.store.elasticsearch.conditions import any_value


def test_a_field_has_one_of_some_values() -> None:
    assert any_value("lang", ("en", "de")) == {"terms": {"lang": ["en", "de"]}}
