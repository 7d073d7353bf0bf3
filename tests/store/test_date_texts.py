"""Dates of hits as a person reads them."""

import pytest

from es_simhash.store.dates import DateField


@pytest.mark.parametrize(
    ("milliseconds", "expected"),
    [
        (0, "1970-01-01"),
        (1_577_836_800_000, "2020-01-01"),
        (1_577_880_000_000, "2020-01-01T12:00:00Z"),
        ("1577880000000.123456", "2020-01-01T12:00:00.000123456Z"),
        (-62_135_596_800_000, "0001-01-01"),
        (-86_400_000, "1969-12-31"),
        # The year 10000.
        (253_402_300_800_000, "+10000-01-01"),
    ],
)
def test_a_date_is_iso_8601_in_utc(milliseconds: int | str, expected: str) -> None:
    hit = {"fields": {"published": [milliseconds]}}
    assert DateField("published").text_of_hit(hit) == expected


def test_a_number_is_itself_and_nothing_is_none() -> None:
    assert DateField("edition", is_number=True).text_of_hit({"fields": {"edition": [3]}}) == "3"
    assert DateField("published").text_of_hit({}) is None
