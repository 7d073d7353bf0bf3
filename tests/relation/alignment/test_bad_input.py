"""Texts that nobody would call texts are aligned as well, in bounded time."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.evidence import aligned_passages, shared_passages
from es_simhash.text.limits import MAX_TEXT_BYTES
from tests.support.made_up_texts import make_prose
from tests.support.subjects import shared, texts_of

TEXTS = texts_of("en")
BEES = TEXTS.join(TEXTS.bees)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Check that it took no more processor time; several times what a core of 2020 takes."""
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds


def aligned(query: AnalysedText, hit: AnalysedText) -> list[tuple[str, str, str]]:
    passages = shared_passages(query, hit, aligned_passages(query, hit))
    return [(each.query.text, each.hit.text, each.kind) for each in passages]


@pytest.mark.parametrize("empty", ["", " \n\t ", "… — !", "\u200b\ufeff", "\u0301\u0301", "🙂 🙂"])
def test_a_text_without_words_shares_nothing(empty: str) -> None:
    assert shared(empty, BEES) == ()
    assert shared(BEES, empty) == ()
    assert shared(empty, "") == ()


@pytest.mark.parametrize("text", ["bee", "b", "人", "1", "a b", "No.\n\nNo."])
def test_a_word_or_two_are_no_passage_of_a_text(text: str) -> None:
    assert shared(text, BEES) == ()
    assert shared(BEES, text) == ()


@pytest.mark.long
def test_one_word_a_million_times_is_aligned() -> None:
    many, fewer = "bee " * 1_000_000, "bee " * 900_000
    with within(20):
        one, other = AnalysedText(many), AnalysedText(fewer)
        assert len(aligned(one, one)) == 1
        for query, hit in ((one, other), (other, one)):
            for ours, theirs, _ in aligned(query, hit):
                assert set(ours.split()) == set(theirs.split()) == {"bee"}
        assert aligned(one, AnalysedText(BEES)) == []


def test_one_sentence_ten_thousand_times_is_aligned() -> None:
    # Each of them resembles each of the other text.
    many = f"{TEXTS.bees[0]} " * 10_000
    other = TEXTS.host([f"{TEXTS.bees[0]} " * 9_000], TEXTS.harbour, 5)
    with within(20):
        for ours, theirs, _ in aligned(AnalysedText(many), AnalysedText(other)):
            assert TEXTS.bees[0][:-1] in ours
            assert TEXTS.bees[0][:-1] in theirs


def test_a_copy_is_found_among_sentences_that_all_repeat() -> None:
    rows = ["Total of the day: 14 tons, paid in cash."] * 300
    query = TEXTS.join(rows, TEXTS.bees, rows)
    hit = TEXTS.join(TEXTS.harbour, TEXTS.bees, TEXTS.school)
    [(ours, theirs, kind)] = aligned(AnalysedText(query), AnalysedText(hit))
    assert (ours, theirs, kind) == (BEES[:-1], BEES[:-1], "verbatim")


def table(seed: int, rows: int = 2_000) -> str:
    chosen = random.Random(seed)
    lines = (" ".join(str(chosen.randrange(10_000)) for _ in range(8)) for _ in range(rows))
    return "\n".join(lines)


def test_tables_of_different_numbers_share_nothing() -> None:
    with within(20):
        assert aligned(AnalysedText(table(1)), AnalysedText(table(2))) == []


def test_a_part_of_a_table_is_found_in_another() -> None:
    copied = "\n".join(table(1, 200).splitlines()[100:110])
    query = f"{table(2, 200)}\n\n{copied}\n\n{table(3, 200)}"
    passages = aligned(AnalysedText(query), AnalysedText(table(1, 200)))
    assert any(ours == theirs == copied for ours, theirs, _ in passages)


def test_a_text_is_one_passage_with_itself() -> None:
    text = TEXTS.join(TEXTS.harbour, TEXTS.bees, TEXTS.harbour, TEXTS.bees)
    other = text.upper().replace(" ", "\n")
    for query, hit in ((text, text), (text, other), (other, text)):
        [passage] = shared(query, hit)
        assert (passage.kind, passage.changed, passage.score) == ("verbatim", 0, 1)
        assert passage.query.text == query[:-1]
        assert passage.hit.text == hit[:-1]


def test_a_text_in_two_scripts_shares_the_part_in_each() -> None:
    chinese = texts_of("zh")
    both = f"{BEES}\n\n{chinese.join(chinese.bees)}"
    for texts in (TEXTS, chinese):
        [passage] = shared(both, texts.host(texts.bees, texts.school, 3))
        assert passage.query.text == passage.hit.text
        assert passage.hit.text in texts.join(texts.bees)
        assert len(passage.hit.text) > len(texts.join(texts.bees)) - 2


@pytest.mark.parametrize(("written", "read"), [("utf-8", "latin-1"), ("utf-8", "cp437")])
def test_what_was_read_in_a_wrong_encoding_is_found_in_such_a_text(written: str, read: str) -> None:
    german = texts_of("de")
    query = german.host(german.bees, german.harbour, 5).encode(written).decode(read)
    hit = german.host(german.bees, german.school, 3).encode(written).decode(read)
    # Letters that became punctuation end words, and may end a sentence.
    copied = german.join(german.bees).encode(written).decode(read)
    passages = shared(query, hit)
    assert {each.kind for each in passages} == {"verbatim"}
    assert sum(len(each.hit.text) for each in passages) > 0.9 * len(copied)
    assert all(each.query.text == each.hit.text for each in passages)


def test_lone_surrogates_and_unassigned_characters_do_no_harm() -> None:
    odd = "\ud83d \udc00\u0378\ue000\uffff "
    [passage] = shared(odd + BEES + odd, odd[::-1] + BEES)
    assert BEES[:-1] in passage.query.text


def test_a_copy_is_found_in_a_sentence_without_an_end() -> None:
    words = [" ".join(make_prose(seed, 300)).replace(".", "") for seed in range(5)]
    copied = " ".join(words[0].split()[:60])
    query, hit = f"{words[1]} {copied} {words[2]}", f"{words[3]} {copied} {words[4]}"
    [(ours, theirs, _)] = aligned(AnalysedText(query), AnalysedText(hit))
    # A sentence without an end is cut into pieces of thirty words at most.
    middle = " ".join(words[0].split()[15:45])
    for found in (ours, theirs):
        assert middle in found
        assert len(found) < 2 * len(copied)


def prose(seeds: range) -> str:
    return " ".join(TEXTS.join(make_prose(seed, 800)) for seed in seeds)


@pytest.mark.long
def test_a_megabyte_against_a_megabyte_is_aligned_in_seconds() -> None:
    query = f"{prose(range(7))} {BEES} {prose(range(7, 14))}"
    hit = f"{prose(range(20, 26))} {BEES} {prose(range(26, 34))}"
    assert min(len(query), len(hit)) > 1_000_000
    with within(20):
        [(ours, theirs, kind)] = aligned(AnalysedText(query), AnalysedText(hit))
    assert (ours, theirs, kind) == (BEES[:-1], BEES[:-1], "verbatim")


@pytest.mark.long
def test_the_longest_text_is_aligned_with_a_short_one_in_seconds() -> None:
    part = f"{prose(range(20))} "
    longest = part * (MAX_TEXT_BYTES // len(part) - 1) + BEES
    longest = f"{longest} {part * 2}"[:MAX_TEXT_BYTES]
    assert len(longest) == MAX_TEXT_BYTES
    with within(40):
        query = AnalysedText(longest)
        [(ours, theirs, kind)] = aligned(
            query, AnalysedText(TEXTS.host(TEXTS.bees, TEXTS.school, 3))
        )
    assert (ours, theirs, kind) == (BEES[:-1], BEES[:-1], "verbatim")
