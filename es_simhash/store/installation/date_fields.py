"""Date fields of an index, and the dates of documents that no search returns yet.

Nothing here parses a date: what counts is how the engine reads the field, by its type, format and
locale. Of documents that searches see, hits bring the date along (`storage/dates`). For a document
that is about to be written, the engine reads the raw value as a bound of a `date_range`
aggregation, which it parses by the mapping of the field and returns as a number. It is the simplest
way that is exact: one search for all values of a batch, of any index with the field, empty or not,
with the privilege to read it alone; and unlike scripts, ingest processors and percolation it is in
every distribution of Elasticsearch 8 and 9. A range query would only compare with documents that
searches see, not the documents of a batch with each other.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from es_simhash.errors import MappingConflict
from es_simhash.store.dates import NANOSECONDS, Date, DateField
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.searches import search_each
from es_simhash.store.mapped_fields import MappedField, fields_named
from es_simhash.store.paths import get_values
from es_simhash.text.escaping import printable

# Parameters of a field that decide how a value is read.
_READ_BY = ("type", "format", "locale")
_DEFAULT_FORMAT = "strict_date_optional_time||epoch_millis"
# Values of one search; a response has some 100 bytes for each.
_VALUES = 1000
_SHOWN_CHARACTERS = 60
# Digits below the millisecond: behind three that are those of the millisecond, or of a number.
_FRACTION = re.compile(r"[.,](\d{3})(\d{1,6})(?!\d)")
_FRACTION_OF_NUMBER = re.compile(r"(\d+)\.(\d{1,6})")

Mappings = Mapping[str, Mapping[str, Any]]


class Reading(NamedTuple):
    """The date of a document that is not in the index yet.

    Attributes:
        date: Its date, of several the latest; None without one.
        fault: Why the engine cannot read it, as one sentence; None otherwise.
    """

    date: Date | None = None
    fault: str | None = None


@dataclass(frozen=True)
class DateReader:
    """Reads the dates of documents that no search returns yet, as the engine will read them.

    Attributes:
        gateway: To the cluster.
        index: An index that has the field.
        field: The field.
        mapped: How it is mapped there.
    """

    gateway: Gateway
    index: str
    field: DateField
    mapped: MappedField

    @classmethod
    def of(
        cls, gateway: Gateway, mappings: Mappings, field: DateField, *, parameter: str
    ) -> "DateReader":
        """Return the reader of a field that `find_date_field` found.

        Raises:
            MappingConflict: A script computes the field, or the indices read it differently.
        """
        fields = fields_named(field.name, mappings)
        readings = {
            tuple(str(each.definition.get(name)) for name in _READ_BY) for each in fields.values()
        }
        if len(readings) > 1 or any(each.source is None for each in fields.values()):
            what = "are read in several ways" if len(readings) > 1 else "are computed by a script"
            raise MappingConflict(
                f"Dates of field {field.name!r} {what} in {', '.join(sorted(fields))}, so that "
                f"those of new documents cannot be compared. Set {parameter}.",
                parameter=parameter,
            )
        index = max(fields)
        return cls(gateway, index, field, fields[index])

    def read(self, sources: Sequence[Mapping[str, Any]]) -> list[Reading]:
        """Return the dates of documents, with one request; another where one is unreadable.

        Args:
            sources: Their fields.
        """
        values = [list(self._values(source)) for source in sources]
        texts = dict.fromkeys(
            text for each in values for value in each if (text := self._text(value)) is not None
        )
        dates = self._dates(list(texts))
        return [self._reading(each, dates) for each in values]

    def _values(self, source: Mapping[str, Any]) -> Iterator[Any]:
        values = get_values(source, str(self.mapped.source))
        yield from (value for value in values if value is not None)

    def _text(self, value: Any) -> str | None:
        """Return a value as it is queried; None when it need not be, or must not."""
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            return None
        if isinstance(value, str):
            # An aggregation takes date math as well, which no document may have.
            return None if value.startswith("now") or "||" in value else value
        # Of a number an aggregation would take the whole part alone.
        return None if self.field.is_number else json.dumps(value)

    def _reading(self, values: Sequence[Any], dates: Mapping[str, Date]) -> Reading:
        found = [self._date(value, dates) for value in values]
        for value, date in zip(values, found, strict=True):
            if date is None:
                return Reading(fault=self._fault(value))
        return Reading(max((date for date in found if date is not None), default=None))

    def _date(self, value: Any, dates: Mapping[str, Date]) -> Date | None:
        if self.field.is_number and isinstance(value, (int, float)) and not isinstance(value, bool):
            return value
        text = self._text(value)
        return None if text is None else dates.get(text)

    def _fault(self, value: Any) -> str:
        shown = printable(json.dumps(value, ensure_ascii=False))
        if len(shown) > _SHOWN_CHARACTERS:
            shown = f"{shown[:_SHOWN_CHARACTERS]} …"
        kind = f"type {self.mapped.type}"
        if not self.field.is_number:
            kind += f", format {self.mapped.definition.get('format', _DEFAULT_FORMAT)}"
        return f"Field {self.field.name!r} has {shown}, which its mapping ({kind}) cannot read."

    def _dates(self, texts: Sequence[str]) -> dict[str, Date]:
        """Return the values that the engine can read, each with its date."""
        groups = [texts[start : start + _VALUES] for start in range(0, len(texts), _VALUES)]
        dates: dict[str, Date] = {}
        alone: list[Sequence[str]] = []
        for group, response in self._responses(groups):
            # One value that it cannot read, and the engine rejects the search.
            alone += [] if response else [[text] for text in group]
            dates |= self._of_response(group, response)
        for group, response in self._responses(alone):
            dates |= self._of_response(group, response)
        return dates

    def _responses(
        self, groups: Sequence[Sequence[str]]
    ) -> Iterator[tuple[Sequence[str], Mapping[str, Any] | None]]:
        bodies = [self._body(group) for group in groups]
        responses = self.gateway.run(search_each(self.index, bodies))
        yield from zip(groups, responses, strict=True)

    def _body(self, texts: Sequence[str]) -> dict[str, Any]:
        ranges = [{"key": str(number), "from": text} for number, text in enumerate(texts)]
        kind = "range" if self.field.is_number else "date_range"
        aggregation = {kind: {"field": self.field.name, "keyed": True, "ranges": ranges}}
        # The bounds are wanted, not what is between them.
        return {"size": 0, "query": {"match_none": {}}, "aggs": {"dates": aggregation}}

    def _of_response(
        self, texts: Sequence[str], response: Mapping[str, Any] | None
    ) -> dict[str, Date]:
        if response is None:
            return {}
        buckets = response["aggregations"]["dates"]["buckets"]
        bounds = [buckets[str(number)]["from"] for number in range(len(texts))]
        if self.field.is_number:
            return dict(zip(texts, bounds, strict=True))
        return {
            text: int(bound) * NANOSECONDS + self._nanoseconds(text, int(bound))
            for text, bound in zip(texts, bounds, strict=True)
        }

    def _nanoseconds(self, text: str, milliseconds: int) -> int:
        """Return what a date of a field of nanoseconds has below the millisecond.

        An aggregation returns milliseconds. What is finer are the digits that follow those of the
        millisecond the engine has read; where there are none, the date is that of the millisecond.
        """
        if self.mapped.type != "date_nanos":
            return 0
        number = _FRACTION_OF_NUMBER.fullmatch(text)
        if number is not None and int(number[1]) == milliseconds:
            return int(number[2].ljust(6, "0"))
        for match in _FRACTION.finditer(text):
            if int(match[1]) == milliseconds % 1000:
                return int(match[2].ljust(6, "0"))
        return 0
