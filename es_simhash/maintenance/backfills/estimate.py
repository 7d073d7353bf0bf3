"""What a backfill will take, from a sample; nothing is written."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.errors import EsSimhashError
from es_simhash.maintenance.backfills.backfill_job import (
    BackfillJob,
    BackfillSettings,
    IndexPart,
    Selection,
)
from es_simhash.maintenance.backfills.document_pages import DocumentReader
from es_simhash.maintenance.backfills.document_updates import derived_objects, rejection
from es_simhash.maintenance.backfills.preconditions import open_job, require_text
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.index_stats import primary_sizes
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.intents import Where
from es_simhash.store.rows import Row
from es_simhash.store.source import text_of

MAX_SAMPLE = 200
_FIRST_SAMPLE = 20
# Measured (docs/backfill.md): bytes the index grows by for each byte of the object as JSON, with
# `_source`, terms, vectors and doc values (1.3, with semantic fields 1.0); and processor time of
# the engine for each partial update (0.8 to 1.2 ms, with semantic fields 1.7 to 1.8).
INDEX_BYTES = 1.2
UPDATE_SECONDS, SEMANTIC_SECONDS = 0.001, 0.0008


@dataclass(frozen=True)
class Estimate:
    """What a backfill will take.

    Attributes:
        documents: Documents to read.
        sampled: Documents of the sample.
        with_text: How many of them can be fingerprinted.
        documents_per_second: Speed, with the processes and the bound of the settings.
        seconds: Time for all.
        bytes_a_document: JSON of the `simhash` object, of a document with text.
        bytes_added: Growth of the index, when the old versions of its documents are merged away.
        bytes_held: Old versions, held as long as the run lasts; None when the privilege for the
            size of the index is missing, 0 with a sidecar.
    """

    documents: int
    sampled: int
    with_text: int
    documents_per_second: float
    seconds: float
    bytes_a_document: int
    bytes_added: int
    bytes_held: int | None


@dataclass(frozen=True)
class _Cost:
    """What the documents of a sample that can be fingerprinted take.

    Attributes:
        texts: How many there are.
        seconds: Time for a document, in one process.
        bytes: JSON of a document.
    """

    texts: int
    seconds: float
    bytes: float


def estimate(
    client: Client,
    index: str,
    *,
    config: IndexConfig | None = None,
    selection: Selection | None = None,
    sidecar: str | None = None,
    settings: BackfillSettings | None = None,
) -> Estimate:
    """Return what `backfill` will take; see `Index.estimate`.

    Args:
        client: Client of the cluster.
        index: As for `backfill`, like all that follows.
        config: Names of the fields and the vocabulary.
        selection: Which documents would be read.
        sidecar: Index the fields would be written to.
        settings: How the run would work.
    """
    settings = settings or BackfillSettings()
    # A cluster that is away is reported at once, as by `backfill`.
    gateway = Gateway.of(client)
    job = open_job(gateway, index, config or IndexConfig(), sidecar)
    where = job.where(selection or Selection())
    retrying = Gateway.of(client, settings.retry)
    store = ElasticsearchStore(retrying, index, job.config, is_complete=True)
    reader = DocumentReader(store, job)
    documents = reader.count(IndexPart(index, where))
    sample = _sample(reader, where, settings)
    require_text(store, job, where)
    cost = _cost(list(_texts(sample, job)), job)
    rate = _documents_per_second(cost, job, settings)
    share = cost.texts / len(sample) if sample else 0.0
    return Estimate(
        documents=documents,
        sampled=len(sample),
        with_text=cost.texts,
        documents_per_second=rate,
        seconds=documents / rate,
        bytes_a_document=round(cost.bytes),
        bytes_added=round(cost.bytes * INDEX_BYTES * documents * share),
        bytes_held=0 if sidecar else _bytes_held(gateway, index, documents),
    )


def _sample(reader: DocumentReader, where: Where, settings: BackfillSettings) -> list[Row]:
    """Return a few documents, then as many more as their size allows."""
    documents = reader.sample(where, _FIRST_SAMPLE)
    if len(documents) < _FIRST_SAMPLE:
        return documents
    characters = sum(len(str(document.source)) for document in documents) / len(documents)
    allowed = math.ceil(settings.page_bytes / characters)
    return reader.sample(where, max(_FIRST_SAMPLE, min(MAX_SAMPLE, allowed)))


def _texts(documents: Sequence[Row], job: BackfillJob) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the text and the source of each document that can be fingerprinted."""
    for document in documents:
        try:
            content = text_of(document.source, job.config.text_field)
        except EsSimhashError:
            continue
        if content is not None and rejection(content, document.source, job.config) is None:
            yield content, document.source


def _cost(texts: Sequence[tuple[str, Mapping[str, Any]]], job: BackfillJob) -> _Cost:
    """Fingerprint texts and measure it."""
    if not texts:
        return _Cost(0, 0.0, 0.0)
    contents, sources = zip(*texts, strict=True)
    # Loads what is loaded once.
    list(derived_objects(contents[:1], sources[:1], job.config))
    started = time.perf_counter()
    size = sum(map(len, derived_objects(contents, sources, job.config)))
    seconds = time.perf_counter() - started
    return _Cost(len(texts), seconds / len(texts), size / len(texts))


def _documents_per_second(cost: _Cost, job: BackfillJob, settings: BackfillSettings) -> float:
    engine_seconds = UPDATE_SECONDS + (SEMANTIC_SECONDS if job.config.semantics else 0.0)
    rate = 1 / (cost.seconds / settings.processes + engine_seconds)
    bound = settings.max_docs_per_second
    return rate if bound is None else min(rate, bound)


def _bytes_held(gateway: Gateway, index: str, documents: int) -> int | None:
    """Return the bytes of the old versions: a point in time keeps what is rewritten under it."""
    sizes = primary_sizes(gateway, index)
    if sizes is None:
        return None
    stored, count = sizes
    return round(stored * min(documents / max(count, 1), 1.0))
