"""The versions of a document as an index has them: the members of its family, oldest first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.differences.history import (
    Blame,
    History,
    Version,
    blamed_sentences,
    steps_of,
)
from es_simhash.differences.text_changes import ReadText
from es_simhash.differences.text_units import Vocabulary
from es_simhash.errors import DocumentMissing, InputError
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.source import stored_text, text_of

# Documents in one page, with their texts.
_MEMBERS_PAGE = 200


@dataclass(frozen=True)
class Member:
    """A document of a family, with its text."""

    version: Version
    text: ReadText


@dataclass(frozen=True)
class Members:
    """The members of a family, oldest first."""

    name: str
    members: tuple[Member, ...]

    @property
    def versions(self) -> tuple[Version, ...]:
        """The versions, oldest first."""
        return tuple(member.version for member in self.members)

    @property
    def texts(self) -> tuple[ReadText, ...]:
        """Their texts."""
        return tuple(member.text for member in self.members)


@dataclass(frozen=True)
class FamilyVersions:
    """Reads the versions of documents.

    Attributes:
        gateway: To the cluster.
        name: Index that has the documents; a sidecar has no families.
        config: Of the index.
        dates: The field of the dates; None when none is named.
    """

    gateway: Gateway
    name: str
    config: IndexConfig
    dates: DateField | None

    def history(self, id: str) -> History:
        """Return the history of a family; see `Index.history`."""
        family = self.family(id)
        steps = tuple(steps_of(family.versions, family.texts))
        return History(family.name, self._date_name, family.versions, steps)

    def blame(self, id: str) -> Blame:
        """Return since when the sentences of a version stand there; see `Index.blame`."""
        family = self.family(id)
        ids = [version.id for version in family.versions]
        last = ids.index(id) if id in ids else len(ids) - 1
        versions, texts = family.versions[: last + 1], family.texts[: last + 1]
        sentences = blamed_sentences(versions, texts)
        return Blame(family.name, self._date_name, versions[-1], versions, sentences)

    @property
    def _date_name(self) -> str | None:
        return None if self.dates is None else self.dates.name

    def family(self, id: str) -> Members:
        """Return the family of a document, or the one of a name.

        Raises:
            DocumentMissing: There is neither.
            InputError: The document has no family.
        """
        path = self.config.path(fields.FAMILY)
        found = self.gateway.hits_by_id(self.name, [id], [path]).get(id, [])
        name = text_of(found[0].get("_source", {}), path) if found else id
        if name is None:
            raise InputError(
                f"Document {id!r} of index {self.name!r} has no family yet. "
                f"Run `es-simhash families {self.name}`."
            )
        members = self._members(name)
        if not members:
            raise DocumentMissing(
                f"Index {self.name!r} has no document and no family {id!r}. Check the id, or list "
                f"the families with `es-simhash families {self.name} --list`."
            )
        return Members(name, tuple(members))

    def _members(self, family: str) -> list[Member]:
        """Return the members, oldest first; those without a date before all."""
        query: dict[str, Any] = {"term": {self.config.path(fields.FAMILY): family}}
        body: dict[str, Any] = {"query": query, "_source": list(self.config.text_fields)}
        if self.dates is not None:
            body["docvalue_fields"] = [self.dates.requested]
        vocabulary = Vocabulary()
        return [self._member(hit, vocabulary) for hit in sorted(self._hits(body), key=self._order)]

    def _member(self, hit: Mapping[str, Any], vocabulary: Vocabulary) -> Member:
        date = None if self.dates is None else self.dates.text_of_hit(hit)
        # Of a member whose text was taken out since, nothing is left, and that is its change.
        text = stored_text(hit.get("_source", {}), self.config.text_field) or ""
        return Member(Version(hit["_id"], date), ReadText(text, vocabulary))

    def _hits(self, body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        with self.gateway.point_in_time(self.name) as point:
            return list(point.hits({"size": _MEMBERS_PAGE, **body}))

    def _order(self, hit: Mapping[str, Any]) -> tuple[bool, float, str]:
        date = None if self.dates is None else self.dates.of_hit(hit)
        return date is not None, date or 0, hit["_id"]
