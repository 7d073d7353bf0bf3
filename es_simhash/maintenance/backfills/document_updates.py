"""The work of the processes: which documents need fields, and the bulk body that writes them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import Any

from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.fingerprints.text_fingerprints import content_hash
from es_simhash.ingestion.bulk.outcomes import Outcome
from es_simhash.maintenance.backfills.backfill_job import (
    BackfillJob,
    PreparedPage,
    SourceDocument,
)
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.semantics.entities.document_entities import upstream_entities
from es_simhash.semantics.profiler import refusal
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.bulk import create_action, update_action
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
    INDEX_VECTOR,
    PRIMARY_TERM,
    ROUTING,
    SEMANTIC_SCHEME,
    SEQ_NO,
    SHINGLES,
    SKETCH,
    SOURCE,
    STATUS,
    STATUS_EMPTY,
    VECTOR,
    VECTOR_FINGERPRINT,
    VECTOR_LANGUAGE,
    VECTOR_TABLE,
)
from es_simhash.store.paths import get_object
from es_simhash.store.source import field_names, text_of
from es_simhash.text.limits import MAX_CHUNKS, chunk_limit_error, require_text_size
from es_simhash.text.normal_forms import normalise
from es_simhash.text.segmentation import segment, text_batches

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
    INDEX_VECTOR: None,
    VECTOR_TABLE: None,
    VECTOR_LANGUAGE: None,
}


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


def stored_object(document: SourceDocument, job: BackfillJob) -> Mapping[str, Any]:
    """Return the small members of the `simhash` object, in the document or in the sidecar."""
    row = document.row if job.sidecar is None else document.counterpart
    return get_object(row.source, job.config.simhash_field)[0] or {} if row else {}


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


def _action(document: SourceDocument, simhash: bytes, job: BackfillJob) -> bytes:
    """Return the action that writes the fields of one document."""
    field = job.config.simhash_field
    if job.sidecar is not None:
        return _sidecar_action(document, simhash, job, job.sidecar)
    stored, is_nested = get_object(document.row.source, field)
    whole = replacing(simhash, stored) if stored is not None else simhash
    return update_action(
        document.row.read_version, b"{%b}" % _member(field, whole, is_nested=is_nested)
    )


def _sidecar_action(
    document: SourceDocument, simhash: bytes, job: BackfillJob, sidecar: str
) -> bytes:
    field, row = job.config.simhash_field, document.row
    origin = _member(SOURCE, json.dumps(_origin(row.read_version)).encode(), is_nested=False)
    if document.counterpart is None:
        member = _member(field, simhash, is_nested=False)
        return create_action(DocumentRef(sidecar, row.id), b"{%b,%b}" % (member, origin))
    whole = replacing(simhash, stored_object(document, job))
    member = _member(field, whole, is_nested=False)
    return update_action(document.counterpart.read_version, b"{%b,%b}" % (member, origin))


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


def prepare(documents: Sequence[SourceDocument], job: BackfillJob) -> PreparedPage:
    """Return documents ready to be sent; `positions` are their numbers in the sequence."""
    finished, texts = [], {}
    for number, document in enumerate(documents):
        text_or_outcome = _text_or_outcome(document, job)
        if isinstance(text_or_outcome, Outcome):
            finished.append(text_or_outcome)
        else:
            texts[number] = text_or_outcome
    sources = [documents[number].row.source for number in texts]
    objects = derived_objects(list(texts.values()), sources, job.config)
    actions = [
        _action(documents[number], simhash, job)
        for number, simhash in zip(texts, objects, strict=True)
    ]
    ends = list(accumulate(map(len, actions)))
    return PreparedPage(b"".join(actions), ends, list(texts), finished)


def _text_or_outcome(document: SourceDocument, job: BackfillJob) -> str | Outcome:
    """Return the text to fingerprint, or the outcome of a document that is not written."""
    stored = stored_object(document, job)
    if document.counterpart is not None:
        origin = document.counterpart.source.get(SOURCE)
        if conflict := _sidecar_conflict(document, origin, job):
            return document.outcome("failed", conflict)
        if job.is_current(stored) and _is_up_to_date(origin, document.row.read_version):
            return document.outcome("unchanged")
    try:
        text = _text(document.row.source, job.config.text_field)
        content = require_text_size(text or "")
    except InputError as error:
        return document.outcome("failed", str(error))
    if text is None and not stored:
        return document.outcome("without_text")
    is_current = job.is_current(stored) and not _has_lost_vectors(document, stored, job)
    if is_current and stored.get(CONTENT_HASH) == content_hash(normalise(content)):
        return document.outcome("unchanged")
    reason = rejection(content, document.row.source, job.config)
    return document.outcome("failed", reason) if reason else content


def _has_lost_vectors(
    document: SourceDocument, stored: Mapping[str, Any], job: BackfillJob
) -> bool:
    """Check whether a program read a document, and wrote it back without its fingerprint.

    `_source` has no vectors from Elasticsearch 9.2 on. Nobody writes back those of a sidecar.
    """
    had_vectors = job.sidecar is None and stored.get(STATUS) != STATUS_EMPTY
    return had_vectors and document.row.has_fingerprint is False


def _text(source: Mapping[str, Any], text_field: str) -> str | None:
    """Return the text; reject one that is missed because lists of objects are on its path.

    Raises:
        InputError: The field holds no text.
    """
    text = text_of(source, text_field)
    if text is None:
        for name in field_names(text_field):
            _require_no_list(source, name)
    return text


def _require_no_list(source: Mapping[str, Any], text_field: str) -> None:
    value: Any = source
    for name in text_field.split("."):
        if isinstance(value, list) and value:
            raise InputError(
                f"Field {text_field!r} lies in a list of objects; copy its text to a field of the "
                "document and name that one.",
                parameter="text_field",
            )
        value = value.get(name) if isinstance(value, Mapping) else None


def _sidecar_conflict(document: SourceDocument, origin: Any, job: BackfillJob) -> str | None:
    """Return why the sidecar cannot take a document: its id has the fields of another one.

    Fields of an index that is not backfilled any more are overwritten.
    """
    if not isinstance(origin, Mapping) or SEQ_NO not in origin:
        return (
            f"Index {job.sidecar!r} has a document of this id that no backfill wrote; "
            "name another sidecar."
        )
    ref = document.row.ref
    is_same = (origin[INDEX], origin.get(ROUTING)) == (ref.index, ref.routing)
    if origin[INDEX] == ref.index and not is_same:
        known = f"routing {origin[ROUTING]!r}" if origin.get(ROUTING) else "no routing"
        return (
            f"Index {job.sidecar!r} has the document of this id with {known}; if that is deleted, "
            f"run `es-simhash backfill {job.index} --sidecar {job.sidecar} --prune`, else give "
            "each of them an id of its own."
        )
    if origin[INDEX] in job.indices and not is_same:
        return (
            f"Index {job.sidecar!r} has the document of this id of index {origin[INDEX]!r}; "
            "give each of the indices a sidecar of its own."
        )
    return None


def _is_up_to_date(origin: Any, version: DocumentVersion) -> bool:
    """Check whether the sidecar has the fields of this version of the document, or a later one."""
    ref = version.ref
    is_same = (origin[INDEX], origin.get(ROUTING)) == (ref.index, ref.routing)
    newest = origin[PRIMARY_TERM], origin[SEQ_NO]
    return is_same and newest >= (version.primary_term, version.seq_no)


def rejection(content: str, source: Mapping[str, Any], config: IndexConfig) -> str | None:
    """Return why a document cannot be fingerprinted, before that costs anything; None if it can."""
    try:
        upstream_entities(source, config.entity_fields)
    except InputError as error:
        return str(error)
    return refusal(content, config.semantics) or _too_many_chunks(content, config.scheme)


def _too_many_chunks(content: str, scheme: Scheme) -> str | None:
    # A text with fewer characters cannot have so many chunks.
    if len(content) < MAX_CHUNKS * scheme.min_chunk_tokens:
        return None
    segmentation = segment([normalise(content)], scheme)
    return chunk_limit_error(int(segmentation.text_chunks[-1]))
