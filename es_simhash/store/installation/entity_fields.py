"""Fields that hold entities already, as the user names them: whether a name is misspelt."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.errors import InputError
from es_simhash.semantics.entities.document_entities import upstream_entities
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.conditions import find_body
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.intents import Find, Parts
from es_simhash.store.mapped_fields import fields_named, unknown_field

# Documents of which one must have a field that no mapping has.
_DOCUMENTS_READ = 100


def require_entity_fields(
    gateway: Gateway, mappings: Mapping[str, Mapping[str, Any]], names: Sequence[str]
) -> None:
    """Reject a field that neither a mapping nor a sample of the documents has.

    Entities may be in `_source` alone. Indices without documents may get such fields later.

    Args:
        gateway: To the cluster.
        mappings: The mapping of each index.
        names: The fields.

    Raises:
        InputError: There is no such field.
    """
    unmapped = [name for name in names if not fields_named(name, mappings)]
    if not unmapped:
        return
    sample = Find(parts=Parts(fields=tuple(unmapped)), size=_DOCUMENTS_READ, order=("random",))
    body = find_body(sample, IndexConfig())
    (response,) = gateway.search_all(",".join(sorted(mappings)), [body])
    sources = [hit.get("_source", {}) for hit in response["hits"]["hits"]]
    for name in unmapped:
        if sources and not any(_has(source, name) for source in sources):
            raise unknown_field(name, mappings, parameter="entity_fields", documents=True)


def _has(source: Mapping[str, Any], name: str) -> bool:
    try:
        return bool(upstream_entities(source, [name]))
    except InputError:
        return True
