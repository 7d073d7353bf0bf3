"""Dates of the documents that are decided, as the engine reads them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.store.dates import Date, DateField
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.date_fields import DateReader, find_date_field


@dataclass(frozen=True)
class DocumentDates:
    """The dates of one run.

    Attributes:
        field: Their field; None when the rules name none.
        reader: Reads those of documents that no search returns yet; None when no decision rests
            on a date.
    """

    field: DateField | None = None
    reader: DateReader | None = None

    @classmethod
    def of(cls, gateway: Gateway, index: str, rules: OnVersion) -> "DocumentDates":
        """Return the dates that rules need; without a date field nothing is sent.

        Raises:
            InputError: No mapping has the field.
            MappingConflict: It holds no dates, or they cannot be compared.
        """
        if rules.date_field is None:
            return cls()
        mappings = gateway.mappings(index)
        field = find_date_field(mappings, rules.date_field, parameter="date_field")
        if not rules.compares_dates:
            return cls(field)
        return cls(field, DateReader.of(gateway, mappings, field, parameter="date_field"))

    @property
    def compared(self) -> DateField | None:
        """The field, when decisions rest on it; None otherwise."""
        return None if self.reader is None else self.field

    def of_stored(self, sources: Sequence[Mapping[str, Any]]) -> list[Date | None]:
        """Return the dates of documents of the index that were read by their ids.

        There is none for what the mapping ignores.
        """
        if self.reader is None:
            return [None] * len(sources)
        return [reading.date for reading in self.reader.read(sources)]
