"""What the processes do: find out which documents need fields, and write the bulk body."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from es_simhash.backfills.documents import Hit, Place, Task, own_object
from es_simhash.backfills.fields import derived, fits, is_current, refusal, replacing
from es_simhash.backfills.report import Outcome, Status
from es_simhash.bulk.preparation import Prepared
from es_simhash.errors import InputError
from es_simhash.storage.fields import INDEX, PRIMARY_TERM, ROUTING, SEQ_NO, SOURCE
from es_simhash.storage.source import text_of
from es_simhash.text.limits import require_text_size


@dataclass
class Page(Prepared):
    """Documents ready to be sent.

    Attributes:
        settled: Outcome of each document for which nothing is sent.
    """

    settled: list[Outcome] = field(default_factory=list)


class _Wanted(NamedTuple):
    """A document that gets new fields."""

    number: int
    hit: Hit
    text: str


def prepare(hits: Sequence[Hit], task: Task) -> Page:
    """Make documents ready to be sent; `positions` are their numbers in the sequence."""
    page = Page()
    wanted = []
    for number, hit in enumerate(hits):
        found = _judged(hit, task)
        if isinstance(found, Outcome):
            page.settled.append(found)
        else:
            wanted.append(_Wanted(number, hit, found))
    actions = []
    objects = derived([each.text for each in wanted], [each.hit.source for each in wanted], task)
    for each, simhash in zip(wanted, objects, strict=True):
        page.ids.append(each.hit.place.id)
        page.positions.append(each.number)
        actions.append(_action(each.hit, simhash, task))
    page.fill(actions)
    return page


def outcome(hit: Hit, status: Status, reason: str | None = None) -> Outcome:
    """Return the outcome of a document."""
    return Outcome(hit.place.id, hit.place.index, status, reason)


def _judged(hit: Hit, task: Task) -> Outcome | str:
    """Return the text to fingerprint, or what became of the document without."""
    stored = _stored(hit, task)
    if hit.kept is not None:
        if taken := _taken_by_another(hit, task):
            return outcome(hit, "failed", taken)
        if is_current(stored, task) and _is_newer(hit.kept[SOURCE], hit.place):
            return outcome(hit, "unchanged")
    try:
        content = require_text_size(_text(hit.source, task.text_field) or "")
    except InputError as error:
        return outcome(hit, "failed", str(error))
    if not content and not stored and text_of(hit.source, task.text_field) is None:
        return outcome(hit, "without_text")
    if is_current(stored, task) and fits(content, stored):
        return outcome(hit, "unchanged")
    reason = refusal(content, hit.source, task)
    return outcome(hit, "failed", reason) if reason else content


def _stored(hit: Hit, task: Task) -> Mapping[str, Any]:
    """Return the small members of our object, wherever it is kept."""
    source = hit.source if task.sidecar is None else hit.kept or {}
    return own_object(source, task.simhash_field)[0] or {}


def _text(source: Mapping[str, Any], text_field: str) -> str | None:
    """Return the text; where it is missed for lists of objects on the way to it, say so.

    Raises:
        InputError: The field holds no text.
    """
    found = text_of(source, text_field)
    value: Any = source
    for part in text_field.split("."):
        if found is None and isinstance(value, list) and value:
            raise InputError(
                f"Field {text_field!r} lies in a list of objects; copy its text to a field of the "
                "document and name that with --field."
            )
        value = value.get(part) if isinstance(value, Mapping) else None
    return found


def _taken_by_another(hit: Hit, task: Task) -> str | None:
    """Return the sentence that says that the sidecar has this id from another document.

    The document of an index that is no longer asked for gives way.
    """
    assert hit.kept is not None
    of = hit.kept.get(SOURCE)
    if not isinstance(of, Mapping) or SEQ_NO not in of:
        return (
            f"Index {task.sidecar!r} has a document of this id that is not of a backfill; "
            "name another with --sidecar."
        )
    if of[INDEX] in task.indices and (of[INDEX], of.get(ROUTING)) != (
        hit.place.index,
        hit.place.routing,
    ):
        return (
            f"Index {task.sidecar!r} has the document of this id of index {of[INDEX]!r}; "
            "give each of the indices a sidecar of its own."
        )
    return None


def _is_newer(of: Mapping[str, Any], place: Place) -> bool:
    """Check whether the sidecar has the fields of this state of the document, or of a later one."""
    same = (of[INDEX], of.get(ROUTING)) == (place.index, place.routing)
    return same and (of[PRIMARY_TERM], of[SEQ_NO]) >= (place.primary_term, place.seq_no)


def _action(hit: Hit, simhash: bytes, task: Task) -> bytes:
    """Return the two lines of a bulk request that write the fields of one document."""
    if task.sidecar is None:
        stored, nested = own_object(hit.source, task.simhash_field)
        whole = replacing(simhash, stored) if stored is not None else simhash
        members = _under(task.simhash_field, whole, nested=nested)
        return _update(hit.place, b"{%b}" % members)
    place = hit.place
    names = {INDEX: place.index, ROUTING: place.routing,
             SEQ_NO: place.seq_no, PRIMARY_TERM: place.primary_term}  # fmt: skip
    of = b'"%b":%b' % (SOURCE.encode(), json.dumps(names).encode())
    if hit.kept_place is None:
        members = _under(task.simhash_field, simhash, nested=False)
        head = json.dumps({"create": {"_index": task.sidecar, "_id": place.id}}).encode()
        return b"%b\n{%b,%b}\n" % (head, members, of)
    whole = replacing(simhash, _stored(hit, task))
    members = _under(task.simhash_field, whole, nested=False)
    return _update(hit.kept_place, b"{%b,%b}" % (members, of))


def _under(field: str, value: bytes, *, nested: bool) -> bytes:
    """Return the member that holds our object, the way the document has it already."""
    names = field.split(".") if nested else [field]
    for name in reversed(names[1:]):
        value = b"{%b:%b}" % (json.dumps(name).encode(), value)
    return b"%b:%b" % (json.dumps(names[0]).encode(), value)


def _update(place: Place, document: bytes) -> bytes:
    meta: dict[str, Any] = {
        "_index": place.index,
        "_id": place.id,
        "if_seq_no": place.seq_no,
        "if_primary_term": place.primary_term,
    }
    if place.routing is not None:
        meta["routing"] = place.routing
    return b'{"update":%b}\n{"doc":%b}\n' % (json.dumps(meta).encode(), document)
