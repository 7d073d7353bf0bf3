"""What the processes do with a batch whose documents are to be decided."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from es_simhash.bulk.batches import Batch
from es_simhash.bulk.preparation import Found, Prepared, accepted, enriched
from es_simhash.deduplication.decision import IncomingDocument
from es_simhash.fingerprints.text_fingerprints import FingerprintBatch as Prints
from es_simhash.fingerprints.text_fingerprints import fingerprint_batch, text_batches
from es_simhash.storage.config import IndexConfig


@dataclass
class Undecided:
    """A batch that can be decided.

    Attributes:
        prepared: Ids and places of its documents, and those that need no decision.
        documents: JSON of each document and of our object, in the order of the ids.
        prints: Fingerprints of their texts, in that order.
    """

    prepared: Prepared
    documents: list[tuple[bytes, bytes]]
    prints: list[Prints]

    def items(
        self, exists: Collection[str], text_field: str, date_field: str | None
    ) -> Iterator[IncomingDocument]:
        """Yield the documents.

        Args:
            exists: Ids that the index has.
            text_field: Field of their texts.
            date_field: Field of their dates; None when these do not matter.
        """
        prints = (each for batch in self.prints for each in batch)
        ids, places = self.prepared.ids, self.prepared.places
        for id, place, each, (source, simhash) in zip(
            ids, places, prints, self.documents, strict=True
        ):
            yield IncomingDocument(
                id, place, each, source, simhash, id in exists, text_field, date_field
            )


def prepare_undecided(batch: Batch, config: IndexConfig, found: Found | None) -> Undecided:
    """Make a batch ready to be decided.

    Args:
        batch: What was read.
        config: How its documents become actions.
        found: Documents of the index by id, to leave out those that are the same.
    """
    prepared = Prepared()
    documents = accepted(batch, config, prepared)
    counts = Counter(each.id for each in documents)
    # Of several with one id, the second may be what the first is about to replace.
    once = {id: each for id, each in (found or {}).items() if counts[id] == 1}
    chosen = list(enriched(documents, config, once, prepared))
    texts = text_batches(document.text for document, _ in chosen)
    return Undecided(
        prepared,
        [(document.source, simhash) for document, simhash in chosen],
        [fingerprint_batch(each, config.scheme) for each in texts],
    )
