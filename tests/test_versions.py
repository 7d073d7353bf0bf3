"""The table of versions that `make test-versions` writes."""

from scripts.local_node.distribution import RELEASES
from tests.versions.__main__ import BEGIN, END, PAGE, ROWS, Result, Row, recorded, table_of


def test_a_row_names_what_was_tried_and_how_it_ended() -> None:
    results = {
        Row("3.12", client="<9"): Result("3.12.1 8.19.1 2.3.0", "12 passed", is_good=True),
        Row("3.9"): Result("", "no Python 3.9 to be had", is_good=False),
    }
    _, _, tried, absent = table_of(results).splitlines()
    assert tried.startswith("| 3.12.1 | newest | 8.19.1 | 2.3.0 | Elasticsearch ")
    assert tried.endswith(" | 12 passed |")
    assert absent.startswith("| 3.9 | newest | – | – | Elasticsearch ")


def test_a_row_takes_the_place_of_its_like_and_leaves_the_others() -> None:
    head = "| Python | packages |\n| --- | --- |\n"
    other = "| 3.11.7 | newest | 9.1.0 | 2.3.0 | Elasticsearch 9.5.3 | 7 passed |\n"
    old = "| 3.10.1 | oldest | 8.15.0 | 1.24.0 | Elasticsearch 9.5.2 | 7 passed |\n"
    new = "| 3.10.13 | oldest | 8.15.0 | 1.24.0 | Elasticsearch 9.5.3 | 8 passed |\n"
    page = f"before\n\n{BEGIN}{head}{other}{old}{END}\nafter\n"
    assert recorded(page, head + new) == f"before\n\n{BEGIN}{head}{new}{other}{END}\nafter\n"
    assert recorded(PAGE.read_text("utf-8"), head + new).count(new) == 1


def test_every_row_has_an_engine_that_can_be_started() -> None:
    assert {row.engine for row in ROWS} <= RELEASES.keys()
