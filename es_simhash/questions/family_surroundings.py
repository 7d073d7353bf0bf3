"""Documents that are near a version family and not in it, each with the reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from es_simhash.pairs.parted_texts import Values, values_of
from es_simhash.questions.family_members import relations_of, shown_date, title_of
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.family_history import NearDocument, Reason
from es_simhash.relation.relation import Relation
from es_simhash.relation.thresholds import LENGTH_RATIO, SHOWN_SCORE, VERSION_SCORE
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.rows import Row
from es_simhash.text.counting import score_text

_MAX_SHOWN = 10


@dataclass(frozen=True)
class Surroundings:
    """A family, and what is near it.

    Attributes:
        versions: The documents of the family.
        compared: Those of them that near documents are compared with.
        noted: What a person decided.
        config: Of the index: where versions begin, and the field of the titles.
        date_field: Field of the dates; None without one.
    """

    versions: Sequence[Row]
    compared: Sequence[Row]
    noted: ManualPairs
    config: IndexConfig
    date_field: DateField | None

    def near(self, others: Sequence[Row]) -> tuple[NearDocument, ...]:
        """Return what `related` shows of documents that are not in the family, nearest first."""
        found = []
        texts = [other for other in others if other.stored is not None]
        by_member = [
            (member, relations_of(member.stored, texts, self.config.versions_from))
            for member in self.compared
            if member.stored is not None
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
        other: Row,
        member: Row,
        relation: Relation,
        representing: Sequence[float],
    ) -> NearDocument:
        reason, because = self._reason(other, member, relation, representing)
        return NearDocument(
            other.ref.id,
            other.ref.index,
            title_of(other, self.config),
            shown_date(other, self.date_field),
            other.family,
            member.ref.id,
            relation.kind,
            relation.score,
            reason,
            because,
        )

    def _reason(
        self,
        other: Row,
        member: Row,
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
        apart = self.noted.dismissed.get(other.ref.id, ())
        together = self.noted.joined.others(other.ref.id)
        for version in self.versions:
            if version.ref.id in apart:
                return "dismissed", f"dismissed with {version.ref.id!r}"
            if version.ref.id in together:
                because = f"joined with {version.ref.id!r} since: run `es-simhash families run`"
                return "joined", because
        if relation.score < VERSION_SCORE:
            score = score_text(relation.score)
            return "score", f"score {score}, versions have {VERSION_SCORE} or more"
        assert other.stored is not None
        assert member.stored is not None
        shorter, longer = sorted((other.stored.characters, member.stored.characters))
        if shorter * LENGTH_RATIO < longer:
            return "length", f"one is more than {LENGTH_RATIO} times as long as the other"
        ours, theirs = self._values(member), self._values(other)
        if ours != theirs:
            return "within", (
                f"{self.config.within} differs: {', '.join(ours) or 'none'} / "
                f"{', '.join(theirs) or 'none'}"
            )
        if other.family is None:
            return "no_family", "it has no family yet: run `es-simhash families run`"
        if representing and max(representing) < VERSION_SCORE:
            return "representative", (
                f"no version of the representative (score {score_text(max(representing))}), and no "
                "small steps lead to it"
            )
        return "other_family", (
            f"in family {other.family}, which is closer or of which not all are versions of this "
            "one, or texts changed since the last run of `es-simhash families run`"
        )

    def _values(self, version: Row) -> Values:
        """Return the values of a document that keep families apart; none without such a field."""
        return values_of(chain(*version.values.values()))
