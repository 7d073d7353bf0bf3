"""How much changed, counted in sections and words."""

import time

from es_simhash import changes
from es_simhash.differences.alignment import Alignment
from es_simhash.differences.anchors import Block
from es_simhash.differences.summary import summary_of
from es_simhash.differences.text_units import Units
from es_simhash.text.counting import percent

SECTIONS = [
    f"{number}. The {what} of the house is kept in good order by those who live there."
    for number, what in enumerate(("roof", "garden", "cellar", "stairs", "fence", "yard"), 1)
]


def told(a: list[str], b: list[str], separator: str = "\n\n") -> str:
    return str(changes(separator.join(a), separator.join(b)).summary)


def test_changed_new_removed_and_moved_sections_are_counted() -> None:
    b = list(SECTIONS)
    b[1] = b[1].replace("good order", "perfect order")
    assert told(SECTIONS, b) == "1 of 6 sections changed"
    b.append("7. Nobody smokes.")
    assert told(SECTIONS, b) == "1 of 7 sections changed, 1 new"
    del b[2]
    assert told(SECTIONS, b) == "1 of 6 sections changed, 1 new, 1 removed"
    b.insert(4, b.pop(0))
    assert told(SECTIONS, b) == "1 of 6 sections changed, 1 new, 1 removed, 1 moved"


def test_words_are_counted() -> None:
    summary = changes("One two three four.", "One two three five six.").summary
    assert (summary.words_a, summary.words_b, summary.kept_words) == (4, 5, 3)
    assert summary.kept == 6 / 9


def test_a_little_that_changed_in_much_is_not_100_percent() -> None:
    a = " ".join(f"w{number}" for number in range(1000))
    summary = changes(a, a.replace("w500", "x")).summary
    assert percent(summary.kept) == "99%"
    assert summary.is_partial
    assert not changes(a, a).summary.is_partial
    assert not changes(a, "Else.").summary.is_partial


def test_sections_are_lines_or_sentences_where_there_are_no_paragraphs() -> None:
    lines = changes("\n".join(SECTIONS), "\n".join(SECTIONS[1:])).summary
    assert (lines.sections, lines.sections_a, lines.sections_b) == ("line", 6, 5)
    sentences = changes(" ".join(SECTIONS), " ".join(SECTIONS[1:])).summary
    assert sentences.sections == "sentence"
    assert sentences.sections_a > sentences.sections_b


def test_what_was_only_taken_out_of_a_section_changes_it() -> None:
    b = list(SECTIONS)
    b[2] = b[2].replace(" by those who live there", "")
    assert told(SECTIONS, b) == "1 of 6 sections changed"


def test_a_section_that_a_sentence_was_moved_into_is_changed() -> None:
    sentence = "Whoever breaks a window of the house pays for a new one at once."
    a = [*SECTIONS[:-1], f"{SECTIONS[-1]} {sentence}"]
    b = [f"{SECTIONS[0]} {sentence}", *SECTIONS[1:]]
    summary = changes("\n\n".join(a), "\n\n".join(b)).summary
    assert (summary.changed, summary.moved, summary.new, summary.removed) == (2, 0, 0, 0)


def test_the_sections_that_changed_are_found_in_a_time_that_grows_with_their_number() -> None:
    count = 150_000
    a, b = (Units.of("\n".join(f"{row} a {end}" for row in range(count))) for end in ("c", "d"))
    blocks = tuple(Block(first, first, 2) for first in range(0, 3 * count, 3))
    start = time.process_time()
    assert summary_of(Alignment(a, b, "line", blocks, ()), ()).changed == count
    # Less than a second; it was ten and more, and four times as long for twice as many.
    assert time.process_time() - start < 4
