"""A version family by its name or by one of its documents: two requests, and no text is read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from es_simhash.errors import DocumentMissing, InputError
from es_simhash.questions.family_members import members_of
from es_simhash.questions.family_surroundings import Surroundings
from es_simhash.questions.noted import NotedLookup
from es_simhash.relation.family_history import FamilyHistory
from es_simhash.relation.manual_pairs import ManualPairs
from es_simhash.store.elasticsearch.documents import entry_of
from es_simhash.store.elasticsearch.family_documents import FamilySearches, StoredVersion
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.searches import OptionalSearch

# Names of families are made of content hashes.
_NAME = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class FamilyReader:
    """Reads families of one index.

    Attributes:
        gateway: To the cluster.
        index: Index, alias or data stream.
        searches: How documents are searched and read.
    """

    gateway: Gateway
    index: str
    searches: FamilySearches

    def read(self, name: str) -> FamilyHistory:
        """Return the family of a document, or that of a name.

        Args:
            name: Id of a document; otherwise the name of a family.

        Raises:
            DocumentMissing: There is neither a document nor a family of that name.
            InputError: The document has no family yet, or the engine cannot read the date.
        """
        named, noted = self._named(name)
        family = named.family
        assert family is not None
        bodies = [self.searches.members(family)]
        if named.text is not None:
            bodies.append(self.searches.near(named.text, family))
        found, *around = self.gateway.search_all(self.index, bodies)
        versions = sorted(self.searches.read(found), key=lambda version: version.order)
        history = self._history(family, versions, noted)
        documents = found["hits"]["total"]["value"]
        others = [other for answer in around for other in self.searches.read(answer)]
        compared = {version.ref: version for version in versions if version.represents}
        compared[named.ref] = named
        surroundings = Surroundings(self.searches, versions, list(compared.values()), noted)
        return replace(
            history,
            documents=documents,
            near=surroundings.near(others),
            truncated=documents > len(versions),
        )

    def _history(
        self, family: str, versions: Sequence[StoredVersion], noted: ManualPairs
    ) -> FamilyHistory:
        """Return a family by the documents that were read."""
        field = self.searches.date_field
        ids = {version.ref.id for version in versions}
        joined = {id for id in ids if not ids.isdisjoint(noted.joined.others(id))}
        members = zip(members_of(versions, self.searches, joined), versions, strict=True)
        return FamilyHistory(
            family,
            next((version.ref.id for version in versions if version.represents), None),
            tuple(member for member, version in members if version.is_newer),
            len(versions),
            date_field=None if field is None else field.name,
            undated=tuple(each.ref.id for each in versions if field and each.date is None),
            several_dates=tuple(each.ref.id for each in versions if each.dates > 1),
        )

    def _named(self, name: str) -> tuple[StoredVersion, ManualPairs]:
        """Return the document that is named or represents the family, and what a person noted.

        Raises:
            DocumentMissing: There is none.
            InputError: It has no family, or the engine cannot read the date.
        """
        lookup = NotedLookup(self.gateway, self.index, self.searches.config.simhash_field)
        check = self.searches.date_check()
        checks = [] if check is None else [OptionalSearch(None, check, may_be_rejected=True)]
        by_id, by_family, *rest = self.gateway.search_all(
            self.index, self.searches.named(name), [*checks, *lookup.all_searches()]
        )
        if checks and rest[0].get("rejected"):
            self._reject_date()
        found = entry_of(name, by_id["hits"]["hits"], self.index)
        if found["found"]:
            (version,) = self.searches.read(by_id)
            self._require_family(version)
        elif by_family["hits"]["hits"]:
            (version,) = self.searches.read(by_family)
        else:
            raise self._missing(name)
        return version, lookup.read(rest[len(checks) :])

    def _reject_date(self) -> None:
        field = self.searches.date_field
        assert field is not None
        raise InputError(
            f"newer_than must be a date that field {field.name!r} can hold, or date math such as "
            f"'now-30d', got {self.searches.newer_than!r}.",
            parameter="newer_than",
        )

    def _require_family(self, version: StoredVersion) -> None:
        if version.family is not None:
            return
        id = version.ref.id
        if version.text is None:
            raise InputError(
                f"Document {id!r} has no fingerprints and no family. Run `es-simhash backfill "
                f"{self.index}`, then `es-simhash families {self.index}`."
            )
        raise InputError(
            f"Document {id!r} has no family yet. Run `es-simhash families {self.index}`."
        )

    def _missing(self, name: str) -> DocumentMissing:
        if _NAME.fullmatch(name):
            return DocumentMissing(
                f"No document of index {self.index!r} has the family {name!r} (any more): a family "
                f"that joined another has that name now. List them with `es-simhash families "
                f"{self.index} --list`."
            )
        return DocumentMissing(
            f"Index {self.index!r} has neither a document nor a family {name!r}. Check the id."
        )
