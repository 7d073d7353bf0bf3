"""Documents as the index has them now, which searches may not see yet."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from es_simhash.ingestion.bulk.json_documents import cut
from es_simhash.ingestion.deduplication.version_rules import RunContext
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.fields import LARGE_MEMBERS
from es_simhash.store.source import stored_text, text_of


@dataclass(frozen=True)
class StoredDocument:
    """A document of the index, in the version that was read.

    Attributes:
        version: Where it is, and its version.
        source: Its fields, as far as they were read.
        config: How the index is read.
    """

    version: DocumentVersion
    source: Mapping[str, Any]
    config: IndexConfig = field(repr=False)

    @classmethod
    def of_entry(cls, entry: Mapping[str, Any], config: IndexConfig) -> "StoredDocument | None":
        """Return the document of an entry of a multi-get; None when it is not there."""
        if not entry.get("found"):
            return None
        return cls(DocumentVersion.of_hit(entry), entry.get("_source", {}), config)

    @property
    def ref(self) -> DocumentRef:
        """Where it is."""
        return self.version.ref

    @property
    def text(self) -> str:
        """Its text; empty without one."""
        return stored_text(self.source, self.config.text_field) or ""

    @property
    def content_hash(self) -> str | None:
        """Stored content hash of its text; None without one."""
        return self._member(fields.CONTENT_HASH)

    @property
    def family(self) -> str | None:
        """Its family; None without one."""
        return self._member(fields.FAMILY)

    @property
    def duplicate_of(self) -> str | None:
        """Id of the original it is flagged as a version of; None when it is not."""
        return self._member(fields.DUPLICATE_OF)

    def _member(self, name: str) -> str | None:
        return text_of(self.source, self.config.path(name))

    @property
    def target(self) -> dict[str, Any]:
        """Head of a bulk action on this version of the document."""
        return {"_index": self.ref.index, "_id": self.ref.id, **self.version.conditions}

    def to_json(self) -> bytes:
        """Return its JSON without the `simhash` object, which is computed anew on a restore."""
        return cut(json.dumps(self.source), {self.config.simhash_field}).encode()


class StoredDocuments:
    """Reads documents of one index in real time, refreshed or not.

    Args:
        gateway: Sends the requests; it retries.
        context: Of the run.

    Attributes:
        gateway: That gateway.
        context: That context.
    """

    def __init__(self, gateway: Gateway, context: RunContext) -> None:
        self.gateway = gateway
        self.context = context
        config = context.config
        self._large = [config.path(member) for member in LARGE_MEMBERS]
        compared = [config.path(member) for member in (fields.CONTENT_HASH, fields.FAMILY)]
        # What is replaced goes to the audit log as a whole.
        is_whole = context.rules.action == "replace"
        self._fields = None if is_whole else [*config.text_fields, *compared]

    def read(self, refs: Sequence[DocumentRef]) -> list[StoredDocument | None]:
        """Return documents with the fields that decisions and their records need."""
        return self.read_fields(refs, self._fields)

    def read_fields(
        self, refs: Sequence[DocumentRef], names: Sequence[str] | None
    ) -> list[StoredDocument | None]:
        """Return documents with some fields; with all but the large `simhash` ones for None."""
        entries = self.gateway.documents(
            refs,
            names,
            index=self.context.index,
            excluded=self._large if names is None else (),
        )
        return [StoredDocument.of_entry(entry, self.context.config) for entry in entries]

    def existing(self, refs: Sequence[DocumentRef]) -> set[str]:
        """Return the ids of those of the documents that the index has."""
        documents = self.read_fields(refs, [])
        return {document.ref.id for document in documents if document is not None}
