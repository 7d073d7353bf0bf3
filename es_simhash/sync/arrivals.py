"""Documents that came since, before anything is written into them, and their families."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from es_simhash.backfills.job import IndexPart
from es_simhash.deduplication.decision import moment_of
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.families.report import Family
from es_simhash.families.snapshot import Key
from es_simhash.storage import fields
from es_simhash.storage.fields import field_path

_NAMES = 500


@dataclass(frozen=True)
class Arrival:
    """A document that came since.

    Attributes:
        order: What sorts documents by their date, if asked for, and by the time they came.
        is_new: True when it was created since, not changed afterwards, and is routed by its id.
        family: The family it has already: it was decided, or a sweep was killed before that.
    """

    order: tuple[float, int]
    is_new: bool
    family: str | None


def arrivals(
    client: Client,
    parts: Iterable[IndexPart],
    field: str,
    date_field: str | None,
    *,
    is_first: bool,
) -> dict[Key, Arrival]:
    """Return the documents of some parts of an index; each takes about 300 bytes of memory.

    Args:
        client: Of the cluster.
        parts: As `since` gave them.
        field: Name of our object.
        date_field: Field that tells who is first; by default it is who was written first. The
            order of writes is known in each shard; of two shards it is taken to be as even as
            their numbers of writes.
        is_first: Whether no sweep was here before, so that none of them is known to be new.
    """
    family = field_path(field, fields.FAMILY)
    body = {
        "_source": [date_field] if date_field else False,
        "docvalue_fields": [family],
        "version": True,
        "seq_no_primary_term": True,
    }
    return {
        Key(hit["_index"], hit["_id"]): _arrival(hit, family, date_field, is_first=is_first)
        for part in parts
        for hit in Gateway.of(client).pages(
            part.index, {**body, "query": part.query}, shard=part.shard
        )
    }


def _arrival(hit: Any, family: str, date_field: str | None, *, is_first: bool) -> Arrival:
    moment = moment_of(hit.get("_source", {}), date_field) if date_field else None
    return Arrival(
        (float("inf") if moment is None else moment, hit["_seq_no"]),
        not is_first and hit["_version"] == 1 and "_routing" not in hit,
        hit.get("fields", {}).get(family, [None])[0],
    )


def families_named(
    client: Client, index: str, field: str, names: Collection[str]
) -> Iterator[Family]:
    """Yield families by their names, with all documents that have them."""
    path = field_path(field, fields.FAMILY)
    body = {
        "_source": False,
        "docvalue_fields": [path],
        "sort": [{path: "asc"}, "_shard_doc"],
    }
    ordered = sorted(names)
    for start in range(0, len(ordered), _NAMES):
        query = {"terms": {path: ordered[start : start + _NAMES]}}
        found = Gateway.of(client).pages(index, {**body, "query": query})
        for name, members in groupby(found, key=lambda hit: str(hit["fields"][path][0])):
            documents = list(members)
            ids = tuple(hit["_id"] for hit in documents)
            yield Family(
                name,
                ids[0],
                ids,
                tuple(hit["_index"] for hit in documents),
                tuple(hit.get("_routing") for hit in documents),
            )
