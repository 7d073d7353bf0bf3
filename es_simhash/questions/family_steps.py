"""A version family by its name or by one of its documents, as steps: no text is read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from es_simhash.errors import DocumentMissing, InputError, UnreadableParts
from es_simhash.questions.family_members import (
    MAX_MEMBERS,
    MAX_READS,
    members_of,
    moved_each_time,
    represented,
    version_order,
)
from es_simhash.questions.family_surroundings import Surroundings
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.family_history import FamilyHistory
from es_simhash.relation.references import require_one
from es_simhash.relation.shared_shingles import least_shared, sampled
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.intents import (
    CheckDate,
    Filter,
    Find,
    FindIndexState,
    Order,
    Parts,
    Sharing,
    Where,
)
from es_simhash.store.own_texts import with_own_texts
from es_simhash.store.protocol import Steps
from es_simhash.store.rows import IndexState, Row, Rows

# Names of families are made of content hashes.
_NAME = re.compile(r"[0-9a-f]{16}")
# Documents that are near one of a family.
_MAX_NEAR = 20


@dataclass(frozen=True)
class FamilySteps:
    """Reads families of one index.

    Attributes:
        index: Index, alias or data stream.
        config: Of the index.
        date_field: Field of the dates; None without one.
        newer_than: A date of that field, as the engine reads it; None for all documents.
        filters: The user's filters, which every document must match.
    """

    index: str
    config: IndexConfig
    date_field: DateField | None = None
    newer_than: str | None = None
    filters: tuple[Filter, ...] = ()

    def read(self, name: str) -> Steps[FamilyHistory]:
        """Return the family of a document, or that of a name.

        Args:
            name: Id of a document; otherwise the name of a family.

        Raises:
            DocumentMissing: There is neither a document nor a family of that name.
            InputError: The document has no family yet, or the engine cannot read the date.
            UnreadableParts: What is stored of a document is damaged, and it has no text either.
            ClusterError: The document moved to another family each time it was read.
        """
        try:
            return (yield from self._read(name))
        except UnreadableParts:
            return (yield from with_own_texts(self._read(name), self.config.scheme))

    def _read(self, name: str) -> Steps[FamilyHistory]:
        named, state, members, around = yield from self._together(name)
        family, noted = named.family, state.pairs
        assert family is not None
        versions = sorted(members.rows, key=version_order)
        if self.filters:
            where = self._where(families=(family,))
            versions = yield from represented(
                versions, where, self.date_field, state.family_rule, self.config
            )
            if named.ref.id != name:
                named = next((each for each in versions if each.represents), named)
            around = (yield [self._near(named, family)]) if named.stored is not None else []
        history = self._history(family, versions, noted)
        others = [other for answer in around for other in answer.rows]
        compared = {version.ref: version for version in versions if version.represents}
        compared[named.ref] = named
        surroundings = Surroundings(
            versions, list(compared.values()), noted, self.config, self.date_field
        )
        return replace(
            history,
            documents=members.total,
            near=surroundings.near(others),
            truncated=members.total > len(versions),
        )

    def _together(self, name: str) -> Steps[tuple[Row, IndexState, Rows, Sequence[Rows]]]:
        """Return a document, what is stored beside, the documents of its family, and those near it.

        Raises:
            ClusterError: It was in another family whenever that was read.
        """
        for _ in range(MAX_READS):
            named, state = yield from self._named(name)
            assert named.family is not None
            finds = [self._members(named.family)]
            if named.stored is not None and not self.filters:
                finds.append(self._near(named, named.family))
            members, *around = yield finds
            is_member = any(row.ref == named.ref for row in members.rows)
            if is_member or members.total > len(members.rows):
                return named, state, members, around
        raise moved_each_time(name, self.index)

    def _history(self, family: str, versions: Sequence[Row], noted: ManualPairs) -> FamilyHistory:
        """Return a family by the documents that were read."""
        field = self.date_field
        ids = {version.id for version in versions}
        joined = {id for id in ids if not ids.isdisjoint(noted.joined.others(id))}
        members = zip(members_of(versions, self.config, field, joined), versions, strict=True)
        return FamilyHistory(
            family,
            next((version.id for version in versions if version.represents), None),
            tuple(member for member, version in members if version.is_newer),
            len(versions),
            date_field=None if field is None else field.name,
            undated=tuple(each.id for each in versions if field and each.date is None),
            several_dates=tuple(each.id for each in versions if each.dates > 1),
        )

    def _named(self, name: str) -> Steps[tuple[Row, IndexState]]:
        """Return the document that is named or represents the family, and what is stored beside.

        Raises:
            DocumentMissing: There is none.
            InputError: It has no family, or the engine cannot read the date.
        """
        by_id = Find(self._where(ids=(name,)), self._parts, _MAX_NEAR)
        by_family = Find(self._where(families=(name,)), self._parts, 1, order=("representative",))
        checks = []
        if self.newer_than is not None and self.date_field is not None:
            checks.append(CheckDate(self.date_field, self.newer_than))
        documents, of_family, *valid, state = yield [by_id, by_family, *checks, FindIndexState()]
        if not all(valid):
            self._reject_date()
        version = self._chosen(name, documents, of_family)
        return version, state

    def _chosen(self, name: str, documents: Rows, of_family: Rows) -> Row:
        require_one(name, [row.ref for row in documents.rows], self.index)
        for row in documents.rows:
            self._require_family(row)
            return row
        for row in of_family.rows:
            return row
        raise self._missing(name)

    def _where(
        self, ids: tuple[str, ...] | None = None, families: tuple[str, ...] | None = None
    ) -> Where:
        return Where(self.filters, ids=ids, families=families)

    @property
    def _parts(self) -> Parts:
        title = self.config.documents.title
        titles = () if title is None else (title,)
        values = (self.config.within,) if self.config.within else ()
        return Parts(fields=titles, members=True, stored=True, date=self.date_field, values=values)

    def _members(self, family: str) -> Find:
        """Return the request for the documents of a family, the representative first."""
        first: tuple[Order, ...] = () if self.filters else ("representative",)
        return Find(
            self._where(families=(family,)),
            self._parts,
            MAX_MEMBERS,
            order=(*first, "newest") if self.date_field else first,
            date=self.date_field,
            newer_than=self.newer_than,
            count=True,
        )

    def _near(self, version: Row, family: str) -> Find:
        """Return the request for documents of other families that share shingles with one."""
        assert version.stored is not None
        shingles = version.stored.shingles
        where = Where(self.filters, fingerprinted=True, excluded_families=(family,))
        sharing = Sharing(sampled(shingles), least_shared(len(shingles)))
        return Find(where, self._parts, _MAX_NEAR, sharing=(sharing,))

    def _reject_date(self) -> None:
        assert self.date_field is not None
        raise InputError(
            f"newer_than must be a date that field {self.date_field.name!r} can hold, or date math "
            f"such as 'now-30d', got {self.newer_than!r}.",
            parameter="newer_than",
        )

    def _require_family(self, version: Row) -> None:
        if version.family is not None:
            return
        if version.stored is None:
            raise InputError(
                f"Document {version.id!r} has no fingerprints and no family. Run `es-simhash "
                f"backfill {self.index}`, then `es-simhash families run {self.index}`."
            )
        raise InputError(
            f"Document {version.id!r} has no family yet. Run `es-simhash families "
            f"run {self.index}`."
        )

    def _missing(self, name: str) -> DocumentMissing:
        if _NAME.fullmatch(name):
            return DocumentMissing(
                f"No document of index {self.index!r} has the family {name!r} (any more): a family "
                f"that joined another has that name now. List them with `es-simhash families list "
                f"{self.index}`."
            )
        return DocumentMissing(
            f"Index {self.index!r} has neither a document nor a family {name!r}. Check the id."
        )
