"""Passages of all texts in memory give what a count of what two texts share gives."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.families.postings import Postings

TEXTS = st.lists(st.sets(st.integers(0, 30), max_size=12), min_size=1, max_size=25)


def made(texts: list[set[int]]) -> Postings:
    postings = Postings()
    for number, passages in enumerate(texts):
        postings.add(str(number), array(passages))
    return postings


def array(passages: set[int]) -> np.ndarray:
    return np.array(sorted(passages), np.uint32)


@given(TEXTS, st.integers(1, 3))
def test_every_text_that_shares_enough_is_given_those_with_most_first(
    texts: list[set[int]], least: int
) -> None:
    postings = made(texts)
    for passages in texts:
        found, more = postings.sharing(array(passages), least, 1000)
        shared = {str(n): len(each & passages) for n, each in enumerate(texts)}
        assert set(found) == {name for name, count in shared.items() if count >= least}
        assert [shared[each] for each in found] == sorted((shared[e] for e in found), reverse=True)
        assert not more


@given(TEXTS, st.integers(1, 3), st.integers(1, 6))
def test_nothing_is_missing_where_it_does_not_say_so(
    texts: list[set[int]], least: int, most: int
) -> None:
    postings = made(texts)
    for passages in texts:
        found, more = postings.sharing(array(passages), least, most)
        shared = Counter({str(n): len(each & passages) for n, each in enumerate(texts)})
        assert len(found) <= most
        assert all(shared[each] >= least for each in found)
        if not more:
            assert set(found) == {name for name, count in shared.items() if count >= least}


def test_texts_of_one_template_hang_together_through_the_first_of_them() -> None:
    template = set(range(100))
    postings = made([template | {1000 + n} for n in range(50)])
    for n in range(50):
        found, more = postings.sharing(array(template | {1000 + n}), 2, 10)
        assert more
        assert {"0", "1"} <= set(found)


@pytest.mark.parametrize("least", [1, 2])
def test_texts_added_after_a_look_are_found(least: int) -> None:
    postings = made([{1, 2, 3}])
    assert postings.sharing(array({2, 3}), least, 9) == (["0"], False)
    postings.add("late", array({2, 3}))
    assert set(postings.sharing(array({2, 3}), least, 9)[0]) == {"0", "late"}
    assert len(postings) == 2
