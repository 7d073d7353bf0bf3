"""Posting lists give what a count of the shingles two texts share gives."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.pairs.postings import Postings

TEXTS = st.lists(st.sets(st.integers(0, 30), max_size=12), min_size=1, max_size=25)


def made(texts: list[set[int]]) -> Postings[str]:
    return Postings(
        {
            str(number): np.array(sorted(shingles), np.uint32)
            for number, shingles in enumerate(texts)
        }
    )


def shares(texts: list[set[int]], number: int) -> dict[str, int]:
    """Count what each of the other texts has in common with one."""
    return {str(n): len(each & texts[number]) for n, each in enumerate(texts) if n != number}


@given(TEXTS, st.integers(1, 3))
def test_every_text_that_shares_enough_is_given_those_with_most_first(
    texts: list[set[int]], least: int
) -> None:
    postings = made(texts)
    for number, shingles in enumerate(texts):
        found, more = postings.sharing(str(number), least, 1000)
        shared = shares(texts, number)
        needed = max(1, min(least, len(shingles)))
        assert set(found) == {name for name, count in shared.items() if count >= needed}
        assert [shared[each] for each in found] == sorted((shared[e] for e in found), reverse=True)
        assert not more


@given(TEXTS, st.integers(1, 3), st.integers(1, 6))
def test_nothing_is_missing_where_it_does_not_say_so(
    texts: list[set[int]], least: int, most: int
) -> None:
    postings = made(texts)
    for number, shingles in enumerate(texts):
        found, more = postings.sharing(str(number), least, most)
        shared = shares(texts, number)
        needed = max(1, min(least, len(shingles)))
        assert len(found) <= most
        assert all(shared[each] >= needed for each in found)
        if not more:
            assert set(found) == {name for name, count in shared.items() if count >= needed}


def test_texts_of_one_template_hang_together_through_the_first_of_them() -> None:
    template = set(range(100))
    postings = made([template | {1000 + n} for n in range(50)])
    for n in range(2, 50):
        found, more = postings.sharing(str(n), 2, 10)
        assert more
        assert {"0", "1"} <= set(found)


@given(TEXTS, st.integers(1, 3))
def test_each_pair_that_shares_enough_is_given_once_with_what_it_shares(
    texts: list[set[int]], least: int
) -> None:
    postings = made(texts)
    pairs = {
        (key, other): count
        for key in map(str, range(len(texts)))
        for other, count in postings.after(key, least)
    }
    assert pairs == {
        (str(one), str(other)): shared
        for one, other in combinations(range(len(texts)), 2)
        if (shared := len(texts[one] & texts[other])) >= least
    }
