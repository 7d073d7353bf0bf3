"""Documents that were written since the last sweep, and the members of their families."""

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from es_simhash.ingestion.deduplication.version_decisions import Original
from es_simhash.maintenance.backfills.backfill_job import IndexPart
from es_simhash.pairs.family_changes import Family
from es_simhash.relation.references import DocumentRef, Key
from es_simhash.store.dates import Date, DateField
from es_simhash.store.elasticsearch.index_stats import Checkpoint
from es_simhash.store.installation.state_index import SweepCheckpoint
from es_simhash.store.intents import Parts, Where
from es_simhash.store.protocol import WritableStore
from es_simhash.store.rows import Row


def changed_parts(
    checkpoints: Iterable[Checkpoint], processed: Mapping[str, int]
) -> list[IndexPart]:
    """Return what was written since; all of a shard that is new, or was restored to a lower number.

    Args:
        checkpoints: As they are now.
        processed: Last sequence number that was processed, by the name of the shard.
    """
    parts = []
    for checkpoint in checkpoints:
        last = processed.get(checkpoint.name, -1)
        if last > checkpoint.seq_no:
            last = -1
        if last < checkpoint.seq_no:
            # Writes above the checkpoint are processed too as far as they are visible, and again
            # by the next sweep.
            where = Where(above_seq_no=last)
            parts.append(IndexPart(checkpoint.index, where, checkpoint.shard, checkpoint.name))
    return parts


# Names of families in one terms query.
_NAMES = 500


@dataclass(frozen=True)
class ChangedDocument:
    """A document that was written since the last sweep.

    Attributes:
        date: Its date; None without one, or without a field of dates.
        seq_no: Its sequence number.
        is_new: True when it was created since, in a shard that the last sweep knew, and not updated
            afterwards.
        family: Stored family; a sweep gives one to each text.
        is_undecided: True when it was not written by the last sweep alone, so that this one
            decides about it.
    """

    date: Date | None
    seq_no: int
    is_new: bool
    family: str | None
    is_undecided: bool = True

    @property
    def order(self) -> tuple[Date, int]:
        """Sorts documents by their date, those without one last, and by their sequence number."""
        return float("inf") if self.date is None else self.date, self.seq_no


def changed_documents(
    store: WritableStore,
    parts: Iterable[IndexPart],
    date_field: DateField | None,
    last: SweepCheckpoint,
) -> dict[DocumentRef, ChangedDocument]:
    """Return the documents of changed parts of an index; each takes about 300 bytes of memory.

    Those that the last sweep wrote to are among them; it has decided about them, or was to leave
    them as they are. `with_new_texts` tells those whose text is another one now.

    Args:
        store: The index.
        parts: The changed parts, as `changed_parts` returns them.
        date_field: Field of the date by which documents are ordered; None for the order in which
            they were written. That is known within a shard; of two shards it is taken to be as
            even as their sequence numbers.
        last: Where the last sweep left the index; without numbers when none came before, so that
            no document is known to be new and all are to be decided.
    """
    is_first = not last.seq_nos
    wanted = Parts(family=True, date=date_field, version=True)
    changes = {}
    for part in parts:
        # What the last sweep did not know, as an index that was made anew from another or restored,
        # may have documents that existed long before.
        is_known = last.seq_nos.get(part.name) == part.where.above_seq_no
        # Earlier versions did not store it.
        ended = last.ended.get(part.name, -1)
        with store.snapshot(part.index, shard=part.shard) as snapshot:
            for row in snapshot.rows(part.where, wanted):
                seq_no = row.read_version.seq_no
                is_new = is_known and row.writes == 1
                is_undecided = (
                    is_first
                    or is_new
                    or row.family is None
                    or row.ref.id in last.undecided
                    or seq_no > ended
                )
                changes[row.ref] = ChangedDocument(
                    row.date, seq_no, is_new, row.family, is_undecided
                )
    return changes


@dataclass(frozen=True)
class SweptDocuments:
    """Documents that a sweep has decided about, or has written to itself.

    Attributes:
        changes: The documents that were changed since the sweep before.
        rewritten: Documents that were given another family.
    """

    changes: Mapping[DocumentRef, ChangedDocument]
    rewritten: Collection[DocumentRef]

    def __contains__(self, ref: object) -> bool:
        if ref in self.rewritten:
            return True
        change = self.changes.get(ref) if isinstance(ref, DocumentRef) else None
        return change is not None and change.is_undecided


def have_others_written(
    began: Iterable[Checkpoint], now: Iterable[Checkpoint], writes: int | None
) -> bool:
    """Check whether anybody else may have written to an index: each write has a number of its own.

    Args:
        began: Where the shards were before.
        now: Where they are.
        writes: The writes that are known; None where it is unknown who wrote.
    """
    before = {checkpoint.name: checkpoint.seq_no for checkpoint in began}
    after = {checkpoint.name: checkpoint.highest for checkpoint in now}
    if before.keys() != after.keys():
        return True
    return sum(after.values()) - sum(before.values()) != writes


def overlooked_documents(
    store: WritableStore, began: Iterable[Checkpoint], swept: Container[DocumentRef]
) -> set[str]:
    """Return the ids of documents that others wrote during a sweep that did not decide about them.

    Some programs write a document twice, as when the answer of the first request is lost, or give
    one that an earlier sweep has decided another text. By their sequence numbers the next sweep
    would take these for what the one before it wrote, and leave them undecided. What was written
    once, or has no family, it decides in any case.

    Args:
        store: The index.
        began: Where the shards were when the sweep began.
        swept: The documents that it has decided about, or has written to itself.
    """
    overlooked = set()
    for checkpoint in began:
        where = Where(above_seq_no=checkpoint.seq_no)
        with store.snapshot(checkpoint.index, shard=checkpoint.shard) as snapshot:
            for row in snapshot.rows(where, Parts(family=True, version=True)):
                if row.writes != 1 and row.family is not None and row.ref not in swept:
                    overlooked.add(row.ref.id)
    return overlooked


def with_new_texts(
    changes: Mapping[DocumentRef, ChangedDocument], enriched: Collection[Key]
) -> dict[DocumentRef, ChangedDocument]:
    """Return changed documents; those that got new fingerprints have another text, or had none.

    Args:
        changes: The documents.
        enriched: Index and id of those that got fingerprints.
    """
    return {
        ref: replace(change, is_undecided=change.is_undecided or ref.key in enriched)
        for ref, change in changes.items()
    }


def families_by_name(store: WritableStore, names: Collection[str]) -> Iterator[Family]:
    """Yield families by their names, with all documents that have them."""
    ordered = sorted(names)
    with store.snapshot() as snapshot:
        for start in range(0, len(ordered), _NAMES):
            members: dict[str, list[DocumentRef]] = defaultdict(list)
            where = Where(families=tuple(ordered[start : start + _NAMES]))
            for row in snapshot.rows(where, Parts(family=True)):
                members[str(row.family)].append(row.ref)
            for name in sorted(members):
                yield Family(name, tuple(members[name]))


@dataclass(frozen=True, eq=False)
class FamilyOriginal:
    """A document of a family that is a version of no other, as it was read.

    Attributes:
        original: The document as others are compared with it.
        stored: The document as it is stored.
    """

    original: Original
    stored: Row


@dataclass(frozen=True)
class Member:
    """A document of a family.

    Attributes:
        family: Name of the family.
        ref: Where the document is.
        change: How it was changed since the last sweep; None for a document that was not.
        originals: The originals of the family so far; one list that all its members share.
    """

    family: str
    ref: DocumentRef
    change: ChangedDocument | None
    originals: list[FamilyOriginal]

    @property
    def is_undecided(self) -> bool:
        """True when this sweep decides about it."""
        return self.change is not None and self.change.is_undecided

    @property
    def order(self) -> tuple[bool, tuple[float, int], DocumentRef]:
        """Position: decided documents first, then the others by their order."""
        return self.is_undecided, self.change.order if self.change else (0.0, 0), self.ref


def members_in_order(
    families: Iterable[Family], changes: Mapping[DocumentRef, ChangedDocument]
) -> Iterator[Member]:
    """Yield the documents of each family that has undecided ones, those decided before first."""
    for family in families:
        originals: list[FamilyOriginal] = []
        members = [
            Member(family.name, ref, changes.get(ref), originals) for ref in family.documents
        ]
        if any(member.is_undecided for member in members):
            yield from sorted(members, key=lambda member: member.order)
