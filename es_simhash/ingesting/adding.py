"""Fingerprints for documents that a program writes itself."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from es_simhash.document import DEFAULT_FIELD, simhash_object, text_of
from es_simhash.errors import InputError
from es_simhash.fingerprints import BATCH_CHARACTERS, fingerprint_batch
from es_simhash.limits import within_limit
from es_simhash.scheme import DEFAULT, Scheme


def fingerprint_documents(
    documents: Iterable[Mapping[str, Any]],
    *,
    scheme: Scheme = DEFAULT,
    text_field: str = "text",
    simhash_field: str = DEFAULT_FIELD,
) -> Iterator[dict[str, Any]]:
    """Yield each document with its fingerprints, in order; one batch is in memory at a time.

    Raises:
        InputError: A document has no text; the sentence gives its number.
    """
    group: list[tuple[Mapping[str, Any], str]] = []
    characters = 0
    for number, document in enumerate(documents, 1):
        group.append((document, _text(document, number, text_field)))
        characters += len(group[-1][1])
        if characters >= BATCH_CHARACTERS:
            yield from _added(group, scheme, simhash_field)
            group, characters = [], 0
    if group:
        yield from _added(group, scheme, simhash_field)


def _text(document: Mapping[str, Any], number: int, text_field: str) -> str:
    try:
        text = text_of(document, text_field)
        if text is None:
            raise InputError(f"There is no field {text_field!r}; name another as text_field.")
        return within_limit(text)
    except InputError as error:
        raise InputError(f"Document {number}: {error}") from error


def _added(
    group: list[tuple[Mapping[str, Any], str]], scheme: Scheme, simhash_field: str
) -> Iterator[dict[str, Any]]:
    batch = fingerprint_batch([text for _, text in group], scheme)
    for (document, _), fingerprints in zip(group, batch, strict=True):
        yield {**document, simhash_field: simhash_object(fingerprints)}
