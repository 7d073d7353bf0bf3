"""What a worker does: parse a batch, fingerprint it, and make the body of the bulk request."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from es_simhash.bulk.batches import Batch
from es_simhash.bulk.documents import Document, loads, splice
from es_simhash.bulk.outcome import Failure
from es_simhash.bulk.unchanged import is_unchanged
from es_simhash.errors import InputError
from es_simhash.fingerprints.text_fingerprints import BATCH_CHARACTERS
from es_simhash.semantics.entities.document_fields import upstream_entities
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.encoding import encode
from es_simhash.text.limits import MEBIBYTE, chunk_limit_error
from es_simhash.text.segmentation import normalise, segment

# Documents of the index by their ids.
Stored = Mapping[str, Mapping[str, Any]]
Prepare = Callable[[Batch, IndexConfig, "Stored | None"], "Prepared"]

REPEATED_ID = "A later document has the same id."


@dataclass
class Prepared:
    """A batch ready to be sent.

    Attributes:
        body: Body of the bulk request.
        ends: Where the action of each document ends in the body.
        ids: Id of each document in the body.
        positions: Number in the batch of each document in the body.
        unchanged: Position and id of documents that need not be written, with the reason if it is
            another than that the index has them.
        failures: Documents that cannot be written.
    """

    body: bytes = b""
    ends: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    unchanged: list[tuple[int, str, str | None]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    @property
    def stored_ids(self) -> set[str]:
        """Ids of documents that are left out because the index has them."""
        return {id for _, id, reason in self.unchanged if reason is None}

    def fill(self, actions: Sequence[bytes]) -> None:
        """Set the body to these actions."""
        end = 0
        for action in actions:
            end += len(action)
            self.ends.append(end)
        self.body = b"".join(actions)


def identify(batch: Batch, config: IndexConfig) -> list[str]:
    """Return the ids of a batch, to look them up in the index."""
    documents = batch.documents(config)
    return [document.id for document in documents if isinstance(document, Document)]


def prepare(batch: Batch, config: IndexConfig, stored: Stored | None) -> Prepared:
    """Return a batch ready to be sent.

    Args:
        batch: What was read.
        config: How its documents are read and fingerprinted.
        stored: Documents of the index by id, to leave out those that are unchanged; None to leave
            out none.
    """
    prepared = Prepared()
    documents = _last_of_each_id(accepted(batch, config, prepared), prepared)
    member = json.dumps(config.simhash_field).encode()
    prepared.fill(
        [
            index_action(document.id, splice(document.source, member, simhash))
            for document, simhash in enriched(documents, config, stored, prepared)
        ]
    )
    return prepared


def index_action(id: str, source: bytes) -> bytes:
    """Return the two lines of a bulk request that write one document."""
    return b'{"index":{"_id":%b}}\n%b\n' % (json.dumps(id).encode(), source)


def accepted(batch: Batch, config: IndexConfig, prepared: Prepared) -> list[Document]:
    """Return the documents of a batch; those that cannot be written go to `prepared`."""
    documents = []
    for document in batch.documents(config):
        if isinstance(document, Failure):
            prepared.failures.append(document)
        elif len(document.text) > MEBIBYTE and (reason := _too_many_chunks(document, config)):
            prepared.failures.append(Failure(document.position, document.id, reason))
        else:
            documents.append(document)
    return documents


def _too_many_chunks(document: Document, config: IndexConfig) -> str | None:
    """Count before the costly part: fingerprints of 16 MiB of text take more than 1 GB."""
    segmentation = segment([normalise(document.text)], config.scheme)
    return chunk_limit_error(int(segmentation.text_chunks[-1]))


def _last_of_each_id(documents: list[Document], prepared: Prepared) -> list[Document]:
    """Of documents with one id the last is written, as if they came one after the other."""
    last = {document.id: document.position for document in documents}
    if len(last) == len(documents):
        return documents
    prepared.unchanged += [
        (document.position, document.id, REPEATED_ID)
        for document in documents
        if last[document.id] != document.position
    ]
    return [document for document in documents if last[document.id] == document.position]


def enriched(
    documents: list[Document], config: IndexConfig, stored: Stored | None, prepared: Prepared
) -> Iterator[tuple[Document, bytes]]:
    """Yield each document to write with its `simhash` object; `prepared` gets the others.

    Args:
        documents: Those that were accepted.
        config: How they are read and fingerprinted.
        stored: Documents of the index by id, to leave out those that are unchanged.
        prepared: Gets the ids and positions of those that are yielded as well.
    """
    if stored:
        documents = list(_changed(documents, stored, config, prepared))
    for group in _groups(documents):
        yield from _encoded(group, config, prepared)


def _changed(
    documents: list[Document], stored: Stored, config: IndexConfig, prepared: Prepared
) -> Iterator[Document]:
    for document in documents:
        if document.id in stored and is_unchanged(document, stored[document.id], config):
            prepared.unchanged.append((document.position, document.id, None))
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
