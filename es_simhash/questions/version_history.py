"""The versions of a document in time, as steps: their history, who wrote what, and a timeline."""

from collections.abc import Sequence
from dataclasses import dataclass

from es_simhash.differences.history import (
    Blame,
    History,
    Version,
    blamed_sentences,
    steps_of,
)
from es_simhash.differences.text_changes import ReadText
from es_simhash.differences.text_units import Vocabulary
from es_simhash.differences.version_timeline import DatedVersion, Timeline
from es_simhash.errors import DocumentMissing, InputError
from es_simhash.questions.family_members import MAX_READS, moved_each_time
from es_simhash.relation.references import require_one
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.intents import Filter, Find, FindAll, Parts, Where
from es_simhash.store.protocol import Steps, ask
from es_simhash.store.rows import Row

# Versions of one family that a timeline has; of more, the newest.
MAX_VERSIONS = 2000
# Documents of an id that are read: indices behind one name may have the same id.
_MAX_COMPARED = 20


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
class VersionSteps:
    """Reads the versions of documents, and what changed between them.

    Attributes:
        index: Index that has the documents; a sidecar has no families.
        config: Of the index.
        date_field: Field of the dates; None when none is named.
    """

    index: str
    config: IndexConfig
    date_field: DateField | None

    def history(self, id: str) -> Steps[History]:
        """Return the history of a family; see `Index.history`."""
        family = yield from self.family(id)
        steps = tuple(steps_of(family.versions, family.texts))
        return History(family.name, self._date_name, family.versions, steps)

    def blame(self, id: str) -> Steps[Blame]:
        """Return since when each sentence of a version has been there; see `Index.blame`."""
        family = yield from self.family(id)
        ids = [version.id for version in family.versions]
        last = ids.index(id) if id in ids else len(ids) - 1
        versions, texts = family.versions[: last + 1], family.texts[: last + 1]
        sentences = blamed_sentences(versions, texts)
        return Blame(family.name, self._date_name, versions[-1], versions, sentences)

    @property
    def _date_name(self) -> str | None:
        return None if self.date_field is None else self.date_field.name

    def family(self, id: str) -> Steps[Members]:
        """Return the family of a document, or the one of a name.

        Raises:
            DocumentMissing: There is neither.
            DocumentAmbiguous: Several documents have the id.
            InputError: The document has no family.
            ClusterError: The document moved to another family each time it was read.
        """
        by_id = Find(Where(ids=(id,)), Parts(members=True), _MAX_COMPARED, order=())
        for _ in range(MAX_READS):
            documents = yield from ask(by_id)
            require_one(id, [row.ref for row in documents.rows], self.index)
            name = self._family_name(id, documents.rows)
            members = yield from self._members(name)
            if not documents.rows and not members:
                raise DocumentMissing(
                    f"Index {self.index!r} has no document and no family {id!r}. Check the id, or "
                    f"list the families with `es-simhash families list {self.index}`."
                )
            if not documents.rows or any(member.version.id == id for member in members):
                return Members(name, tuple(members))
        raise moved_each_time(id, self.index)

    def _family_name(self, id: str, documents: Sequence[Row]) -> str:
        """Return the family of the document, or the given name if there is no such document."""
        name = documents[0].family if documents else id
        if name is None:
            raise InputError(
                f"Document {id!r} of index {self.index!r} has no family yet. "
                f"Run `es-simhash families run {self.index}`."
            )
        return name

    def _members(self, family: str) -> Steps[list[Member]]:
        """Return the members, oldest first; those without a date before all."""
        parts = Parts(text=True, date=self.date_field)
        answer = yield from ask(FindAll(Where(families=(family,)), parts))
        vocabulary = Vocabulary()
        return [self._member(row, vocabulary) for row in sorted(answer.rows, key=_oldest_first)]

    def _member(self, row: Row, vocabulary: Vocabulary) -> Member:
        date = (
            None if self.date_field is None or row.date is None else self.date_field.iso(row.date)
        )
        # Of a member whose text was taken out since, nothing is left, and that is its change.
        return Member(Version(row.id, date), ReadText(row.text or "", vocabulary))


def timeline_of(
    index: str,
    date_field: DateField,
    filters: Sequence[Filter],
    id_a: str,
    id_b: str,
) -> Steps[Timeline | None]:
    """Return the timeline of two documents, without any text; None for those of two families.

    Args:
        index: Name of the index, for the timeline.
        date_field: Field of the dates.
        filters: The user's filters, which every document must match.
        id_a: The older document.
        id_b: The newer document.

    Raises:
        DocumentAmbiguous: Several documents have one of the ids.
    """
    parts = Parts(members=True, date=date_field)
    by_id = Where(tuple(filters), ids=(id_a, id_b))
    compared = yield from ask(Find(by_id, parts, _MAX_COMPARED, ("newest",), date=date_field))
    for id in (id_a, id_b):
        require_one(id, [row.ref for row in compared.rows if row.id == id], index)
    families = {id: _family_of(id, compared.rows) for id in (id_a, id_b)}
    family = families[id_a]
    if family is None or families[id_b] != family:
        return None
    of_family = Where(tuple(filters), families=(family,))
    members = yield from ask(
        Find(of_family, parts, MAX_VERSIONS, ("newest",), date=date_field, count=True)
    )
    # The two are there even where others are too many.
    rows = {row.key: row for row in (*members.rows, *compared.rows)}
    return Timeline.of(
        [
            DatedVersion(row.id, None if row.date is None else date_field.iso(row.date), row.date)
            for row in rows.values()
            if row.family == family
        ],
        index=index,
        family=family,
        date_field=date_field.name,
        compared=(id_a, id_b),
        documents=members.total,
    )


def _family_of(id: str, rows: Sequence[Row]) -> str | None:
    return next((row.family for row in rows if row.id == id), None)


def _oldest_first(row: Row) -> tuple[bool, float, str]:
    return row.date is not None, row.date or 0, row.id
