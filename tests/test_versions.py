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


def test_the_table_takes_the_place_of_the_last_one() -> None:
    page = f"before\n\n{BEGIN}| old |\n{END}\nafter\n"
    assert recorded(page, "| new |\n") == f"before\n\n{BEGIN}| new |\n{END}\nafter\n"
    assert recorded(PAGE.read_text("utf-8"), "| new |\n").count("| new |") == 1


def test_every_row_has_an_engine_that_can_be_started() -> None:
    assert {row.engine for row in ROWS} <= RELEASES.keys()
