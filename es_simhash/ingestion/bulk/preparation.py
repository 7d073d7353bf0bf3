"""What a worker does: parse a batch, fingerprint it, and make the body of the bulk request."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.acceptance import accepted, one_of_each_id
from es_simhash.ingestion.bulk.batches import Batch
from es_simhash.ingestion.bulk.conflicts import OnConflict
from es_simhash.ingestion.bulk.documents import Document, loads, splice
from es_simhash.ingestion.bulk.kept_members import kept_members, with_members
from es_simhash.ingestion.bulk.lookup import Identity, Lookup
from es_simhash.ingestion.bulk.outcome import Failure
from es_simhash.ingestion.bulk.prepared import Prepared
from es_simhash.ingestion.bulk.unchanged import is_unchanged
from es_simhash.semantics.entities.document_entities import upstream_entities
from es_simhash.store.config import IndexConfig
from es_simhash.store.encoding import encode
from es_simhash.text.limits import chunk_limit_error
from es_simhash.text.segmentation import BATCH_CHARACTERS

Prepare = Callable[[Batch, IndexConfig, Lookup], "Prepared"]


def identify(batch: Batch, config: IndexConfig) -> list[Identity]:
    """Return the ids and routings of a batch, to look them up in the index."""
    documents = batch.documents(config)
    return [
        Identity(document.id, document.routing)
        for document in documents
        if isinstance(document, Document)
    ]


def prepare(
    batch: Batch, config: IndexConfig, lookup: Lookup, on_conflict: OnConflict = "last"
) -> Prepared:
    """Return a batch ready to be sent.

    Args:
        batch: What was read.
        config: How its documents are read and fingerprinted.
        lookup: What the index has of them.
        on_conflict: Which of several documents with one id is kept.
    """
    prepared = Prepared()
    documents = one_of_each_id(accepted(batch, config, lookup, prepared), prepared, on_conflict)
    member = json.dumps(config.simhash_field).encode()
    actions = []
    for document, simhash in enriched(documents, config, lookup, prepared):
        # What is decided about a text goes with it.
        kept = kept_members(document.text, lookup.stored.get(document.id), config)
        source = splice(document.source, member, with_members(simhash, kept))
        actions.append(index_action(document.id, source, document.routing))
    prepared.fill(actions)
    return prepared


def index_action(id: str, source: bytes, routing: str | None = None) -> bytes:
    """Return the two lines of a bulk request that write one document."""
    place = b"" if routing is None else b',"routing":%b' % json.dumps(routing).encode()
    return b'{"index":{"_id":%b%b}}\n%b\n' % (json.dumps(id).encode(), place, source)


def enriched(
    documents: list[Document], config: IndexConfig, lookup: Lookup, prepared: Prepared
) -> Iterator[tuple[Document, bytes]]:
    """Yield each document to write with its `simhash` object; `prepared` gets the others.

    Args:
        documents: Those that were accepted.
        config: How they are read and fingerprinted.
        lookup: What the index has of them, to leave out those that are unchanged.
        prepared: Gets the ids and positions of those that are yielded as well.
    """
    if lookup.is_compared and lookup.stored:
        documents = list(_changed(documents, lookup, config, prepared))
    for group in _groups(documents):
        yield from _encoded(group, config, prepared)


def _changed(
    documents: list[Document], lookup: Lookup, config: IndexConfig, prepared: Prepared
) -> Iterator[Document]:
    for document in documents:
        stored = lookup.stored.get(document.id)
        if stored is not None and is_unchanged(document, stored, config):
            prepared.unchanged.append((document.position, document.id))
        else:
            yield document


def _groups(documents: Sequence[Document]) -> Iterator[list[Document]]:
    """Yield groups of as many characters as are fingerprinted fastest."""
    group: list[Document] = []
    characters = 0
    for document in documents:
        group.append(document)
        characters += len(document.text)
        if characters >= BATCH_CHARACTERS:
            yield group
            group, characters = [], 0
    if group:
        yield group


def _encoded(
    group: list[Document], config: IndexConfig, prepared: Prepared
) -> Iterator[tuple[Document, bytes]]:
    sources = None
    if config.entity_fields:
        group, sources = _with_sources(group, config.entity_fields, prepared)
    derived = encode([document.text for document in group], config, sources)
    for document, count, simhash in zip(group, derived.chunks, derived.objects, strict=True):
        if reason := chunk_limit_error(count):
            prepared.failures.append(Failure(document.position, document.id, reason))
            continue
        prepared.ids.append(document.id)
        prepared.positions.append(document.position)
        yield document, simhash


def _with_sources(
    group: list[Document], fields: Sequence[str], prepared: Prepared
) -> tuple[list[Document], list[dict[str, Any]]]:
    """Parse the documents for the entities they hold; those of a wrong shape fail."""
    documents, sources = [], []
    for document in group:
        source = loads(document.line)
        try:
            upstream_entities(source, fields)
        except InputError as error:
            prepared.failures.append(Failure(document.position, document.id, str(error)))
            continue
        documents.append(document)
        sources.append(source)
    return documents, sources
