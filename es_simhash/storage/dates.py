"""Dates of documents, as the engine reads the field: what a search requests, and its hits have."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import Any

# Nanoseconds since 1970; of a field of numbers, the number. Dates of one field can be compared.
Date = int | float

DATE_TYPES = frozenset({"date", "date_nanos"})
NANOSECONDS = 1_000_000  # in a millisecond
_EPOCH, _MIDNIGHT = datetime(1970, 1, 1), time()


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

    def text_of_hit(self, hit: Mapping[str, Any]) -> str | None:
        """Return the date of a search hit as a person reads it: ISO 8601 in UTC, or the number.

        The time is left out at midnight, and what is below the second always. A year that ISO 8601
        has no four digits for is given in milliseconds.
        """
        date = self.of_hit(hit)
        if date is None or self.is_number:
            return None if date is None else str(date)
        milliseconds = int(date) // NANOSECONDS
        try:
            moment = _EPOCH + timedelta(milliseconds=milliseconds)
        except OverflowError:
            return f"{milliseconds} ms"
        if moment.time() == _MIDNIGHT:
            return moment.date().isoformat()
        return moment.isoformat(timespec="seconds") + "Z"

    def milliseconds_of_hit(self, hit: Mapping[str, Any]) -> float | None:
        """Return the milliseconds since 1970 of a search hit, of a field of dates."""
        date = self.of_hit(hit)
        return None if date is None else date / NANOSECONDS
