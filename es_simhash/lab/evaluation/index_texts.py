"""Texts of an index by the ids of documents, for an evaluation."""

from collections.abc import Sequence

from es_simhash.errors import InputError
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.installation.configuration import InstalledIndex
from es_simhash.store.installation.sidecar_source import sidecar_source
from es_simhash.store.source import text_of

# Documents of one request: long texts would make it too large.
_BATCH = 200


def index_texts(
    client: Client, index: str, ids: Sequence[str], config: IndexConfig
) -> dict[str, str]:
    """Return the texts of documents by their ids; those without a text are left out.

    Args:
        client: Of the cluster.
        index: Index, alias or data stream with fingerprint fields, or a sidecar.
        ids: Of the documents.
        config: How the index is read.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fingerprint fields.
        InputError: The text field holds something else than text, or no document has it.
    """
    gateway = Gateway.of(client)
    fields = InstalledIndex(gateway, index, config).config
    source = sidecar_source(gateway, index, fields.simhash_field) or index
    texts: dict[str, str] = {}
    found = 0
    for start in range(0, len(ids), _BATCH):
        some = ids[start : start + _BATCH]
        for entry in gateway.documents_by_id(source, some, fields.text_fields):
            found += bool(entry.get("found"))
            text = text_of(entry.get("_source", {}), fields.text_field)
            if text is not None:
                texts[entry["_id"]] = text
    if found and not texts:
        raise InputError(
            f"None of {found} documents of index {index!r} has text in field "
            f"{str(fields.text_field)!r}. Set text_field.",
            parameter="text_field",
        )
    return texts
