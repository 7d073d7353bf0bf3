"""Indices that are created with the fields of their documents."""

from collections.abc import Iterable, Mapping
from typing import Any

# As the engine maps a text when it meets the first one. That change of the mapping takes half of
# the time of creating the index.
TEXT = {"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}}


def new_index(
    client: Any,
    name: str,
    fields: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    texts: Iterable[str] = ("id", "text"),
    **install_options: Any,
) -> None:
    """Create an index with the `simhash` object, texts, and other fields.

    Args:
        client: Client of the cluster.
        name: Name of the index.
        fields: Mapping of the fields that are no texts.
        texts: Fields that the engine would map as texts.
        install_options: Options of `install`.
    """
    from es_simhash.store.installation.install import install

    # None for an index that another fixture has made.
    for request in install(client, name, dry_run=True, **install_options):
        request.body["mappings"]["properties"] |= {**dict.fromkeys(texts, TEXT), **(fields or {})}
        client.indices.create(index=name, **request.body)
