"""The score that is shown for a similarity in meaning."""

from itertools import combinations
from pathlib import Path

import pytest

from es_simhash.lab.evaluation import metrics
from es_simhash.relation.model import semantic_score
from es_simhash.relation.thresholds import SHOWN_SCORE, SHOWN_SIMILARITY, VERSION_SCORE
from es_simhash.semantics.profiler import profile_texts
from es_simhash.semantics.similarity import compare_profiles
from tests.support import datasets

STEPS = [number / 1000 for number in range(1001)]


def test_scores_begin_at_0_and_end_below_versions() -> None:
    assert semantic_score(0.0) == 0
    assert VERSION_SCORE - 0.001 < semantic_score(1.0) < VERSION_SCORE
    # The engine's cosines are a little inexact.
    assert semantic_score(1.0001) < VERSION_SCORE


def test_more_similar_is_never_scored_less() -> None:
    scores = [semantic_score(similarity) for similarity in STEPS]
    assert scores == sorted(scores)
    assert len(set(scores)) == len(scores)


def test_neighbours_are_shown_from_the_similarity_of_a_story_line_on() -> None:
    assert semantic_score(SHOWN_SIMILARITY) == SHOWN_SCORE
    assert semantic_score(SHOWN_SIMILARITY - 0.001) < SHOWN_SCORE


def test_scores_are_linear_on_both_sides_of_what_is_shown() -> None:
    sides = [
        [each for each in STEPS if each < SHOWN_SIMILARITY],
        [each for each in STEPS if SHOWN_SIMILARITY <= each < 1],
    ]
    for side in sides:
        scores = [semantic_score(similarity) for similarity in side]
        slope = (scores[-1] - scores[0]) / (side[-1] - side[0])
        for similarity, score in zip(side, scores, strict=True):
            assert score == pytest.approx(scores[0] + slope * (similarity - side[0]), abs=2e-4)


def test_scores_correlate_with_people_as_similarities_do(data_dir: Path) -> None:
    documents = datasets.documents("lee50")
    profiles = profile_texts([each["text"] for each in documents])
    pairs = combinations(zip((each["id"] for each in documents), profiles, strict=True), 2)
    similarities = {
        datasets.pair(one, other): compare_profiles(query, hit).similarity
        for (one, query), (other, hit) in pairs
    }
    rows = datasets.rows("lee50", "pairs.tsv")
    human = [float(row["human"]) for row in rows]
    inner = [similarities[datasets.pair(row["doc1"], row["doc2"])] for row in rows]
    shown = [semantic_score(similarity) for similarity in inner]
    assert metrics.pearson(shown, human) >= metrics.pearson(inner, human) > 0.7
    assert metrics.spearman(shown, human) == pytest.approx(metrics.spearman(inner, human), abs=0.01)
