"""What a backfill will take, from a sample; nothing is written."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.backfills.backfill import selection
from es_simhash.backfills.documents import Hit, Task
from es_simhash.backfills.fields import derived, refusal
from es_simhash.backfills.preconditions import is_mapped, open_task, require_some_text
from es_simhash.backfills.run import DEFAULT_SETTINGS, Settings
from es_simhash.backfills.store import Part, Store
from es_simhash.engine.errors import RequestRejected
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.engine.requests import index_path
from es_simhash.errors import EsSimhashError, IndexMissing
from es_simhash.query.options import Query
from es_simhash.storage.fields import DEFAULT_FIELD
from es_simhash.storage.source import text_of

SAMPLE = 200
_FIRST = 20
# Measured (docs/backfill.md): bytes the index grows by for each byte of the object as JSON, with
# `_source`, terms, vectors and doc values (1.3, with meanings 1.0); and processor time of the
# engine for each partial update (0.8 to 1.2 ms, with meanings 1.7 to 1.8).
INDEX_BYTES = 1.2
UPDATE_SECONDS, SEMANTIC_SECONDS = 0.001, 0.0008


@dataclass(frozen=True)
class Estimate:
    """What a backfill will take.

    Attributes:
        documents: Documents to look at.
        sampled: Documents of the sample.
        with_text: How many of them can be fingerprinted.
        documents_per_second: Speed, with the processes and the bound of the settings.
        seconds: Time for all.
        bytes_a_document: JSON of our object, of a document with text.
        bytes_added: Growth of the index, when the old states of its documents are merged away.
        bytes_held: Old states, held as long as the run lasts; None when the size of the index may
            not be asked for, 0 with a sidecar.
    """

    documents: int
    sampled: int
    with_text: int
    documents_per_second: float
    seconds: float
    bytes_a_document: int
    bytes_added: int
    bytes_held: int | None


def estimate(
    client: Client,
    index: str,
    *,
    text_field: str = "text",
    simhash_field: str = DEFAULT_FIELD,
    where: Query | None = None,
    check: bool = False,
    sidecar: str | None = None,
    vocabulary: str | None = None,
    settings: Settings = DEFAULT_SETTINGS,
) -> Estimate:
    """Fingerprint a sample and give what `backfill` will take for all; nothing is written.

    Raises:
        EsSimhashError: What `backfill` raises for the same index.
    """
    task = open_task(
        client,
        index,
        text_field=text_field,
        simhash_field=simhash_field,
        sidecar=sidecar,
        vocabulary=vocabulary,
    )
    store = Store(Gateway.of(client, settings.retry), index, task)
    query = selection(task, where, check=check)
    documents = store.count(Part(index, query))
    hits = _sample(store, query, settings)
    if not is_mapped(client, task):
        require_some_text(hits, task)
    texts = list(_texts(hits, task))
    seconds, size = _cost(texts, task)
    engine_seconds = UPDATE_SECONDS + (SEMANTIC_SECONDS if task.semantics else 0.0)
    rate = 1 / (seconds / settings.processes + engine_seconds)
    if settings.max_docs_per_second is not None:
        rate = min(rate, settings.max_docs_per_second)
    share = len(texts) / len(hits) if hits else 0.0
    held = 0 if sidecar else _held(client, index, documents)
    return Estimate(
        documents,
        len(hits),
        len(texts),
        rate,
        documents / rate,
        round(size),
        round(size * INDEX_BYTES * documents * share),
        held,
    )


def _sample(store: Store, query: dict[str, Any], settings: Settings) -> list[Hit]:
    """Read a few documents, then as many more as their size allows."""
    hits = store.sample(query, _FIRST)
    if len(hits) < _FIRST:
        return hits
    characters = sum(len(str(hit.source)) for hit in hits) / len(hits)
    most = max(_FIRST, min(SAMPLE, math.ceil(settings.page_bytes / characters)))
    return store.sample(query, most)


def _texts(hits: Sequence[Hit], task: Task) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the text and the document of each hit that can be fingerprinted."""
    for hit in hits:
        try:
            content = text_of(hit.source, task.text_field)
        except EsSimhashError:
            continue
        if content is not None and refusal(content, hit.source, task) is None:
            yield content, hit.source


def _cost(texts: Sequence[tuple[str, Mapping[str, Any]]], task: Task) -> tuple[float, float]:
    """Return seconds and bytes of JSON a document, in one process."""
    if not texts:
        return 0.0, 0.0
    contents, sources = zip(*texts, strict=True)
    list(derived(contents[:1], sources[:1], task))  # loads what is loaded once
    started = time.perf_counter()
    size = sum(map(len, derived(contents, sources, task)))
    return (time.perf_counter() - started) / len(texts), size / len(texts)


def _held(client: Client, index: str, documents: int) -> int | None:
    """Return the bytes of the old states: a snapshot keeps what is rewritten under it."""
    try:
        answer = Gateway.of(client).request("GET", index_path(index, "_stats", "store,docs"))
    except (IndexMissing, RequestRejected):
        return None
    primaries: dict[str, dict[str, int]] = answer["_all"]["primaries"]
    share = documents / max(primaries["docs"]["count"], 1)
    return round(primaries["store"]["size_in_bytes"] * min(share, 1.0))
