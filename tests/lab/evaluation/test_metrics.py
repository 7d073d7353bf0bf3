"""Measures of rankings on examples small enough to be computed by hand."""

import json
from importlib.resources import files
from math import sqrt

import numpy as np
import pytest

from es_simhash.lab.evaluation import metrics
from es_simhash.semantics.profiler import profile_texts
from es_simhash.semantics.semantic_profile import Entity, SemanticProfile
from es_simhash.semantics.similarity import compare_profiles


def vector(*values: float) -> "np.typing.NDArray[np.float32]":
    return np.array(values, np.float32)


# Similarity: 0.4 vectors, 0.3 concepts, 0.3 entities; concepts have the share of what is missing.


def test_similarity_is_the_weighted_sum_of_the_cosines() -> None:
    one = SemanticProfile("en", {"crane": 0.8, "harbour": 0.6}, vector=vector(1, 0))
    other = SemanticProfile("en", {"crane": 0.6, "storm": 0.8}, vector=vector(0.6, 0.8))
    # Without entities: 0.6 x (0.8 x 0.6) + 0.4 x 0.6.
    expected = [[1, 0.528], [0.528, 1]]
    assert metrics.similarities([one, other]) == pytest.approx(np.array(expected))


def test_concepts_have_the_share_of_vectors_that_one_side_lacks() -> None:
    one = SemanticProfile("en", {"crane": 0.6, "storm": 0.8}, vector=vector(0.6, 0.8))
    other = SemanticProfile("en", {"storm": 1.0})
    stranger = SemanticProfile("en", {"pie": 1.0}, vector=vector(0.8, -0.6))
    expected = [[1, 0.8, 0], [0.8, 1, 0], [0, 0, 1]]
    found = metrics.similarities([one, other, stranger])
    assert found == pytest.approx(np.array(expected), abs=1e-6)


def test_vectors_that_point_apart_take_nothing_away() -> None:
    one = SemanticProfile("en", {"crane": 1.0}, vector=vector(1, 0))
    other = SemanticProfile("en", {"crane": 1.0}, vector=vector(-1, 0))
    assert metrics.similarities([one, other])[0, 1] == pytest.approx(0.6)


def test_entities_count_where_both_have_some() -> None:
    crane = {"crane": 1.0}
    one = SemanticProfile("en", crane, (Entity("Ellery"),))
    same = SemanticProfile("en", {"crane": 0.6, "storm": 0.8}, (Entity("Ellery"),))
    another = SemanticProfile("en", {"crane": 0.6, "storm": 0.8}, (Entity("Saltwick"),))
    none = SemanticProfile("en", {"crane": 0.6, "storm": 0.8})
    found = metrics.similarities([one, same, another, none])[0]
    assert found == pytest.approx(np.array([1, 0.7 * 0.6 + 0.3, 0.7 * 0.6, 0.6]))


def test_a_row_queries_and_a_column_is_stored() -> None:
    # One concept is stored, scaled to length 1; two are queried.
    long = SemanticProfile("en", {"crane": 0.8, "storm": 0.6}, stored_limit=1)
    short = SemanticProfile("en", {"storm": 1.0}, stored_limit=1)
    expected = [[0.8, 0.6], [0, 1]]
    assert metrics.similarities([long, short]) == pytest.approx(np.array(expected))


def test_empty_profiles_are_similar_to_nothing() -> None:
    assert metrics.similarities([SemanticProfile(), SemanticProfile()]).tolist() == [[0, 0], [0, 0]]


def test_the_similarities_are_those_of_pairs_compared_one_by_one() -> None:
    sample = (files("es_simhash") / "data" / "sample" / "corpus.jsonl").read_text("utf-8")
    texts = [json.loads(line)["text"] for line in sample.splitlines()[::6]]
    profiles = profile_texts(texts)
    expected = [[compare_profiles(one, other).similarity for other in profiles] for one in profiles]
    assert metrics.similarities(profiles) == pytest.approx(np.array(expected), abs=1e-5)


# Rankings


def test_the_most_similar_come_first_and_the_text_itself_is_left_out() -> None:
    matrix = vector(1, 0.2, 0.9, 0.2, 0.1, 0.2, 0.3, 0.7, 0.5).reshape(3, 3)
    before = matrix.copy()
    # The second has two that are equally near: in their order.
    assert metrics.ranked(matrix).tolist() == [[2, 1], [0, 2], [1, 0]]
    assert (matrix == before).all()


ORDER = np.array([[1, 2, 3], [2, 0, 3], [3, 0, 1], [0, 1, 2]])
LABELS = ["harbour", "harbour", "pie", "pie"]


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (1, (1 + 0 + 1 + 0) / 4),
        (2, (1 / 2 + 1 / 2 + 1 / 2 + 0) / 4),
        # Fewer others than places: the share of those there are.
        (10, 1 / 3),
    ],
)
def test_precision_is_the_share_of_the_first_that_have_the_label(
    size: int, expected: float
) -> None:
    assert metrics.precision_at(ORDER, LABELS, size) == pytest.approx(expected)


def test_average_precision_is_higher_the_earlier_companions_come() -> None:
    # The one companion of each is first, second, first and third.
    expected = (1 + 1 / 2 + 1 + 1 / 3) / 4
    assert metrics.mean_average_precision(ORDER, LABELS) == pytest.approx(expected)


def test_average_precision_counts_all_companions() -> None:
    order = np.array([[1, 3, 2], [0, 2, 3], [3, 0, 1], [0, 1, 2]])
    # Of the first: first and third place, 1/1 and 2/3; of the second: first and second; of the
    # third: second and third, 1/2 and 2/3. The fourth has none and does not count.
    expected = ((1 + 2 / 3) / 2 + 1 + (1 / 2 + 2 / 3) / 2) / 3
    assert metrics.mean_average_precision(order, ["a", "a", "a", "b"]) == pytest.approx(expected)


# Correlations


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([1, 2, 3], [2, 4, 6], 1),
        ([1, 2, 3], [3, 2, 1], -1),
        # Deviations -1, 0, 1 and -1, 1, 0: 1 / (sqrt 2 x sqrt 2).
        ([1, 2, 3], [1, 3, 2], 1 / 2),
        ([0, 0, 1], [0, 1, 1], 1 / 2),
    ],
)
def test_pearson(one: list[float], other: list[float], expected: float) -> None:
    assert metrics.pearson(one, other) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([1, 2, 3, 4], [1, 10, 100, 1000], 1),
        ([1, 2, 3, 4], [-1, -10, -100, -1000], -1),
        ([0.1, 0.5, 0.3], [10, 20, 30], 1 / 2),
        # Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5 / (sqrt 4.5 x sqrt 5).
        ([1, 2, 2, 9], [1, 2, 3, 4], 4.5 / sqrt(4.5 * 5)),
    ],
)
def test_spearman_correlates_ranks(one: list[float], other: list[float], expected: float) -> None:
    assert metrics.spearman(one, other) == pytest.approx(expected)
