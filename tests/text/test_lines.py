"""Lines that were cut to fit a width, and titles above texts."""

import pytest

from es_simhash.text.lines import title_of, unwrapped

BODY = "The crews of all ferries went back to work on Monday, after nine days of strike."
WRAPPED = (
    "The crews of all ferries to the northern\nislands went back to work on Monday, said\n"
    "Harland Stonecipher of the union.\n\nNo talks are planned.\n"
)


def test_a_line_that_has_no_room_for_the_next_word_goes_on() -> None:
    assert unwrapped(WRAPPED) == (
        "The crews of all ferries to the northern islands went back to work on Monday, said "
        "Harland Stonecipher of the union.\n\nNo talks are planned.\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "one\ntwo\nthree",
        "Net profit rose\nRevenue of the year to 31 December fell by a tenth\nShares rose",
        f"{BODY} {BODY}\nThe next paragraph of a text whose lines are not cut.",
    ],
)
def test_other_lines_stay_as_they_are(text: str) -> None:
    assert unwrapped(text) == text


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (f"Ferry strike ends\n\n{BODY}", "Ferry strike ends"),
        (f"\n\n  Ferry strike ends \r\n\r\n{BODY}", "Ferry strike ends"),
        (f"Ferry strike ends\n{BODY}", "Ferry strike ends"),
        (f"Is the strike over?\n\n{BODY}", "Is the strike over?"),
        (f"# 上海市人才流动条例\n\n{'第一条为了规范人才流动。' * 5}", "# 上海市人才流动条例"),
    ],
)
def test_the_line_above_a_text_is_its_title(text: str, title: str) -> None:
    assert title_of(text) == title


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        BODY,
        f"{BODY}\n\n{BODY} {BODY}",
        f"Is the strike over?\n{BODY}",
        WRAPPED,
        "Ferry strike ends\n\nIt is over",
        "Ferry strike ends\n",
        f"{'ferry ' * 40}\n\n{BODY * 10}",
    ],
)
def test_sentences_and_lines_without_a_longer_text_are_no_titles(text: str) -> None:
    assert title_of(text) == ""


def test_a_text_of_megabytes_is_read() -> None:
    assert title_of("a\n" * 1_000_000) == "a"
    assert title_of("a" * 2_000_000) == ""
