"""The work of a worker: parse a batch, fingerprint it, and make what is sent, or decided, of it."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from es_simhash.errors import InputError, MissingExtra
from es_simhash.fingerprints.fingerprint_batch import FingerprintBatch
from es_simhash.ingestion.bulk.document_batches import Batch
from es_simhash.ingestion.bulk.json_documents import Document, loads, splice
from es_simhash.ingestion.bulk.lookup import (
    Identity,
    Lookup,
    is_unchanged,
    kept_members,
    values_apart,
    with_members,
)
from es_simhash.ingestion.bulk.outcomes import Failure
from es_simhash.ingestion.bulk.prepared_batches import Prepared
from es_simhash.ingestion.bulk.run_documents import REROUTED, Mark, OnConflict, mark_of
from es_simhash.ingestion.deduplication.version_decisions import IncomingDocument
from es_simhash.pairs.parted_texts import Values
from es_simhash.semantics.entities.document_entities import upstream_entities
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.bulk import index_action
from es_simhash.store.encoding import EncodedBatch, encode
from es_simhash.store.fields import FAMILY
from es_simhash.text.limits import MEBIBYTE, chunk_limit_error
from es_simhash.text.normal_forms import normalise
from es_simhash.text.segmentation import batches_of_texts, segment


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
    groups = enriched(documents, config, lookup, prepared)
    for document, simhash in chain.from_iterable(group.pairs for group in groups):
        # What is decided about a text goes with it.
        kept = kept_members(document, lookup.stored.get(document.id), config)
        source = splice(document.source, member, with_members(simhash, kept))
        version = lookup.versions.get(document.id)
        creates = config.is_stream
        actions.append(
            index_action(document.id, source, document.routing, creates=creates, version=version)
        )
    prepared.fill(actions)
    return prepared


def enriched(
    documents: list[Document], config: IndexConfig, lookup: Lookup, prepared: Prepared
) -> Iterator["EncodedGroup"]:
    """Yield the documents to write with their `simhash` objects; `prepared` gets the others.

    Args:
        documents: Those that were accepted.
        config: How they are read and fingerprinted.
        lookup: What the index has of them, to leave out those that are unchanged.
        prepared: Gets the ids and positions of those that are yielded as well.
    """
    if lookup.is_compared and lookup.stored:
        documents = list(_changed(documents, lookup, config, prepared))
    for group in batches_of_texts(documents, attrgetter("text")):
        yield from _encoded(group, config, prepared)


class EncodedGroup(NamedTuple):
    """Documents whose texts were fingerprinted together, and their `simhash` objects."""

    documents: list[Document]
    derived: EncodedBatch

    @property
    def pairs(self) -> Iterable[tuple[Document, bytes]]:
        """Each document with its object."""
        return zip(self.documents, self.derived.objects, strict=True)


def _changed(
    documents: list[Document], lookup: Lookup, config: IndexConfig, prepared: Prepared
) -> Iterator[Document]:
    for document in documents:
        stored = None if document.id in lookup.outdated else lookup.stored.get(document.id)
        if stored is not None and is_unchanged(document, stored, config):
            prepared.unchanged.append((document.position, document.id))
        else:
            yield document


def _encoded(
    group: list[Document], config: IndexConfig, prepared: Prepared
) -> Iterator[EncodedGroup]:
    sources = None
    if config.entity_fields:
        group, sources = _with_sources(group, config.entity_fields, prepared)
    try:
        derived = encode([document.text for document in group], config, sources)
    except MissingExtra as error:
        # One of them is in a language that this machine lacks a package for.
        if len(group) > 1:
            for document in group:
                yield from _encoded([document], config, prepared)
        else:
            failures = (Failure(each.position, each.id, str(error)) for each in group)
            prepared.failures.extend(failures)
        return
    errors = list(map(chunk_limit_error, np.diff(derived.fingerprints.chunk_bounds).tolist()))
    if any(errors):
        rest = []
        for document, reason in zip(group, errors, strict=True):
            if reason is None:
                rest.append(document)
            else:
                prepared.failures.append(Failure(document.position, document.id, reason))
        # There are few such texts, so that the others may well be encoded once more.
        yield from _encoded(rest, config, prepared)
        return
    prepared.ids += [document.id for document in group]
    prepared.positions += [document.position for document in group]
    yield EncodedGroup(group, derived)


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
                values=document.values,
            )


class UndecidedDocument(NamedTuple):
    """A document with its `simhash` object, the family it has, and what keeps it apart."""

    id: str
    position: int
    source: bytes
    simhash: bytes
    routing: str | None
    family: str | None
    values: Values


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
    groups = list(enriched(documents, config, replace(lookup, stored=once), prepared))
    return FingerprintedBatch(
        prepared,
        [
            _undecided(document, simhash, config, lookup)
            for group in groups
            for document, simhash in group.pairs
        ],
        [group.derived.fingerprints for group in groups],
    )


def _undecided(
    document: Document, simhash: bytes, config: IndexConfig, lookup: Lookup
) -> UndecidedDocument:
    # Whether it is a version of another is decided anew; its family stays.
    kept = kept_members(document, lookup.stored.get(document.id), config)
    position, id, _, source, _, routing = document
    values = values_apart(loads(source.decode()), config) if config.within else ()
    return UndecidedDocument(id, position, source, simhash, routing, kept.get(FAMILY), values)
