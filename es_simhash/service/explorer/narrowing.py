"""What the matches of a search can be narrowed by, and sorted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from es_simhash.service.explorer.page_contents import ChosenMatches, Facet
from es_simhash.store.dates import DateField
from es_simhash.store.intents import CountValues, Where, Words

_YEAR = "year"
Counts = Mapping[str, tuple[tuple[str, int], ...]]


@dataclass(frozen=True)
class Narrowing:
    """The fields by whose values matches can be narrowed.

    Attributes:
        fields: Fields of the user's that may be shown, by the parameter that chooses a value.
        keywords: Where their values are keywords, by their names.
        date: Field of the date; None where there is none, or it may not be shown.
    """

    fields: Mapping[str, str]
    keywords: Mapping[str, str]
    date: DateField | None

    def narrowed(self, words: Words, chosen: ChosenMatches) -> Words:
        """Return a query for matches with the values that a reader has chosen."""
        values = [(self.keywords[name], getattr(chosen, role)) for role, name in self._known]
        year = None
        if chosen.year is not None and self._years is not None:
            year = self._years, chosen.year
        known = tuple((field, value) for field, value in values if value is not None)
        return replace(words, values=known, year=year)

    def newest(self, chosen: ChosenMatches) -> DateField | None:
        """Return the field by which the matches come; None for the best first."""
        return self.date if chosen.sort == "newest" else None

    def counting(self, words: Words, where: Where) -> CountValues:
        """Return the request that counts the values among the matches."""
        fields = tuple(self.keywords[name] for _, name in self._known)
        return CountValues(words, where, fields, self._years)

    def facets(self, chosen: ChosenMatches, counts: Counts) -> tuple[Facet, ...]:
        """Return the values; a field of which one is chosen is there, whatever matches."""
        named = [(role, name, self.keywords[name]) for role, name in self._known]
        if self._years is not None:
            named.append((_YEAR, self._years, self._years))
        return tuple(
            Facet(role, name, counts.get(field, ()))
            for role, name, field in named
            if counts.get(field) or getattr(chosen, role) is not None
        )

    @property
    def _known(self) -> list[tuple[str, str]]:
        return [(role, name) for role, name in self.fields.items() if name in self.keywords]

    @property
    def _years(self) -> str | None:
        """The field of dates whose years are counted: numbers have none."""
        return None if self.date is None or self.date.is_number else self.date.name
