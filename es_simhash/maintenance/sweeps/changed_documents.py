"""Documents that were written since the last sweep, and the members of their families."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from es_simhash.ingestion.deduplication.stored_documents import StoredDocument
from es_simhash.ingestion.deduplication.version_decisions import Original
from es_simhash.maintenance.backfills.backfill_job import IndexPart
from es_simhash.pairs.family_changes import Family
from es_simhash.relation.references import DocumentRef
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import Date, DateField
from es_simhash.store.elasticsearch.calls import index_path
from es_simhash.store.elasticsearch.gateway import Gateway


@dataclass(frozen=True)
class Checkpoint:
    """The global checkpoint of one shard.

    Attributes:
        index: Index of the shard.
        shard: Number of the shard.
        name: Name of the shard that an index of the same name, created anew, does not have.
        seq_no: All writes up to this number are in every copy of the shard, so that a refresh
            makes them visible; of writes with higher numbers some may still be under way.
    """

    index: str
    shard: int
    name: str
    seq_no: int


def read_checkpoints(gateway: Gateway, index: str) -> list[Checkpoint]:
    """Return the global checkpoint of each shard of the indices behind a name.

    The highest number that a search sees would not do: concurrent writes become visible in any
    order, and one that was under way would never be processed.

    Raises:
        ClusterError: The privilege `monitor` is missing.
    """
    path = index_path(index, "_stats", "docs")
    stats = gateway.request("GET", path, params={"level": "shards"})
    return [
        Checkpoint(name, int(shard), f"{entry['uuid']}/{shard}", _global_checkpoint(copies))
        for name, entry in sorted(stats["indices"].items())
        for shard, copies in sorted(entry.get("shards", {}).items())
    ]


def _global_checkpoint(copies: Iterable[Mapping[str, Mapping[str, int]]]) -> int:
    return max(copy["seq_no"]["global_checkpoint"] for copy in copies if "seq_no" in copy)


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
            query = {"range": {"_seq_no": {"gt": last}}}
            parts.append(IndexPart(checkpoint.index, query, checkpoint.shard))
    return parts


# Names of families in one terms query.
_NAMES = 500


@dataclass(frozen=True)
class ChangedDocument:
    """A document that was written since the last sweep.

    Attributes:
        date: Its date; None without one, or without a field of dates.
        seq_no: Its sequence number.
        is_new: True when it was created since, and not updated afterwards.
        family: Stored family: it was decided before, or a sweep was killed before that.
    """

    date: Date | None
    seq_no: int
    is_new: bool
    family: str | None

    @property
    def order(self) -> tuple[Date, int]:
        """Sorts documents by their date, those without one last, and by their sequence number."""
        return float("inf") if self.date is None else self.date, self.seq_no


def changed_documents(
    gateway: Gateway,
    parts: Iterable[IndexPart],
    config: IndexConfig,
    date_field: DateField | None,
    *,
    is_first: bool,
) -> dict[DocumentRef, ChangedDocument]:
    """Return the documents of changed parts of an index; each takes about 300 bytes of memory.

    Args:
        gateway: To the cluster.
        parts: The changed parts, as `changed_parts` returns them.
        config: Of the index.
        date_field: Field of the date by which documents are ordered; None for the order in which
            they were written. That is known within a shard; of two shards it is taken to be as
            even as their sequence numbers.
        is_first: True when no sweep came before, so that no document is known to be new.
    """
    family = config.path(fields.FAMILY)
    body = {
        "_source": False,
        "docvalue_fields": [family, *([date_field.requested] if date_field else [])],
        "version": True,
        "seq_no_primary_term": True,
    }
    return {
        DocumentRef.of_hit(hit): ChangedDocument(
            date_field.of_hit(hit) if date_field else None,
            hit["_seq_no"],
            not is_first and hit["_version"] == 1,
            hit.get("fields", {}).get(family, [None])[0],
        )
        for part in parts
        for hit in gateway.pages(part.index, {**body, "query": part.query}, shard=part.shard)
    }


def families_by_name(
    gateway: Gateway, index: str, config: IndexConfig, names: Collection[str]
) -> Iterator[Family]:
    """Yield families by their names, with all documents that have them."""
    path = config.path(fields.FAMILY)
    body = {
        "_source": False,
        "docvalue_fields": [path],
        "sort": [{path: "asc"}, "_shard_doc"],
    }
    ordered = sorted(names)
    for start in range(0, len(ordered), _NAMES):
        query = {"terms": {path: ordered[start : start + _NAMES]}}
        hits = gateway.pages(index, {**body, "query": query})
        for name, members in groupby(hits, key=lambda hit: str(hit["fields"][path][0])):
            yield Family(name, tuple(map(DocumentRef.of_hit, members)))


@dataclass(frozen=True, eq=False)
class FamilyOriginal:
    """A document of a family that is a version of no other, as it was read.

    Attributes:
        original: The document as others are compared with it.
        stored: The document as it is stored.
    """

    original: Original
    stored: StoredDocument


@dataclass(frozen=True)
class Member:
    """A document of a family.

    Attributes:
        family: Name of the family.
        ref: Where the document is.
        change: What was changed since the last sweep; None for nothing.
        originals: The originals of the family so far; one list that all its members share.
    """

    family: str
    ref: DocumentRef
    change: ChangedDocument | None
    originals: list[FamilyOriginal]

    @property
    def order(self) -> tuple[bool, tuple[float, int], DocumentRef]:
        """Position: unchanged documents first, then the changed ones by their order."""
        return self.change is not None, self.change.order if self.change else (0.0, 0), self.ref


def members_in_order(
    families: Iterable[Family], changes: Mapping[DocumentRef, ChangedDocument]
) -> Iterator[Member]:
    """Yield the documents of each family that has changed ones, the unchanged first."""
    for family in families:
        originals: list[FamilyOriginal] = []
        members = [
            Member(family.name, ref, changes.get(ref), originals) for ref in family.documents
        ]
        if any(member.change for member in members):
            yield from sorted(members, key=lambda member: member.order)
