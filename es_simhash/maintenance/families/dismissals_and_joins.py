"""Pairs of documents that a person decides about: dismissals, joins, undone decisions."""

import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal

from es_simhash.errors import DocumentMissing, InputError
from es_simhash.ingestion.deduplication.audit_runs import find_run
from es_simhash.relation.decided_pairs import JoinedGroups
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.fields import DEFAULT_FIELD, STATUS_EMPTY
from es_simhash.store.installation.noted_pairs import Dismissals, Joins, NotedPair, UndoneDecision
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.intents import DocumentsById, Parts
from es_simhash.store.mapping_meta import current_field
from es_simhash.store.rows import Row
from es_simhash.store.state_entries import Ids


@dataclass(frozen=True)
class ManualPair:
    """Two documents that a person decided about.

    Attributes:
        ids: Their ids; of an undone decision the document and its original.
        reason: `dismissed` by `dismiss`: they are no versions of each other; `joined` by `join`:
            they are; `undone` by `undo`: no run makes that decision again.
        run: Id of the run that made the undone decision; None otherwise.
    """

    ids: Ids
    reason: Literal["dismissed", "joined", "undone"]
    run: str | None = None


def manual_pairs(
    client: Client, index: str, *, simhash_field: str = DEFAULT_FIELD
) -> list[ManualPair]:
    """Return the pairs of documents that a person decided about; see `Index.manual_pairs`."""
    state = StateIndex(Gateway.of(client), index, simhash_field)
    dismissals = Dismissals(state)
    pairs = [ManualPair(ids, "dismissed") for ids in dismissals.pairs()]
    pairs += [ManualPair(ids, "joined") for ids in Joins(state).pairs()]
    pairs += map(undone_pair, dismissals.undone())
    return sorted(pairs, key=lambda pair: (pair.ids, pair.reason, pair.run or ""))


def undone_pair(decision: UndoneDecision) -> ManualPair:
    """Return an undone decision as a pair."""
    return ManualPair(decision.ids, "undone", decision.run)


def join(
    client: Client,
    index: str,
    ids: Sequence[str],
    *,
    undo: bool = False,
    replace: bool = False,
    simhash_field: str = DEFAULT_FIELD,
) -> list[ManualPair]:
    """Store that documents are versions of each other, or withdraw that; see `Index.join`.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        ids: Ids of the documents, two or more; each is joined with the first.
        undo: Withdraw the joins among these documents.
        replace: Remove the dismissals that say the opposite.
        simhash_field: Field of the fingerprints.
    """
    wanted = list(dict.fromkeys(ids))
    if len(wanted) < 2:
        raise InputError(f"A join needs the ids of two documents or more, got {list(ids)}.")
    gateway = Gateway.of(client)
    state = StateIndex(gateway, index, simhash_field)
    joins = Joins(state)
    stored = joins.pairs()
    if undo:
        pairs = _withdrawn(index, wanted, stored)
        joins.withdraw(pairs)
    else:
        pairs = [_ordered(wanted[0], id) for id in wanted[1:]]
        _require_texts(gateway, index, wanted, simhash_field)
        contrary = _contrary(state, [*stored, *pairs], wanted[0])
        if contrary and not replace:
            raise _dismissed(index, contrary)
        Dismissals(state).withdraw(contrary)
        joins.write_all(NotedPair(ids) for ids in pairs)
    return [ManualPair(ids, "joined") for ids in pairs]


def _ordered(id_a: str, id_b: str) -> Ids:
    return min(id_a, id_b), max(id_a, id_b)


def _withdrawn(index: str, ids: Sequence[str], stored: set[Ids]) -> list[Ids]:
    """Return the joins among documents.

    Raises:
        InputError: There is none, or only one over other documents.
    """
    among = sorted(stored & {_ordered(*pair) for pair in combinations(ids, 2)})
    if among:
        return among
    groups = JoinedGroups(stored)
    for id_a, id_b in combinations(ids, 2):
        if path := groups.path(id_a, id_b):
            raise joined_through(index, path)
    raise InputError(
        f"{', '.join(map(repr, ids))} were not joined, so there is nothing to undo. Check the ids."
    )


def joined_through(index: str, path: Sequence[str]) -> InputError:
    """Return the error of two documents that are joined over others.

    Args:
        index: The index.
        path: The ids, from one document to the other.
    """
    between = ", ".join(map(repr, path[1:-1]))
    return InputError(
        f"{path[0]!r} and {path[-1]!r} are joined over {between}. Undo one of these joins: "
        + " or ".join(
            f"`es-simhash families same {index} {undo_of(one, other)}`"
            for one, other in pairwise(path)
        )
        + "."
    )


def undo_of(*ids: str) -> str:
    """Return ids and `--undo` as a shell takes them, also with spaces or a leading dash."""
    quoted = " ".join(map(shlex.quote, ids))
    return f"--undo -- {quoted}" if any(id.startswith("-") for id in ids) else f"{quoted} --undo"


def _contrary(state: StateIndex, joined: Sequence[Ids], id: str) -> list[Ids]:
    """Return the dismissals of which joins would say the opposite.

    Args:
        state: The state index.
        joined: All joins.
        id: A document of the group that the joins make.
    """
    group = JoinedGroups(joined).group(id)
    return sorted(ids for ids in Dismissals(state).pairs() if group.issuperset(ids))


def _dismissed(index: str, contrary: Sequence[Ids]) -> InputError:
    id_a, id_b = contrary[0]
    more = f" (and {len(contrary) - 1} more pairs)" if len(contrary) > 1 else ""
    return InputError(
        f"{id_a!r} and {id_b!r}{more} were dismissed, and would be joined. That counts unless you "
        f"remove it, with `es-simhash families dismiss {index} {undo_of(id_a, id_b)}` or with this "
        "join. "
        "Set replace.",
        parameter="replace",
    )


def _require_texts(gateway: Gateway, index: str, ids: Sequence[str], simhash_field: str) -> None:
    for row in _rows(gateway, index, ids, simhash_field):
        if row.status == STATUS_EMPTY:
            raise InputError(
                f"Document {row.id!r} has no words, and such documents are families of their own. "
                "Leave it out."
            )


def _rows(gateway: Gateway, index: str, ids: Sequence[str], simhash_field: str) -> list[Row]:
    """Return documents by their ids.

    Raises:
        DocumentMissing: One does not exist.
    """
    with suppress(RequestRejected):  # Without the privilege, as the index was before an upgrade.
        simhash_field = current_field(gateway.mappings(index), simhash_field)
    config = IndexConfig(simhash_field=simhash_field)
    store = ElasticsearchStore(gateway, index, config, is_complete=True)
    rows: list[Row]
    (rows,) = store.ask([DocumentsById(tuple(ids), Parts(members=True))])
    for row in rows:
        if not row.found:
            raise DocumentMissing.of(row.id, index)
    return rows


def dismiss(
    client: Client,
    index: str,
    *ids: str,
    undo: bool = False,
    replace: bool = False,
    simhash_field: str = DEFAULT_FIELD,
) -> None:
    """Store that two documents are no versions of each other, or not any more; see `Index.dismiss`.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        ids: Ids of the two documents.
        undo: Withdraw the dismissal.
        replace: Remove the join that says the opposite.
        simhash_field: Field of the fingerprints.
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
) -> list[ManualPair]:
    """Lift the undone decisions of a run, and return them; see `Index.lift_undone`."""
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
            f"with `es-simhash families same {index} {undo_of(*ids)}` or with this dismissal. "
            "Set replace.",
            parameter="replace",
        )
    joins.withdraw([ids])


def _require_different(gateway: Gateway, index: str, ids: Ids, simhash_field: str) -> None:
    if ids[0] == ids[1]:
        raise InputError(f"{ids[0]!r} is one document; pass the ids of two.")
    hashes = [row.content_hash for row in _rows(gateway, index, ids, simhash_field)]
    if hashes[0] is not None and hashes[0] == hashes[1]:
        raise InputError(
            f"{ids[0]!r} and {ids[1]!r} have the same text; exact copies are always of one family."
        )
