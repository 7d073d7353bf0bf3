"""What is true of each method, whatever it computes."""

import numpy as np
import pytest

from es_simhash.lab.methods.method_protocol import Features
from es_simhash.lab.methods.method_registry import method_named, method_names
from es_simhash.relation.text_comparison import compare
from tests.support.made_up_texts import make_text, revise
from tests.support.pairs_of_texts import all_pairs

ENGLISH = (
    "The committee met on Monday to discuss the new harbour. In conclusion, the members agreed "
    "that the ferries will leave at seven.\n\nThe mayor thanked all engineers for their work on "
    "the bridge, which opens in spring."
)
TEXTS = [
    ENGLISH,
    ENGLISH,
    ENGLISH.replace("Monday", "Tuesday"),
    make_text(1),
    revise(make_text(1), 2),
    make_text(3),
    "",
    "?! —",
    "One.",
    "half \ud800 of a pair, 𝔘nicode, e\u0301 \u202e and \u200d joined \x00 by nothing",
    "中文文本在这里，第二句话也在这里。 日本語のテキスト。",
    "word " * 3000,
]


@pytest.fixture(scope="module", params=method_names())
def features(request: pytest.FixtureRequest) -> Features:
    return method_named(request.param).read(TEXTS)


def test_scores_are_symmetric_and_from_0_to_1(features: Features) -> None:
    pairs = all_pairs(len(TEXTS))
    scores = features.score(pairs[:, 0], pairs[:, 1])
    assert scores.shape == (len(pairs),)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores == pytest.approx(features.score(pairs[:, 1], pairs[:, 0]))


def test_equal_texts_score_1_and_more_than_others(features: Features) -> None:
    same, revised, strange = features.score(np.array([0, 3, 0]), np.array([1, 4, 3]))
    assert same == pytest.approx(1)
    assert same >= revised
    assert same > strange


def test_texts_without_words_score_0_and_are_no_candidates(features: Features) -> None:
    wordless = np.array([6, 7, 6, 6, 7])
    others = np.array([7, 0, 0, 8, 8])
    assert (features.score(wordless, others) == 0).all()
    assert not np.isin(features.candidates(), [6, 7]).any()
    assert {6, 7} <= set(features.unreadable)


def test_candidates_are_ordered_pairs_with_the_equal_texts_among_them(features: Features) -> None:
    candidates = features.candidates()
    assert candidates.shape[1] == 2
    assert (candidates[:, 0] < candidates[:, 1]).all()
    assert len(np.unique(candidates, axis=0)) == len(candidates)
    assert [0, 1] in candidates.tolist()


def test_it_takes_bytes_to_store_texts(features: Features) -> None:
    assert features.nbytes > 0


@pytest.mark.parametrize("name", method_names())
def test_no_texts_are_no_pairs(name: str) -> None:
    features = method_named(name).read([])
    none = np.zeros(0, np.int64)
    assert features.score(none, none).tolist() == []
    assert features.candidates().shape == (0, 2)
    assert features.nbytes == 0


def test_the_project_scores_as_compare_does() -> None:
    features = method_named("es-simhash").read(TEXTS)
    pairs = all_pairs(len(TEXTS))
    expected = [
        compare(TEXTS[one], TEXTS[other], semantics=None).score for one, other in pairs.tolist()
    ]
    assert features.score(pairs[:, 0], pairs[:, 1]).tolist() == expected
