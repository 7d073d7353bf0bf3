"""Remembering that two documents are not versions of each other."""

from es_simhash.engine.gateway import Client, Gateway
from es_simhash.errors import DocumentMissing, InputError
from es_simhash.indices.state_index import Dismissal, StateIndex
from es_simhash.storage import fields
from es_simhash.storage.fields import DEFAULT_FIELD, field_path
from es_simhash.storage.source import text_of


def dismiss(
    client: Client,
    index: str,
    one: str,
    other: str,
    *,
    undo: bool = False,
    simhash_field: str = DEFAULT_FIELD,
) -> None:
    """Remember that two documents are never of one family, or forget it again.

    It is kept in the index beside this one, by the ids of the two, and takes effect with the next
    run of `find_families`; it outlasts any change of the documents.

    Raises:
        DocumentMissing: One of the ids is not there.
        InputError: Both have the same text or the same id, or there is nothing to undo.
    """
    state_index = StateIndex(client, index, simhash_field)
    ids = (min(one, other), max(one, other))
    if undo:
        if not any(each.ids == ids and not each.undone for each in state_index.dismissals()):
            raise InputError(f"{one!r} and {other!r} were not dismissed; there is nothing to undo.")
        state_index.write_dismissal(Dismissal(ids, undone=True))
        return
    _require_different(client, index, ids, simhash_field)
    state_index.write_dismissal(Dismissal(ids))


def _require_different(client: Client, index: str, ids: tuple[str, str], field: str) -> None:
    if ids[0] == ids[1]:
        raise InputError(f"{ids[0]!r} is one document; give two that are not versions.")
    path = field_path(field, fields.CONTENT_HASH)
    hashes = []
    for entry in Gateway.of(client).documents_by_id(index, ids, [path]):
        if not entry.get("found"):
            raise DocumentMissing(
                f"Document {entry['_id']!r} is not in index {index!r}; check the id."
            )
        hashes.append(text_of(entry.get("_source", {}), path))
    if hashes[0] is not None and hashes[0] == hashes[1]:
        raise InputError(
            f"{ids[0]!r} and {ids[1]!r} have the same text; exact copies are always of one family."
        )
