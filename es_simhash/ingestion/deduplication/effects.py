"""What decisions change in documents that are in the index already: families and deletions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from es_simhash.ingestion.bulk.json_documents import loads
from es_simhash.ingestion.bulk.lookup import values_apart
from es_simhash.ingestion.deduplication.audit_log import Record
from es_simhash.ingestion.deduplication.stored_documents import (
    StoredDocuments,
    source_json,
)
from es_simhash.ingestion.deduplication.version_decisions import Decision
from es_simhash.pairs.parted_texts import claim_of
from es_simhash.relation.references import DocumentRef
from es_simhash.store import fields
from es_simhash.store.changes import WRITE_ATTEMPTS, Change
from es_simhash.store.config import IndexConfig
from es_simhash.store.installation.reserved_texts import ReservedTexts
from es_simhash.store.intents import Parts
from es_simhash.store.rows import Row, batches_of

_DELETIONS_PER_REQUEST = 500
# Of what was written in place of another, with the text: it may be another by now.
_SUCCESSOR = Parts(text=True, members=True)


def join_families(decisions: Sequence[Decision], stored: Mapping[str, Row]) -> list[Decision]:
    """Return linked documents with the family of their original, also within the batch.

    Args:
        decisions: Decisions of a batch.
        stored: Documents of the index that they rest on, by id.
    """
    families: dict[str, str] = {}
    places: dict[str, int] = {}
    linked: list[Decision] = []
    for decision in decisions:
        if decision.action == "link" and decision.other is not None:
            # A document of this batch as it was before this one, for it may be written again.
            place = places.get(decision.other)
            if place is None:
                known = families.get(decision.other) or stored[decision.other].family
            else:
                known = linked[place].family
            family = known or str(decision.family)
            families[decision.other] = family
            if place is not None:
                linked[place] = replace(linked[place], family=family)
            decision = replace(decision, family=family)
        places[decision.id] = len(linked)
        linked.append(decision)
    return linked


def link_originals(
    documents: StoredDocuments,
    decisions: Sequence[Decision],
    stored: Mapping[str, Row],
) -> None:
    """Write the family into the originals that have none.

    Raises:
        ClusterError: An update is rejected.
    """
    families = {
        decision.other: str(decision.family)
        for decision in decisions
        if decision.action == "link" and decision.other in stored
    }
    pending: list[Row | None] = [stored[str(id)] for id in families]
    for _ in range(WRITE_ATTEMPTS):
        unlinked = [row for row in pending if row is not None and not row.family]
        results = documents.change(
            [Change(row.read_version, {fields.FAMILY: families[row.id]}) for row in unlinked]
        )
        conflicts = [
            row.ref
            for row, result in zip(unlinked, results, strict=True)
            if result.status == "conflict"
        ]
        if not conflicts:
            return
        pending = documents.read(conflicts)


def replacements(decisions: Sequence[Decision]) -> list[Decision]:
    """Return the decisions for which a document has to be deleted.

    Not when it was never written, nor when it is written once more by the same batch.
    """
    written: set[str] = set()
    superseded = {decision.id for decision in decisions if decision.superseded is not None}
    result = []
    for decision in reversed(decisions):
        is_written = decision.other not in superseded and decision.other not in written
        if decision.action == "replace" and is_written:
            result.append(decision)
        if decision.writes:
            written.add(decision.id)
    return result[::-1]


def delete_replaced(
    documents: StoredDocuments,
    decision: Decision,
    replaced: Row,
    record: Callable[[Row], None],
) -> bool:
    """Delete what a document replaced, unless its text has changed since it was recorded.

    Args:
        documents: Reads documents of the index.
        decision: To replace.
        replaced: The original, as the audit log has it.
        record: Writes it to the log once more, after other fields of it were changed.

    Returns:
        False where the document stays, as others have changed it.

    Raises:
        ClusterError: The deletion is rejected.
    """
    assert decision.original is not None
    for _ in range(WRITE_ATTEMPTS):
        (result,) = documents.change([Change(replaced.read_version, None)])
        if result.status != "conflict":
            return True
        (current,) = documents.read([replaced.ref])
        if current is None:
            return True
        if current.content_hash != decision.original.text.content_hash:
            return False
        replaced = current
        record(replaced)
    return False


def finish_replacements(
    documents: StoredDocuments, records: Iterable[Record], texts: ReservedTexts
) -> int:
    """Delete what was recorded as replaced, where both documents are still as they were recorded.

    A run that is killed between writing and deleting leaves both, and the next one finds the new
    document unchanged, so that it decides nothing about it. What was written since, as by `undo`,
    has another sequence number, and stays; so does what a person decided about, and what the new
    document cannot replace, as it has another text by now or is flagged itself.

    Args:
        documents: Reads documents of the index.
        records: Records of the audit log.
        texts: Says which document has a text, where another one has replaced the new one since.

    Returns:
        The number of documents that were deleted.
    """
    manual = documents.context.manual
    pending = (
        record
        for record in _replacements(documents, records)
        if "successor" in record.head
        and not manual.keeps_apart(str(record.head["id"]), str(record.head["other"]))
    )
    batches = batches_of(pending, _DELETIONS_PER_REQUEST)
    return sum(_finish(documents, batch, texts) for batch in batches)


def replaced_and_gone(
    documents: StoredDocuments, records: Iterable[Record], concerns: Callable[[str], bool]
) -> Iterator[str]:
    """Yield the ids of documents that were recorded as replaced and are not there any more.

    Args:
        documents: Reads documents of the index.
        records: Records of the audit log.
        concerns: Says of an id whether the caller wants to know.
    """
    for batch in batches_of(_replacements(documents, records), _DELETIONS_PER_REQUEST):
        refs = [_replaced_ref(record) for record in batch]
        others = {ref.id: ref for ref in refs if concerns(ref.id)}
        yield from others.keys() - documents.existing(list(others.values()))


def _replacements(documents: StoredDocuments, records: Iterable[Record]) -> Iterator[Record]:
    """Yield the records of documents of the index that were to be deleted for another."""
    for record in records:
        head = record.head
        is_here = head["index"] == documents.context.index
        if is_here and head["action"] == "replace" and "replaced" in head:
            yield record


def _replaced_ref(record: Record) -> DocumentRef:
    head = record.head
    return DocumentRef(head["replaced"][0], str(head["other"]), head.get("other_routing"))


def _finish(documents: StoredDocuments, batch: Sequence[Record], texts: ReservedTexts) -> int:
    refs = [_replaced_ref(record) for record in batch]
    unchanged = [
        (record, stored)
        for record, stored in zip(batch, documents.read(refs), strict=True)
        if stored is not None and _is_as_recorded(stored, record, documents.context.config)
    ]
    successors = _successors(documents, [record for record, _ in unchanged], texts)
    results = documents.change(
        [
            Change(stored.read_version, None)
            for (record, stored), successor in zip(unchanged, successors, strict=True)
            if successor is not None and _is_successor(successor, record)
        ]
    )
    return sum(result.status == "written" for result in results)


def _successors(
    documents: StoredDocuments, records: Sequence[Record], texts: ReservedTexts
) -> list[Row | None]:
    """Return what was written in place of documents; of copies, what has that text by now."""
    refs = [
        DocumentRef(None, id, routing)
        for id, _, routing in (record.head["successor"] for record in records)
    ]
    successors = documents.read(refs, _SUCCESSOR)
    gone = [
        (place, _claim(record, documents.context.config))
        for place, (record, successor) in enumerate(zip(records, successors, strict=True))
        if successor is None and record.head.get("kind") == "exact"
    ]
    held = texts.read([claim for _, claim in gone]) if gone else {}
    holders = {
        place: held[claim].holder
        for place, claim in gone
        if claim in held and held[claim].holder.id != records[place].head["other"]
    }
    for place, row in zip(holders, documents.read([*holders.values()], _SUCCESSOR), strict=True):
        successors[place] = row
    return successors


def _claim(record: Record, config: IndexConfig) -> str:
    """Return the key under which the text of a document's successor is reserved."""
    source = loads((record.document or b"{}").decode()) if config.within else {}
    return claim_of(record.head["successor"][1], values_apart(source, config))


def _is_successor(written: Row, record: Record) -> bool:
    """Check that a document was written as it was decided."""
    has_text = written.content_hash == record.head["successor"][1]
    return has_text and written.duplicate_of is None


def _is_as_recorded(stored: Row, record: Record, config: IndexConfig) -> bool:
    version = stored.read_version
    written = [stored.ref.index, version.seq_no, version.primary_term]
    # An index that was made anew may have the same numbers, hardly with the same document.
    return written == record.head["replaced"] and source_json(stored, config) == record.document
