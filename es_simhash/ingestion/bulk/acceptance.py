"""Which documents of a batch can be written, and which of several with one id is."""

from es_simhash.ingestion.bulk.batches import Batch
from es_simhash.ingestion.bulk.conflicts import REROUTED, Mark, OnConflict, mark_of
from es_simhash.ingestion.bulk.documents import Document
from es_simhash.ingestion.bulk.lookup import Lookup
from es_simhash.ingestion.bulk.outcome import Failure
from es_simhash.ingestion.bulk.prepared import Prepared
from es_simhash.store.config import IndexConfig
from es_simhash.text.limits import MEBIBYTE, chunk_limit_error
from es_simhash.text.normal_forms import normalise
from es_simhash.text.segmentation import segment


def accepted(
    batch: Batch, config: IndexConfig, lookup: Lookup, prepared: Prepared
) -> list[Document]:
    """Return the documents of a batch, each with the routing that it is written with.

    Those that cannot be written go to `prepared`.
    """
    documents = []
    first: dict[str, Mark] = {}
    for document in batch.documents(config):
        if isinstance(document, Failure):
            prepared.failures.append(document)
            continue
        mark = mark_of(document)
        reason = _refusal(document, config, lookup, first.get(document.id, mark), mark)
        if reason is not None:
            prepared.failures.append(Failure(document.position, document.id, reason))
            continue
        first.setdefault(document.id, mark)
        prepared.marks[document.position] = mark
        routing = document.routing or lookup.routings.get(document.id)
        documents.append(document._replace(routing=routing))
    return documents


def _refusal(
    document: Document, config: IndexConfig, lookup: Lookup, first: Mark, mark: Mark
) -> str | None:
    """Return why a document cannot be written; None when it can."""
    if document.id in lookup.refused:
        return lookup.refused[document.id]
    if not mark.has_routing_of(first):
        return REROUTED
    return _too_many_chunks(document, config) if len(document.text) > MEBIBYTE else None


def _too_many_chunks(document: Document, config: IndexConfig) -> str | None:
    """Count before the costly part: fingerprints of 16 MiB of text take more than 1 GB."""
    segmentation = segment([normalise(document.text)], config.scheme)
    return chunk_limit_error(int(segmentation.text_chunks[-1]))


def one_of_each_id(
    documents: list[Document], prepared: Prepared, on_conflict: OnConflict
) -> list[Document]:
    """Return of documents with one id the one that is written, as if each came alone.

    Args:
        documents: Those that were accepted.
        prepared: Gets the others.
        on_conflict: Which of them is written.
    """
    if len({document.id for document in documents}) == len(documents):
        return documents
    ordered = documents[::-1] if on_conflict == "last" else documents
    kept: dict[str, Document] = {}
    for document in ordered:
        if kept.setdefault(document.id, document) is not document:
            prepared.repeats.append((document.position, document.id))
    return sorted(kept.values(), key=lambda document: document.position)
