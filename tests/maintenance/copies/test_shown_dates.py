"""Dates of copies as a report has them."""

from typing import Any

from es_simhash.maintenance.copies.find_copies import shown_date
from es_simhash.store.dates import DateField


def test_dates_are_printed_as_people_write_them() -> None:
    day = 86_400_000_000_000
    field = DateField("when")
    cases: list[tuple[Any, Any]] = [
        (0, "1970-01-01"),
        (18262 * day, "2020-01-01"),
        (18262 * day + 5_400_000_000_000, "2020-01-01T01:30:00Z"),
        (-day, "1969-12-31"),
        (None, None),
    ]
    for date, shown in cases:
        assert shown_date(date, field) == shown
    assert shown_date(2020, DateField("year", is_number=True)) == 2020
    # A year that ISO 8601 has no four digits for is left as milliseconds.
    assert shown_date(400_000_000 * day, field) == 400_000_000 * 86_400_000
