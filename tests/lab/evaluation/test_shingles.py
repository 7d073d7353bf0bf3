"""The exact shingles that rankings are measured on."""

from es_simhash.lab.evaluation.shingles import containment, shingles


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
