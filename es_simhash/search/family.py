"""A version family by its name or by one of its documents: two requests, and no text is read."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from es_simhash.engine.documents import entry_of
from es_simhash.engine.gateway import Gateway
from es_simhash.engine.searches import OptionalSearch
from es_simhash.errors import DocumentMissing, InputError
from es_simhash.query.family_documents import FamilySearches, StoredVersion
from es_simhash.relation.family_history import FamilyHistory, NearDocument, Reason
from es_simhash.relation.model import Relation
from es_simhash.relation.thresholds import LENGTH_RATIO, SHOWN_SCORE, VERSION_SCORE
from es_simhash.search.dismissed import DismissalLookup
from es_simhash.search.family_members import members_of, relations_of, shown_date

# Names of families are made of content hashes.
_NAME = re.compile(r"[0-9a-f]{16}")
_MAX_SHOWN = 10


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
        named, dismissed = self._named(name)
        family = named.family
        assert family is not None
        bodies = [self.searches.members(family)]
        if named.text is not None:
            bodies.append(self.searches.near(named.text, family))
        responses = self.gateway.search_all(self.index, bodies)
        documents = responses[0]["hits"]["total"]["value"]
        versions = self.searches.read(responses[0])
        near = [other for answer in responses[1:] for other in self.searches.read(answer)]
        newer = {version.ref for version in versions if version.is_newer}
        date_field = self.searches.date_field
        ordered = sorted(versions, key=lambda version: version.order)
        members = members_of(ordered, date_field)
        compared = {version.ref: version for version in (named, *versions) if version.represents}
        compared[named.ref] = named
        return FamilyHistory(
            family,
            next((version.ref.id for version in versions if version.represents), None),
            tuple(
                member
                for member, version in zip(members, ordered, strict=True)
                if version.ref in newer
            ),
            documents,
            _Surroundings(self.searches, versions, list(compared.values()), dismissed).near(near),
            None if date_field is None else date_field.name,
            tuple(each.ref.id for each in ordered if date_field is not None and each.date is None),
            tuple(each.ref.id for each in ordered if each.dates > 1),
            documents > len(versions),
        )

    def _named(self, name: str) -> tuple[StoredVersion, Mapping[str, Collection[str]]]:
        """Return the document that is named or represents the family of that name, and dismissals.

        Raises:
            DocumentMissing: There is none.
            InputError: It has no family, or the engine cannot read the date.
        """
        lookup = DismissalLookup(self.gateway, self.index, self.searches.config.simhash_field)
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


@dataclass(frozen=True)
class _Surroundings:
    """A family, and what is near it.

    Attributes:
        searches: How documents were read.
        versions: The documents of the family.
        compared: Those of them that near documents are compared with.
        dismissed: By an id, those it was dismissed with.
    """

    searches: FamilySearches
    versions: Sequence[StoredVersion]
    compared: Sequence[StoredVersion]
    dismissed: Mapping[str, Collection[str]]

    def near(self, others: Sequence[StoredVersion]) -> tuple[NearDocument, ...]:
        """Return what `related` shows of documents that are not in the family, nearest first."""
        found = []
        texts = [other for other in others if other.text is not None]
        by_member = [
            (member, relations_of(member.text, texts))
            for member in self.compared
            if member.text is not None
        ]
        for number, other in enumerate(texts):
            relations = [(member, relations[number]) for member, relations in by_member]
            member, relation = max(relations, key=lambda pair: pair[1].score)
            if relation.score >= SHOWN_SCORE:
                representing = [each.score for one, each in relations if one.represents]
                found.append(self._document(other, member, relation, representing))
        found.sort(key=lambda document: (-document.score, document.id))
        return tuple(found[:_MAX_SHOWN])

    def _document(
        self,
        other: StoredVersion,
        member: StoredVersion,
        relation: Relation,
        representing: Sequence[float],
    ) -> NearDocument:
        reason, because = self._reason(other, member, relation, representing)
        return NearDocument(
            other.ref.id,
            other.ref.index,
            other.title,
            shown_date(other, self.searches.date_field),
            other.family,
            member.ref.id,
            relation.kind,
            relation.score,
            reason,
            because,
        )

    def _reason(
        self,
        other: StoredVersion,
        member: StoredVersion,
        relation: Relation,
        representing: Sequence[float],
    ) -> tuple[Reason, str]:
        """Return why a document is not in the family.

        Args:
            other: The document.
            member: The member that is nearest to it.
            relation: Of the two.
            representing: Scores with the representative, where one is known.
        """
        apart = self.dismissed.get(other.ref.id, ())
        for version in self.versions:
            if version.ref.id in apart:
                return "dismissed", f"dismissed with {version.ref.id!r}"
        if relation.score < VERSION_SCORE:
            return "score", f"score {relation.score:.2f}, versions have {VERSION_SCORE} or more"
        assert other.text is not None
        assert member.text is not None
        shorter, longer = sorted((other.text.characters, member.text.characters))
        if shorter * LENGTH_RATIO < longer:
            return "length", f"one is more than {LENGTH_RATIO} times as long as the other"
        if other.family is None:
            return "no_family", "it has no family yet: run `es-simhash families`"
        if representing and max(representing) < VERSION_SCORE:
            return "representative", (
                f"no version of the representative (score {max(representing):.2f}), and no small "
                "steps lead to it"
            )
        return "other_family", (
            f"in family {other.family}, whose representative comes first, or the texts changed "
            "since the last run of `es-simhash families`"
        )
