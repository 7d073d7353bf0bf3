"""What is cut off runs of words with a capital, so that a name is left."""

import pytest

from es_simhash.semantics.entities.run_words import name_rules, trimmed


@pytest.mark.parametrize(
    ("run", "initial", "name"),
    [
        ("Angela Merkel", False, "Angela Merkel"),
        ("President Angela Merkel", False, "Angela Merkel"),
        ("The Angela Merkel", True, "Angela Merkel"),
        # Behind another word an article may be part of it, as in a title.
        ("The Economist", False, "The Economist"),
        ("In Frankfurt Monday", True, "Frankfurt"),
        ("Frankfurt March 5", False, "Frankfurt"),
        ("and Frankfurt of", False, "Frankfurt"),
        ("Monday", False, ""),
        ("", False, ""),
    ],
)
def test_what_is_no_part_of_a_name_is_cut_off(run: str, initial: bool, name: str) -> None:
    start, found = trimmed(run, initial, name_rules("en"))
    assert found == name
    assert run[start : start + len(name)] == name


@pytest.mark.parametrize(
    ("language", "run", "name"),
    [
        ("fr", "L’Élysée", "Élysée"),
        ("it", "Dell'Utri Rossi", "Utri Rossi"),
        ("de", "Der Bundesrat", "Bundesrat"),
    ],
)
def test_the_rules_are_those_of_the_language(language: str, run: str, name: str) -> None:
    start, found = trimmed(run, True, name_rules(language))
    assert (found, run[start:]) == (name, name)
    # Nothing is elided where the run does not open a sentence.
    assert trimmed("D’Artagnan", False, name_rules("fr")) == (0, "D’Artagnan")
