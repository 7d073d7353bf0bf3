"""What is lost of a text where another stays."""

import pytest

from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.loss import LostText
from es_simhash.relation.lost_text import lost_text
from tests.support.made_up_texts import make_text

STAYS = "The harbour of Lorne opens at 6. Boats leave every hour, and the last one returns at noon."


def lost(gone: str | None, kept: str | None) -> LostText:
    return lost_text(AnalysedText(gone), AnalysedText(kept))


def test_nothing_is_lost_of_a_text_that_the_other_has_wholly() -> None:
    text = make_text(1, 300)
    for longer in (text, f"{make_text(2)} {text}", f"{text} {make_text(2)}", text.upper()):
        assert lost(text, longer) == LostText(0.0)


def test_a_paragraph_of_its_own_is_lost_in_one_direction_only() -> None:
    text, paragraph = make_text(1, 300), make_text(2, 100)
    found = lost(f"{text} {paragraph}", text)
    assert found.share == pytest.approx(0.25, abs=0.01)
    assert paragraph.startswith(found.stretches[0][:100])
    assert not found.is_within(0.2)
    assert lost(text, f"{text} {paragraph}").share == 0


@pytest.mark.parametrize(
    ("one", "other", "fact"),
    [("6", "7", "7"), ("Lorne", "Perth", "Perth"), ("6", "٧", "٧"), ("6", "6.5", "6.5")],
)
def test_a_number_or_a_name_of_its_own_is_a_fact(one: str, other: str, fact: str) -> None:
    found = lost(f"{make_text(1, 900)} {STAYS.replace(one, other)}", f"{make_text(1, 900)} {STAYS}")
    assert found.share < 0.01
    assert fact in found.facts or fact.split(".")[-1] in found.facts
    assert not found.is_within(0.99)
    assert found.is_within(1)


def test_as_much_may_be_lost_as_is_said_and_no_fact() -> None:
    assert LostText(0.2).is_within(0.2)
    assert not LostText(0.2, facts=("118",)).is_within(0.2)


def test_a_word_that_is_somewhere_else_does_not_stand_in_its_place() -> None:
    words = make_text(1, 100).split()
    assert lost(" ".join(words[::-1]), " ".join(words)).share > 0.9


@pytest.mark.parametrize("text", ["这部法律自公布之日起施行", "one two", "word"])
def test_short_texts_and_scripts_without_spaces(text: str) -> None:
    assert lost(text, f"{text} {text}").share == 0
    assert lost(text, make_text(3)).share == 1


def test_a_text_that_is_not_known_is_lost_wholly() -> None:
    assert lost(None, STAYS).share == lost("", STAYS).share == lost("!!", STAYS).share == 1
    assert lost(STAYS, None).share == lost(STAYS, "").share == 1
