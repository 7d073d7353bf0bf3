"""Joining documents by hand: versions of each other, whatever their texts share."""

import shlex
from collections.abc import Sequence
from itertools import combinations, pairwise

from es_simhash.errors import DocumentMissing, InputError
from es_simhash.maintenance.families.settled import SettledPair
from es_simhash.relation.joined import JoinedGroups
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.fields import DEFAULT_FIELD, STATUS, STATUS_EMPTY
from es_simhash.store.installation.noted_pairs import Dismissals, Ids, Joins, NotedPair
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.source import text_of


def join(
    client: Client,
    index: str,
    ids: Sequence[str],
    *,
    undo: bool = False,
    replace: bool = False,
    simhash_field: str = DEFAULT_FIELD,
) -> list[SettledPair]:
    """Store that documents are versions of each other, or withdraw that.

    A join is stored by the ids in the state index INDEX-simhash, with the dismissals, and
    survives any change of the documents; who is joined with two others joins these as well. From
    then on `related` returns one as a version of the other, `ingest` and `sweep` decide that one
    is, and the next run of `find_families` puts them, with the families they are from, into one
    family.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        ids: Ids of the documents, two or more; each is joined with the first.
        undo: Withdraw the joins among these documents.
        replace: Remove the dismissals that say the opposite.
        simhash_field: Field of the fingerprints.

    Returns:
        The joins that were stored or withdrawn.

    Raises:
        DocumentMissing: A document does not exist.
        InputError: There are fewer than two ids, a document has no words, two of the documents
            were dismissed, or there is nothing to withdraw.
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
    return [SettledPair(ids, "joined") for ids in pairs]


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
            f"`es-simhash same {index} {undo_of(one, other)}`" for one, other in pairwise(path)
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
        f"remove it, with `es-simhash dismiss {index} {undo_of(id_a, id_b)}` or with this join. "
        "Set replace.",
        parameter="replace",
    )


def _require_texts(gateway: Gateway, index: str, ids: Sequence[str], simhash_field: str) -> None:
    path = IndexConfig(simhash_field=simhash_field).path(STATUS)
    for entry in gateway.documents_by_id(index, ids, [path]):
        id = entry["_id"]
        if not entry.get("found"):
            raise DocumentMissing(f"Document {id!r} is not in index {index!r}; check the id.")
        if text_of(entry.get("_source", {}), path) == STATUS_EMPTY:
            raise InputError(
                f"Document {id!r} has no words, and such documents are families of their own. "
                "Leave it out."
            )
