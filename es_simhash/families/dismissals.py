"""Dismissals: pairs of documents that are not versions of each other."""

from es_simhash.engine.gateway import Client, Gateway
from es_simhash.errors import DocumentMissing, InputError
from es_simhash.indices.state_index import Dismissal, StateIndex
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.fields import CONTENT_HASH, DEFAULT_FIELD
from es_simhash.storage.source import text_of


def dismiss(
    client: Client,
    index: str,
    id_a: str,
    id_b: str,
    *,
    undo: bool = False,
    simhash_field: str = DEFAULT_FIELD,
) -> None:
    """Store that two documents are never of one family, or withdraw that.

    A dismissal is stored by the two ids in the state index INDEX-simhash, applies from the next
    run of `find_families` on, and survives any change of the documents.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        id_a: Id of one document.
        id_b: Id of the other.
        undo: Withdraw the dismissal.
        simhash_field: Field of the fingerprints.

    Raises:
        DocumentMissing: A document does not exist.
        InputError: Both have the same id or the same text, or there is nothing to withdraw.
    """
    gateway = Gateway.of(client)
    state = StateIndex(gateway, index, simhash_field)
    ids = (min(id_a, id_b), max(id_a, id_b))
    if not undo:
        _require_different(gateway, index, ids, simhash_field)
        state.write_dismissal(Dismissal(ids))
        return
    dismissed = {dismissal.ids for dismissal in state.dismissals() if not dismissal.undone}
    if ids not in dismissed:
        raise InputError(
            f"{id_a!r} and {id_b!r} were not dismissed, so there is nothing to undo; check the ids."
        )
    state.write_dismissal(Dismissal(ids, undone=True))


def _require_different(
    gateway: Gateway, index: str, ids: tuple[str, str], simhash_field: str
) -> None:
    if ids[0] == ids[1]:
        raise InputError(f"{ids[0]!r} is one document; pass the ids of two.")
    path = IndexConfig(simhash_field=simhash_field).path(CONTENT_HASH)
    hashes = []
    for entry in gateway.documents_by_id(index, ids, [path]):
        if not entry.get("found"):
            raise DocumentMissing(
                f"Document {entry['_id']!r} is not in index {index!r}; check the id."
            )
        hashes.append(text_of(entry.get("_source", {}), path))
    if hashes[0] is not None and hashes[0] == hashes[1]:
        raise InputError(
            f"{ids[0]!r} and {ids[1]!r} have the same text; exact copies are always of one family."
        )
