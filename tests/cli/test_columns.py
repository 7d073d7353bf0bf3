"""Tables as wide as the terminal at most, whatever is in them."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from es_simhash.cli.columns import Column, print_columns

# Titles of letters that take two cells, of letters joined from right to left, and of marks.
TITLES = [
    "中华人民共和国上海市浦东新区人民政府工作报告" * 3,
    "تقرير سنوي عن المياه والكهرباء في المدينة " * 3,
    "é" * 90,
]
IDS = ["a" * 20, "b" * 20, "c" * 20]


def printed(width: int, *columns: Column, caption: str | None = None, together: int = 1) -> str:
    console = Console(file=io.StringIO(), width=width)
    print_columns(columns, console, caption, together=together)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def columns(*, ids: list[str] = IDS, other: list[str] = IDS) -> list[Column]:
    return [
        Column("id", ids),
        Column("title", TITLES, least=12, rank=1),
        Column("date", ["2024-01-01"] * 3, rank=2),
        Column("characters", ["1,000"] * 3, is_number=True, rank=4),
        Column("nearest", other, rank=3),
        Column("empty", [""] * 3, may_lack=True),
    ]


@pytest.mark.parametrize("width", range(40, 161, 5))
def test_no_line_is_wider_than_the_terminal_and_no_id_is_cut(width: int) -> None:
    shown = printed(width, *columns())
    assert max(map(cell_len, shown.splitlines())) <= width
    assert all(id in shown for id in IDS)
    assert "empty" not in shown


def test_the_least_important_column_is_left_out_first_and_it_is_said() -> None:
    assert "Not shown" not in printed(140, *columns())
    assert "Not shown at this width: characters." in printed(85, *columns())
    narrower = printed(60, *columns())
    assert "Not shown at this width: characters, nearest." in narrower
    assert "2024-01-01" in narrower


def test_a_wide_terminal_shows_titles_whole_and_a_narrow_one_their_beginnings() -> None:
    assert all(title.strip() in printed(400, *columns()) for title in TITLES)
    narrow = printed(80, *columns())
    assert TITLES[0][:5] in narrow
    assert "…" in narrow


def test_ids_that_fit_no_row_have_lines_of_their_own() -> None:
    long = [letter * 70 for letter in "xyz"]
    shown = printed(80, Column("id", long), Column("other", long), *columns()[1:3])
    assert max(map(cell_len, shown.splitlines())) <= 80
    assert [line.split() for line in shown.splitlines()[:2]] == [
        ["id", long[0]],
        ["other", long[0]],
    ]
    assert shown.count("title") == 3


def test_rows_that_belong_together_are_parted_from_the_others() -> None:
    pairs = printed(
        80, Column("reason", ["a", "", "b", ""]), Column("id", list("wxyz")), together=2
    )
    apart = printed(80, Column("reason", ["a", "", "b", ""]), Column("id", list("wxyz")))
    assert len(pairs.splitlines()) == len(apart.splitlines()) + 1


def test_what_a_document_says_stays_in_one_line_and_steers_nothing() -> None:
    shown = printed(80, Column("id", ["a"]), Column("title", ["one\ntwo\x1b[31m"], least=12))
    assert "one two\\x1b[31m" in shown
    assert printed(80, Column("id", ["a"]), caption="[b]below").splitlines()[-1] == "[b]below"
