"""Measures of the benches, on examples small enough to be computed by hand."""

import json
from functools import partial
from importlib.resources import files
from math import log2, sqrt

import numpy as np
import pytest

from es_simhash.semantics.profiler import profile_texts
from es_simhash.semantics.semantic_profile import Entity, SemanticProfile
from es_simhash.semantics.similarity import compare_profiles
from tests.bench import labelled_neighbours
from tests.bench.exact_shingles import containment, shingles
from tests.bench.package_descriptions import chosen_descriptions, package_descriptions
from tests.bench.plagdet import PassagePair, alignment_score
from tests.support import rankings
from tests.support.datasets import MissingData


def vector(*values: float) -> "np.typing.NDArray[np.float32]":
    return np.array(values, np.float32)


# Similarity: 0.4 vectors, 0.4 concepts, 0.2 entities; concepts have the share of what is missing.


def test_similarity_is_the_weighted_sum_of_the_cosines() -> None:
    one = SemanticProfile("en", {"crane": 0.8, "harbour": 0.6}, vector=vector(1, 0))
    other = SemanticProfile("en", {"crane": 0.6, "storm": 0.8}, vector=vector(0.6, 0.8))
    # Without entities: 0.6 x (0.8 x 0.6) + 0.4 x 0.6.
    expected = [[1, 0.528], [0.528, 1]]
    assert rankings.similarities([one, other]) == pytest.approx(np.array(expected))


def test_concepts_have_the_share_of_vectors_that_one_side_lacks() -> None:
    one = SemanticProfile("en", {"crane": 0.6, "storm": 0.8}, vector=vector(0.6, 0.8))
    other = SemanticProfile("en", {"storm": 1.0})
    stranger = SemanticProfile("en", {"pie": 1.0}, vector=vector(0.8, -0.6))
    expected = [[1, 0.8, 0], [0.8, 1, 0], [0, 0, 1]]
    found = rankings.similarities([one, other, stranger])
    assert found == pytest.approx(np.array(expected), abs=1e-6)


def test_vectors_that_point_apart_take_nothing_away() -> None:
    one = SemanticProfile("en", {"crane": 1.0}, vector=vector(1, 0))
    other = SemanticProfile("en", {"crane": 1.0}, vector=vector(-1, 0))
    assert rankings.similarities([one, other])[0, 1] == pytest.approx(0.6)


def test_entities_count_where_both_have_some() -> None:
    crane = {"crane": 1.0}
    one = SemanticProfile("en", crane, (Entity("Ellery"),))
    same = SemanticProfile("en", {"crane": 0.6, "storm": 0.8}, (Entity("Ellery"),))
    another = SemanticProfile("en", {"crane": 0.6, "storm": 0.8}, (Entity("Saltwick"),))
    none = SemanticProfile("en", {"crane": 0.6, "storm": 0.8})
    found = rankings.similarities([one, same, another, none])[0]
    assert found == pytest.approx(np.array([1, 0.8 * 0.6 + 0.2, 0.8 * 0.6, 0.6]))


def test_learned_vectors_count_as_much_as_they_are_trusted() -> None:
    half = partial(SemanticProfile, "en", has_learned_vector=True, vector_trust=0.5)
    one, other = half({"crane": 1.0}, vector=vector(1, 0)), half({"pie": 1.0}, vector=vector(1, 0))
    # Half of 0.35, from both sides.
    assert rankings.similarities([one, other])[[0, 1], [1, 0]] == pytest.approx([0.175, 0.175])
    assert compare_profiles(one, other).similarity == pytest.approx(0.175)


def test_a_text_queries_what_is_stored_of_it_so_that_a_pair_has_one_similarity() -> None:
    # Two concepts are stored, scaled to length 1; the third is in no query.
    long = SemanticProfile("en", {"crane": 0.6, "storm": 0.6, "gale": 0.53}, stored_limit=2)
    short = SemanticProfile("en", {"gale": 0.8, "storm": 0.6}, stored_limit=2)
    expected = 0.6 * 0.5**0.5
    found = rankings.similarities([long, short])
    assert found == pytest.approx(np.array([[1, expected], [expected, 1]]))


def test_empty_profiles_are_similar_to_nothing() -> None:
    assert rankings.similarities([SemanticProfile(), SemanticProfile()]).tolist() == [
        [0, 0],
        [0, 0],
    ]


def test_the_similarities_are_those_of_pairs_compared_one_by_one() -> None:
    sample = (files("es_simhash") / "data" / "sample" / "corpus.jsonl").read_text("utf-8")
    texts = [json.loads(line)["text"] for line in sample.splitlines()[::6]]
    profiles = profile_texts(texts)
    expected = [[compare_profiles(one, other).similarity for other in profiles] for one in profiles]
    assert rankings.similarities(profiles) == pytest.approx(np.array(expected), abs=1e-5)


# Rankings


def test_the_most_similar_come_first_and_the_text_itself_is_left_out() -> None:
    matrix = vector(1, 0.2, 0.9, 0.2, 0.1, 0.2, 0.3, 0.7, 0.5).reshape(3, 3)
    before = matrix.copy()
    # The second has two that are equally near: in their order.
    assert rankings.ranked(matrix).tolist() == [[2, 1], [0, 2], [1, 0]]
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
    assert rankings.precision_at(ORDER, LABELS, size) == pytest.approx(expected)


def test_average_precision_is_higher_the_earlier_companions_come() -> None:
    # The one companion of each is first, second, first and third.
    expected = (1 + 1 / 2 + 1 + 1 / 3) / 4
    assert rankings.mean_average_precision(ORDER, LABELS) == pytest.approx(expected)


def test_average_precision_counts_all_companions() -> None:
    order = np.array([[1, 3, 2], [0, 2, 3], [3, 0, 1], [0, 1, 2]])
    # Of the first: first and third place, 1/1 and 2/3; of the second: first and second; of the
    # third: second and third, 1/2 and 2/3. The fourth has none and does not count.
    expected = ((1 + 2 / 3) / 2 + 1 + (1 / 2 + 2 / 3) / 2) / 3
    assert rankings.mean_average_precision(order, ["a", "a", "a", "b"]) == pytest.approx(expected)


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
    assert rankings.pearson(one, other) == pytest.approx(expected)


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
    assert rankings.spearman(one, other) == pytest.approx(expected)


PAIR = ("suspicious", "source")
# Ten characters of either text.
KNOWN = PassagePair(100, 110, 500, 510)


def test_what_is_found_exactly_is_perfect() -> None:
    assert alignment_score({PAIR: [KNOWN]}, {PAIR: [KNOWN]}) == (1, 1, 1, 1)


def test_half_of_a_passage_is_half_of_the_recall() -> None:
    half = PassagePair(100, 105, 500, 505)
    score = alignment_score({PAIR: [KNOWN]}, {PAIR: [half]})
    assert (score.recall, score.precision, score.granularity) == (0.5, 1, 1)
    # F1 of 1/2 and 1.
    assert score.plagdet == pytest.approx(2 / 3)


def test_twice_what_is_known_is_half_of_the_precision() -> None:
    twice = PassagePair(95, 115, 500, 520)
    score = alignment_score({PAIR: [KNOWN]}, {PAIR: [twice]})
    assert (score.recall, score.precision, score.granularity) == (1, 0.5, 1)
    assert score.plagdet == pytest.approx(2 / 3)


def test_both_sides_count_by_their_characters() -> None:
    # Of the 10 + 30 characters, all of the first and a third of the second.
    known = PassagePair(0, 10, 0, 30)
    score = alignment_score({PAIR: [known]}, {PAIR: [PassagePair(0, 10, 20, 30)]})
    assert score.recall == pytest.approx(20 / 40)
    assert score.precision == 1


def test_a_passage_found_in_two_pieces_has_granularity_two() -> None:
    pieces = [PassagePair(100, 105, 500, 505), PassagePair(105, 110, 505, 510)]
    score = alignment_score({PAIR: [KNOWN]}, {PAIR: pieces})
    assert (score.recall, score.precision, score.granularity) == (1, 1, 2)
    assert score.plagdet == pytest.approx(1 / log2(3))


def test_pieces_that_overlap_are_counted_once() -> None:
    pieces = [PassagePair(100, 107, 500, 507), PassagePair(103, 108, 503, 508)]
    score = alignment_score({PAIR: [KNOWN]}, {PAIR: pieces})
    assert score.recall == pytest.approx(0.8)
    assert score.granularity == 2


def test_granularity_is_that_of_the_passages_that_were_found() -> None:
    missed = PassagePair(900, 910, 900, 910)
    pieces = [PassagePair(100, 105, 500, 505), PassagePair(105, 110, 505, 510)]
    score = alignment_score({PAIR: [KNOWN, missed]}, {PAIR: pieces})
    assert (score.recall, score.precision, score.granularity) == (0.5, 1, 2)
    assert score.plagdet == pytest.approx(2 / 3 / log2(3))


@pytest.mark.parametrize(
    "found",
    [
        PassagePair(100, 110, 700, 710),
        PassagePair(700, 710, 500, 510),
        # Next to it.
        PassagePair(110, 120, 510, 520),
    ],
)
def test_an_overlap_on_one_side_only_counts_nothing(found: PassagePair) -> None:
    score = alignment_score({PAIR: [KNOWN]}, {PAIR: [found]})
    assert (score.plagdet, score.recall, score.precision, score.granularity) == (0, 0, 0, 1)


def test_passages_of_another_pair_are_false() -> None:
    # One of two found passages is right.
    found = {PAIR: [KNOWN], ("suspicious", "another"): [KNOWN]}
    score = alignment_score({PAIR: [KNOWN]}, found)
    assert (score.recall, score.precision) == (1, 0.5)


@pytest.mark.parametrize(
    ("known", "found"),
    [({}, {}), ({PAIR: [KNOWN]}, {}), ({PAIR: [KNOWN]}, {PAIR: []}), ({}, {PAIR: [KNOWN]})],
)
def test_nothing_known_or_nothing_found_is_no_score(
    known: dict[tuple[str, str], list[PassagePair]],
    found: dict[tuple[str, str], list[PassagePair]],
) -> None:
    assert alignment_score(known, found) == (0, 0, 0, 1)


def test_runs_of_words_without_case_and_punctuation() -> None:
    assert shingles("One two, THREE; one two.", 2) == {"one two", "two three", "three one"}


def test_runs_of_characters_without_white_space() -> None:
    assert shingles("Ab c\nd", 3, characters=True) == {"a b c", "b c d"}


def test_a_text_that_is_too_short_has_none() -> None:
    assert shingles("one two three four") == set()
    assert shingles("") == set()


def test_containment_is_the_share_of_the_smaller_set() -> None:
    assert containment({"a", "b", "c", "d"}, {"a", "x"}) == 1 / 2
    assert containment({"a"}, {"a", "x", "y"}) == 1
    assert containment({"a"}, set()) == 0


def test_the_share_of_useful_neighbours_is_that_of_pairs_with_the_score() -> None:
    pairs = [
        labelled_neighbours.ScoredPair(label, score)
        for label, score in (("useful", 0.5), ("acceptable", 0.4), ("wrong", 0.4), ("wrong", 0.3))
    ]
    assert labelled_neighbours.shares(pairs, 0.4) == (3, pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert labelled_neighbours.shares(pairs, 0.6) == (0, 0, 0)


def test_every_pair_of_neighbours_has_one_label() -> None:
    pairs = labelled_neighbours.labelled_pairs()
    assert len({pair[:3] for pair in pairs}) == len(pairs) == 200
    assert {pair.label for pair in pairs} == {"useful", "acceptable", "wrong"}
    assert {pair.collection for pair in pairs} == {"bbc_news", "wire_news"}


HARBOUR = "der Hafen und seine Kräne am Meer im Wind " * 3


def _control_files(sections: dict[str, str], sources: dict[str, str]) -> tuple[str, str]:
    """Return files `Packages` and `Translation-de` of packages of these sections."""
    packages = "".join(
        f"Package: {name}\nSource: {sources.get(name, name)} (1.0)\nSection: {section}\n\n"
        for name, section in sections.items()
    )
    described = "".join(
        f"Package: {name}\nDescription-md5: 0\nDescription-de: Titel\n {HARBOUR}\n .\n  \n Ende\n\n"
        for name in sections
    )
    return packages, described


def test_a_description_is_its_title_and_its_paragraphs_and_its_topic_the_section() -> None:
    files = _control_files({f"game{n}": "contrib/games" for n in range(20)}, {})
    found = chosen_descriptions(*files, "de")
    assert sorted(each["id"] for each in found) == sorted(f"game{n}" for n in range(20))
    assert {each["text"] for each in found} == {f"Titel\n\n{HARBOUR}\n\n \nEnde"}
    assert {each["topic"] for each in found} == {"games"}


def test_descriptions_of_one_source_of_other_sections_and_of_small_ones_are_left_out() -> None:
    games = {f"game{n}": "games" for n in range(21)}
    others = {"library": "libs", "unknown": "", "sum": "math"}
    files = _control_files(games | others, {"game20": "game0"})
    assert {each["id"] for each in chosen_descriptions(*files, "de")} == games.keys() - {"game20"}
    short = files[1].replace(HARBOUR, "zu kurz")
    assert chosen_descriptions(files[0], short, "de") == []


def test_a_mirror_that_does_not_answer_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBIAN_MIRROR", "http://127.0.0.1:9/debian/")
    with pytest.raises(MissingData, match=r"http://127.0.0.1:9/debian/dists/.*DEBIAN_MIRROR"):
        package_descriptions("de")
