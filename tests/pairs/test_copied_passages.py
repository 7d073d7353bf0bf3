"""What was copied inside of a paraphrased passage."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from es_simhash.pairs.copied_passages import copied_passages
from es_simhash.relation.alignment.aligned_passages import AlignedPassage
from es_simhash.relation.alignment.stretches import Agreement, Stretches
from es_simhash.relation.analysed_text import AnalysedText
from tests.support.made_up_texts import make_text


def paraphrased(query: str, hit: str) -> list[tuple[str, str]]:
    """Return what is copied when two whole texts are one paraphrased passage."""
    one, other = AnalysedText(query), AnalysedText(hit)
    words = one.sentence_words, other.sentence_words
    whole = Stretches(0, len(words[0].tokens), 0, len(words[1].tokens))
    passage = AlignedPassage(whole, Agreement(0.5, 50.0, 0.1, 10))
    return [
        (
            one.span(found.at.query_start, found.at.query_end).text,
            other.span(found.at.hit_start, found.at.hit_end).text,
        )
        for found in copied_passages(*words, [passage])
    ]


def words_of(seed: int, count: int) -> str:
    return make_text(seed, count).replace(".", "")


def test_runs_of_equal_words_are_copied() -> None:
    first, second = words_of(1, 12), words_of(2, 9)
    query = f"{words_of(3, 30)} {first} {words_of(4, 30)} {second} {words_of(5, 10)}"
    hit = f"{words_of(6, 5)} {second} {words_of(7, 40)} {first}"
    assert paraphrased(query, hit) == [(first, first), (second, second)]
    assert paraphrased(query, words_of(8, 50)) == []
    assert paraphrased(words_of(1, 7), words_of(1, 7)) == []


def test_runs_with_little_between_them_are_one_passage() -> None:
    first, second = words_of(1, 12), words_of(2, 9)
    query = f"{words_of(3, 30)} {first} {words_of(4, 3)} {second}"
    hit = f"{first} {words_of(6, 5)} {second} {words_of(7, 40)}"
    assert paraphrased(query, hit) == [
        (f"{first} {words_of(4, 3)} {second}", f"{first} {words_of(6, 5)} {second}")
    ]


@given(st.lists(st.integers(0, 5), max_size=60), st.lists(st.integers(0, 5), max_size=60))
def test_copied_runs_begin_and_end_with_equal_words_and_do_not_overlap(
    ours: list[int], theirs: list[int]
) -> None:
    query, hit = ([f"w{number}" for number in numbers] for numbers in (ours, theirs))
    if not query or not hit:
        return
    found = paraphrased(" ".join(query), " ".join(hit))
    for one, other in found:
        assert one.split()[:8] == other.split()[:8]
        assert one.split()[-8:] == other.split()[-8:]
    assert sum(len(one.split()) for one, _ in found) <= len(query)
    runs = Counter(tuple(hit[start : start + 8]) for start in range(len(hit) - 7))
    shared = any(tuple(query[start : start + 8]) in runs for start in range(len(query) - 7))
    assert bool(found) == shared
