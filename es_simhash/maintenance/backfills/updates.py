"""What is written for a text: the `simhash` object, and the action that updates a document."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from es_simhash.fingerprints.batches import text_batches
from es_simhash.maintenance.backfills.job import BackfillJob, StoredDocument
from es_simhash.store.config import IndexConfig
from es_simhash.store.encoding import encode
from es_simhash.store.fields import (
    BLOCKS,
    CHUNKS,
    CONCEPTS,
    CONTENT_HASH,
    DECIDED,
    ENTITIES,
    ERROR,
    FINGERPRINT,
    INDEX,
    PRIMARY_TERM,
    ROUTING,
    SCHEMES,
    SEMANTIC_SCHEME,
    SEQ_NO,
    SHINGLES,
    SKETCH,
    SOURCE,
    STATUS,
    VECTOR,
    VECTOR_FINGERPRINT,
)
from es_simhash.store.paths import get_object
from es_simhash.store.references import DocumentVersion

# Members that not every text has, each with the value that means absent; a vector of weights
# (sparse_vector) rejects null.
ABSENT: Mapping[str, Any] = {
    STATUS: None,
    ERROR: None,
    FINGERPRINT: None,
    BLOCKS: None,
    SHINGLES: None,
    SKETCH: None,
    CHUNKS: None,
    SEMANTIC_SCHEME: None,
    CONCEPTS: [],
    ENTITIES: None,
    VECTOR: None,
    VECTOR_FINGERPRINT: None,
}
# Members that are not read: whether a document is current is in the small ones.
UNREAD = (
    *(name for name in ABSENT if name not in (STATUS, ERROR, SEMANTIC_SCHEME)),
    f"{SCHEMES}.*.{FINGERPRINT}",
    f"{SCHEMES}.*.{BLOCKS}",
)


def derived_objects(
    texts: Sequence[str], sources: Sequence[Mapping[str, Any]], config: IndexConfig
) -> Iterator[bytes]:
    """Yield the JSON of the `simhash` object of each text.

    Args:
        texts: The texts.
        sources: The documents they are from, with their entity fields.
        config: How they are fingerprinted.
    """
    remaining = iter(sources)
    for batch in text_batches(texts):
        yield from encode(batch, config, list(islice(remaining, len(batch)))).objects


def stored_object(document: StoredDocument, job: BackfillJob) -> Mapping[str, Any]:
    """Return the small members of the `simhash` object, in the document or in the sidecar."""
    if job.sidecar is None:
        source = document.source
    else:
        source = document.counterpart.source if document.counterpart else {}
    return get_object(source, job.config.simhash_field)[0] or {}


def replacing(simhash: bytes, stored: Mapping[str, Any]) -> bytes:
    """Return the object so that a partial update leaves nothing of the stored one.

    Elasticsearch merges objects: a member that is not named stays, and an object inside is merged
    again. So absent members are named, and an object goes into a list, which is never merged and
    means the same to the index. (A script could remove members; it needs a permission.)

    Args:
        simhash: The object of the text as it is now.
        stored: The small members of the stored one.
    """
    members = json.loads(simhash)
    whole = {name: [value] if isinstance(value, dict) else value for name, value in members.items()}
    # The next run of `families` looks at a new text. That two documents are not versions of each
    # other (`dismissed`) holds whatever their texts are.
    is_another_text = stored.get(CONTENT_HASH) not in (None, members[CONTENT_HASH])
    removed = dict.fromkeys(name for name in DECIDED if is_another_text and name in stored)
    return json.dumps({**ABSENT, **removed, **whole}).encode()


def update_action(document: StoredDocument, simhash: bytes, job: BackfillJob) -> bytes:
    """Return the two lines of a bulk request that write the fields of one document."""
    field = job.config.simhash_field
    if job.sidecar is not None:
        return _sidecar_action(document, simhash, job, job.sidecar)
    stored, is_nested = get_object(document.source, field)
    whole = replacing(simhash, stored) if stored is not None else simhash
    return _update(document.version, b"{%b}" % _member(field, whole, is_nested=is_nested))


def _sidecar_action(
    document: StoredDocument, simhash: bytes, job: BackfillJob, sidecar: str
) -> bytes:
    field, ref = job.config.simhash_field, document.version.ref
    origin = _member(SOURCE, json.dumps(_origin(document.version)).encode(), is_nested=False)
    if document.counterpart is None:
        member = _member(field, simhash, is_nested=False)
        action = json.dumps({"create": {"_index": sidecar, "_id": ref.id}}).encode()
        return b"%b\n{%b,%b}\n" % (action, member, origin)
    whole = replacing(simhash, stored_object(document, job))
    member = _member(field, whole, is_nested=False)
    return _update(document.counterpart.version, b"{%b,%b}" % (member, origin))


def _origin(version: DocumentVersion) -> dict[str, Any]:
    """Return what a sidecar says of the document whose fields it has."""
    return {
        INDEX: version.ref.index,
        ROUTING: version.ref.routing,
        SEQ_NO: version.seq_no,
        PRIMARY_TERM: version.primary_term,
    }


def _member(path: str, value: bytes, *, is_nested: bool) -> bytes:
    """Return a member of a document in JSON, under nested objects or a dotted name."""
    names = path.split(".") if is_nested else [path]
    for name in reversed(names[1:]):
        value = b"{%b:%b}" % (json.dumps(name).encode(), value)
    return b"%b:%b" % (json.dumps(names[0]).encode(), value)


def _update(version: DocumentVersion, document: bytes) -> bytes:
    ref = version.ref
    action = {"update": {"_index": ref.index, "_id": ref.id, **version.conditions}}
    return b"%b\n" % json.dumps(action).encode() + b'{"doc":%b}\n' % document
