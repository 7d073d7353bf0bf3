"""What a worker does with a batch before it is decided which documents are versions."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from es_simhash.fingerprints.fingerprint_batch import FingerprintBatch
from es_simhash.fingerprints.text_fingerprints import fingerprint_batch
from es_simhash.ingestion.bulk.batch_preparation import accepted, enriched
from es_simhash.ingestion.bulk.document_batches import Batch
from es_simhash.ingestion.bulk.json_documents import Document
from es_simhash.ingestion.bulk.lookup import Lookup, kept_members
from es_simhash.ingestion.bulk.prepared_batches import Prepared
from es_simhash.ingestion.deduplication.version_decisions import IncomingDocument
from es_simhash.store.config import IndexConfig
from es_simhash.store.fields import FAMILY
from es_simhash.text.segmentation import text_batches


@dataclass
class FingerprintedBatch:
    """A batch whose documents are fingerprinted, but not decided.

    Attributes:
        prepared: Ids and positions of its documents, and those that need no decision.
        documents: The documents, each with its `simhash` object, in the order of the ids.
        fingerprints: Fingerprints of their texts, in that order.
    """

    prepared: Prepared
    documents: "list[UndecidedDocument]"
    fingerprints: list[FingerprintBatch]

    def items(self, exists: Collection[str]) -> Iterator[IncomingDocument]:
        """Yield the documents; the ids are those that the index has."""
        fingerprints = (text for batch in self.fingerprints for text in batch)
        for prints, document in zip(fingerprints, self.documents, strict=True):
            yield IncomingDocument(
                document.id,
                document.position,
                prints,
                document.source,
                document.simhash,
                document.id in exists,
                routing=document.routing,
                mark=self.prepared.marks[document.position],
                family=document.family,
            )


class UndecidedDocument(NamedTuple):
    """A document with its `simhash` object, and the family it has in the index."""

    id: str
    position: int
    source: bytes
    simhash: bytes
    routing: str | None
    family: str | None


def prepare_undecided(batch: Batch, config: IndexConfig, lookup: Lookup) -> FingerprintedBatch:
    """Return a batch ready to be decided.

    Args:
        batch: What was read.
        config: How its documents are read and fingerprinted.
        lookup: What the index has of them.
    """
    prepared = Prepared()
    documents = accepted(batch, config, lookup, prepared)
    counts = Counter(document.id for document in documents)
    # Of several with one id, the second may be what the first is about to replace.
    once = {id: source for id, source in lookup.stored.items() if counts[id] == 1}
    chosen = list(enriched(documents, config, replace(lookup, stored=once), prepared))
    texts = text_batches(document.text for document, _ in chosen)
    return FingerprintedBatch(
        prepared,
        [_undecided(document, simhash, config, lookup) for document, simhash in chosen],
        [fingerprint_batch(group, config.scheme) for group in texts],
    )


def _undecided(
    document: Document, simhash: bytes, config: IndexConfig, lookup: Lookup
) -> UndecidedDocument:
    # Whether it is a version of another is decided anew; its family stays.
    kept = kept_members(document.text, lookup.stored.get(document.id), config)
    position, id, _, source, _, routing = document
    return UndecidedDocument(id, position, source, simhash, routing, kept.get(FAMILY))
