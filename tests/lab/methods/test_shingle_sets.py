"""Sets of features and the methods that compare them exactly, against Python's own sets."""

import re
from itertools import combinations

import numpy as np
import pytest

from es_simhash.errors import InputError
from es_simhash.lab.methods.method_protocol import Method, ordered_pairs
from es_simhash.lab.methods.method_registry import method_named, method_names
from es_simhash.lab.methods.project_method import DEFAULT_METHOD
from tests.support.pairs_of_texts import all_pairs

TEXTS = [
    "The harbour opens at six, and the ferry leaves at seven.",
    "The harbour opens at six and the ferry leaves at eight!",
    "Nothing of this is in any other text here, whatever one looks for.",
    "",
    "the harbour",
]


def words(text: str, length: int) -> set[tuple[str, ...]]:
    found = re.findall(r"\w+", text.lower())
    if not found:
        return set()
    return {tuple(found[i : i + length]) for i in range(max(1, len(found) - length + 1))}


def characters(text: str, length: int) -> set[str]:
    plain = " ".join(text.lower().split())
    if not plain:
        return set()
    return {plain[i : i + length] for i in range(max(1, len(plain) - length + 1))}


def jaccard(one: set, other: set) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def contained(one: set, other: set) -> float:
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


@pytest.mark.parametrize(
    ("name", "sets", "measure"),
    [
        ("bag-of-words", [words(text, 1) for text in TEXTS], jaccard),
        ("shingles", [words(text, 5) for text in TEXTS], contained),
        ("jaccard-words-3", [words(text, 3) for text in TEXTS], jaccard),
        ("jaccard-words-12", [words(text, 12) for text in TEXTS], jaccard),
        ("jaccard-chars-9", [characters(text, 9) for text in TEXTS], jaccard),
        ("jaccard-chars-2", [characters(text, 2) for text in TEXTS], jaccard),
    ],
)
def test_scores_are_those_of_python_sets(name: str, sets: list[set], measure: object) -> None:
    features = method_named(name).read(TEXTS)
    pairs = all_pairs(len(TEXTS))
    expected = [measure(sets[one], sets[other]) for one, other in combinations(range(5), 2)]  # type: ignore[operator]
    assert features.score(pairs[:, 0], pairs[:, 1]) == pytest.approx(expected)
    assert features.score(pairs[:, 1], pairs[:, 0]) == pytest.approx(expected)
    found = {tuple(pair) for pair in features.candidates().tolist()}
    assert found == {pair for pair in combinations(range(5), 2) if sets[pair[0]] & sets[pair[1]]}
    assert features.unreadable == {3: "has no words"}


def test_pairs_have_one_order() -> None:
    pairs = ordered_pairs(np.array([3, 1, 2, 2, 5]), np.array([1, 3, 0, 2, 4]))
    assert pairs.tolist() == [[0, 2], [1, 3], [4, 5]]


@pytest.mark.parametrize("name", ["simhsh", "jaccard-chars-0", "jaccard-chars-51", "", "Shingles"])
def test_an_unknown_method_is_one_sentence_with_the_names_there_are(name: str) -> None:
    with pytest.raises(InputError) as error:
        method_named(name)
    assert repr(name) in str(error.value)
    for known in method_names():
        assert known in str(error.value)


def test_each_method_has_the_name_it_is_chosen_by() -> None:
    assert method_names()[0] == DEFAULT_METHOD
    for name in method_names():
        method: Method = method_named(name)
        assert method.name == name
        assert 0 < method.threshold <= 1
