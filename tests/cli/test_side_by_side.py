"""Two texts in two columns of a terminal."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from es_simhash.cli.side_by_side import SideBySide, side_by_side
from es_simhash.differences.text_changes import changes
from tests.support.made_up_texts import make_prose, make_text, revise

CONSOLE = Console(file=io.StringIO(), width=80)
EQUAL = "the same on both sides"


def shown(a: str, b: str, *, width: int = 80, height: int = 40) -> SideBySide:
    return side_by_side(changes(a, b), CONSOLE, width=width, height=height)


def lines(found: SideBySide) -> list[str]:
    return [line.plain for line in found.lines]


def column(found: SideBySide, side: int) -> str:
    return " ".join(line.split("│")[side].strip() for line in lines(found) if "│" in line)


WIDE = "北京市发布了新的规定，所有商店必须在晚上十点以前关门。" * 4
TEXTS = {
    "latin": (make_text(1), revise(make_text(1), 2, 0.1)),
    "chinese": (WIDE + "旧", WIDE + "新的结尾"),
    "korean": ("모든 가게는 밤 열 시까지 " * 9, "모든 상점은 밤 아홉 시까지 " * 9),
    "combining": ("cafe\u0301 " * 40, "cafe\u0301 the\u0301 " * 40),
    "long": ("a" * 500, "b" * 300),
    "empty": ("", "words"),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("width", [80, 81, 200])
def test_columns_are_aligned_in_every_script(name: str, width: int) -> None:
    found = shown(*TEXTS[name], width=width)
    rows = [line for line in lines(found) if "│" in line]
    assert rows
    assert {cell_len(line.partition("│")[0]) for line in rows} == {(width - 3) // 2 + 1}
    assert max(map(cell_len, rows)) <= width


def test_what_differs_comes_before_what_is_equal() -> None:
    equal = "\n".join(make_text(n, 12) for n in range(3, 9))
    found = shown(f"{equal}\nPay within 16 days.", f"{equal}\nPay within 18 days.")
    assert lines(found)[0].split("│")[0].strip() == "Pay within [-16-] days."
    assert lines(found)[0].split("│")[1].strip() == "Pay within {+18+} days."
    assert lines(found)[1] == EQUAL
    assert column(found, 0).count(make_text(3, 12).split()[0]) == 1
    assert not found.is_cut


def test_texts_that_have_nothing_in_common_have_no_marks() -> None:
    found = shown(make_text(1, 20), make_text(2, 20))
    assert column(found, 0) == make_text(1, 20)
    assert column(found, 1) == make_text(2, 20)


def test_a_moved_block_has_both_sides() -> None:
    block = " ".join(make_prose(1, 4)) + "\n\n"
    rest = "\n\n".join(" ".join(make_prose(n, 3)) for n in range(2, 6)) + "\n\n"
    found = shown(block + rest, rest + block, height=100)
    assert lines(found)[0] == EQUAL
    start = block[:20]
    (line,) = [line for line in lines(found) if start in line]
    assert line.count(start) == 2


def test_no_more_lines_than_there_is_room_for() -> None:
    for height in (1, 2, 8, 24):
        found = shown(make_text(1, 2000), revise(make_text(1, 2000), 2, 0.2), height=height)
        assert 1 <= len(found.lines) <= height
        assert found.is_cut
    whole = shown(make_text(1, 2000), revise(make_text(1, 2000), 2, 0.2), height=2000)
    assert not whole.is_cut
    assert len(column(whole, 0).split()) >= 2000


def test_a_text_that_is_cut_within_white_space_says_so() -> None:
    found = shown("one" + "\n" * 9_000 + "two", "six" + " " * 9_000 + "ten", height=24)
    assert "two" in column(found, 0) or found.is_cut
    assert "ten" in column(found, 1) or found.is_cut


def test_control_characters_are_escaped() -> None:
    found = shown("one \x1b[31mtwo\x07 \u202ethree", "one \x1b[2Jtwo \x9bthree")
    assert "".join(lines(found)).isprintable()
    assert r"\x1b[" in column(found, 0)
    assert r"\u202e" in column(found, 0)
    assert r"\x9b" in column(found, 1)


def test_equal_texts_and_empty_ones() -> None:
    assert lines(shown("one two", "one two"))[0] == EQUAL
    assert lines(shown("", "")) == []
