"""The score that is shown for a similarity in meaning."""

from itertools import combinations
from pathlib import Path

import pytest

from es_simhash import compare, reason
from es_simhash.relation.relation import Coverage, Kind, Relation, semantic_score
from es_simhash.relation.thresholds import SHOWN_SCORE, SHOWN_SIMILARITY, VERSION_SCORE
from es_simhash.semantics.profiler import profile_texts
from es_simhash.semantics.similarity import compare_profiles
from tests.support import datasets, rankings

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
    assert rankings.pearson(shown, human) >= rankings.pearson(inner, human) > 0.7
    assert rankings.spearman(shown, human) == pytest.approx(
        rankings.spearman(inner, human), abs=0.01
    )


TEXT = (
    "The harbour opens at six in the morning. Boats wait outside until the light is green. "
    "The pilot boards every ship of more than fifty metres, and the fee is due at once. "
)
OTHER = "Nobody knows when the quarry was dug, nor by whom, and no document mentions it. "


@pytest.mark.parametrize(
    ("one", "other", "part"),
    [
        (TEXT, TEXT.upper(), "the same text"),
        (TEXT * 2, TEXT * 2 + "Dogs stay ashore.", "of this text"),
        (TEXT, TEXT + OTHER * 4, "100% of this text appears in it"),
        (TEXT + OTHER * 4, TEXT, "100% of it appears in this text"),
        ("One.", "Two.", "not related"),
    ],
)
def test_a_phrase_says_why(one: str, other: str, part: str) -> None:
    assert part in reason(compare(one, other))


def test_a_shared_passage_is_quoted() -> None:
    numbers = " ".join(f"alpha{n} beta{n} gamma{n}." for n in range(60))
    others = " ".join(f"delta{n} epsilon{n} zeta{n}." for n in range(60))
    relation = compare(f"{numbers} {TEXT}", f"{others} {TEXT}")
    assert relation.kind == "shares_passages"
    assert "“The harbour opens at six" in reason(relation)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("version", "60% of A appears in B, 100% of B appears in A"),
        # They may be edited: not all of it appears in the other.
        ("shares_passages", "60% of A and 100% of B are shared passages"),
        ("semantic", ""),
    ],
)
def test_what_is_said_of_the_coverage_is_true_of_the_kind(kind: Kind, sentence: str) -> None:
    assert Relation("a", kind, 0.5, Coverage(0.6, 1.0)).coverage_sentence == sentence


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        ("version", "has 99% of this text; 1% of it is from here"),
        ("contains", "1% of it appears in this text"),
        ("excerpt_of", "99% of this text appears in it"),
        ("shares_passages", "shares passages with 99% of this text"),
    ],
)
def test_nearly_all_is_not_all(kind: Kind, part: str) -> None:
    assert reason(Relation("a", kind, 0.7, Coverage(0.997, 0.002))) == part


def test_a_neighbour_without_evidence_claims_nothing() -> None:
    assert reason(Relation("a", "semantic", 0.4, Coverage(0, 0))) == "about the same subject"
