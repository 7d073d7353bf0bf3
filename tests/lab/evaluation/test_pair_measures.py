"""Measures of labelled pairs against scikit-learn, and against what can be counted by hand."""

import numpy as np
import pytest

from es_simhash.lab.evaluation.held_out_cuts import (
    cross_fitted_cuts,
    document_groups,
    f1_at,
    intervals,
    left_out_cut,
)
from es_simhash.lab.evaluation.pair_measures import (
    Counts,
    Curve,
    DocumentPairs,
    adjusted_rand_index,
    component_numbers,
)


def example(seed: int, size: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    labels = random.random(size) < 0.3
    # Few distinct scores, so that there are ties.
    scores = np.round(np.clip(random.normal(0.4 + 0.2 * labels, 0.2), 0, 1), 1)
    return scores, labels, random.integers(0, 4, size).astype(float)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
def test_measures_are_those_of_scikit_learn(seed: int, weighted: bool) -> None:
    # Two seconds, which the other tests need not wait for when they are collected.
    from sklearn.metrics import (
        average_precision_score,
        precision_recall_fscore_support,
        roc_auc_score,
    )

    scores, labels, weights = example(seed)
    given = weights if weighted else None
    curve = Curve.of(scores, labels, given)
    assert curve.roc_area() == pytest.approx(roc_auc_score(labels, scores, sample_weight=given))
    assert curve.average_precision() == pytest.approx(
        average_precision_score(labels, scores, sample_weight=given)
    )
    cut = curve.best_cut()
    counts = Counts.of(scores >= cut, labels, given)
    precision, recall, f1, _ = precision_recall_fscore_support(
        labels, scores >= cut, average="binary", sample_weight=given
    )
    assert (counts.precision, counts.recall, counts.f1) == pytest.approx((precision, recall, f1))
    # No other cut is better.
    others = [Counts.of(scores >= each, labels, given).f1 for each in np.arange(0, 1.1, 0.05)]
    assert counts.f1 == pytest.approx(max(others))
    assert f1_at(curve, np.array([cut]))[0] == pytest.approx(counts.f1)


@pytest.mark.parametrize("seed", range(5))
def test_the_rand_index_is_that_of_scikit_learn(seed: int) -> None:
    from sklearn.metrics import adjusted_rand_score

    random = np.random.default_rng(seed)
    one, other = random.integers(0, 6, 80), random.integers(0, 4, 80)
    assert adjusted_rand_index(one, other) == pytest.approx(adjusted_rand_score(one, other))
    assert adjusted_rand_index(one, one) == 1.0


def test_nothing_to_measure_is_nan_and_no_error() -> None:
    none = np.zeros(0)
    curve = Curve.of(none, none.astype(bool))
    assert np.isnan([curve.roc_area(), curve.average_precision()]).all()
    assert curve.best_cut() == 1.0
    assert np.isnan(Counts(0, 0, 0).f1)
    only = Curve.of(np.array([0.5, 0.6]), np.array([True, True]))
    assert np.isnan(only.roc_area())
    assert only.average_precision() == 1.0


def family_pairs() -> DocumentPairs:
    """Documents 0, 1, 2 are one family, 3 and 4 another, 5 is alone; all pairs are labelled."""
    first, second = np.triu_indices(6, 1)
    family = np.array([0, 0, 0, 1, 1, 2])
    return DocumentPairs(first, second, family[first] == family[second], 6)


def test_each_document_counts_once() -> None:
    pairs = family_pairs()
    called = np.isin(pairs.first * 10 + pairs.second, [1, 2, 45])
    # 0: both right; 1 and 2: the one called is right; 4 and 5: wrong; 3: nothing called.
    assert pairs.precisions(called) == pytest.approx([1, 1, 1, np.nan, 0, 0], nan_ok=True)
    assert pairs.recalls(called) == pytest.approx([1, 0.5, 0.5, 0, 0, np.nan], nan_ok=True)
    families = component_numbers(pairs.first[called], pairs.second[called], 6)
    assert families.tolist() == [0, 0, 0, 1, 2, 2]


def test_r_precision_counts_ties_by_chance() -> None:
    pairs = DocumentPairs(
        np.array([0, 0, 0, 0]), np.array([1, 2, 3, 4]), np.array([True, True, False, False]), 5
    )
    # Of document 0, R is 2: the first is right, the second is one of three with one score, of
    # which one is right. Documents 1 and 2 have one pair each, which is right.
    found = pairs.r_precisions(np.array([0.9, 0.5, 0.5, 0.5]))
    assert found == pytest.approx([(1 + 1 / 3) / 2, 1, 1, np.nan, np.nan], nan_ok=True)


def test_families_are_never_in_two_groups() -> None:
    random = np.random.default_rng(3)
    family = np.sort(random.integers(0, 40, 200))
    first, second = np.triu_indices(200, 1)
    pairs = DocumentPairs(first, second, family[first] == family[second], 200)
    groups = document_groups(pairs)
    assert all(len(set(groups[family == name])) == 1 for name in set(family))
    assert np.ptp(np.bincount(groups)) <= np.bincount(family).max()
    assert (groups == document_groups(pairs)).all()


def test_the_cut_of_a_pair_does_not_depend_on_its_own_documents() -> None:
    random = np.random.default_rng(5)
    family = np.repeat(np.arange(30), 4)
    first, second = np.triu_indices(120, 1)
    pairs = DocumentPairs(first, second, family[first] == family[second], 120)
    scores = np.clip(random.normal(0.4 + 0.3 * pairs.labels, 0.15), 0, 1)
    cuts = cross_fitted_cuts(pairs, scores, 0.5)
    groups = document_groups(pairs)
    for pair in (0, 500, 3000):
        own = {groups[first[pair]], groups[second[pair]]}
        touched = np.isin(groups[first], list(own)) | np.isin(groups[second], list(own))
        changed = np.where(touched, random.random(len(scores)), scores)
        assert cross_fitted_cuts(pairs, changed, 0.5)[pair] == cuts[pair]


def test_a_single_family_falls_back_to_the_threshold() -> None:
    pairs = DocumentPairs(np.array([0, 0]), np.array([1, 2]), np.array([True, False]), 3)
    assert cross_fitted_cuts(pairs, np.array([0.9, 0.1]), 0.37).tolist() == [0.37, 0.37]


def test_the_cut_of_a_set_is_the_best_of_the_others() -> None:
    one = Curve.of(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, True, False, False]))
    other = Curve.of(np.array([0.9, 0.6, 0.5, 0.1]), np.array([True, True, False, False]))
    cut = left_out_cut([one, other])
    # Both are without error above 0.5 and up to 0.6.
    assert 0.5 < cut <= 0.6


def test_intervals_are_wider_where_pairs_share_their_documents() -> None:
    random = np.random.default_rng(1)
    # 300 pairs of the same 6 documents tell less than 300 pairs of 600.
    few = DocumentPairs(*np.triu_indices(6, 1), random.random(15) < 0.5, 6)
    scores = random.random(15)
    repeated = intervals(few, scores, scores >= 0.5)["f1"]
    many = DocumentPairs(np.arange(0, 600, 2), np.arange(1, 600, 2), np.tile(few.labels, 20), 600)
    alone = intervals(many, np.tile(scores, 20), np.tile(scores >= 0.5, 20))["f1"]
    assert repeated.high - repeated.low > 2 * (alone.high - alone.low)
    assert intervals(few, scores, scores >= 0.5)["f1"] == repeated
