"""What decisions mean for documents that are in the index already: families and deletions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from es_simhash.deduplication.decision import Decision
from es_simhash.deduplication.requests import Requests
from es_simhash.deduplication.stored_documents import Fact, Facts
from es_simhash.engine.errors import reason_of
from es_simhash.errors import ClusterError
from es_simhash.storage import fields
from es_simhash.storage.references import DocumentVersion

_CONFLICT, _MISSING = 409, 404
# Somebody else may be quicker so often before a document is left as it is.
_TRIES = 5


def with_families(
    decisions: Sequence[Decision], facts: Mapping[str, Fact], reader: Facts
) -> list[Decision]:
    """Return linked documents the family the other has by now, and those of this batch theirs."""
    families: dict[str, str] = {}
    places: dict[str, int] = {}
    linked: list[Decision] = []
    for each in decisions:
        if each.action == "link" and each.other is not None:
            # A document of this batch as it was before this one, for it may be written again.
            place = places.get(each.other)
            stored = None if place is not None else reader.family(facts[each.other])
            known = linked[place].family if place is not None else families.get(each.other)
            family = known or stored or str(each.family)
            families[each.other] = family
            if place is not None:
                linked[place] = replace(linked[place], family=family)
            each = replace(each, family=family)
        places[each.id] = len(linked)
        linked.append(each)
    return linked


def nested(field: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a partial update of our object."""
    body = dict(members)
    for part in reversed(field.split(".")):
        body = {part: body}
    return body


def link_others(
    requests: Requests,
    reader: Facts,
    field: str,
    decisions: Sequence[Decision],
    facts: Mapping[str, Fact],
) -> None:
    """Write the family into the earlier documents that have none.

    Raises:
        ClusterError: An update is refused.
    """
    families = {
        each.other: str(each.family)
        for each in decisions
        if each.action == "link" and each.other in facts
    }
    pending = [facts[str(id)] for id in families]
    for _ in range(_TRIES):
        pending = [each for each in pending if each.get("found") and not reader.family(each)]
        lines = [
            [
                {
                    "update": {
                        "_index": each["_index"],
                        "_id": each["_id"],
                        **DocumentVersion.of_hit(each).conditions,
                    }
                },
                {"doc": nested(field, {fields.FAMILY: families[each["_id"]]})},
            ]
            for each in pending
        ]
        results = requests.bulk(requests.index, lines)
        left = [each for each, result in zip(pending, results, strict=True) if is_outrun(result)]
        if not left:
            return
        pending = reader.read([(each["_index"], each["_id"]) for each in left])


def replacing(decisions: Sequence[Decision]) -> list[Decision]:
    """Return the decisions for which a document has to be deleted.

    Not when it was never written, nor when it is written once more by the same batch.
    """
    written: set[str] = set()
    new = {each.id for each in decisions if each.superseded is not None}
    found = []
    for each in reversed(decisions):
        if each.action == "replace" and each.other not in written | new:
            found.append(each)
        if each.writes:
            written.add(each.id)
    return found[::-1]


def delete_replaced(
    requests: Requests,
    reader: Facts,
    decision: Decision,
    fact: Fact,
    record: Callable[[Fact], None],
) -> None:
    """Delete what a document replaced, as it was written down.

    Args:
        requests: Of the policy.
        reader: Reads documents.
        decision: To replace.
        fact: The other document, as it stands in the audit log.
        record: Writes it to the log once more, after other fields of it were changed.

    Raises:
        ClusterError: The deletion is refused.
    """
    for _ in range(_TRIES):
        line = {"delete": {"_id": fact["_id"], **DocumentVersion.of_hit(fact).conditions}}
        if not is_outrun(requests.bulk(fact["_index"], [[line]])[0]):
            return
        fact = reader.read([(fact["_index"], fact["_id"])])[0]
        if not reader.is_as_decided(decision, fact):
            return
        record(fact)


def is_outrun(result: Mapping[str, Any]) -> bool:
    """Check whether a document was changed meanwhile.

    Raises:
        ClusterError: The write is refused for another reason.
    """
    if result["status"] == _CONFLICT:
        return True
    if "error" in result and result["status"] != _MISSING:
        raise ClusterError(f"Document {result['_id']!r} is refused: {reason_of(result)}.")
    return False
