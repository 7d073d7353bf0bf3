"""The field whose text was fingerprinted, recognised by the content hashes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from es_simhash.errors import InputError
from es_simhash.fingerprints.text_fingerprints import content_hash
from es_simhash.maintenance.diagnostics.sample import SampledDocument
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.source import text_of
from es_simhash.text.normal_forms import normalise

# Documents that are read whole to recognise the field.
_DOCUMENTS = 20


def fingerprinted_field(
    gateway: Gateway, sample: Sequence[SampledDocument], simhash_field: str
) -> str | None:
    """Return the field that holds the text that was fingerprinted, in most of a few documents.

    Args:
        gateway: Sends the request.
        sample: Documents of the index.
        simhash_field: Field of the `simhash` object, which is not looked into.

    Returns:
        The path of the field; None when no field of these documents has such a text.
    """
    documents = [document for document in sample if document.fingerprint is not None][:_DOCUMENTS]
    refs = [document.ref for document in documents]
    entries = gateway.documents(refs, excluded=[simhash_field])
    matches = Counter(
        path
        for document, entry in zip(documents, entries, strict=True)
        for path in _text_fields(entry.get("_source", {}))
        if _hash(entry["_source"], path) == document.content_hash
    )
    # Of fields with equal texts, the one whose name is first.
    return min(matches, key=lambda path: (-matches[path], path), default=None)


def _text_fields(source: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield the paths of the fields that may hold text."""
    for name, value in source.items():
        if isinstance(value, Mapping):
            yield from _text_fields(value, f"{above}{name}.")
        elif isinstance(value, str | list):
            yield f"{above}{name}"


def _hash(source: Mapping[str, Any], path: str) -> str | None:
    try:
        text = text_of(source, path)
    except InputError:
        return None
    return None if text is None else content_hash(normalise(text))
