"""The words of a passage that both texts have, marked on either side."""

import time

from es_simhash.differences.marked_words import marked_words
from es_simhash.relation.relation import SharedPassage, Span


def unshared(query: str, hit: str) -> tuple[list[str], list[str]]:
    passage = SharedPassage(Span(0, len(query), query), Span(0, len(hit), hit), "edited", 0.9, 0.1)
    ours, theirs = marked_words(passage)
    assert " ".join(word for word, _ in ours) == " ".join(query.split())
    assert " ".join(word for word, _ in theirs) == " ".join(hit.split())
    return [word for word, both in ours if not both], [word for word, both in theirs if not both]


def test_words_that_the_other_side_has_in_the_same_order_are_shared() -> None:
    assert unshared("The old dog barked\nat noon.", "the dog barked loudly at Noon.") == (
        ["old"],
        ["loudly"],
    )
    assert unshared("Dogs", "Cats") == (["Dogs"], ["Cats"])
    assert unshared("Dogs", " ") == (["Dogs"], [])


def test_one_number_of_a_table_is_marked_and_not_what_follows_it() -> None:
    # Each of ten numbers is a tenth of the words.
    rows = " ".join(str(number % 10) for number in range(0, 1200, 3))
    other = rows.replace("0 3 6", "0 77 6", 1)
    assert unshared(rows, other) == (["3"], ["77"])


def test_rows_of_two_words_are_marked_in_seconds() -> None:
    start = time.process_time()
    unshared("w " * 1999 + "x", "w w y " * 667)
    assert time.process_time() - start < 5
