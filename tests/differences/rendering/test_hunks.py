"""Changes as hunks: the words around them, and the line."""

from es_simhash import changes
from es_simhash.differences.rendering.hunks import hunks
from tests.support.edited_lines import LINES, edited


def test_a_hunk_has_the_words_around_a_change_and_its_line() -> None:
    one, two, three = hunks(changes("\n".join(LINES), "\n".join(edited())))
    assert (one.line, three.line) == (5, 31)
    assert two.line in (20, 21)
    marked = [(piece.mark, piece.text) for piece in three.pieces if piece.mark != "equal"]
    assert [(mark, text.strip()) for mark, text in marked] == [("insert", "One more line.")]
    words = " ".join(piece.text for piece in one.pieces if piece.mark == "equal").split()
    assert 12 <= len(words) <= 2 * 12 + 2


def test_equal_texts_have_no_hunk() -> None:
    assert list(hunks(changes(LINES[0], LINES[0]))) == []
