"""What a worker does with a batch before it is decided which documents are versions."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from es_simhash.bulk.batches import Batch
from es_simhash.bulk.preparation import Prepared, Stored, accepted, enriched
from es_simhash.deduplication.decision import IncomingDocument
from es_simhash.fingerprints.text_fingerprints import (
    FingerprintBatch,
    fingerprint_batch,
    text_batches,
)
from es_simhash.storage.config import IndexConfig


@dataclass
class FingerprintedBatch:
    """A batch whose documents are fingerprinted, but not decided.

    Attributes:
        prepared: Ids and positions of its documents, and those that need no decision.
        documents: JSON of each document and of its `simhash` object, in the order of the ids.
        fingerprints: Fingerprints of their texts, in that order.
    """

    prepared: Prepared
    documents: list[tuple[bytes, bytes]]
    fingerprints: list[FingerprintBatch]

    def items(self, exists: Collection[str], text_field: str) -> Iterator[IncomingDocument]:
        """Yield the documents.

        Args:
            exists: Ids that the index has.
            text_field: Field of their texts.
        """
        fingerprints = (text for batch in self.fingerprints for text in batch)
        ids, positions = self.prepared.ids, self.prepared.positions
        for id, position, prints, (source, simhash) in zip(
            ids, positions, fingerprints, self.documents, strict=True
        ):
            yield IncomingDocument(id, position, prints, source, simhash, id in exists, text_field)


def prepare_undecided(
    batch: Batch, config: IndexConfig, stored: Stored | None
) -> FingerprintedBatch:
    """Return a batch ready to be decided.

    Args:
        batch: What was read.
        config: How its documents are read and fingerprinted.
        stored: Documents of the index by id, to leave out those that are unchanged.
    """
    prepared = Prepared()
    documents = accepted(batch, config, prepared)
    counts = Counter(document.id for document in documents)
    # Of several with one id, the second may be what the first is about to replace.
    once = {id: document for id, document in (stored or {}).items() if counts[id] == 1}
    chosen = list(enriched(documents, config, once, prepared))
    texts = text_batches(document.text for document, _ in chosen)
    return FingerprintedBatch(
        prepared,
        [(document.source, simhash) for document, simhash in chosen],
        [fingerprint_batch(group, config.scheme) for group in texts],
    )
