"""Documents that were written since the last sweep, and the families they had before this one."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from es_simhash.maintenance.backfills.job import IndexPart
from es_simhash.maintenance.families.family import Family
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import Date, DateField
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.references import DocumentRef

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
