"""Documents drawn at random, and whether their fingerprints are those of their texts."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from es_simhash.errors import InputError
from es_simhash.fingerprints.hashing import Fingerprints
from es_simhash.fingerprints.text_fingerprints import content_hash
from es_simhash.relation.references import DocumentRef
from es_simhash.store import fields
from es_simhash.store.codec import is_readable
from es_simhash.store.config import IndexConfig
from es_simhash.store.fields import INDEX, ROUTING, SOURCE
from es_simhash.store.intents import DocumentsAt, Find, Parts
from es_simhash.store.mapped_fields import TITLE_NAMES
from es_simhash.store.paths import get_path, without_path
from es_simhash.store.protocol import Store
from es_simhash.store.rows import Row, Rows
from es_simhash.store.source import field_names, text_of
from es_simhash.text.normal_forms import normalise

# Documents whose texts are in memory at once.
_TEXTS_AT_ONCE = 50
# Documents that are read whole to recognise the field.
_DOCUMENTS = 20
# State of a text compared with its fingerprints. "gone": the document was deleted meanwhile;
# "damaged": the fingerprints are of the text, but cannot be read.
FRESH, STALE, MISSING, UNREADABLE, GONE = "fresh", "stale", "missing", "unreadable", "gone"
DAMAGED = "damaged"


@dataclass(frozen=True)
class SampledDocument:
    """A document of a sample.

    Attributes:
        ref: Where its text is.
        scheme: Scheme of its fingerprints; None for none.
        content_hash: Of the text they were made from.
        blocks: Block terms.
        fingerprint: Bytes of the document fingerprint; None when it has none.
        is_readable: Whether its other fingerprints can be read, and it has the first one too.
    """

    ref: DocumentRef
    scheme: str | None
    content_hash: str | None
    blocks: tuple[str, ...]
    fingerprint: bytes | None
    is_readable: bool = True

    @classmethod
    def of_row(cls, row: Row, config: IndexConfig) -> "SampledDocument":
        """Return the document of a row of `draw_sample`."""
        blocks = get_path(row.source, config.path(fields.BLOCKS))
        terms = blocks if isinstance(blocks, list) else ()
        members = {name: get_path(row.source, config.path(name)) for name in fields.PACKED_MEMBERS}
        return cls(
            _text_ref(row),
            row.scheme,
            row.content_hash,
            tuple(map(str, terms)),
            row.fingerprint,
            # A program that wrote back what it read of a document wrote no fingerprint.
            not terms if row.fingerprint is None else is_readable(members),
        )


def _text_ref(row: Row) -> DocumentRef:
    """Return where the text is: with a sidecar, in the document it has the fingerprints of."""
    origin = row.source.get(SOURCE)
    origin = origin if isinstance(origin, Mapping) else {}
    index, routing = origin.get(INDEX, row.ref.index), origin.get(ROUTING, row.ref.routing)
    return DocumentRef(index, row.id, routing)


def draw_sample(
    store: Store, config: IndexConfig, size: int, seed: int = 1
) -> list[SampledDocument]:
    """Return documents drawn at random, the same for the same index and seed."""
    read = map(config.path, (fields.BLOCKS, *fields.PACKED_MEMBERS))
    parts = Parts(fields=(*read, SOURCE), members=True, fingerprint=True)
    rows: Rows
    (rows,) = store.ask([Find(parts=parts, size=size, order=("random",), seed=seed)])
    return [SampledDocument.of_row(row, config) for row in rows.rows]


def fingerprint_rows(sample: Sequence[SampledDocument]) -> Fingerprints:
    """Return the document fingerprints of documents that have one, a row each."""
    rows = [document.fingerprint for document in sample if document.fingerprint is not None]
    width = len(rows[0]) if rows else 0
    return np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), width)


def text_states(store: Store, sample: Sequence[SampledDocument], text_field: str) -> list[str]:
    """Return the state of the text of each document compared with its fingerprints."""
    states: list[str] = []
    for start in range(0, len(sample), _TEXTS_AT_ONCE):
        documents = sample[start : start + _TEXTS_AT_ONCE]
        rows = _rows_at(store, documents, field_names(text_field))
        states += [_state(document, rows.get(document.ref), text_field) for document in documents]
    return states


def _rows_at(
    store: Store, documents: Sequence[SampledDocument], names: Sequence[str]
) -> dict[DocumentRef, Row]:
    """Return documents as they are now, with some fields; vanished ones are left out."""
    refs = tuple(document.ref for document in documents)
    rows: dict[DocumentRef, Row]
    (rows,) = store.ask([DocumentsAt(refs, Parts(fields=tuple(names)))])
    return rows


def _state(document: SampledDocument, row: Row | None, text_field: str) -> str:
    if row is None:
        return GONE
    try:
        text = text_of(row.source, text_field)
    except InputError:
        return UNREADABLE
    # A text that was removed is fingerprinted as an empty one.
    if content_hash(normalise(text or "")) == document.content_hash:
        return FRESH if document.is_readable else DAMAGED
    return MISSING if text is None else STALE


def common_blocks(sample: Sequence[SampledDocument], count: int) -> Iterator[tuple[str, int, int]]:
    """Yield the most frequent block terms, each with its documents and different texts."""
    documents = Counter(term for document in sample for term in document.blocks)
    hashes = {(term, document.content_hash) for document in sample for term in document.blocks}
    texts = Counter(term for term, _ in hashes)
    for term, frequency in sorted(documents.items(), key=lambda item: (-item[1], item[0]))[:count]:
        yield term, frequency, texts[term]


def fingerprinted_field(
    store: Store, sample: Sequence[SampledDocument], simhash_field: str
) -> str | None:
    """Return the field that holds the text that was fingerprinted, in most of a few documents.

    It may be a headline and a body together.

    Args:
        store: Index of the sample.
        sample: Documents of the index.
        simhash_field: Field of the `simhash` object, which is not looked into.

    Returns:
        The path of the field, or both as `headline,body`; None when no field of these documents
        has such a text.
    """
    documents = [document for document in sample if document.fingerprint is not None][:_DOCUMENTS]
    rows = _rows_at(store, documents, ["*"])
    matches = Counter(
        path
        for document in documents
        if (row := rows.get(document.ref)) is not None
        for path in _texts(without_path(row.source, simhash_field))
        if _hash(row.source, path) == document.content_hash
    )
    # Of fields with equal texts, the one whose name is first.
    return min(matches, key=lambda path: (-matches[path], path), default=None)


def _texts(source: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields that may be the text, and each headline with each other field."""
    paths = list(_text_fields(source))
    yield from paths
    for title in paths:
        if title.rpartition(".")[2].casefold() in TITLE_NAMES:
            yield from (f"{title},{path}" for path in paths if path != title)


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
