"""The text of a stored document that is queried, or why it has none."""

from collections.abc import Mapping
from typing import Any

from es_simhash.engine.gateway import Gateway
from es_simhash.errors import DocumentMissing, InputError, SchemeMismatch
from es_simhash.indices.text_fields import misspelt_hint
from es_simhash.storage import fields
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.source import text_of


def stored_text_of(
    gateway: Gateway, index: str, config: IndexConfig, entry: Mapping[str, Any]
) -> str:
    """Return the text of a document that was read.

    Args:
        gateway: Reads the mapping, where the field may be misspelt.
        index: Name of the index.
        config: How it is read.
        entry: The document, with `found`.

    Raises:
        DocumentMissing: It is not there.
        InputError: It has no text.
        SchemeMismatch: Its fingerprints are of another scheme than the index's.
    """
    id = entry["_id"]
    if not entry.get("found"):
        raise DocumentMissing(f"Document {id!r} is not in index {index!r}. Check the id.")
    source = entry.get("_source", {})
    text = text_of(source, config.text_field)
    if text is None:
        hint = misspelt_hint(gateway, index, config.text_field)
        raise InputError(
            f"Document {id!r} has no text in field {str(config.text_field)!r}{hint}. "
            "Set text_field.",
            parameter="text_field",
        )
    stored = text_of(source, config.path(fields.SCHEME))
    if stored is not None and stored != config.scheme.name:
        raise SchemeMismatch(
            f"Document {id!r} has fingerprints of scheme {stored!r}, but the index has "
            f"scheme {config.scheme.name!r}. Re-ingest the document."
        )
    return text
