"""What holds of the passages of any two texts."""

from collections.abc import Sequence
from itertools import combinations

from hypothesis import example, given
from hypothesis import strategies as st

from es_simhash.relation.relation import SharedPassage, Span
from tests.support.strategies import long_texts
from tests.support.strategies import texts as any_texts
from tests.support.subjects import dropped, shared, shuffled, texts_of

_EN, _ZH = texts_of("en"), texts_of("zh")
_SENTENCES = [
    *_EN.bees, *dropped(_EN.bees), *shuffled(_EN.bees), *_EN.harbour, *dropped(_EN.harbour),
    *_EN.school, *_ZH.bees, *dropped(_ZH.bees),
]  # fmt: skip

mixtures = st.lists(st.sampled_from(_SENTENCES), max_size=30).map(" ".join)
# What texts may be, and what can share a passage.
pairs = st.one_of(
    st.tuples(mixtures, mixtures),
    st.tuples(long_texts, long_texts),
    st.tuples(any_texts, mixtures),
)


def overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def facts(passages: Sequence[SharedPassage], mirrored: bool = False) -> list[object]:
    """What must be the same from either side."""
    sides = [(each.query, each.hit) for each in passages]
    if mirrored:
        sides = [(hit, query) for query, hit in sides]
    return sorted(
        (one.start, one.end, other.start, other.end, each.kind, each.score, each.changed)
        for (one, other), each in zip(sides, passages, strict=True)
    )


@given(pairs)
@example(("a b. c d.", "c d. a b."))
def test_the_passages_are_the_same_from_either_side(pair: tuple[str, str]) -> None:
    one, other = pair
    assert facts(shared(one, other)) == facts(shared(other, one), mirrored=True)


@given(pairs)
def test_passages_lie_in_their_texts_and_are_not_empty(pair: tuple[str, str]) -> None:
    query, hit = pair
    for passage in shared(query, hit):
        for text, span in ((query, passage.query), (hit, passage.hit)):
            assert 0 <= span.start < span.end <= len(text)
            assert text[span.start : span.end] == span.text
        assert 0 <= passage.changed <= 1
        assert 0 <= passage.score <= 1


@given(pairs)
def test_no_two_passages_overlap_in_both_texts(pair: tuple[str, str]) -> None:
    for one, other in combinations(shared(*pair), 2):
        assert not (overlap(one.query, other.query) and overlap(one.hit, other.hit))


@given(mixtures, mixtures)
def test_only_verbatim_passages_overlap_in_one_text(query: str, hit: str) -> None:
    for one, other in combinations(shared(query, hit), 2):
        if overlap(one.query, other.query) or overlap(one.hit, other.hit):
            assert "verbatim" in (one.kind, other.kind)


@given(mixtures)
def test_a_text_is_one_passage_with_itself(text: str) -> None:
    passages = shared(text, text)
    if not text:
        assert passages == ()
        return
    [passage] = passages
    assert (passage.kind, passage.score, passage.changed) == ("verbatim", 1, 0)
    assert passage.query == passage.hit
    assert passage.query.text == text.strip().rstrip(".。")
