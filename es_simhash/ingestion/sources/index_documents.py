"""The documents of another index, or of one of another cluster, as a source."""

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import ClassVar

from es_simhash.ingestion.bulk.document_batches import Batch, BatchLimits, Checkpoint, Records
from es_simhash.ingestion.bulk.json_documents import ID, ROUTING
from es_simhash.ingestion.sources.record_file import json_of
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.intents import Parts, Where
from es_simhash.store.mapping_meta import upgraded_fields
from es_simhash.store.paths import without_path
from es_simhash.store.rows import Row

# What a path begins with that names an index.
INDEX_PATH = "index:"
_PAGE = 500


@dataclass(frozen=True)
class IndexDocuments:
    """The documents of an index, as they are when they are first read.

    Attributes:
        name: What the source is called, `index:NAME` or `index:PROFILE/NAME`.
        index: The index, alias or data stream.
        opened: Opens a gateway to its cluster.
        simhash_field: Object of the fingerprints, which are computed again.
    """

    name: str
    index: str
    opened: Callable[[], AbstractContextManager[Gateway]]
    simhash_field: str
    can_resume: ClassVar[bool] = False

    def size(self) -> None:
        """Return None: bytes of an index say nothing of its documents."""
        return

    def is_unchanged(self, checkpoint: Checkpoint) -> bool:
        """Return False: what was read is not there any more."""
        return False

    def batches(self, limits: BatchLimits, start: Checkpoint | None) -> Iterator[Batch]:
        """Yield its documents, in no order."""
        with self.opened() as gateway:
            mappings = gateway.mappings(self.index)
            config = IndexConfig(simhash_field=self.simhash_field)
            store = ElasticsearchStore(gateway, self.index, config, is_complete=True)
            with store.snapshot(must_refresh=False) as snapshot:
                rows = snapshot.rows(Where(), Parts(fields=("*",)), page=_PAGE)
                ours = {self.simhash_field, *upgraded_fields(mappings, self.simhash_field)}
                yield from self._batches(rows, limits, ours)

    def _batches(
        self, rows: Iterator[Row], limits: BatchLimits, ours: Collection[str]
    ) -> Iterator[Batch]:
        lines: list[bytes] = []
        size = 0
        for row in rows:
            lines.append(self._line(row, ours))
            size += len(lines[-1])
            if len(lines) >= limits.documents or size >= limits.bytes:
                yield self._batch(lines)
                lines, size = [], 0
        if lines:
            yield self._batch(lines)

    def _line(self, row: Row, ours: Collection[str]) -> bytes:
        document = dict(row.source)
        for field in ours:
            document = without_path(document, field)
        routing = {} if row.ref.routing is None else {ROUTING: row.ref.routing}
        return json_of({**document, ID: row.id, **routing})

    def _batch(self, lines: list[bytes]) -> Records:
        return Records(self.name, (None,) * len(lines), tuple(lines), {}, 0)
