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


def shown(a: str, b: str) -> list[int]:
    """Return how many characters each hunk of two texts has."""
    return [sum(len(piece.text) for piece in hunk.pieces) for hunk in hunks(changes(a, b))]


def test_a_text_with_other_line_breaks_has_only_what_is_near_its_changes() -> None:
    words = [f"word{number}" for number in range(600)]
    edited = ["other" if word == "word300" else word for word in words]
    a, b = (
        "\n".join(" ".join(some[n : n + width]) for n in range(0, len(some), width))
        for some, width in ((words, 12), (edited, 10))
    )
    (hunk,) = shown(a, b)
    assert hunk < 300


def test_a_text_without_spaces_has_only_what_is_near_its_changes() -> None:
    a = "".join(chr(0x4E00 + number) for number in range(3000))
    (hunk,) = shown(a, f"{a[:1500]}改{a[1500:]}")
    assert 40 <= hunk <= 60
