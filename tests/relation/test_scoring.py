"""Where versions begin: how much of the smaller text has to stand in the other."""

from collections.abc import Callable
from random import Random

import pytest

from es_simhash import compare
from es_simhash.relation.model import VERSION_KINDS, Relation
from es_simhash.relation.thresholds import SHOWN_SCORE, VERSION_SCORE

Writer = Callable[[Random, int], str]
TOKENS = 200


def words(random: Random, count: int) -> str:
    """Made-up words of three to nine letters."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join("".join(random.choices(letters, k=random.randint(3, 9))) for _ in range(count))


def syllables(random: Random, count: int) -> str:
    """Hangul in groups of two or three, with spaces: narrow words, but words."""
    groups = (
        "".join(chr(random.randint(0xAC00, 0xD7A3)) for _ in range(random.choice([2, 3, 3])))
        for _ in range(count)
    )
    return " ".join(groups)


def characters(random: Random, count: int) -> str:
    """Han characters without spaces, each one a token."""
    return "".join(chr(random.randint(0x4E00, 0x9FA5)) for _ in range(count))


def copying(write: Writer, share: float, seed: int) -> Relation:
    """Compare a text with one, as long, that has this share of it in one piece."""
    random = Random(seed)
    copied = round(share * TOKENS)
    passage = write(random, copied)
    ours, theirs = (write(random, TOKENS - copied) for _ in range(2))
    return compare(f"{ours}\n\n{passage}", f"{passage}\n\n{theirs}", semantics=None)


@pytest.mark.parametrize("write", [words, syllables])
@pytest.mark.parametrize("seed", range(3))
def test_half_of_a_text_makes_a_version_where_words_have_spaces(write: Writer, seed: int) -> None:
    assert copying(write, 0.57, seed).kind in VERSION_KINDS
    less = copying(write, 0.40, seed)
    assert less.kind == "shares_passages"
    assert less.score >= SHOWN_SCORE


@pytest.mark.parametrize("seed", range(3))
def test_more_than_half_is_needed_where_a_token_is_a_character(seed: int) -> None:
    assert copying(characters, 0.57, seed).kind == "shares_passages"
    assert copying(characters, 0.73, seed).kind in VERSION_KINDS


@pytest.mark.parametrize("write", [words, characters])
def test_the_score_rises_with_what_is_copied(write: Writer) -> None:
    found = [copying(write, share / 10, 5) for share in range(11)]
    scores = [each.score for each in found]
    assert scores == sorted(scores)
    assert (scores[0], scores[-1]) == (0.0, 1.0)
    for each in found:
        assert (each.kind in VERSION_KINDS) == (each.score >= VERSION_SCORE)


def test_a_third_of_a_short_text_in_a_long_one_hardly_ever_makes_a_version() -> None:
    random = Random(3)
    kinds = []
    for _ in range(8):
        long, short = words(random, 900).split(), words(random, 16).split()
        for start in range(100, 800, 50):
            phrase = long[start : start + 8]
            text = " ".join([*short[:8], *phrase, *short[8:]])
            kinds.append(compare(text, " ".join(long), semantics=None).kind)
    # Few passages of so short a text can be compared; taken at their word, a third were versions.
    assert "shares_passages" in kinds
    assert kinds.count("version") <= len(kinds) / 20
