"""Fingerprints for documents that a program writes itself."""

import json
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Any

from es_simhash.errors import InputError
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.config import IndexConfig
from es_simhash.store.encoding import encode
from es_simhash.store.source import text_of
from es_simhash.text.limits import require_text_size
from es_simhash.text.segmentation import batches_of_texts

_DEFAULT_CONFIG = IndexConfig(semantics=DEFAULT_SEMANTICS)


def fingerprint_documents(
    documents: Iterable[Mapping[str, Any]], *, config: IndexConfig | None = None
) -> Iterator[dict[str, Any]]:
    """Yield each document with its fingerprints, in order; one batch is in memory at a time.

    Args:
        documents: The documents.
        config: Names of the fields and the schemes; None for those that `install` uses.

    Raises:
        InputError: A document has no text; the message has its number.
    """
    config = config or _DEFAULT_CONFIG
    texts = (
        (document, _text(document, number, config.text_field))
        for number, document in enumerate(documents, 1)
    )
    for group in batches_of_texts(texts, itemgetter(1)):
        yield from _with_fingerprints(group, config)


def _text(document: Mapping[str, Any], number: int, text_field: str) -> str:
    try:
        text = text_of(document, text_field)
        if text is None:
            raise InputError(f"There is no field {text_field!r}. Name another as text_field.")
        return require_text_size(text)
    except InputError as error:
        raise InputError(f"Document {number}: {error}", parameter="text_field") from error


def _with_fingerprints(
    group: list[tuple[Mapping[str, Any], str]], config: IndexConfig
) -> Iterator[dict[str, Any]]:
    documents = [document for document, _ in group]
    encoded = encode([text for _, text in group], config, documents)
    for document, simhash in zip(documents, encoded.objects, strict=True):
        yield {**document, config.simhash_field: json.loads(simhash)}
