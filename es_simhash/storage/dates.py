"""Dates of documents, as the engine reads the field: what a search requests, and its hits have."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

# Nanoseconds since 1970; of a field of numbers, the number. Dates of one field can be compared.
Date = int | float

DATE_TYPES = frozenset({"date", "date_nanos"})
NANOSECONDS = 1_000_000  # in a millisecond
_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True)
class DateField:
    """A field whose values put documents in order.

    Attributes:
        name: Full name of the field.
        is_number: True for a field of numbers, which count as they are.
    """

    name: str
    is_number: bool = False

    @property
    def requested(self) -> dict[str, str]:
        """The entry of `docvalue_fields` that brings its values along."""
        # Of a field of nanoseconds, this format has them after the decimal point.
        return {"field": self.name, **({} if self.is_number else {"format": "epoch_millis"})}

    def of_hit(self, hit: Mapping[str, Any]) -> Date | None:
        """Return the date of a search hit, of several the latest; None without one."""
        values = hit.get("fields", {}).get(self.name) or ()
        if self.is_number:
            return max(values, default=None)
        return max((int(Decimal(str(value)) * NANOSECONDS) for value in values), default=None)

    def milliseconds_of_hit(self, hit: Mapping[str, Any]) -> float | None:
        """Return the milliseconds since 1970 of a search hit, of a field of dates."""
        date = self.of_hit(hit)
        return None if date is None else date / NANOSECONDS

    def shown(self, date: Date) -> str | Date:
        """Return a date in ISO 8601, UTC; the number of a field of numbers.

        A date that Python has no calendar for is returned in milliseconds since 1970.
        """
        if self.is_number:
            return date
        seconds, rest = divmod(int(date), 1000 * NANOSECONDS)
        try:
            moment = _EPOCH + timedelta(seconds=seconds)
        except OverflowError:
            return int(date) // NANOSECONDS
        digits = f".{rest:09d}".rstrip("0").rstrip(".")
        return f"{moment.isoformat()}{digits}Z"
