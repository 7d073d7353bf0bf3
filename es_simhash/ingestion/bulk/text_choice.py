"""What the first documents say: the fields of the text of an index that names none, and ids."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.document_batches import Batch, BatchLimits, Lines, Records, Source
from es_simhash.ingestion.bulk.input_sources import JsonLines, StandardInput
from es_simhash.ingestion.bulk.json_documents import ID, PLAIN_ID, decode, loads
from es_simhash.ingestion.sources.record_file import RecordFile
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.document_settings import (
    SAMPLED,
    store_text_fields,
)
from es_simhash.store.installation.proposal import propose_text
from es_simhash.store.intents import Count, Where

_FORBIDDEN = 403

_log = logging.getLogger(__name__)


class TextChoice:
    """Chooses headline and body as the text of an index, and stores that in its mapping.

    That is done for an index that names no text and has no fingerprints yet, where most of the
    first documents have both. All that reads the index later takes the same fields.

    Args:
        store: The index.
        config: What the caller has named.
        text: The fields of the text that the index names; None where it names none.
    """

    def __init__(self, store: ElasticsearchStore, config: IndexConfig, text: str | None) -> None:
        self._store = store
        self._config = config
        self._text = text

    def is_open(self) -> bool:
        """Check whether neither the caller nor the index names the fields of the text."""
        return self._text is None and not self._config.names_text_field

    def proposed(self, batch: Batch | None) -> str | None:
        """Return the fields of the text that the documents of the first batch have.

        Returns:
            The fields; None when the text stays in the field `text`.
        """
        names = propose_text(list(islice(_documents(batch), SAMPLED)))
        return None if names is None or "," not in names or self._is_begun() else names

    def choose(self, batch: Batch | None) -> str | None:
        """Store the fields that are `proposed`, and return them."""
        names = self.proposed(batch)
        if names is None:
            return None
        store, field = self._store, self._config.simhash_field
        try:
            store_text_fields(store.gateway, store.name, names, simhash_field=field)
        except RequestRejected as error:
            if error.status != _FORBIDDEN:
                raise
            _log.warning(
                "Fields %r look like the text of index %r, which may not be stored: %s Only field "
                "%r is fingerprinted. Run `es-simhash config`, or set text_field.",
                *(names, store.name, error, str(self._config.text_field)),
            )
            return None
        return names

    def _is_begun(self) -> bool:
        """Check whether the index has fingerprints, which are of the text it has had so far."""
        self._store.refresh_if_allowed(self._store.name)
        (count,) = self._store.ask([Count(Where(fingerprinted=True))])
        return bool(count)


def with_first_batch(
    sources: Sequence[Source], limits: BatchLimits
) -> tuple[list[Source], Batch | None]:
    """Return sources, and the first batch of the first; what can be read only once is kept."""
    if not sources or not isinstance(sources[0], JsonLines | RecordFile | StandardInput):
        return list(sources), None
    source, *others = sources
    batches = source.batches(limits, None)
    first = next(batches, None)
    if isinstance(source, StandardInput) and first is not None:
        source = replace(source, begun=chain((first,), batches))
    return [source, *others], first


def lacks_ids(batch: Batch | None) -> bool:
    """Check whether no document at the beginning of a batch has an id of its own."""
    documents = list(islice(_documents(batch), SAMPLED))
    return bool(documents) and not any(
        document.get(name) is not None for document in documents for name in (ID, PLAIN_ID)
    )


def _documents(batch: Batch | None) -> Iterator[dict[str, Any]]:
    """Yield the objects of a batch that are well-formed; the others fail when they are written."""
    if not isinstance(batch, Lines | Records):
        return
    for _, line in batch.json():
        try:
            document = loads(decode(line).strip(" \t\r\n"))
        except (InputError, ValueError, RecursionError):
            continue
        if isinstance(document, dict):
            yield document
