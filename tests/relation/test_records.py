import pytest

from es_simhash.relation.records import agreement, record
from es_simhash.relation.thresholds import LINK_SCORE


def agree(one: str, other: str, tokens: int | None = None) -> float:
    return agreement(record(one, tokens), record(other, tokens))


def test_equal_records_agree_wholly() -> None:
    assert (
        agree(
            "Loss of self-control. Meri, S. 2007 1109", "Loss of self-control. Meri, S. 2007 1109"
        )
        == 1
    )


def test_agreement_is_the_same_from_both_sides() -> None:
    one, other = "Brain Injury 2010 24 1173", "Computerized training. Brain Injury 2012 26"
    assert agree(one, other) == agree(other, one)


def test_accents_and_case_do_not_matter() -> None:
    assert agree("Grundström, Rönnberg", "GRUNDSTROM, Ronnberg") == 1


def test_one_differing_number_tells_two_records_apart_that_one_letter_does_not() -> None:
    record_ = "Gateways to clinical trials. Methods and Findings {}"
    spelled = agree(record_.format("2007 467"), record_.format("2007 467") + "s")
    numbered = agree(record_.format("2007 467"), record_.format("2003 145"))
    assert numbered < LINK_SCORE < spelled


def test_without_numbers_the_letters_decide_alone() -> None:
    assert agree("haemolytic uraemic syndrome", "haemolytic uraemic syndrome") == 1
    assert agree("haemolytic uraemic syndrome", "complement factor H") < 0.2


def test_numbers_that_only_one_has_say_nothing() -> None:
    with_number = agree("Intrapleural therapy", "Intrapleural therapy 2011")
    assert with_number == agree("Intrapleural therapy", "Intrapleural therapy")


def test_records_of_numbers_alone_are_compared_by_them() -> None:
    assert agree("2010 24 10", "2010 24 10 1173") == 1
    assert agree("2010", "2011") == 0


def test_repeated_words_count_as_often_as_they_stand_there() -> None:
    assert agree("so so so so", "so") < 1


def test_only_the_first_tokens_are_read() -> None:
    assert agree("one two three four", "one two nine ten", 2) == 1


def test_a_character_of_a_script_without_spaces_is_a_token() -> None:
    assert agree("中华人民共和国宪法", "中华人民大会", 4) == 1


@pytest.mark.parametrize("text", ["", "!!!", "😀", "\ud800"])
def test_texts_without_letters_and_numbers_agree_with_nothing(text: str) -> None:
    assert agree(text, text) == 0
    assert agree(text, "something else 12") == 0


@pytest.mark.parametrize("text", ["a", "١٢٣", "हिन्दी पाठ", "ข้อความ", "x" * 10**6])
def test_any_text_with_letters_or_numbers_agrees_with_itself(text: str) -> None:
    assert agree(text, text) == 1
    assert agree(text, "something else 12") == 0


def test_agreement_below_the_least_is_zero() -> None:
    short, long_ = record("a word"), record("a word " * 30)
    assert 0 < agreement(short, long_) < 0.5
    assert agreement(short, long_, least=0.9) == 0
