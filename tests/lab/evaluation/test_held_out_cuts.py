"""Cuts that are chosen elsewhere: no pair has a say in the cut that it is called with."""

import numpy as np
import pytest

from es_simhash.lab.evaluation.held_out_cuts import cross_fitted, document_groups
from es_simhash.lab.evaluation.pair_measures import DocumentPairs, Floats

GROUPS = 4
RANDOM = np.random.default_rng(3)
FIRST, SECOND = np.triu_indices(30, 1)
# Documents of three are a family.
PAIRS = DocumentPairs(FIRST, SECOND, FIRST // 3 == SECOND // 3, 30)
SCORES = RANDOM.uniform(0, 1, len(FIRST))


def lowest_of_versions(pairs: DocumentPairs, scores: Floats) -> float:
    return float(scores[pairs.labels].min())


@pytest.mark.parametrize("group", range(GROUPS))
def test_scores_of_a_group_leave_the_cuts_of_its_pairs_as_they_are(group: int) -> None:
    cuts = cross_fitted(PAIRS, SCORES, 0.5, lowest_of_versions, GROUPS)
    groups = document_groups(PAIRS, GROUPS)
    touched = (groups[FIRST] == group) | (groups[SECOND] == group)
    changed = np.where(touched, RANDOM.uniform(0, 1, len(SCORES)), SCORES)
    again = cross_fitted(PAIRS, changed, 0.5, lowest_of_versions, GROUPS)
    assert (cuts[touched] == again[touched]).all()
    assert (cuts[~touched] != again[~touched]).any()


def test_families_are_in_one_group() -> None:
    groups = document_groups(PAIRS, GROUPS)
    assert all(len(set(groups[start : start + 3])) == 1 for start in range(0, 30, 3))
    assert set(groups) == set(range(GROUPS))


def test_a_subset_has_its_own_documents() -> None:
    chosen = (FIRST == 4) | (SECOND == 29)
    subset = PAIRS.subset(chosen)
    ids = np.unique(np.concatenate([FIRST[chosen], SECOND[chosen]]))
    assert subset.documents == len(ids)
    assert (ids[subset.first] == FIRST[chosen]).all()
    assert (ids[subset.second] == SECOND[chosen]).all()
    assert (subset.labels == PAIRS.labels[chosen]).all()
    nothing = PAIRS.subset(np.zeros(len(FIRST), bool))
    assert (nothing.documents, len(nothing.first)) == (0, 0)
