"""The versions of two compared documents in order of their dates, and the steps from the two."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class DatedVersion:
    """A version, and where it is on an axis of dates.

    Attributes:
        id: Its id.
        date: Its date, as `Version` has it; None without one.
        place: Its date as a number that can be compared with those of the other versions; None
            without a date.
        title: Its title; None without one.
    """

    id: str
    date: str | None = None
    place: float | None = None
    title: str | None = None

    @property
    def name(self) -> str:
        """Its title, or its id."""
        return self.title or self.id


@dataclass(frozen=True)
class Timeline:
    """The family of two documents that are compared.

    Attributes:
        index: Index of the documents.
        family: Name of the family.
        date_field: Field of the dates.
        versions: The versions, oldest first; those without a date last, by their ids.
        documents: Number of documents of the family; more than the versions when these are too many
            to be read, in which case the newest are there.
        a: Id of the first of the two, the older text.
        b: Id of the second.
    """

    index: str
    family: str
    date_field: str
    versions: tuple[DatedVersion, ...]
    documents: int
    a: str
    b: str

    @classmethod
    def of(
        cls,
        versions: Iterable[DatedVersion],
        *,
        index: str,
        family: str,
        date_field: str,
        compared: tuple[str, str],
        documents: int,
    ) -> "Timeline":
        """Return the timeline of versions in any order."""
        ordered = tuple(sorted(versions, key=_order))
        return cls(index, family, date_field, ordered, documents, *compared)

    def with_titles(self, titles: Mapping[str, str | None]) -> "Timeline":
        """Return it with the titles of its versions, by their ids."""
        versions = tuple(replace(each, title=titles.get(each.id)) for each in self.versions)
        return replace(self, versions=versions)

    @property
    def dated(self) -> tuple[DatedVersion, ...]:
        """The versions with a date, oldest first."""
        return tuple(version for version in self.versions if version.place is not None)

    @property
    def undated(self) -> tuple[str, ...]:
        """Ids of the versions without a date."""
        return tuple(version.id for version in self.versions if version.place is None)

    @property
    def older(self) -> tuple[DatedVersion, DatedVersion] | None:
        """The version before the older of the two, and that one; None where there is none."""
        places, dated = self._places(), self.dated
        if not places or not places[0]:
            return None
        return dated[places[0] - 1], dated[places[0]]

    @property
    def newer(self) -> tuple[DatedVersion, DatedVersion] | None:
        """The newer of the two, and the version after it; None where there is none."""
        places, dated = self._places(), self.dated
        if not places or places[-1] + 1 == len(dated):
            return None
        # Of a family that is too large, the two may be older than all others that were read.
        if self.documents > len(self.versions) and places[-1] < len({self.a, self.b}):
            return None
        return dated[places[-1]], dated[places[-1] + 1]

    def _places(self) -> list[int]:
        """Return the places of the two among the dated versions, in order."""
        return [n for n, version in enumerate(self.dated) if version.id in (self.a, self.b)]


def _order(version: DatedVersion) -> tuple[bool, float, str]:
    return version.place is None, version.place or 0, version.id
