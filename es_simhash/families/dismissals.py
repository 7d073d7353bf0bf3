"""What a person decides about pairs of documents: dismissals, and undone decisions that stand."""

from dataclasses import dataclass
from typing import Literal

from es_simhash.deduplication.run_ids import find_run
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.errors import DocumentMissing, InputError
from es_simhash.indices.dismissals import Dismissal, Dismissals, Ids, UndoneDecision
from es_simhash.indices.state_index import StateIndex
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.fields import CONTENT_HASH, DEFAULT_FIELD
from es_simhash.storage.source import text_of


@dataclass(frozen=True)
class SettledPair:
    """Two documents that a person decided about.

    Attributes:
        ids: Their ids; of an undone decision the document and its original.
        reason: `dismissed` by `dismiss`: they are no versions of each other; `undone` by `undo`: no
            run makes that decision again.
        run: Id of the run that made the undone decision; None for a dismissal.
    """

    ids: Ids
    reason: Literal["dismissed", "undone"]
    run: str | None = None


def settled_pairs(
    client: Client, index: str, *, simhash_field: str = DEFAULT_FIELD
) -> list[SettledPair]:
    """Return the pairs of documents that a person decided about, sorted by their ids.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        simhash_field: Field of the fingerprints.

    Raises:
        InputError: The name stands for several indices.
    """
    dismissals = _dismissals(client, index, simhash_field)
    pairs = [SettledPair(ids, "dismissed") for ids in dismissals.pairs()]
    pairs += map(_undone_pair, dismissals.undone())
    return sorted(pairs, key=lambda pair: (pair.ids, pair.reason, pair.run or ""))


def dismiss(
    client: Client,
    index: str,
    id_a: str,
    id_b: str,
    *,
    undo: bool = False,
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
        id_a: Id of one document.
        id_b: Id of the other.
        undo: Withdraw the dismissal.
        simhash_field: Field of the fingerprints.

    Raises:
        DocumentMissing: A document does not exist.
        InputError: Both have the same id or the same text, or there is nothing to withdraw.
    """
    dismissals = _dismissals(client, index, simhash_field)
    ids = (min(id_a, id_b), max(id_a, id_b))
    if not undo:
        _require_different(Gateway.of(client), index, ids, simhash_field)
        dismissals.write(Dismissal(ids))
        return
    undone = [decision for decision in dismissals.undone() if set(decision.ids) == set(ids)]
    is_dismissed = ids in dismissals.pairs()
    if not is_dismissed and not undone:
        raise InputError(
            f"{id_a!r} and {id_b!r} were not dismissed, and no decision about them was undone, so "
            "there is nothing to undo. Check the ids."
        )
    if is_dismissed:
        dismissals.write(Dismissal(ids, undone=True))
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
    return [_undone_pair(decision) for decision in lifted]


def _undone_pair(decision: UndoneDecision) -> SettledPair:
    return SettledPair(decision.ids, "undone", decision.run)


def _dismissals(client: Client, index: str, simhash_field: str) -> Dismissals:
    return Dismissals(StateIndex(Gateway.of(client), index, simhash_field))


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
