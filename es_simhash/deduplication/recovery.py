"""Ending what a run that was killed had begun: deletions of documents that were replaced."""

from collections.abc import Iterable, Iterator
from itertools import islice

from es_simhash.deduplication.audit_records import Record
from es_simhash.deduplication.context import Setting
from es_simhash.deduplication.recorder import without_ours
from es_simhash.deduplication.requests import Requests
from es_simhash.deduplication.stored_documents import Fact, Facts

_BATCH = 500


def finish_replacing(
    requests: Requests, reader: Facts, setting: Setting, records: Iterable[Record]
) -> int:
    """Delete what was written down as replaced, where the new document is there and the old too.

    A run that is killed between the two leaves both, and the next one finds the new document
    unchanged, so that it decides nothing about it. What was written since, as by `undo`, has
    another sequence number, and stays.

    Returns:
        The number of documents that were deleted.
    """
    begun = (
        each
        for each in records
        if each.head["action"] == "replace"
        and each.head["index"] == setting.index
        and "replaced" in each.head
    )
    return sum(_finish(requests, reader, setting, batch) for batch in _batches(begun))


def _batches(records: Iterator[Record]) -> Iterator[list[Record]]:
    while batch := list(islice(records, _BATCH)):
        yield batch


def _finish(requests: Requests, reader: Facts, setting: Setting, batch: list[Record]) -> int:
    keys = [(each.head["replaced"][0], str(each.head["other"])) for each in batch]
    left = [
        (record, fact)
        for record, fact in zip(batch, reader.read(keys), strict=True)
        if fact.get("found") and _is_the_same(fact, record, setting)
    ]
    new = requests.documents([(None, str(record.head["id"])) for record, _ in left], [])
    lines = [
        [
            {
                "delete": {
                    "_index": index,
                    "_id": fact["_id"],
                    "if_seq_no": seq,
                    "if_primary_term": term,
                }
            }
        ]
        for (record, fact), entry in zip(left, new, strict=True)
        for index, seq, term in [record.head["replaced"]]
        if entry.get("found")
    ]
    return sum("error" not in each for each in requests.bulk(requests.index, lines))


def _is_the_same(fact: Fact, record: Record, setting: Setting) -> bool:
    written = [fact["_index"], fact["_seq_no"], fact["_primary_term"]]
    # An index that was made anew may have the same numbers, hardly with the same document.
    return written == record.head["replaced"] and without_ours(fact, setting) == record.document
