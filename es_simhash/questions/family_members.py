"""The members of a family compared with each other, by what is stored of their texts."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import ClusterError
from es_simhash.relation.candidate import Candidate, StoredText
from es_simhash.relation.family_history import FamilyMember
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.relation import Coverage, Kind, Relation
from es_simhash.relation.scoring import score_candidates
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import Date, DateField
from es_simhash.store.intents import Find, FindDateField, Parts, Where
from es_simhash.store.paths import get_values
from es_simhash.store.protocol import Steps, ask
from es_simhash.store.rows import Row
from es_simhash.store.state_entries import FamilyRule

# Documents of one family that are read.
MAX_MEMBERS = 500
# How often a document and its family are read where it moves to another one between the two.
MAX_READS = 3
# Members that share most with one are scored with it: chunks take long to compare.
_SCORED = 2
# How many bits of each byte are set.
_ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)
_REVERSED: Mapping[Kind, Kind] = {"contains": "excerpt_of", "excerpt_of": "contains"}


def relations_of(query: StoredText, hits: Sequence[Row], threshold: float) -> list[Relation]:
    """Return the relation of a text to each document, by what is stored of both.

    Args:
        query: The text.
        hits: The documents.
        threshold: Where versions begin in their index.
    """
    candidates = []
    for hit in hits:
        assert hit.stored is not None
        candidates.append(Candidate.of(query, hit.stored, hit.ref.id, hit.ref.index))
    return score_candidates(query, candidates, threshold)


def members_of(
    versions: Sequence[Row],
    config: IndexConfig,
    date_field: DateField | None,
    joined: Iterable[str] = (),
) -> list[FamilyMember]:
    """Return the members of a family in the order given.

    Args:
        versions: All of them, in the order of their dates.
        config: Of the index: where versions begin, and the field of the titles.
        date_field: Field of their dates; None without one.
        joined: Ids of those that a person joined with another.
    """
    nearest = _nearest(versions)
    wanted = [(place, other) for place, others in enumerate(nearest) for other in others]
    previous = {place: _previous(versions, place) for place in range(len(versions))}
    wanted += [(place, other) for place, other in previous.items() if other is not None]
    wanted += [(place, 0) for place in range(1, len(versions))]
    relations = _Relations.of(versions, wanted, config.versions_from)
    is_joined = set(joined)
    members = []
    for place, version in enumerate(versions):
        to_others = [relations.of_hit(place, other) for other in nearest[place]]
        known = [relation for relation in to_others if relation is not None]
        best = max(known, key=lambda relation: relation.score, default=None)
        members.append(
            FamilyMember(
                version.ref.id,
                version.ref.index,
                title_of(version, config),
                shown_date(version, date_field),
                version.represents is True,
                0 if version.stored is None else version.stored.characters,
                relations.kept(previous[place], place),
                relations.kept(0 if place else None, place),
                None if best is None else best.score,
                None if best is None else best.id,
                None if best is None else best.kind,
                version.ref.id in is_joined,
            )
        )
    return members


@dataclass(frozen=True)
class _Relations:
    """Relations of members, each pair compared once: the later is the query.

    Attributes:
        ids: Ids of the members.
        known: By the places of the later and the earlier.
    """

    ids: Sequence[str]
    known: Mapping[tuple[int, int], Relation]

    @classmethod
    def of(
        cls,
        versions: Sequence[Row],
        pairs: Iterable[tuple[int, int]],
        threshold: float,
    ) -> "_Relations":
        """Compare members by their places."""
        earlier: dict[int, set[int]] = defaultdict(set)
        for one, other in pairs:
            if versions[one].stored is not None and versions[other].stored is not None:
                earlier[max(one, other)].add(min(one, other))
        known = {}
        for place, others in earlier.items():
            text, ordered = versions[place].stored, sorted(others)
            assert text is not None
            found = relations_of(text, [versions[other] for other in ordered], threshold)
            known.update({(place, other): each for other, each in zip(ordered, found, strict=True)})
        return cls([version.ref.id for version in versions], known)

    def of_hit(self, hit: int, query: int) -> Relation | None:
        """Return the relation of one member, the query, to another, the hit."""
        relation = self.known.get((max(hit, query), min(hit, query)))
        if relation is None:
            return None
        if query < hit:
            coverage = Coverage(relation.coverage.of_hit, relation.coverage.of_query)
            kind = _REVERSED.get(relation.kind, relation.kind)
            relation = replace(relation, kind=kind, coverage=coverage)
        return replace(relation, id=self.ids[query])

    def kept(self, earlier: int | None, later: int) -> float | None:
        """Return the share of an earlier member that appears in a later one."""
        relation = None if earlier is None else self.known.get((later, earlier))
        return None if relation is None else relation.coverage.of_hit


def moved_each_time(name: str, index: str) -> ClusterError:
    """Return the error for a document whose family was another one each time it was read."""
    return ClusterError(
        f"Document {name!r} of index {index!r} moved to another family each time it was read. "
        "Try again when the run of families has ended."
    )


def title_of(version: Row, config: IndexConfig) -> str | None:
    """Return the first value of the field of titles; None without one."""
    if config.documents.title is None:
        return None
    values = get_values(version.source, config.documents.title)
    return next((str(value) for value in values if value is not None), None)


def represented(
    versions: Sequence[Row],
    where: Where,
    date_field: DateField | None,
    last: FamilyRule | None,
    config: IndexConfig,
) -> Steps[list[Row]]:
    """Return members of a family of which one represents it, whatever others there are.

    Where filters leave documents out, the one that a run has chosen may be among these: what is
    stored of the others does not count, as it would tell that there are such.

    Args:
        versions: The members that match.
        where: The conditions that they match.
        date_field: Field of their dates; None without one.
        last: Which document represents a family since the last run; None where that is not known.
        config: Of the index, with the rule for that case; the longest where it has none.
    """
    if all(version.represents is None for version in versions):
        return list(versions)
    rule = last or FamilyRule(config.representative or "longest", config.documents.date)
    dates = {version.ref: version.date for version in versions}
    by_date = None if rule.representative == "longest" else rule.date_field
    if by_date is not None and (date_field is None or date_field.name != by_date):
        field = yield from ask(FindDateField(by_date, "date_field"))
        dated = yield from ask(Find(where, Parts(date=field), MAX_MEMBERS, ()))
        dates = {row.ref: row.date for row in dated.rows}
    return _represented(versions, rule.representative, dates)


def _represented(
    versions: Sequence[Row], rule: str, dates: Mapping[DocumentRef, Date | None]
) -> list[Row]:
    """Return members of which the one that ranks highest represents the family."""

    def rank(version: Row) -> tuple[Date, str, DocumentRef]:
        if rule in ("newest", "oldest"):
            known = dates.get(version.ref)
            date = -math.inf if known is None else known
            first = -date if rule == "oldest" and known is not None else date
        else:
            first = 0 if version.stored is None else version.stored.characters
        return first, version.content_hash or "", version.ref

    representing = max(versions, key=rank).ref
    return [version._replace(represents=version.ref == representing) for version in versions]


def version_order(version: Row) -> tuple[bool, Date, DocumentRef]:
    """Return the key that sorts documents by date, those without one last, and by reference."""
    return version.date is None, 0 if version.date is None else version.date, version.ref


def shown_date(version: Row, date_field: DateField | None) -> str | None:
    """Return the date of a document as it is shown; None without one."""
    if date_field is None or version.date is None:
        return None
    return date_field.iso(version.date)


def _previous(ordered: Sequence[Row], place: int) -> int | None:
    """Return the place of the member before one; None where nothing says which that is."""
    if not place:
        return None
    is_unknown = ordered[place].date is None and ordered[0].date is not None
    return None if is_unknown else place - 1


def _nearest(versions: Sequence[Row]) -> list[list[int]]:
    """Return the numbers of the members that share most with each, by their shingles.

    Of those that share as much, the nearest in order.
    """
    shared = _shared(versions)
    counts = np.diagonal(shared)
    union = counts[:, None] + counts[None, :] - shared
    alike = shared / np.maximum(union, 1)
    nearest = []
    for place, row in enumerate(alike):
        others = [number for number in range(len(row)) if number != place]
        others.sort(key=lambda number: (-row[number], abs(number - place), number))
        nearest.append(others[:_SCORED])
    return nearest


def _shared(versions: Sequence[Row]) -> NDArray[np.int64]:
    """Return how many shingles each two members share.

    Rows of bits are compared: a matrix product would start threads, which take longer.
    """
    empty = np.zeros(0, np.uint32)
    shingles = [empty if each.stored is None else each.stored.shingles for each in versions]
    owners = np.repeat(np.arange(len(versions)), [len(each) for each in shingles])
    numbers, columns = np.unique(np.concatenate([empty, *shingles]), return_inverse=True)
    has = np.zeros((len(versions), len(numbers)), np.bool_)
    has[owners, columns] = True
    rows = np.packbits(has, axis=1)
    return np.array([_ONES[rows & row].sum(axis=1, dtype=np.int64) for row in rows])
