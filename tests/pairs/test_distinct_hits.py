"""Hits without those that repeat one before them."""

import json

import pytest

from es_simhash import DistinctHit, InputError, distinct_hits
from tests.support.made_up_texts import make_text

CLAUSE = "The tenant gives notice {} days before the end of a month, in writing, to the landlord."


def shown(*texts: str, lose: float = 0.02) -> list[str]:
    return [distinct.hit for distinct in distinct_hits(texts, lose=lose)]


def test_hits_are_returned_as_they_were_given_with_those_they_stand_for() -> None:
    hits = [{"id": number, "body": make_text(number % 3)} for number in range(8)]
    found = distinct_hits(hits, lambda hit: str(hit["body"]))
    assert found == [
        DistinctHit(hits[0], (hits[3], hits[6])),
        DistinctHit(hits[1], (hits[4], hits[7])),
        DistinctHit(hits[2], (hits[5],)),
    ]
    assert found[0].hit is hits[0]


def test_a_part_of_a_hit_is_left_out_and_the_whole_of_one_stays() -> None:
    part, whole = make_text(1, 100), f"{make_text(1, 100)} {make_text(2, 100)}"
    assert shown(whole, part) == [whole]
    assert shown(part, whole) == [part, whole]


@pytest.mark.parametrize(
    ("one", "other"), [("30", "60"), ("thirty", "sixty"), ("30", "30.5"), ("三十", "六十")]
)
def test_the_same_clause_with_another_number_stays(one: str, other: str) -> None:
    # In a long text, a word is less than what may be lost; both texts have both numbers.
    about = f"{make_text(1, 900)} Payment after {other} or {one} days."
    texts = [f"{about} {CLAUSE.format(number)}" for number in (one, other)]
    assert shown(*texts, lose=0.5) == texts
    assert shown(texts[0], texts[0].upper()) == texts[:1]


def test_another_word_next_to_a_number_says_what_it_counts() -> None:
    texts = [f"{make_text(1, 900)} {CLAUSE.format(f'30 {days}')}" for days in ("working", "whole")]
    assert shown(*texts) == texts


def test_another_word_counts_by_the_share_that_may_be_lost() -> None:
    text = f"{make_text(1, 900)} {CLAUSE.format(30)}"
    texts = [text, text.replace("writing", "person")]
    assert shown(*texts) == texts[:1]
    assert shown(*texts, lose=0) == texts


def test_short_hits_and_hits_without_words_are_compared_too() -> None:
    assert shown("Closed.", "closed", "Open.", "", "", "…") == ["Closed.", "Open.", "", "", "…"]
    assert shown("潮水早上六点开始上涨。", "潮水早上六点开始上涨", "潮水早上七点开始上涨。") == [
        "潮水早上六点开始上涨。",
        "潮水早上七点开始上涨。",
    ]
    assert distinct_hits([]) == []


def test_a_text_that_is_none_and_a_share_that_is_none_are_rejected() -> None:
    hits = [json.loads('{"text": "a"}'), {}]
    with pytest.raises(InputError, match="The text of hit 1 must be a string, got NoneType"):
        distinct_hits(hits, lambda hit: hit.get("text"))
    with pytest.raises(InputError, match=r"between 0 and 1, got 1\.5"):
        distinct_hits(["a"], lose=1.5)
