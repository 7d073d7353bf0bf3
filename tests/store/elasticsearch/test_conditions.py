"""Queries for terms."""

import numpy as np

from es_simhash.store.codec import shingle_terms
from es_simhash.store.elasticsearch.conditions import any_value, shingle_clauses


def test_a_field_has_one_of_some_values() -> None:
    assert any_value("lang", ("en", "de")) == {"terms": {"lang": ["en", "de"]}}


def test_shingles_are_clauses_of_which_enough_must_match() -> None:
    queried = np.array([1, 2, 3], np.uint32)
    clauses = shingle_clauses("simhash", queried, 3)
    terms = [clause["term"]["simhash.shingles"] for clause in clauses["should"]]
    assert terms == shingle_terms(queried)
    assert 1 <= clauses["minimum_should_match"] <= 3


def test_named_clauses_have_the_positions_of_their_shingles() -> None:
    clauses = shingle_clauses("simhash", np.array([7, 9], np.uint32), 2, named=True)
    names = [clause["term"]["simhash.shingles"]["_name"] for clause in clauses["should"]]
    assert names == ["0", "1"]
