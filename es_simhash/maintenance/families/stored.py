"""The families that the documents of an index have, as they are stored."""

from collections import defaultdict
from typing import Any

from es_simhash.maintenance.families.family import Family
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.paths import get_path
from es_simhash.store.references import DocumentRef


def stored_families(
    client: Client, index: str, *, config: IndexConfig | None = None
) -> tuple[Family, ...]:
    """Return the families of several documents that an index has, the representative of each first.

    Nothing is computed: these are the families that the last run wrote, without what was written
    or deleted since.

    Args:
        client: Of the cluster.
        index: Index, alias or data stream with fingerprints.
        config: Names of the fields.

    Raises:
        IndexMissing: There is no such index.
    """
    config = config or IndexConfig()
    family = config.path(fields.FAMILY)
    represents = config.path(fields.REPRESENTATIVE)
    body: dict[str, Any] = {
        "_source": [family, represents],
        "query": {"exists": {"field": family}},
    }
    members: dict[str, list[tuple[bool, DocumentRef]]] = defaultdict(list)
    for hit in Gateway.of(client).pages(index, body):
        source = hit["_source"]
        follows = get_path(source, represents) is not True
        members[get_path(source, family)].append((follows, DocumentRef.of_hit(hit)))
    return tuple(
        Family(name, tuple(ref for _, ref in sorted(members[name])))
        for name in sorted(members)
        if len(members[name]) > 1
    )
