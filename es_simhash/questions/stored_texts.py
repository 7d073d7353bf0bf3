"""The texts of stored documents, by their ids; what cannot be read is an error that says why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.errors import DocumentMissing, InputError, SchemeMismatch
from es_simhash.questions.access import IndexAccess
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.text_fields import misspelt_hint
from es_simhash.store.source import text_of


@dataclass(frozen=True)
class StoredTexts:
    """Reads the texts of an index.

    Attributes:
        gateway: To the cluster.
        name: Of the index, for errors.
        config: How the index is read and fingerprinted.
        access: How its documents are read.
    """

    gateway: Gateway
    name: str
    config: IndexConfig
    access: IndexAccess

    def texts(self, ids: Sequence[str]) -> list[str]:
        """Return the texts of documents.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """
        return [self.text_of(entry) for entry in self.access.entries(ids, self.config.text_fields)]

    def entries(self, ids: Sequence[str]) -> list[Mapping[str, Any]]:
        """Return documents with what their analysis needs, each with `found`."""
        wanted = [*self.config.text_fields, *self.config.entity_fields]
        if self.access.has_fingerprints:
            wanted.append(self.config.path(fields.SCHEME))
        return self.access.entries(ids, wanted)

    def text_of(self, entry: Mapping[str, Any]) -> str:
        """Return the text of a document that was read.

        Raises:
            DocumentMissing: It is not there.
            InputError: It has no text.
            SchemeMismatch: It was fingerprinted with another scheme than the index's.
        """
        id = entry["_id"]
        if not entry.get("found"):
            raise DocumentMissing(f"Document {id!r} is not in index {self.name!r}. Check the id.")
        source = entry.get("_source", {})
        text = text_of(source, self.config.text_field)
        if text is None:
            hint = misspelt_hint(self.gateway, self.name, self.config.text_field)
            raise InputError(
                f"Document {id!r} has no text in field {str(self.config.text_field)!r}{hint}. "
                "Set text_field.",
                parameter="text_field",
            )
        stored = text_of(source, self.config.path(fields.SCHEME))
        if stored is not None and stored != self.config.scheme.name:
            raise SchemeMismatch(
                f"Document {id!r} has fingerprints of scheme {stored!r}, but the index has "
                f"scheme {self.config.scheme.name!r}. Re-ingest the document."
            )
        return text
