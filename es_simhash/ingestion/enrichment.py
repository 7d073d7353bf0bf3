"""Fingerprints for documents that a program writes itself."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from es_simhash.errors import InputError
from es_simhash.fingerprints.scheme import DEFAULT, Scheme
from es_simhash.fingerprints.text_fingerprints import BATCH_CHARACTERS
from es_simhash.semantics.scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.encoding import encode
from es_simhash.storage.fields import DEFAULT_FIELD
from es_simhash.storage.source import text_of
from es_simhash.text.limits import require_text_size


def fingerprint_documents(
    documents: Iterable[Mapping[str, Any]],
    *,
    scheme: Scheme = DEFAULT,
    semantics: SemanticScheme | None = DEFAULT_SEMANTICS,
    text_field: str = "text",
    simhash_field: str = DEFAULT_FIELD,
) -> Iterator[dict[str, Any]]:
    """Yield each document with its fingerprints, in order; one batch is in memory at a time.

    Args:
        documents: The documents.
        scheme: Scheme of the fingerprints.
        meaning: What is read from the texts; None for fingerprints alone.
        text_field: Field of the text; dots lead into objects.
        simhash_field: Field the fingerprints go to.

    Raises:
        InputError: A document has no text; the sentence gives its number.
    """
    config = IndexConfig(scheme, semantics=semantics)
    group: list[tuple[Mapping[str, Any], str]] = []
    characters = 0
    for number, document in enumerate(documents, 1):
        group.append((document, _text(document, number, text_field)))
        characters += len(group[-1][1])
        if characters >= BATCH_CHARACTERS:
            yield from _added(group, config, simhash_field)
            group, characters = [], 0
    if group:
        yield from _added(group, config, simhash_field)


def _text(document: Mapping[str, Any], number: int, text_field: str) -> str:
    try:
        text = text_of(document, text_field)
        if text is None:
            raise InputError(f"There is no field {text_field!r}; name another as text_field.")
        return require_text_size(text)
    except InputError as error:
        raise InputError(f"Document {number}: {error}") from error


def _added(
    group: list[tuple[Mapping[str, Any], str]], config: IndexConfig, simhash_field: str
) -> Iterator[dict[str, Any]]:
    documents = [document for document, _ in group]
    derived = encode([text for _, text in group], config, documents)
    for document, simhash in zip(documents, derived.objects, strict=True):
        yield {**document, simhash_field: json.loads(simhash)}
