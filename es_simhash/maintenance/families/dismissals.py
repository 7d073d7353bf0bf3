"""What a person decides about pairs of documents: dismissals, and undone decisions that stand."""

from es_simhash.errors import DocumentMissing, InputError
from es_simhash.ingestion.deduplication.run_ids import find_run
from es_simhash.maintenance.families.joins import joined_through, undo_of
from es_simhash.maintenance.families.settled import SettledPair, undone_pair
from es_simhash.relation.joined import JoinedGroups
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.fields import CONTENT_HASH, DEFAULT_FIELD
from es_simhash.store.installation.noted_pairs import Dismissals, Ids, Joins, NotedPair
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.source import text_of


def dismiss(
    client: Client,
    index: str,
    *ids: str,
    undo: bool = False,
    replace: bool = False,
    simhash_field: str = DEFAULT_FIELD,
) -> None:
    """Store that two documents are no versions of each other, or withdraw that.

    A dismissal is stored by the two ids in the state index INDEX-simhash and survives any change
    of the documents. From then on `related` does not return one as a version of the other, and
    `ingest` and `sweep` do not decide that one is; the next run of `find_families` puts them into
    two families. To withdraw also lifts decisions about the two that `undo` reverted, so that
    runs may make them again.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        ids: Ids of the two documents.
        undo: Withdraw the dismissal.
        replace: Remove the join that says the opposite.
        simhash_field: Field of the fingerprints.

    Raises:
        DocumentMissing: A document does not exist.
        InputError: There are not two ids, both have the same id or the same text, they were
            joined, or there is nothing to withdraw.
    """
    if len(ids) != 2:
        raise InputError(f"A dismissal needs the ids of two documents, got {list(ids)}.")
    pair = (min(ids), max(ids))
    dismissals = _dismissals(client, index, simhash_field)
    if not undo:
        gateway = Gateway.of(client)
        _require_different(gateway, index, pair, simhash_field)
        _part(Joins(StateIndex(gateway, index, simhash_field)), index, pair, replace=replace)
        dismissals.write(NotedPair(pair))
        return
    undone = [decision for decision in dismissals.undone() if set(decision.ids) == set(pair)]
    is_dismissed = pair in dismissals.pairs()
    if not is_dismissed and not undone:
        raise InputError(
            f"{ids[0]!r} and {ids[1]!r} were not dismissed, and no decision about them was undone, "
            "so there is nothing to undo. Check the ids."
        )
    if is_dismissed:
        dismissals.withdraw([pair])
    dismissals.lift(undone)


def lift_undone(
    client: Client, index: str, run: str, *, simhash_field: str = DEFAULT_FIELD
) -> list[SettledPair]:
    """Lift the undone decisions of a run, so that the next runs may make them again; return them.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        run: Id of the run, or the beginning of it.
        simhash_field: Field of the fingerprints.

    Raises:
        InputError: No decision of such a run was undone, or those of several runs.
    """
    dismissals = _dismissals(client, index, simhash_field)
    undone = dismissals.undone()
    runs = dict.fromkeys(decision.run for decision in undone)
    chosen = find_run(run, runs, f"the undone decisions of index {index!r}")
    lifted = [decision for decision in undone if decision.run == chosen]
    dismissals.lift(lifted)
    return [undone_pair(decision) for decision in lifted]


def _dismissals(client: Client, index: str, simhash_field: str) -> Dismissals:
    return Dismissals(StateIndex(Gateway.of(client), index, simhash_field))


def _part(joins: Joins, index: str, ids: Ids, *, replace: bool) -> None:
    """Withdraw the join of two documents.

    Raises:
        InputError: It is to stand, or they are joined over others.
    """
    stored = joins.pairs()
    if path := JoinedGroups(stored - {ids}).path(*ids):
        raise joined_through(index, path)
    if ids not in stored:
        return
    if not replace:
        raise InputError(
            f"{ids[0]!r} and {ids[1]!r} were joined as versions. That counts unless you remove it, "
            f"with `es-simhash same {index} {undo_of(*ids)}` or with this dismissal. "
            "Set replace.",
            parameter="replace",
        )
    joins.withdraw([ids])


def _require_different(gateway: Gateway, index: str, ids: Ids, simhash_field: str) -> None:
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
