"""Documents as the index has them now, which searches may not see yet, and their dates."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from es_simhash.fingerprints.text_fingerprints import content_hash
from es_simhash.ingestion.bulk.json_documents import cut
from es_simhash.ingestion.bulk.lookup import paths_apart, values_apart
from es_simhash.ingestion.deduplication.version_rules import OnVersion, RunContext
from es_simhash.pairs.parted_texts import claim_of
from es_simhash.relation.references import DocumentRef
from es_simhash.store.changes import Change
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import Date, DateField
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.updates import require_accepted
from es_simhash.store.installation.date_fields import DateReader
from es_simhash.store.intents import DocumentsAt, Parts
from es_simhash.store.mapped_fields import find_date_field
from es_simhash.store.protocol import WritableStore
from es_simhash.store.rows import Row, WriteResult
from es_simhash.text.normal_forms import normalise

WHOLE = Parts(whole=True, text=True, members=True)
_COMPARED = Parts(text=True, members=True)


class StoredDocuments:
    """Reads documents of one index in real time, refreshed or not, and changes them.

    Args:
        context: Context of the run.
        store: The index, for requests; it retries.

    Attributes:
        context: That context.
        store: That index.
    """

    def __init__(self, context: RunContext, store: WritableStore) -> None:
        self.context = context
        self.store = store
        # What is replaced goes to the audit log as a whole.
        compared = replace(_COMPARED, fields=tuple(paths_apart(context.config)))
        self._parts = WHOLE if context.rules.action == "replace" else compared

    def read(self, refs: Sequence[DocumentRef], parts: Parts | None = None) -> list[Row | None]:
        """Return documents, by default with what decisions and their records need.

        Where the text is read as well, a content hash is that of the text: `as_it_is`.
        """
        parts = parts or self._parts
        rows = self.store.ask([DocumentsAt(tuple(refs), parts)])[0] if refs else {}
        if parts.text:
            rows = {ref: as_it_is(row) for ref, row in rows.items()}
        return [rows.get(ref) for ref in refs]

    def claim(self, row: Row) -> str | None:
        """Return the key under which a text is reserved; None where its hash is not known."""
        if row.content_hash is None:
            return None
        return claim_of(row.content_hash, values_apart(row.source, self.context.config))

    def existing(self, refs: Sequence[DocumentRef]) -> set[str]:
        """Return the ids of those of the documents that the index has."""
        return {row.id for row in self.read(refs, Parts()) if row is not None}

    def refresh(self) -> None:
        """Let searches see what was written, where the privileges allow it."""
        self.store.refresh_if_allowed(self.context.index)

    def change(self, changes: Sequence[Change]) -> Sequence[WriteResult]:
        """Change documents, and return the result of each.

        Raises:
            ClusterError: A change is rejected for another reason than a newer version.
        """
        return require_accepted(changes, self.store.change(changes))


def as_it_is(row: Row) -> Row:
    """Return a document that was read with its text, without a content hash of another text.

    A program may have changed the text alone: what is stored beside it is of the text before.
    """
    if row.content_hash in (None, content_hash(normalise(row.text or ""))):
        return row
    return row._replace(content_hash=None)


def source_json(row: Row, config: IndexConfig) -> bytes:
    """Return the JSON of a document that was read as a whole.

    It is without the `simhash` object, which is computed anew on a restore.
    """
    return cut(json.dumps(row.source), {config.simhash_field}).encode()


@dataclass(frozen=True)
class DocumentDates:
    """The dates of one run.

    Attributes:
        field: Their field; None when the rules name none.
        reader: Reads those of documents that no search returns yet; None when no decision rests
            on a date.
    """

    field: DateField | None = None
    reader: DateReader | None = None

    @classmethod
    def of(cls, gateway: Gateway, index: str, rules: OnVersion) -> "DocumentDates":
        """Return the dates that rules need; without a date field nothing is sent.

        Raises:
            InputError: No mapping has the field.
            MappingConflict: It holds no dates, or they cannot be compared.
        """
        if rules.date_field is None:
            return cls()
        mappings = gateway.mappings(index)
        field = find_date_field(mappings, rules.date_field, parameter="date_field")
        if not rules.compares_dates:
            return cls(field)
        return cls(field, DateReader.of(gateway, mappings, field, parameter="date_field"))

    @property
    def compared(self) -> DateField | None:
        """The field, when decisions rest on it; None otherwise."""
        return None if self.reader is None else self.field

    def of_stored(self, sources: Sequence[Mapping[str, Any]]) -> list[Date | None]:
        """Return the dates of documents of the index that were read by their ids.

        There is none for what the mapping ignores.
        """
        if self.reader is None:
            return [None] * len(sources)
        return [reading.date for reading in self.reader.read(sources)]
