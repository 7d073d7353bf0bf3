"""Dates of documents, as the engine reads the field: what a search requests, and its hits have."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

# Nanoseconds since 1970; of a field of numbers, the number. Dates of one field can be compared.
Date = int | float

DATE_TYPES = frozenset({"date", "date_nanos"})
_SECONDS_OF_DAY, _DIGITS_OF_YEAR = 86_400, 4
NANOSECONDS = 1_000_000  # in a millisecond


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
        """Return the date of a search hit as `iso` gives it; None without one."""
        date = self.of_hit(hit)
        return None if date is None else self.iso(date)

    def iso(self, date: Date) -> str:
        """Return a date in ISO 8601, in UTC, without a time at midnight; a number as it is."""
        if self.is_number:
            return f"{date:g}" if isinstance(date, float) else str(date)
        seconds, nanoseconds = divmod(int(date), 1_000_000_000)
        # numpy knows years beyond 9999, which Elasticsearch has as well.
        moment = str(np.datetime64(seconds, "s"))
        if moment.index("-", 1) > _DIGITS_OF_YEAR and moment[0] != "-":
            moment = f"+{moment}"  # ISO 8601 asks for the sign of such a year.
        if not nanoseconds and not seconds % _SECONDS_OF_DAY:
            return moment.partition("T")[0]
        fraction = f".{nanoseconds:09d}".rstrip("0") if nanoseconds else ""
        return f"{moment}{fraction}Z"

    def milliseconds_of_hit(self, hit: Mapping[str, Any]) -> float | None:
        """Return the milliseconds since 1970 of a search hit, of a field of dates."""
        date = self.of_hit(hit)
        return None if date is None else date / NANOSECONDS
