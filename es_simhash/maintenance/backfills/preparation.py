"""The work of the processes: which documents need fields, and the bulk body that writes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from es_simhash.errors import InputError
from es_simhash.fingerprints.scheme import Scheme
from es_simhash.fingerprints.text_fingerprints import content_hash
from es_simhash.ingestion.bulk.outcome import Outcome
from es_simhash.ingestion.bulk.prepared import Prepared
from es_simhash.maintenance.backfills.job import BackfillJob, StoredDocument
from es_simhash.maintenance.backfills.updates import derived_objects, stored_object, update_action
from es_simhash.semantics.entities.document_fields import upstream_entities
from es_simhash.store.config import IndexConfig
from es_simhash.store.fields import CONTENT_HASH, INDEX, PRIMARY_TERM, ROUTING, SEQ_NO, SOURCE
from es_simhash.store.references import DocumentVersion
from es_simhash.store.source import field_names, text_of
from es_simhash.text.limits import MAX_CHUNKS, chunk_limit_error, require_text_size
from es_simhash.text.normal_forms import normalise
from es_simhash.text.segmentation import segment


@dataclass
class PreparedPage(Prepared):
    """Documents ready to be sent.

    Attributes:
        settled: Outcomes of the documents for which nothing is sent.
    """

    settled: list[Outcome] = field(default_factory=list)


class _Update(NamedTuple):
    """A document that gets new fields: its number in the page, and its text."""

    number: int
    document: StoredDocument
    text: str


def prepare(documents: Sequence[StoredDocument], job: BackfillJob) -> PreparedPage:
    """Return documents ready to be sent; `positions` are their numbers in the sequence."""
    page = PreparedPage()
    updates = []
    for number, document in enumerate(documents):
        text_or_outcome = _text_or_outcome(document, job)
        if isinstance(text_or_outcome, Outcome):
            page.settled.append(text_or_outcome)
        else:
            updates.append(_Update(number, document, text_or_outcome))
    texts = [update.text for update in updates]
    sources = [update.document.source for update in updates]
    actions = []
    objects = derived_objects(texts, sources, job.config)
    for update, simhash in zip(updates, objects, strict=True):
        page.ids.append(update.document.version.ref.id)
        page.positions.append(update.number)
        actions.append(update_action(update.document, simhash, job))
    page.fill(actions)
    return page


def _text_or_outcome(document: StoredDocument, job: BackfillJob) -> str | Outcome:
    """Return the text to fingerprint, or the outcome of a document that is not written."""
    stored = stored_object(document, job)
    if document.counterpart is not None:
        origin = document.counterpart.source.get(SOURCE)
        if conflict := _sidecar_conflict(document, origin, job):
            return document.outcome("failed", conflict)
        if job.is_current(stored) and _is_up_to_date(origin, document.version):
            return document.outcome("unchanged")
    try:
        text = _text(document.source, job.config.text_field)
        content = require_text_size(text or "")
    except InputError as error:
        return document.outcome("failed", str(error))
    if text is None and not stored:
        return document.outcome("without_text")
    if job.is_current(stored) and stored.get(CONTENT_HASH) == content_hash(normalise(content)):
        return document.outcome("unchanged")
    reason = rejection(content, document.source, job.config)
    return document.outcome("failed", reason) if reason else content


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


def _sidecar_conflict(document: StoredDocument, origin: Any, job: BackfillJob) -> str | None:
    """Return why the sidecar cannot take a document: its id has the fields of another one.

    Fields of an index that is not backfilled any more are overwritten.
    """
    if not isinstance(origin, Mapping) or SEQ_NO not in origin:
        return (
            f"Index {job.sidecar!r} has a document of this id that no backfill wrote; "
            "name another sidecar."
        )
    ref = document.version.ref
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
    return _too_many_chunks(content, config.scheme)


def _too_many_chunks(content: str, scheme: Scheme) -> str | None:
    # A text with fewer characters cannot have so many chunks.
    if len(content) < MAX_CHUNKS * scheme.min_chunk_tokens:
        return None
    segmentation = segment([normalise(content)], scheme)
    return chunk_limit_error(int(segmentation.text_chunks[-1]))
