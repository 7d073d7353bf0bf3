"""Scores and kinds at their thresholds: each decision by itself, of parts that are given."""

from types import SimpleNamespace

import numpy as np
import pytest

from es_simhash.relation import scoring
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.candidate import Candidate
from es_simhash.relation.relation import Coverage, Relation
from es_simhash.relation.resemblance import Resemblance
from es_simhash.relation.scoring import compare_fingerprints
from es_simhash.relation.thresholds import (
    PRIOR_SHINGLES,
    RESEMBLANCE_WEIGHT,
    SCORE_DIGITS,
    SHARED_SCORE,
    SHOWN_SCORE,
    VERSION_SCORE,
)
from tests.support.made_up_texts import make_text, revise


def analysed(*texts: str) -> list[AnalysedText]:
    return TextAnalyser().analyse(texts)


def relation_with(
    monkeypatch: pytest.MonkeyPatch, score: float, of_query: float = 1.0, of_hit: float = 1.0
) -> Relation:
    """Score two texts of which score and coverage are given."""
    resemblance = Resemblance(Coverage(of_query, of_hit), Coverage(0.0, 0.0))
    monkeypatch.setattr(scoring, "resemblances", lambda query, hits: [resemblance])
    monkeypatch.setattr(scoring, "score_of_pair", lambda *any_pair: score)
    one, other = analysed(make_text(1, 40), make_text(2, 40))
    return compare_fingerprints(one, other)


@pytest.mark.parametrize(
    ("score", "kind"),
    [
        (SHARED_SCORE - 0.0001, "none"),
        (SHARED_SCORE, "shares_passages"),
        (VERSION_SCORE - 0.0001, "shares_passages"),
        (VERSION_SCORE, "version"),
    ],
)
def test_a_kind_begins_at_its_threshold(
    monkeypatch: pytest.MonkeyPatch, score: float, kind: str
) -> None:
    assert relation_with(monkeypatch, score).kind == kind


@pytest.mark.parametrize(
    ("of_query", "of_hit", "kind"),
    [
        (0.3, 0.6, "contains"),
        (0.3001, 0.6, "version"),
        (0.2, 0.5999, "version"),
        (0.6, 0.3, "excerpt_of"),
        (0.6, 0.3001, "version"),
        (0.5999, 0.2, "version"),
    ],
)
def test_a_version_twice_as_long_contains_the_other(
    monkeypatch: pytest.MonkeyPatch, of_query: float, of_hit: float, kind: str
) -> None:
    assert relation_with(monkeypatch, 0.9, of_query, of_hit).kind == kind


def test_copies_versions_and_strangers_have_the_scores_of_families() -> None:
    original = make_text(1, 200)
    one, copy, revision, stranger = analysed(
        original, original.upper(), revise(original, 2), make_text(3, 200)
    )
    for score in (scoring.version_score, scoring.link_score):
        assert score(one, copy, VERSION_SCORE) == 1.0
        assert score(one, revision, VERSION_SCORE) == compare_fingerprints(one, revision).score
        assert score(one, stranger, VERSION_SCORE) == 0.0
    assert scoring.version_value(one, copy) == 1.0
    assert VERSION_SCORE <= scoring.version_value(one, revision) < 1.0
    assert scoring.version_value(one, stranger) == 0.0


@pytest.mark.parametrize(
    ("value", "score", "counted"),
    [
        (0.7, 0.6, 0.6),
        # Its chunks are compared where the value reaches the threshold, and not below.
        (0.6999, 0.9, 0.0),
        (0.7, 0.5999, 0.0),
    ],
)
def test_a_pair_counts_from_the_threshold_on(
    monkeypatch: pytest.MonkeyPatch, value: float, score: float, counted: float
) -> None:
    monkeypatch.setattr(scoring, "value_of_pair", lambda *any_pair: value)
    monkeypatch.setattr(scoring, "score_of_pair", lambda *any_pair: score)
    original = make_text(1, 200)
    one, other = analysed(original, revise(original, 2))
    assert scoring.version_score(one, other, 0.7) == counted


@pytest.mark.parametrize(("longer", "score"), [(80, 0.7), (81, 0.0)])
def test_a_text_eight_times_as_long_is_linked(
    monkeypatch: pytest.MonkeyPatch, longer: int, score: float
) -> None:
    monkeypatch.setattr(scoring, "version_score", lambda *any_pair: 0.7)
    one, other = SimpleNamespace(characters=10), SimpleNamespace(characters=longer)
    for pair in ((one, other), (other, one)):
        assert scoring.link_score(*pair, VERSION_SCORE) == score


@pytest.mark.parametrize(("shared", "do"), [(0, False), (1, False), (2, True), (3, True)])
def test_two_texts_find_each_other_as_the_longer_one_needs(shared: int, do: bool) -> None:
    short, long = (
        SimpleNamespace(shingles=shingles, queried_shingles=shingles)
        for shingles in (np.arange(3), np.arange(3 - shared, 12 - shared))
    )
    assert scoring.are_candidates(short, long) is do
    assert scoring.are_candidates(long, short) is do


def test_what_shares_no_shingle_has_the_score_of_its_chunks_at_most() -> None:
    one, other = analysed(make_text(1, 40), make_text(2, 60))
    copied = PRIOR_SHINGLES / (one.windows[0] + PRIOR_SHINGLES)
    body = copied + (1 - copied) * RESEMBLANCE_WEIGHT
    assert body < SHOWN_SCORE
    assert scoring.unshared_scores(one, [other]) == [round(body, SCORE_DIGITS)]


def test_only_what_shares_text_has_evidence_for_versions() -> None:
    original = make_text(1, 100)
    one, revision, stranger, empty = analysed(original, revise(original, 2), make_text(3, 100), "")
    for other, has_evidence in ((revision, True), (stranger, False), (empty, False)):
        relation = compare_fingerprints(one, other)
        explained = scoring.with_log_odds(relation, one, other)
        assert (explained.log_odds is not None) is has_evidence
        assert explained == relation or has_evidence


def test_a_text_without_tokens_is_related_to_nothing() -> None:
    text, empty = analysed(make_text(1, 40), "")
    for one, other in ((text, empty), (empty, text), (empty, empty)):
        assert compare_fingerprints(one, other) == scoring.NOTHING
        assert scoring.compare_texts(one, other) == scoring.NOTHING


@pytest.mark.parametrize(("similarity", "is_combined"), [(-0.1, False), (0.0, False), (0.1, True)])
def test_meaning_counts_where_there_is_some_likeness(
    monkeypatch: pytest.MonkeyPatch, similarity: float, is_combined: bool
) -> None:
    likeness = SimpleNamespace(similarity=similarity)
    monkeypatch.setattr(scoring, "compare_profiles", lambda one, other: likeness)
    monkeypatch.setattr(scoring, "semantic_relation", lambda id, index, semantics: semantics)
    monkeypatch.setattr(scoring, "combine", lambda by_shingles, semantics: semantics)
    one, other = analysed(make_text(1, 40), make_text(2, 40))
    assert (id(scoring.compare_texts(one, other)) == id(likeness)) is is_combined


def test_a_shingle_of_six_candidates_is_common() -> None:
    text = analysed(make_text(1, 40))[0]
    shared = [[1, 2, 3], [1, 2], [1, 2], [1, 2], [1, 2], [1], []]
    candidates = [
        Candidate(str(place), text, np.array(shingles, np.uint32))
        for place, shingles in enumerate(shared)
    ]
    relations = [Relation(each.id, "version", 1.0, Coverage(1.0, 1.0)) for each in candidates]
    common = [each.common for each in scoring.with_commonness(relations, candidates)]
    assert common == [0.3333, 0.5, 0.5, 0.5, 0.5, 1.0, relations[-1].common]
    assert scoring.with_commonness([], []) == []


def test_the_same_text_is_an_exact_copy_whatever_its_spelling() -> None:
    one, copy = analysed(make_text(1, 40), make_text(1, 40).upper())
    exact = Relation(None, "exact", 1.0, Coverage(1.0, 1.0))
    assert compare_fingerprints(one, copy) == exact
